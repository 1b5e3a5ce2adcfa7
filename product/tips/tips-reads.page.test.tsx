import {
  adminAt,
  expectAllReads,
  inRoom,
  performerAt,
  showsFaces,
  titled,
  viewerAt,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, test } from 'vitest';
import {
  getOverlay,
  getTipLimit,
  getTipRoom,
  getTipRules,
  getTipTools,
  listEffects,
  listReceivedTips,
  listSentTips,
  listTipDays,
} from './client.ts';
import { makeOverlay } from './contract/overlay.ts';

/** The console of a performer who is live. */
const console: ReadCase['way'] = async (site) => ({
  visitor: await site.performer({ live: true }),
  at: '/go-live',
});
/** The overlay that a performer's encoder shows. */
const overlay: ReadCase['way'] = async (site) => {
  const performer = await site.performer();
  const { token } = await performer.call(makeOverlay, {});
  return { visitor: performer, at: `/overlay/${token}` };
};

const CASES: readonly ReadCase[] = [
  {
    in: ['tips-page.tsx', 'tip-history.tsx'],
    call: listSentTips,
    way: viewerAt('/account/tips'),
  },
  { in: ['tip-history.tsx'], call: listTipDays, way: viewerAt('/account/tips') },
  { in: ['tip-history.tsx'], call: listReceivedTips, way: performerAt('/account/tips') },
  { in: ['own-limit.tsx'], call: getTipLimit, way: viewerAt('/account/tokens'), isSmall: true },
  { in: ['tip-rules.tsx'], call: getTipRules, way: adminAt('/admin/ledger') },
  {
    in: ['live.ts'],
    call: getTipRoom,
    way: inRoom((page) => page.press('Tip menu')),
    isSmall: true,
  },
  { in: ['overlay/live.ts'], call: getOverlay, way: overlay, isSmall: true },
  { in: ['tools/tip-tools.tsx'], call: getTipTools, way: console },
  { in: ['tools/effect-list.tsx'], call: listEffects, way: console },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('tips', CASES));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
