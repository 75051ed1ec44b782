export {
  createAuthenticator,
  readBearerToken,
  type Authenticator,
  type Credentials,
} from './authenticator.ts';
export { principalOf, requirePermission, type Principal } from './principal.ts';
export { TokenSet } from './token-set.ts';
