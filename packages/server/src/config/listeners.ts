import { formatListenAddress, isLoopback, type ListenAddress } from '../base/listen-address.ts';
import type { Secret } from '../base/secret.ts';
import type { OptionPath } from './options.ts';
import type { ConfigProblem } from './problem.ts';
import type { EffectiveOption } from './validate.ts';

type Effective = ReadonlyMap<OptionPath, EffectiveOption>;

export interface BoundListeners {
  readonly effective: Effective;
  /** What the operator should know about who can reach the node. */
  readonly notices: readonly string[];
}

/**
 * Keeps a node that nobody protected to this machine: without a token a listener binds to 127.0.0.1
 * unless its address is set explicitly. The API token opens every default address; the tokens of a
 * listener open its own.
 */
export function bindListeners(effective: Effective): BoundListeners {
  const bound = new Map(effective);
  const notices: string[] = [];
  const hasApiToken = effective.get(apiTokenPath)?.value !== undefined;
  const local: string[] = [];
  const open: string[] = [];
  const tokenless: string[] = [];
  for (const [path, { value, origin }] of effective) {
    if (!isListenPath(path)) continue;
    const address = value as ListenAddress;
    if (address === 'off') continue;
    const hasOwnToken = ownTokens(effective, path).length > 0;
    if (origin.kind === 'default' && !hasApiToken && !hasOwnToken) {
      bound.set(path, { value: { ...address, host: '127.0.0.1' }, origin });
      local.push(path);
    } else if (
      !isLoopback(address.host) &&
      !(path === 'server.listen' ? hasApiToken : hasOwnToken)
    ) {
      const shown = `${path} (${formatListenAddress(address)})`;
      if (isTokenless(path)) tokenless.push(shown);
      else open.push(`${shown}: set ${path === 'server.listen' ? apiTokenPath : tokensPath(path)}`);
    }
  }
  if (open.length > 0) {
    notices.push(`unless the network is trusted, these need a token: ${open.join(', ')}`);
  }
  if (tokenless.length > 0) {
    notices.push(
      `these can take no token, so open them to a trusted network only: ${tokenless.join(', ')}`,
    );
  }
  if (local.length > 0) {
    notices.unshift(
      `no token is configured, so these listen on 127.0.0.1 only: ${local.join(', ')}; set ${apiTokenPath}, or their addresses explicitly`,
    );
  }
  return { effective: bound, notices };
}

const apiTokenPath = 'auth.query_api_token';

const isListenPath = (path: string): boolean => /[._]listen$/.test(path);

/** Transports that carry no credentials. */
const isTokenless = (path: string): boolean => /\.(udp|tcp)_listen$/.test(path);

const tokensPath = (path: string): string => path.replace(/(http_)?listen$/, 'tokens');

function ownTokens(effective: Effective, listenPath: string): readonly Secret[] {
  if (isTokenless(listenPath)) return [];
  const tokens = effective.get(tokensPath(listenPath) as OptionPath)?.value;
  return (tokens as readonly Secret[] | undefined) ?? [];
}

/** Two listeners on one port cannot both start. */
export function findPortConflicts(effective: Effective): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const taken: { path: string; transport: string; host: string; port: number }[] = [];
  for (const [path, { value, origin }] of effective) {
    if (!isListenPath(path) || value === 'off') continue;
    const { host, port } = value as Exclude<ListenAddress, 'off'>;
    const transport = path.endsWith('.udp_listen') ? 'udp' : 'tcp';
    const other = taken.find(
      (one) => one.transport === transport && one.port === port && hostsOverlap(one.host, host),
    );
    if (port !== 0 && other !== undefined) {
      problems.push({ key: path, message: `port ${port} is taken by ${other.path}`, origin });
    }
    taken.push({ path, transport, host, port });
  }
  return problems;
}

function hostsOverlap(a: string, b: string): boolean {
  const isAny = (host: string): boolean => host === '0.0.0.0' || host === '::';
  return a === b || isAny(a) || isAny(b);
}
