import { builtInRoles, type BuiltInRole, type Permission } from '@varve/contract';
import { NodeError } from '../../base/errors.ts';

/** Who asks: as named in the audit trail, with the role that decides what is allowed. */
export interface Principal {
  readonly name: string;
  readonly role: string;
  readonly permissions: ReadonlySet<Permission>;
}

export function principalOf(name: string, role: BuiltInRole): Principal {
  return { name, role, permissions: new Set<Permission>(builtInRoles[role]) };
}

/** @throws NodeError `auth_forbidden` */
export function requirePermission(principal: Principal, permission: Permission): void {
  if (principal.permissions.has(permission)) return;
  throw new NodeError('auth_forbidden', 'your role does not allow this', {
    details: { role: principal.role, permission },
  });
}
