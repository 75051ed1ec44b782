import { expect, it } from 'vitest';
import { builtInRoles, permissions } from '@varve/contract';
import { Secret } from '../../base/secret.ts';
import { createAuthenticator } from './authenticator.ts';
import { principalOf, requirePermission } from './principal.ts';
import { TokenSet } from './token-set.ts';

it('lets everyone in as an administrator when no token is configured', async () => {
  const principal = await createAuthenticator(undefined).authenticate({ headers: {} });
  expect(principal).toMatchObject({ name: 'anonymous', role: 'admin' });
});

it('gives the holder of the token the admin role', async () => {
  const authenticator = createAuthenticator(new Secret('s3cret token'));
  const headers = { authorization: 'Bearer s3cret token' };
  expect(await authenticator.authenticate({ headers })).toMatchObject({ role: 'admin' });
});

it.each([undefined, '', 'Bearer', 'Bearer s3cre', 'Bearer s3cret2', 'Token s3cret', 's3cret'])(
  'refuses the header %s without repeating it',
  async (authorization) => {
    const authenticator = createAuthenticator(new Secret('s3cret'));
    const headers = authorization === undefined ? {} : { authorization };
    const refusal = authenticator.authenticate({ headers });
    await expect(refusal).rejects.toMatchObject({ code: 'auth_unauthenticated' });
    await expect(refusal).rejects.not.toThrow('s3cre');
  },
);

it('tells which of several tokens was sent', () => {
  const tokens = new TokenSet(['a', 'bb', 'a'].map((text) => new Secret(text)));
  expect(['a', 'bb', 'b', ''].map((sent) => tokens.indexOf(sent))).toEqual([2, 1, -1, -1]);
  expect(new TokenSet([]).has('')).toBe(false);
});

it('keeps the audit trail, holds, erasure and credentials to admins', () => {
  const beyondOperator = permissions.filter(
    (permission) => !builtInRoles.operator.some((granted) => granted === permission),
  );
  expect(beyondOperator).toEqual([
    'holds.write',
    'audit.read',
    'erasure.write',
    'credentials.write',
  ]);
});

it('refuses what a role does not allow, naming both', () => {
  const viewer = principalOf('ann', 'viewer');
  requirePermission(viewer, 'sql.run');
  expect(() => requirePermission(viewer, 'silences.write')).toThrow(
    expect.objectContaining({
      code: 'auth_forbidden',
      details: { role: 'viewer', permission: 'silences.write' },
    }),
  );
});
