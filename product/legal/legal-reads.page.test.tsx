import {
  adminAt,
  expectAllReads,
  guestAt,
  showsFaces,
  titled,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { getImprint } from './client.ts';

const CASES: readonly ReadCase[] = [
  { in: ['legal-page.tsx'], call: getImprint, way: guestAt('/legal', { from: '/login' }) },
  {
    in: ['document-page.tsx', 'document-text.tsx'],
    call: getImprint,
    way: guestAt('/terms', { from: '/login' }),
  },
  { in: ['reviewed-documents.tsx'], call: getImprint, way: adminAt('/admin/site', { from: '/tags' }) },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('legal', CASES));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
