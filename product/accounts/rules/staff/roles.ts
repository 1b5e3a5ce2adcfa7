import { DAY_MS } from '#platform/time/units.ts';

/** Roles given and taken in the back office; the permission table says what each opens. */
export const STAFF_ROLES = ['site_mod', 'model_admin', 'admin', 'super_admin'] as const;
export type StaffRole = (typeof STAFF_ROLES)[number];

/** Which roles a role gives and takes. A role that is not listed gives none. */
const GIVES: Readonly<Record<string, readonly StaffRole[]>> = {
  super_admin: STAFF_ROLES,
  admin: ['site_mod', 'model_admin'],
};

/** The role of the first admin: without it nobody could appoint another. */
export const FIRST_ADMIN_ROLE: StaffRole = 'super_admin';

/** The roles that a caller may give to somebody and take from them; nobody changes their own. */
export function rolesToGive(
  caller: { readonly roles: readonly string[]; readonly personId: number | null },
  person: { readonly id: number },
): readonly StaffRole[] {
  if (caller.personId === null || caller.personId === person.id) return [];
  const given = new Set(
    caller.roles.flatMap((role) => (Object.hasOwn(GIVES, role) ? GIVES[role] ?? [] : [])),
  );
  return STAFF_ROLES.filter((role) => given.has(role));
}

/**
 * Whether a caller may reset somebody's second step: only that of staff whose every role the caller could
 * take, and never their own.
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

/** The link for the first admin is used by the operator, who has just started the site and reads its log. */
export const FIRST_ADMIN_MS = DAY_MS;
/** Longest reason for giving or taking a role, for the audit log. */
export const MAX_ROLE_REASON = 500;
