export {
  createAuthenticator,
  principalOf,
  readBearerToken,
  requirePermission,
  TokenSet,
  type Authenticator,
  type Credentials,
  type Principal,
} from './auth/index.ts';
