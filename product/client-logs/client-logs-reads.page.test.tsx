import {
  adminAt,
  expectAllReads,
  showsFaces,
  titled,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { listClientLines, listClientReports } from './client.ts';

const CASES: readonly ReadCase[] = [
  { in: ['admin/client-errors-page.tsx'], call: listClientReports, way: adminAt('/admin/client-errors') },
  { in: ['admin/client-lines.tsx'], call: listClientLines, way: adminAt('/admin/client-errors') },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('client-logs', CASES));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
