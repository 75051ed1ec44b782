export {
  createAuthenticator,
  principalOf,
  readBearerToken,
  requirePermission,
  type Authenticator,
  type Credentials,
  type Principal,
} from './auth/index.ts';
