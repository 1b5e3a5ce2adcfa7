import {
  adminAt,
  expectAllReads,
  showsFaces,
  titled,
  type QuietRead,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { getEntry, listClearances, listPolicies, listPolicyHistory, previewPolicy } from './client.ts';

const CASES: readonly ReadCase[] = [
  { in: ['clearances-page.tsx'], call: listClearances, way: adminAt('/admin/clearances') },
  { in: ['regions/regions-page.tsx'], call: listPolicies, way: adminAt('/admin/regions') },
  {
    in: ['regions/history.tsx'],
    call: listPolicyHistory,
    way: adminAt('/admin/regions', { leads: (page) => page.press('History Germany') }),
  },
  {
    in: ['regions/preview.tsx'],
    call: previewPolicy,
    way: adminAt('/admin/regions?tab=preview', { leads: (page) => page.choose('Country', 'Germany') }),
  },
];
const QUIET: readonly QuietRead[] = [
  {
    in: ['gate.ts', 'entry-gate.tsx', 'live.ts'],
    call: getEntry,
    because: 'read by the document, whose failure is an error page; until it is known the gate stays shut',
  },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('compliance', CASES, QUIET));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
