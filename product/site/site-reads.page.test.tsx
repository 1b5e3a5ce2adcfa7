import {
  adminAt,
  expectAllReads,
  showsFaces,
  titled,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { listRedirectKeys } from './client.ts';

const CASES: readonly ReadCase[] = [
  {
    in: ['redirects/redirects-page.tsx', 'redirects/redirect-list.tsx'],
    call: listRedirectKeys,
    way: adminAt('/admin/redirects'),
  },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('site', CASES));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
