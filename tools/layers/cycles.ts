/** Cycles of a directed graph, each as the files along it; none exactly when the graph has none. */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const finished = new Set<string>();
  const trail: string[] = [];
  const visit = (file: string): void => {
    if (finished.has(file)) return;
    const at = trail.indexOf(file);
    if (at >= 0) {
      cycles.push(trail.slice(at));
      return;
    }
    trail.push(file);
    for (const target of graph.get(file) ?? []) visit(target);
    trail.pop();
    finished.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return cycles;
}
