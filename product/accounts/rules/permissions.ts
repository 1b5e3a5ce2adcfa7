/**
 * The permission table: which callers may use what. A caller has `guest` or `member`, `performer` for
 * accounts of type model, and the stored roles. Calls and client events name a row in `access`; menus and the
 * back office use the same function to decide what to show. A suspended account has no session, so it is in
 * no row. Rights within one room are rows of `rooms` (`roomRightsIn`), which begin with this table.
 */
export const permissions = {
  anyone: ['guest', 'member'],
  member: ['member'],
  performer: ['performer'],
  moderator: ['site_mod', 'admin', 'super_admin'],
  admin: ['admin', 'super_admin'],
} as const satisfies Record<string, readonly string[]>;
export type Access = keyof typeof permissions;

export const isAccess = (access: string): access is Access => Object.hasOwn(permissions, access);

/** Whether a caller with these roles may use a row of the table. */
export function mayUse(access: Access, roles: readonly string[]): boolean {
  const allowed: readonly string[] = permissions[access];
  return roles.some((role) => allowed.includes(role));
}

export const isAdmin = (roles: readonly string[]): boolean => mayUse('admin', roles);
