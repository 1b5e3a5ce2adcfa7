import { describe, expect, it } from 'vitest';
import { mayUse } from '../../../accounts/rules/permissions.ts';
import { listManagedProducts } from '../../../billing/contract/operator.ts';
import { findPayments, getBillingAlarms } from '../../../billing/contract/staff.ts';
import { listClearances } from '../../../compliance/contract.ts';
import { findOperations, getLedgerHealth } from '../../../ledger/contract.ts';
import { listOutbox } from '../../../notices/contract.ts';
import { getSiteChatRules } from '../../../room-moderation/contract.ts';
import { getTipRules } from '../../../tips/contract.ts';
import routes from '../routes.ts';
import { allTexts } from '../document/texts.server.ts';
import { DESK_GROUPS, DESKS_PATH, desksFor, wayIn } from './desks.ts';

/** What each page reads first: whoever may not read it gets nothing from the page. */
const READ_BY = {
  '/admin/ledger': [findOperations, getLedgerHealth, getTipRules],
  '/admin/payments': [findPayments, getBillingAlarms],
  '/admin/products': [listManagedProducts],
  '/admin/clearances': [listClearances],
  '/admin/blocked-words': [getSiteChatRules],
  '/admin/outbox': [listOutbox],
};

const all = DESK_GROUPS.flatMap(({ desks }) => desks);
const shownTo = (roles: readonly string[]): string[] =>
  desksFor(roles).flatMap(({ desks }) => desks.map(({ to }) => to));

describe('desks', () => {
  it('asks of each what the calls of its page ask', () => {
    expect(Object.keys(READ_BY).toSorted()).toEqual(all.map(({ to }) => to).toSorted());
    for (const [path, calls] of Object.entries(READ_BY)) {
      const desk = all.find(({ to }) => to === path);
      for (const { name, access } of calls) expect([name, access]).toEqual([name, desk?.access]);
    }
  });

  it('has every page of the back office in the navigation, and a text for it in every language', () => {
    const frame = routes.find(({ path }) => path === 'admin');
    const pages = (frame?.children ?? []).map(({ path }) => `${DESKS_PATH}/${path}`);
    expect(pages.toSorted()).toEqual(all.map(({ to }) => to).toSorted());
    for (const texts of Object.values(allTexts)) {
      const { group, ...desks } = (texts['screens']?.['desk'] ?? {}) as Record<string, unknown>;
      for (const { key } of all) expect(desks).toHaveProperty(key);
      for (const { key } of DESK_GROUPS) expect(group).toHaveProperty(key);
    }
  });

  it('shows what a role may open and nothing else', () => {
    expect(desksFor([])).toEqual([]);
    expect(desksFor(['guest'])).toEqual([]);
    expect(desksFor(['member', 'performer', 'test_user'])).toEqual([]);
    expect(shownTo(['member', 'site_mod'])).toEqual(['/admin/blocked-words']);
    expect(shownTo(['admin'])).toEqual(all.map(({ to }) => to));
    for (const roles of [[], ['site_mod'], ['model_admin'], ['admin'], ['super_admin']]) {
      for (const { to, access } of all) {
        expect(wayIn(to, roles)).toBe(mayUse(access, roles) ? 'stay' : null);
        expect(shownTo(roles).includes(to)).toBe(mayUse(access, roles));
      }
    }
  });

  it('leads from its beginning to the first desk that is open to whoever comes', () => {
    expect(wayIn('/admin', ['admin'])).toBe('/admin/ledger');
    expect(wayIn('/admin/', ['site_mod'])).toBe('/admin/blocked-words');
    expect(wayIn('/admin', ['member'])).toBeNull();
  });

  it('takes nothing for a desk that only begins like one', () => {
    expect(wayIn('/admin/ledgers', ['super_admin'])).toBeNull();
    expect(wayIn('/administration', ['super_admin'])).toBeNull();
    expect(wayIn('/admin/ledger/seals', ['admin'])).toBe('stay');
  });
});
