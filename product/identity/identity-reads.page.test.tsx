import {
  adminAt,
  expectAllReads,
  performerAt,
  showsFaces,
  titled,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { getApplication, getIdentityRules, listApplications } from './client.ts';

const CASES: readonly ReadCase[] = [
  { in: ['signup/application-steps.tsx'], call: getApplication, way: performerAt('/models/signup') },
  { in: ['review/queue-page.tsx'], call: listApplications, way: adminAt('/admin/identity') },
  {
    in: ['review/rules-form.tsx'],
    call: getIdentityRules,
    named: 'getIdentityRules',
    way: adminAt('/admin/identity'),
  },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('identity', CASES, []));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
