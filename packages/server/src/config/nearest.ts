/** The candidate a misspelled name most likely meant, or undefined when none is close. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const distance = similarity(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return bestDistance <= Math.max(2, name.length / 3) ? best : undefined;
}

/** Edit distance; a name that is right but in the wrong section counts as one edit. */
function similarity(name: string, candidate: string): number {
  const whole = editDistance(name, candidate);
  const lastOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);
  return lastOf(name) === lastOf(candidate) ? Math.min(whole, 2) : whole;
}

/** Levenshtein distance, row by row. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

export function unknownMessage(kind: string, name: string, candidates: readonly string[]): string {
  const suggestion = nearest(name, candidates);
  return suggestion === undefined
    ? `unknown ${kind}`
    : `unknown ${kind}, did you mean ${suggestion}?`;
}
