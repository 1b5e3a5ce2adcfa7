import {
  expectAllReads,
  performerAt,
  showsFaces,
  titled,
  type QuietRead,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { getPlayback, getStreamerSettings } from './client.ts';

const CASES: readonly ReadCase[] = [
  { in: ['live.ts'], call: getStreamerSettings, way: performerAt('/go-live') },
  { in: ['live.ts'], call: getStreamerSettings, way: performerAt('/account/streaming') },
];

const QUIET: readonly QuietRead[] = [
  {
    in: ['playing/use-playback.ts'],
    call: getPlayback,
    because: 'by the player, which has faces of its own: broadcast-player.page.test.tsx',
  },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('broadcast', CASES, QUIET));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
