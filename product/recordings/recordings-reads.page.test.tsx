import {
  expectAllReads,
  performerAt,
  showsFaces,
  titled,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { getTest, listRecordings } from './client.ts';

/** The console of a performer who broadcasts with an encoder. */
const console: ReadCase['way'] = async (site) => ({
  visitor: await site.performer({ live: true }),
  at: '/go-live',
});

const CASES: readonly ReadCase[] = [
  { in: ['live.ts', 'recordings-page.tsx'], call: listRecordings, way: performerAt('/account/recordings') },
  { in: ['live.ts'], call: listRecordings, way: console, isSmall: true },
  { in: ['live.ts'], call: getTest, way: performerAt('/go-live') },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('recordings', CASES));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
