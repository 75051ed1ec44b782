export { createAuthenticator, type Authenticator, type Credentials } from './authenticator.ts';
export { requirePermission, type Principal } from './principal.ts';
export { TokenSet } from './token-set.ts';
