const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export function formatCount(value: number): string {
  return grouped.format(value);
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${formatCount(bytes)} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(value < 9.95 ? 1 : 0)} ${units[unit]}`;
}

export function formatSeconds(seconds: number): string {
  if (seconds < 0.9995) return `${Math.max(seconds > 0 ? 1 : 0, Math.round(seconds * 1000))} ms`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  if (seconds < 86400)
    return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

/** Where the time is shown: the reader's zone, or UTC. */
export type Zone = 'local' | 'utc';

/** `2026-03-11 12:00:00.123`, to as many digits of the second as asked for. */
export function formatTimestamp(timestampNs: bigint, zone: Zone, digits: 3 | 9 = 3): string {
  const second = 1_000_000_000n;
  const nanos = ((timestampNs % second) + second) % second;
  const wholeMs = Number((timestampNs - nanos) / 1_000_000n);
  const shiftMs = zone === 'utc' ? 0 : new Date(wholeMs).getTimezoneOffset() * 60_000;
  const shifted = new Date(wholeMs - shiftMs);
  if (Number.isNaN(shifted.getTime())) return timestampNs.toString();
  const [date = '', time = ''] = shifted.toISOString().split('T');
  return `${date} ${time.slice(0, 8)}.${nanos.toString().padStart(9, '0').slice(0, digits)}`;
}

export function formatAgo(iso: string, nowMs: number): string {
  const seconds = (nowMs - Date.parse(iso)) / 1000;
  if (Number.isNaN(seconds)) return iso;
  return seconds < 1.5 ? 'just now' : `${formatSeconds(seconds)} ago`;
}
