/** A failure to show to the person at the terminal as it is: one sentence that says what to do. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}
