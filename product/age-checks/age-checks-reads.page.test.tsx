import { getEntry } from '#product/compliance/client.ts';
import { openAgeCheckedSite } from '#product/testkit/age-checks/age-checks.ts';
import {
  adminAt,
  expectAllReads,
  showsFaces,
  titled,
  type QuietRead,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { test } from 'vitest';
import {
  getAgeVerification,
  getCardToken,
  getIncodeEstimationUrl,
  getIncodeVerificationUrl,
  getYotiUrl,
  listSupportChecks,
} from './client.ts';

const { site } = await openAgeCheckedSite();

const CASES: readonly ReadCase[] = [
  {
    in: ['verify-age-page.tsx'],
    call: getAgeVerification,
    way: async (at) => ({ visitor: await at.viewer({ region: 'GB' }), at: '/verify-age' }),
  },
  {
    in: ['verification-dialog.tsx'],
    call: getAgeVerification,
    way: async (at) => ({
      visitor: await at.viewer({ region: 'GB' }),
      at: '/tags',
      first: async (page) => void await page.find('heading', 'Age verification required'),
      leads: (page) => page.press('Verify your age'),
    }),
  },
  {
    in: ['card/card-page.tsx'],
    call: getCardToken,
    way: async (at) => ({
      visitor: await at.viewer({ region: 'GB' }),
      at: '/verify-age/card',
      byDocument: true,
      mayPrint: /failed/iu,
    }),
  },
  { in: ['admin-checks-page.tsx'], call: listSupportChecks, way: adminAt('/admin/age-checks') },
];
const begun =
  'it begins a check when a way is chosen: its failure is a toast, and the way can be chosen again';
const QUIET: readonly QuietRead[] = [
  { in: ['ways.ts'], call: getYotiUrl, because: begun },
  { in: ['ways.ts'], call: getIncodeEstimationUrl, because: begun },
  { in: ['ways.ts'], call: getIncodeVerificationUrl, because: begun },
  {
    in: ['finishing.ts'],
    call: getEntry,
    because: 'the gate is read again after a check; until it is known the page stays closed',
  },
];

test('each read of these pages has a case here [C-109]', () => expectAllReads('age-checks', CASES, QUIET));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
