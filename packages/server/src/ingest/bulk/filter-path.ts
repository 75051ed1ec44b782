type Segments = readonly string[];

function parsePattern(pattern: string): Segments {
  return pattern.split('.').filter((segment) => segment !== '');
}

function matchesSegment(pattern: string, name: string): boolean {
  if (!pattern.includes('*')) return pattern === name;
  const parts = pattern.split(/\*+/).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}

/** Whether the pattern names the path or an object that contains it. */
function covers(pattern: Segments, path: Segments): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return true;
  const [name, ...below] = path;
  if (first === '**') return covers(rest, path) || (name !== undefined && covers(pattern, below));
  return name !== undefined && matchesSegment(first, name) && covers(rest, below);
}

const maxPatterns = 64;
const maxSegments = 8;

/**
 * The `filter_path` parameter: comma-separated paths with `*` within a name and `**` for any names; those that
 * begin with `-` exclude. Tells whether a field of the answer, given by its path, is to be sent. More or longer
 * patterns than any sender uses are ignored, which sends a full answer.
 */
export function createFieldFilter(filterPath: string | null): (path: Segments) => boolean {
  const patterns = (filterPath ?? '')
    .split(',')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');
  const isExcessive = patterns.some((pattern) => parsePattern(pattern).length > maxSegments);
  if (patterns.length === 0 || patterns.length > maxPatterns || isExcessive) return () => true;
  const excluded = patterns
    .filter((one) => one.startsWith('-'))
    .map((one) => parsePattern(one.slice(1)));
  const included = patterns.filter((one) => !one.startsWith('-')).map(parsePattern);
  return (path) =>
    (included.length === 0 || included.some((pattern) => covers(pattern, path))) &&
    !excluded.some((pattern) => covers(pattern, path));
}
