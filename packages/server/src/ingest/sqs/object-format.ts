/** How the content of an object is cut and read. */
export type ObjectFormat =
  /** One entry per line, JSON or not. */
  | 'lines'
  /** JSON values behind each other, over many lines each. */
  | 'json'
  | 'json_array'
  /** CloudTrail: `{"Records": […]}`. */
  | 'records'
  /** Access logs of an Application Load Balancer. */
  | 'alb'
  | 'flow_log'
  /** Column files and others that are not read. */
  | 'unsupported';

export interface DetectedFormat {
  readonly format: ObjectFormat;
  /** The header line of a flow log: names of its fields. */
  readonly header: string | undefined;
  /** Bytes before the first entry: a byte order mark, what is wrapped around records. */
  readonly prefixBytes: number;
}

/** What of an object is looked at. */
export const headBytes = 64 * 1024;

const recordsStart = /^\s*\{\s*"Records"\s*:\s*\[/;
const albStart = /^(?:https?|h2|grpcs?|wss?) \d{4}-\d\d-\d\dT[\d:.]+Z (?:app|net)\/\S+ /;
const flowLogHeader = /^(?:[a-z][a-z0-9-]*)(?: [a-z][a-z0-9-]*)+$/;
const flowLogField = /(?:^| )(?:version|account-id|srcaddr|log-status)(?: |$)/;
const defaultFlowLog = /^[2-9]\d? \S+ (?:\S+ ){10}\S+ (?:OK|NODATA|SKIPDATA)$/;
/** Fields of version 2, which is what a log without a header has. */
const defaultFlowLogHeader =
  'version account-id interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status';

/**
 * Tells the format from the first bytes of the decompressed content; `isWhole` when that is all of it. What the key says of
 * the service that wrote the object is not needed: each of the formats is known by its first line.
 */
export function detectFormat(head: Uint8Array, isWhole: boolean): DetectedFormat {
  const markBytes = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
  const text = new TextDecoder().decode(head);
  const [records] = recordsStart.exec(text) ?? [];
  if (records !== undefined) {
    return { format: 'records', header: undefined, prefixBytes: markBytes + records.length };
  }
  return { ...formatOfText(text, isWhole), prefixBytes: markBytes };
}

function formatOfText(text: string, isWhole: boolean): Omit<DetectedFormat, 'prefixBytes'> {
  if (text.startsWith('PAR1') || text.startsWith('Obj\u0001') || text.startsWith('ORC')) {
    return { format: 'unsupported', header: undefined };
  }
  const trimmed = text.trimStart();
  if (trimmed.startsWith('[') && /^\[\s*[{"\]]/.test(trimmed)) {
    return { format: isJsonLine(trimmed, isWhole) ? 'lines' : 'json_array', header: undefined };
  }
  if (trimmed.startsWith('{')) {
    return { format: isFirstLineWhole(trimmed, isWhole) ? 'lines' : 'json', header: undefined };
  }
  const [line = ''] = trimmed.split(/\r?\n/, 1);
  if (albStart.test(line)) return { format: 'alb', header: undefined };
  if (flowLogHeader.test(line) && flowLogField.test(line)) {
    return { format: 'flow_log', header: line };
  }
  if (defaultFlowLog.test(line)) return { format: 'flow_log', header: defaultFlowLogHeader };
  return { format: 'lines', header: undefined };
}

/** Whether several lines follow each other that are arrays each: then they are lines like any others. */
function isJsonLine(text: string, isWhole: boolean): boolean {
  const end = text.indexOf('\n');
  const rest = end === -1 ? '' : text.slice(end + 1).trimStart();
  return rest.startsWith('[') && isFirstLineWhole(text, isWhole);
}

/** Whether the first line is a JSON value of its own, or at least the next one begins another. */
function isFirstLineWhole(text: string, isWhole: boolean): boolean {
  const end = text.indexOf('\n');
  if (end === -1 && !isWhole) return false;
  try {
    JSON.parse(end === -1 ? text : text.slice(0, end));
    return true;
  } catch {
    return end !== -1 && text[end + 1] === '{';
  }
}
