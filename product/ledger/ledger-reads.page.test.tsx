import { afterAll, beforeAll, test } from 'vitest';
import {
  findOperations, getEarnings, getHistory, getHistoryEntries, getLedgerHealth, getLimits, getSpendingState,
  getStatement,
} from './client.ts';
import {
  adminAt, expectAllReads, showsFaces, titled, viewerAt, type ReadCase,
} from '../testkit/pages/reads/faces.ts';
import { createSite, type TestSite } from '../testkit/site.ts';

/** Somebody with tokens in their history. */
const spender = (at: string): ReadCase['way'] => async (site) =>
  ({ visitor: await site.viewer({ tokens: 100 }), at });
/** Their statement of the month that runs. */
const ofThisMonth: ReadCase['way'] = async (site) => {
  const month = site.clock.now().toISOString().slice(0, 7);
  return spender(`/account/tokens/statement/${month}`)(site);
};
/** An admin who looks at what somebody may spend. */
const ofSpending: ReadCase['way'] = async (site) => {
  const [visitor, { username }] = [await site.admin(), await site.viewer({ tokens: 100 })];
  return {
    visitor, at: `/admin/ledger?username=${username}`, leads: (page) => page.press(/^Spending for/u),
  };
};

const CASES: readonly ReadCase[] = [
  { in: ['history/history-section.tsx'], call: getHistoryEntries, way: viewerAt('/account/tokens/history') },
  {
    in: ['history/history-section.tsx'], call: getStatement, isSmall: true,
    way: spender('/account/tokens/history'),
  },
  { in: ['statement-page.tsx'], call: getStatement, way: ofThisMonth },
  { in: ['statement-page.tsx'], call: getHistory, way: ofThisMonth },
  {
    in: ['earnings/earnings-page.tsx'], call: getEarnings,
    way: async (site) => ({ visitor: await site.performer(), at: '/account/earnings' }),
  },
  { in: ['limits/limits-section.tsx'], call: getLimits, way: viewerAt('/account/tokens') },
  { in: ['admin/operation-finder.tsx'], call: findOperations, way: adminAt('/admin/ledger') },
  {
    in: ['admin/operations-of.tsx'], call: findOperations,
    way: async (site) => {
      const [admin, { username }] = [await site.admin(), await site.viewer()];
      return { visitor: admin, at: `/admin/people?username=${username}` };
    },
  },
  {
    in: ['admin/health-panel.tsx'], call: getLedgerHealth,
    way: adminAt('/admin/ledger', { leads: (page) => page.press('Check ledger') }),
  },
  { in: ['admin/spending-dialog.tsx'], call: getSpendingState, named: 'getSpendingState', way: ofSpending },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('ledger', CASES));
test.each(titled(CASES))('%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, one) => showsFaces(site, one));
