import {
  expectAllReads,
  showsFaces,
  titled,
  viewerAt,
  type QuietRead,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { getIgnoredNames, listHidden, listIgnored, readNote } from './client.ts';

/** The page about a performer, with the viewer's note. */
const ofPerformer: ReadCase['way'] = async (site) => {
  const { username } = await site.performer();
  return { visitor: await site.viewer(), at: `/${username}/bio` };
};

const CASES: readonly ReadCase[] = [
  { in: ['hidden-page.tsx'], call: listHidden, way: viewerAt('/account/hidden') },
  { in: ['ignoring/ignored-page.tsx'], call: listIgnored, way: viewerAt('/account/ignored') },
  { in: ['own-note.tsx'], call: readNote, way: ofPerformer },
];
const QUIET: readonly QuietRead[] = [
  {
    in: ['ignoring/ignoring.ts'],
    call: getIgnoredNames,
    because: 'what it changes in a chat: until it is answered, and without an answer, every line is shown',
  },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('messaging', CASES, QUIET));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
