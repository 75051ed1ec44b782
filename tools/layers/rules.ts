import { type Finding, lineAt } from '../source-files.ts';
import { findCycles } from './cycles.ts';
import { type ImportSite, type NamedSite, type ParsedSource, parseSource } from './parse.ts';
import {
  consoleRoot,
  contractRoot,
  isTest,
  packageOf,
  resolveImport,
  serverModule,
  serverRoot,
} from './place.ts';
import { everything, rowFor } from './table.ts';

interface Edge extends ImportSite {
  readonly target: string;
}

const bannedWords = new Set([
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'misc',
  'manager',
  'impl',
]);

/** Folders of the console from the top down; each may import those below it and itself. */
const consoleRanks: Readonly<Record<string, number>> = {
  lib: 0,
  api: 1,
  state: 1,
  components: 2,
  pages: 3,
  app: 4,
};

function serverEdgeFault(from: string, edge: Edge): string | undefined {
  const module = serverModule(from) ?? '';
  const target = serverModule(edge.target);
  if (edge.target.startsWith(contractRoot) || target === module || target === 'base')
    return undefined;
  if (target === undefined) return 'the server imports only its own modules and contract';
  const row = rowFor(module);
  if (row === undefined) return undefined; // Reported once for the file.
  if (module === 'config') {
    return edge.target.endsWith('/options.ts')
      ? undefined
      : "config imports only modules' options.ts";
  }
  const isSibling = module.startsWith('ingest/') && target.startsWith('ingest/');
  if (isSibling && !row.mayImport.includes(target)) {
    return `protocol ${module} imports its sibling ${target}; what they share belongs in ingest/http or codec`;
  }
  const isAllowed = row.mayImport.includes(target) || row.mayImport.includes(everything);
  const isAllowedAsType = row.mayImportTypes?.includes(target) === true;
  if (!isAllowed && isAllowedAsType && !edge.isTypeOnly) {
    return `${module} may import only types from ${target} (import type)`;
  }
  if (!isAllowed && !isAllowedAsType) return `${module} may not import ${target}`;
  if (target.endsWith('.ts')) return undefined;
  return edge.target === `${serverRoot}${target}/index.ts`
    ? undefined
    : `from outside ${target} only its index.ts may be imported`;
}

function consoleEdgeFault(from: string, edge: Edge): string | undefined {
  if (!edge.target.startsWith(consoleRoot)) {
    return edge.target.startsWith(contractRoot) || !edge.target.startsWith('packages/')
      ? undefined
      : 'the console imports only contract';
  }
  const [fromFolder = '', fromPage = ''] = from.slice(consoleRoot.length).split('/');
  const [toFolder = '', toPage = ''] = edge.target.slice(consoleRoot.length).split('/');
  const fromRank = consoleRanks[fromFolder];
  const toRank = consoleRanks[toFolder];
  if (fromRank === undefined || toRank === undefined) return undefined;
  if (toRank > fromRank) return `console ${fromFolder} may not import ${toFolder}`;
  return fromFolder === 'pages' && toFolder === 'pages' && fromPage !== toPage
    ? 'a page may not import another page'
    : undefined;
}

/** Knows nothing of the program it kills, so the whole node goes through the same rounds as its parts. */
const sharedHarness = 'packages/server/test/crash/harness.ts';

function edgeFault(from: string, edge: Edge): string | undefined {
  if (isTest(from)) return undefined;
  if (edge.target === sharedHarness && from.startsWith('interop/crash/')) return undefined;
  if (isTest(edge.target) && !from.startsWith('tools/'))
    return `imports the test file ${edge.target}`;
  const home = packageOf(from);
  if (home === 'server') return serverEdgeFault(from, edge);
  if (home === 'console') return consoleEdgeFault(from, edge);
  if (home === 'contract' && packageOf(edge.target) !== 'contract')
    return 'contract imports nothing of the project';
  if (home === 'interop' && packageOf(edge.target) === 'server')
    return 'interop is black-box: it may not import the server';
  return undefined;
}

function processFault(path: string, { name }: NamedSite): string | undefined {
  if (isTest(path) || !path.startsWith('packages/')) return undefined;
  if (name === 'env' && !path.startsWith(`${serverRoot}config/`)) {
    return 'process.env is read only in config/';
  }
  if (name === 'exit' && path !== `${serverRoot}main.ts`)
    return 'process.exit is called only in main.ts';
  return undefined;
}

function bannedWordIn(words: readonly string[]): string | undefined {
  return words.map((word) => word.toLowerCase()).find((word) => bannedWords.has(word));
}

function nameFault({ name }: NamedSite): string | undefined {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  const banned = bannedWordIn(words);
  if (banned !== undefined)
    return `the word "${banned}" in ${name} says nothing; name what it does`;
  return /^I[A-Z][a-z]/.test(name) ? `${name} has an I-prefix; name the role` : undefined;
}

function fileFaults(path: string, parsed: ParsedSource): string[] {
  const faults = [...parsed.syntaxErrors];
  const banned = bannedWordIn(path.split(/[/.-]/));
  if (banned !== undefined)
    faults.push(`the word "${banned}" in a path says nothing; name what it holds`);
  const module = serverModule(path);
  if (module !== undefined && rowFor(module) === undefined && !isTest(path)) {
    faults.push(`module ${module} is not in tools/layers/table.ts; add its row`);
  }
  return faults;
}

function checkFile(
  path: string,
  text: string,
  parsed: ParsedSource,
  edges: readonly Edge[],
): Finding[] {
  const findings: Finding[] = fileFaults(path, parsed).map((message) => ({
    path,
    line: 1,
    message,
  }));
  const add = (offset: number, message: string | undefined): void => {
    if (message !== undefined) findings.push({ path, line: lineAt(text, offset), message });
  };
  for (const edge of edges) add(edge.offset, edgeFault(path, edge));
  for (const site of parsed.processMembers) add(site.offset, processFault(path, site));
  for (const site of parsed.typeNames) add(site.offset, nameFault(site));
  const isDoor = path.startsWith('packages/') && path.endsWith('/index.ts');
  if (isDoor) for (const offset of parsed.starExports) add(offset, 'a door names what it exports');
  return findings;
}

/** Every breach of the layer rules in `sources`, by path and line. */
export function checkLayers(sources: ReadonlyMap<string, string>): Finding[] {
  const findings: Finding[] = [];
  const graph = new Map<string, string[]>();
  for (const [path, text] of sources) {
    const parsed = parseSource(path, text);
    const edges = parsed.imports.flatMap((site): Edge[] => {
      const target = resolveImport(path, site.specifier, (candidate) => sources.has(candidate));
      return target === undefined ? [] : [{ ...site, target }];
    });
    findings.push(...checkFile(path, text, parsed, edges));
    const runtime = edges.filter((edge) => !edge.isTypeOnly).map((edge) => edge.target);
    graph.set(path, runtime);
  }
  for (const cycle of findCycles(graph)) {
    const [path = ''] = cycle;
    findings.push({ path, line: 1, message: `import cycle: ${[...cycle, path].join(' → ')}` });
  }
  return findings;
}
