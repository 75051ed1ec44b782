/** What a role may do. Every route of the API names the one it needs, or none when any role will do. */
export const permissions = [
  'events.read',
  'sql.run',
  'investigate',
  'alerts.read',
  'silences.write',
  'holds.read',
  'holds.write',
  'audit.read',
  'erasure.write',
  'credentials.write',
  'catalog.read',
] as const;

export type Permission = (typeof permissions)[number];

const viewer: readonly Permission[] = [
  'events.read',
  'sql.run',
  'investigate',
  'alerts.read',
  'holds.read',
  'catalog.read',
];

/** Spec section 5: built-in roles; the audit trail is for admins alone. */
export const builtInRoles = {
  viewer,
  operator: [...viewer, 'silences.write'],
  admin: permissions,
} as const satisfies Record<string, readonly Permission[]>;

export type BuiltInRole = keyof typeof builtInRoles;
