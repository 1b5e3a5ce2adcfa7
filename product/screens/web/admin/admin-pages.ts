import { mayUse, type Access } from '#product/accounts/rules/permissions.ts';

/** A page of the back office. */
export interface AdminPage {
  /** Key of its text and its icon. */
  readonly key: string;
  readonly to: string;
  /** Row of the permission table, the same as that of the page's calls. */
  readonly access: Access;
}

export interface AdminGroup {
  readonly key: string;
  readonly pages: readonly AdminPage[];
}

/** Start of the back office: redirects to the first page that the visitor may open. */
export const ADMIN_PATH = '/admin';

/** Every admin page, in the order of the navigation. A new one needs a line here, a text and an icon. */
export const ADMIN_GROUPS: readonly AdminGroup[] = [
  {
    key: 'money',
    pages: [
      { key: 'ledger', to: '/admin/ledger', access: 'admin' },
      { key: 'payments', to: '/admin/payments', access: 'admin' },
      { key: 'products', to: '/admin/products', access: 'admin' },
    ],
  },
  {
    key: 'safety',
    pages: [
      { key: 'cases', to: '/admin/cases', access: 'moderator' },
      { key: 'reports', to: '/admin/reports', access: 'admin' },
      { key: 'identity', to: '/admin/identity', access: 'admin' },
      { key: 'clearances', to: '/admin/clearances', access: 'admin' },
      { key: 'ageChecks', to: '/admin/age-checks', access: 'admin' },
      { key: 'agreements', to: '/admin/agreements', access: 'admin' },
      { key: 'regions', to: '/admin/regions', access: 'admin' },
      { key: 'words', to: '/admin/blocked-words', access: 'moderator' },
    ],
  },
  {
    key: 'people',
    pages: [
      { key: 'accounts', to: '/admin/people', access: 'admin' },
      { key: 'support', to: '/admin/support', access: 'admin' },
    ],
  },
  {
    key: 'system',
    pages: [
      { key: 'site', to: '/admin/site', access: 'admin' },
      { key: 'redirects', to: '/admin/redirects', access: 'admin' },
      { key: 'outbox', to: '/admin/outbox', access: 'admin' },
      { key: 'clientErrors', to: '/admin/client-errors', access: 'admin' },
    ],
  },
];

/** The admin pages for these roles; groups without a page are left out. */
export const adminPagesFor = (roles: readonly string[]): readonly AdminGroup[] =>
  ADMIN_GROUPS.flatMap(({ key, pages }) => {
    const open = pages.filter(({ access }) => mayUse(access, roles));
    return open.length > 0 ? [{ key, pages: open }] : [];
  });

/**
 * Where a request for `pathname` leads with these roles: `stay`, the path of another page, or null if they
 * may not open it.
 */
export function wayIn(pathname: string, roles: readonly string[]): string | null {
  const open = adminPagesFor(roles).flatMap(({ pages }) => pages);
  if (pathname.replace(/\/+$/u, '') === ADMIN_PATH) return open[0]?.to ?? null;
  return open.some(({ to }) => pathname === to || pathname.startsWith(`${to}/`)) ? 'stay' : null;
}
