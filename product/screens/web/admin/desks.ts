import { mayUse, type Access } from '../../../accounts/rules/permissions.ts';

/** One place of the back office. */
export interface Desk {
  /** Names its text and its picture. */
  readonly key: string;
  readonly to: string;
  /** Who may open it: the row of the permission table that the page's own calls name. */
  readonly access: Access;
}

export interface DeskGroup {
  readonly key: string;
  readonly desks: readonly Desk[];
}

/** Where the back office begins: leads on to the first desk that is open to whoever comes. */
export const DESKS_PATH = '/admin';

/** Every desk, in the order of the navigation. A new one needs a line here, a text and a picture. */
export const DESK_GROUPS: readonly DeskGroup[] = [
  { key: 'money', desks: [
    { key: 'ledger', to: '/admin/ledger', access: 'admin' },
    { key: 'payments', to: '/admin/payments', access: 'admin' },
    { key: 'products', to: '/admin/products', access: 'admin' },
  ] },
  { key: 'safety', desks: [
    { key: 'clearances', to: '/admin/clearances', access: 'admin' },
    { key: 'words', to: '/admin/blocked-words', access: 'moderator' },
  ] },
  { key: 'system', desks: [
    { key: 'outbox', to: '/admin/outbox', access: 'admin' },
  ] },
];

/** The desks open to somebody with these roles; groups without one are left out. */
export const desksFor = (roles: readonly string[]): readonly DeskGroup[] =>
  DESK_GROUPS.flatMap(({ key, desks }) => {
    const open = desks.filter(({ access }) => mayUse(access, roles));
    return open.length > 0 ? [{ key, desks: open }] : [];
  });

/**
 * Where somebody with these roles gets who asks for `pathname`: `stay`, another path, or null where nothing
 * of the back office is theirs.
 */
export function wayIn(pathname: string, roles: readonly string[]): string | null {
  const open = desksFor(roles).flatMap(({ desks }) => desks);
  if (pathname.replace(/\/+$/u, '') === DESKS_PATH) return open[0]?.to ?? null;
  return open.some(({ to }) => pathname === to || pathname.startsWith(`${to}/`)) ? 'stay' : null;
}
