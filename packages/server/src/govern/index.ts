export {
  createAuthenticator,
  requirePermission,
  TokenSet,
  type Authenticator,
  type Credentials,
  type Principal,
} from './auth/index.ts';
