/** Gender codes of the spec: female, male, trans, couple. */
export const GENDERS = ['f', 'm', 't', 'c'] as const;
export type GenderCode = (typeof GENDERS)[number];

/** Roles a person can hold. `guest`, `member` and `performer` follow from the account and are never stored. */
export const ROLES = ['site_mod', 'model_admin', 'admin', 'super_admin'] as const;
export type RoleName = (typeof ROLES)[number];

/** The one permission table: which callers may use what. A caller has `guest` or `member`, `performer` for
 * accounts of type model, and the stored roles. Calls and client events name a row in `access`. */
export const permissions = {
  anyone: ['guest', 'member'],
  member: ['member'],
  performer: ['performer'],
  moderator: ['site_mod', 'admin', 'super_admin'],
  admin: ['admin', 'super_admin'],
} as const satisfies Record<string, readonly string[]>;
export type Access = keyof typeof permissions;

export const isAccess = (access: string): access is Access => access in permissions;

/** Whether a caller with these roles may use a row of the table. */
export function mayUse(access: Access, roles: readonly string[]): boolean {
  const allowed: readonly string[] = permissions[access];
  return roles.some((role) => allowed.includes(role));
}

/** Guests' usernames start with this; nobody can register one (spec 1 §4). */
export const GUEST_PREFIX = 'guest_';

/** A session is authenticated when a user exists and the username does not start with guest_ (spec 1 §4). */
export const isAuthenticated = (user: { username: string } | null | undefined): boolean =>
  !!user && !user.username.startsWith(GUEST_PREFIX);
