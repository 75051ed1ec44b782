/** What a path of the collector takes. */
export type HecPath = 'event' | 'raw' | 'ack' | 'health';

const pattern = /^\/services\/collector(?:\/(event|raw|ack|health)(?:\/1\.0)?)?$/i;

/** Undefined when the path is none of the collector's. */
export function parseHecPath(path: string): HecPath | undefined {
  const match = pattern.exec(path);
  if (match === null) return undefined;
  switch (match[1]?.toLowerCase()) {
    case 'raw':
      return 'raw';
    case 'ack':
      return 'ack';
    case 'health':
      return 'health';
    default:
      return 'event';
  }
}
