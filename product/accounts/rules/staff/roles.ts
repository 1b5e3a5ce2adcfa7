import { DAY_MS } from '#platform/time/units.ts';

/** Roles that are given and taken in the back office; what each opens stands in the permission table. */
export const STAFF_ROLES = ['site_mod', 'model_admin', 'admin', 'super_admin'] as const;
export type StaffRole = (typeof STAFF_ROLES)[number];

/** Which roles a role gives and takes. What does not stand here gives none. */
const GIVES: Readonly<Record<string, readonly StaffRole[]>> = {
  super_admin: STAFF_ROLES,
  admin: ['site_mod', 'model_admin'],
};

/** The role of the first admin: without it nobody could make another. */
export const FIRST_ADMIN_ROLE: StaffRole = 'super_admin';

/** The roles that a caller may give to somebody and take from them: none of their own. */
export function rolesToGive(
  caller: { readonly roles: readonly string[]; readonly personId: number | null },
  person: { readonly id: number },
): readonly StaffRole[] {
  if (caller.personId === null || caller.personId === person.id) return [];
  const given = new Set(caller.roles.flatMap((role) =>
    (Object.hasOwn(GIVES, role) ? GIVES[role] ?? [] : [])));
  return STAFF_ROLES.filter((role) => given.has(role));
}

/**
 * Whether a caller may reset the second step of somebody: of staff alone, of whom they could take every role,
 * and never their own.
 */
export function mayResetStep(
  caller: Parameters<typeof rolesToGive>[0],
  person: { readonly id: number; readonly roles: readonly string[] },
): boolean {
  const given = rolesToGive(caller, person);
  const staff = STAFF_ROLES.filter((role) => person.roles.includes(role));
  return staff.length > 0 && staff.every((role) => given.includes(role));
}

export const isStaffRole = (role: string): boolean => (STAFF_ROLES as readonly string[]).includes(role);

/** A link for the first admin is used by whoever has just started the site and reads its log. */
export const FIRST_ADMIN_MS = DAY_MS;
/** Why a role was given or taken, for the audit log. */
export const MAX_ROLE_REASON = 500;
