/** Where the demo writes; a terminal gets one line redrawn in place, anything else a plain line now and then. */
export interface Terminal {
  readonly isTty: boolean;
  readonly columns: number;
  write(text: string): void;
}

const redrawMs = 200;
const plainMs = 5000;
const barCells = 24;

export class StatusLine {
  readonly #terminal: Terminal;
  readonly #nowMs: () => number;
  #lastMs = -Infinity;
  #isDrawn = false;

  constructor(terminal: Terminal, nowMs: () => number) {
    this.#terminal = terminal;
    this.#nowMs = nowMs;
  }

  /** Shows the current state; calls that come too soon after the last shown one are dropped. */
  show(render: () => string): void {
    const nowMs = this.#nowMs();
    const { isTty, columns } = this.#terminal;
    if (nowMs - this.#lastMs < (isTty ? redrawMs : plainMs)) return;
    this.#lastMs = nowMs;
    const text = render();
    if (!isTty) return this.#terminal.write(`${text}\n`);
    this.#terminal.write(`\r\u001b[2K${text.slice(0, Math.max(20, columns - 1))}`);
    this.#isDrawn = true;
  }

  /** Writes lines that stay. */
  print(text: string): void {
    this.#terminal.write(`${this.#isDrawn ? '\r\u001b[2K' : ''}${text}\n`);
    this.#isDrawn = false;
    this.#lastMs = -Infinity;
  }
}

export function progressBar(fraction: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, fraction)) * barCells);
  return `${'█'.repeat(filled)}${'░'.repeat(barCells - filled)} ${String(Math.floor(fraction * 100)).padStart(3)} %`;
}

export function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = -1;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

export function formatDuration(durationMs: number): string {
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
