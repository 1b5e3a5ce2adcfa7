import { getPerson } from '#product/accounts/contract/life/people.ts';
import { mayUse } from '#product/accounts/rules/permissions.ts';
import { listSupportChecks } from '#product/age-checks/contract.ts';
import { listDocuments, listTemplates } from '#product/agreements/contract/admin.ts';
import { listManagedProducts } from '#product/billing/contract/operator.ts';
import { findPayments, getBillingAlarms } from '#product/billing/contract/payments.ts';
import { getSeoExperiment } from '#product/browse/contract/trackers.ts';
import { listClientReports } from '#product/client-logs/contract.ts';
import { listClearances } from '#product/compliance/contract.ts';
import { listPolicies, previewPolicy } from '#product/compliance/contract/policies.ts';
import { getIdentityRules, listApplications } from '#product/identity/contract/review.ts';
import { findOperations, getLedgerHealth } from '#product/ledger/contract/explorer.ts';
import { listReports } from '#product/moderation/contract.ts';
import { getCase, listCases, listQueues } from '#product/moderation/contract/cases.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { getSiteChatRules } from '#product/room-moderation/contract.ts';
import { getOperatorRules } from '#product/site/contract/operator-rules.ts';
import { listRedirectKeys } from '#product/site/contract/redirects.ts';
import { listRequests } from '#product/support/contract.ts';
import { getTipRules } from '#product/tips/contract.ts';
import { describe, expect, it } from 'vitest';
import { allTexts } from '../document/texts.server.ts';
import routes from '../routes.ts';
import { ADMIN_GROUPS, ADMIN_PATH, adminPagesFor, wayIn } from './admin-pages.ts';

/** The call that each page reads first. */
const READ_BY = {
  '/admin/ledger': [findOperations, getLedgerHealth, getTipRules],
  '/admin/payments': [findPayments, getBillingAlarms],
  '/admin/products': [listManagedProducts],
  '/admin/identity': [listApplications, getIdentityRules],
  '/admin/clearances': [listClearances],
  '/admin/age-checks': [listSupportChecks],
  '/admin/agreements': [listTemplates, listDocuments],
  '/admin/regions': [listPolicies, previewPolicy],
  '/admin/blocked-words': [getSiteChatRules],
  '/admin/people': [getPerson],
  '/admin/support': [listRequests],
  '/admin/cases': [listQueues, listCases, getCase],
  '/admin/reports': [listReports],
  '/admin/site': [getOperatorRules, getSeoExperiment],
  '/admin/redirects': [listRedirectKeys],
  '/admin/outbox': [listOutbox],
  '/admin/client-errors': [listClientReports],
};

const all = ADMIN_GROUPS.flatMap(({ pages }) => pages);
const shownTo = (roles: readonly string[]): string[] =>
  adminPagesFor(roles).flatMap(({ pages }) => pages.map(({ to }) => to));

describe('admin pages', () => {
  it('require the same roles as the calls they make', () => {
    expect(Object.keys(READ_BY).toSorted()).toEqual(all.map(({ to }) => to).toSorted());
    for (const [path, calls] of Object.entries(READ_BY)) {
      const page = all.find(({ to }) => to === path);
      for (const { name, access } of calls) expect([name, access]).toEqual([name, page?.access]);
    }
  });

  it('are all in the navigation, with a text in every language', () => {
    const frame = routes.find(({ path }) => path === 'admin');
    const routed = (frame?.children ?? []).map(({ path }) => `${ADMIN_PATH}/${path}`);
    expect(routed.toSorted()).toEqual(all.map(({ to }) => to).toSorted());
    for (const texts of Object.values(allTexts)) {
      const { group, ...pages } = (texts['screens']?.['admin'] ?? {}) as Record<string, unknown>;
      for (const { key } of all) expect(pages).toHaveProperty(key);
      for (const { key } of ADMIN_GROUPS) expect(group).toHaveProperty(key);
    }
  });

  it('are shown to the roles that may open them, and to no other', () => {
    expect(adminPagesFor([])).toEqual([]);
    expect(adminPagesFor(['guest'])).toEqual([]);
    expect(adminPagesFor(['member', 'performer', 'test_user'])).toEqual([]);
    expect(shownTo(['member', 'site_mod'])).toEqual(['/admin/cases', '/admin/blocked-words']);
    expect(shownTo(['admin'])).toEqual(all.map(({ to }) => to));
    for (const roles of [[], ['site_mod'], ['model_admin'], ['admin'], ['super_admin']]) {
      for (const { to, access } of all) {
        expect(wayIn(to, roles)).toBe(mayUse(access, roles) ? 'stay' : null);
        expect(shownTo(roles).includes(to)).toBe(mayUse(access, roles));
      }
    }
  });

  it('begin with the first one that a visitor may open', () => {
    expect(wayIn('/admin', ['admin'])).toBe('/admin/ledger');
    expect(wayIn('/admin/', ['site_mod'])).toBe('/admin/cases');
    expect(wayIn('/admin', ['member'])).toBeNull();
  });

  it('are no pages whose path only begins like one of theirs', () => {
    expect(wayIn('/admin/ledgers', ['super_admin'])).toBeNull();
    expect(wayIn('/administration', ['super_admin'])).toBeNull();
    expect(wayIn('/admin/ledger/seals', ['admin'])).toBe('stay');
  });
});
