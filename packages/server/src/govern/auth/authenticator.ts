import { NodeError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { principalOf, type Principal } from './principal.ts';
import { TokenSet } from './token-set.ts';

/** What a request shows of its sender. Header names are lower-case, as Node gives them. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Resolves a request to a principal; spec section 5 has one mode per implementation. */
export interface Authenticator {
  /** @throws NodeError `auth_unauthenticated` when no principal can be told. */
  authenticate(credentials: Credentials): Promise<Principal>;
}

/** The mode for the configuration: a single token when there is one, else none. */
export function createAuthenticator(queryApiToken: Secret | undefined): Authenticator {
  return queryApiToken === undefined ? openAuthenticator() : tokenAuthenticator(queryApiToken);
}

/** No token configured: everyone may do everything. */
function openAuthenticator(): Authenticator {
  const anonymous = principalOf('anonymous', 'admin');
  return { authenticate: () => Promise.resolve(anonymous) };
}

function tokenAuthenticator(token: Secret): Authenticator {
  const accepted = new TokenSet([token]);
  const holder = principalOf('query_api_token', 'admin');
  return {
    authenticate({ headers }) {
      const sent = readBearerToken(headers['authorization']);
      if (sent === undefined) {
        return refuse('send the API token as authorization: bearer <token>');
      }
      if (!accepted.has(sent)) return refuse('the token is not valid');
      return Promise.resolve(holder);
    },
  };
}

const refuse = (message: string): Promise<never> =>
  Promise.reject(new NodeError('auth_unauthenticated', message));

/** RFC 6750 section 2.1; the scheme is case-insensitive. */
export function readBearerToken(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  const [, token = ''] = /^bearer +(.*)$/i.exec(header) ?? [];
  return token === '' ? undefined : token.trim();
}
