import { afterAll, beforeAll, test } from 'vitest';
import { listHidden, readNote } from './client.ts';
import { expectAllReads, showsFaces, titled, viewerAt, type ReadCase } from '../testkit/pages/reads/faces.ts';
import { createSite, type TestSite } from '../testkit/site.ts';

/** The page of a performer, with one's own note. */
const ofPerformer: ReadCase['way'] = async (site) => {
  const { username } = await site.performer();
  return { visitor: await site.viewer(), at: `/${username}/bio` };
};

const CASES: readonly ReadCase[] = [
  { in: ['hidden-page.tsx'], call: listHidden, way: viewerAt('/account/hidden') },
  { in: ['notes/own-note.tsx'], call: readNote, way: ofPerformer },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('messaging', CASES));
test.each(titled(CASES))('%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, one) => showsFaces(site, one));
