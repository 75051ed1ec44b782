const encoder = new TextEncoder();

/** What the query string of a request says of all its events. */
export interface EventDefaults {
  readonly host: Uint8Array | undefined;
  readonly source: Uint8Array | undefined;
  readonly sourcetype: Uint8Array | undefined;
  readonly index: Uint8Array | undefined;
}

export function parseEventDefaults(query: string): EventDefaults {
  const parameters = new URLSearchParams(query);
  const bytesOf = (name: string): Uint8Array | undefined => {
    const value = parameters.get(name);
    return value === null || value === '' ? undefined : encoder.encode(value);
  };
  return {
    host: bytesOf('host'),
    source: bytesOf('source'),
    sourcetype: bytesOf('sourcetype'),
    index: bytesOf('index'),
  };
}
