import { getBlockedRegions } from '#product/compliance/client.ts';
import {
  expectAllReads,
  performerAt,
  showsFaces,
  titled,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { listPictures, viewAs } from './client.ts';

const CASES: readonly ReadCase[] = [
  { in: ['pictures-form.tsx'], call: listPictures, way: performerAt('/account/listing') },
  { in: ['places/blocked-places.tsx'], call: getBlockedRegions, way: performerAt('/account/listing') },
  {
    in: ['places/view-as.tsx'],
    call: viewAs,
    way: performerAt('/account/listing', {
      first: async (page) => void await page.field('Viewer’s country'),
      leads: (page) => page.choose('Viewer’s country', 'Romania'),
    }),
  },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('performers', CASES));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
