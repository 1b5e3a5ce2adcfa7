import { openAgeCheckedSite } from '#product/testkit/age-checks/age-checks.ts';
import { choosesProvider, findsErrorToast, opensAgeModal, pathOf } from '#product/testkit/pages/age-modal.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { describe, expect, test } from 'vitest';

type Page = Awaited<ReturnType<typeof openPage>>;

const { site, providers } = await openAgeCheckedSite();
const PICKER = 'Verify your age';
const PENDING = 'Your age check is under way';
/** The text of the refusal, as the server answers it. */
const MESSAGE = 'Verification failed. You can try again or choose another way.';

/** How often the page loaded the current user. */
const loads = (page: Page): number =>
  page.network.sent.filter((sent) => sent.startsWith('GET /api/v1/user/current')).length;

/** Somebody with a check under way, in front of the modal that waits for it. */
async function waits(): Promise<{ page: Page; url: string }> {
  const viewer = await site.viewer({ region: 'GB' });
  const first = await openPage(site, viewer, '/');
  const url = await choosesProvider(first, await opensAgeModal(first, PICKER), 'Yoti app');
  const page = await openPage(site, viewer, '/');
  const dialog = await opensAgeModal(page, PENDING);
  await page.sees(/^Waiting for the result/u, { in: dialog });
  await page.idle();
  return { page, url };
}

/** The person turns out to be sixteen. */
async function fails(url: string): Promise<string> {
  const back = await providers.finishes(url, 16);
  await providers.settle();
  return back;
}

describe('a failed check', () => {
  test('shows the message of the server, and closes the modal [C-379, C-382]', async () => {
    const { page, url } = await waits();
    await fails(url);
    expect(page.all('dialog')).toHaveLength(1);
    await site.passes(3_000);
    await findsErrorToast(page, MESSAGE);
    expect(page.all('dialog')).toEqual([]);
    expect(page.network.answers.some((text) => text.includes(`"message":"${MESSAGE}"`))).toBe(true);
    expect(await page.problems()).toEqual([]);
  });

  test('without a message is called exactly so, and closes the modal [C-380, C-382]', async () => {
    const viewer = await site.viewer({ region: 'GB' });
    const page = await openPage(site, viewer, '/', { mayPrint: /Failed to fetch/u });
    const dialog = await opensAgeModal(page, PICKER);
    const mends = page.network.fails(/\/yoti\/url/u);
    await page.press('ID document with Yoti', { in: dialog });
    await findsErrorToast(page, 'Verification failed');
    await page.gone('dialog');
    expect(page.left).toEqual([]);
    mends();
    // The next try begins where this one did.
    const again = await opensAgeModal(page, PICKER);
    await choosesProvider(page, again, 'ID document with Yoti');
  });

  test('of a provider that does not answer says so, and loads the current user [C-379, C-381]', async () => {
    const page = await openPage(site, await site.viewer({ region: 'GB' }), '/');
    const dialog = await opensAgeModal(page, PICKER);
    providers.fault = 'away';
    const before = loads(page);
    await page.press('ID document with Yoti', { in: dialog });
    await findsErrorToast(
      page,
      'The provider doesn’t answer right now. Nothing is lost: try again in a moment.',
    );
    providers.fault = null;
    await page.until(() => expect(loads(page)).toBe(before + 1));
  });

  test('is shown on the page that providers return to, with the way to another [C-379]', async () => {
    const viewer = await site.viewer({ region: 'GB' });
    const gate = await openPage(site, viewer, '/', { width: 390 });
    const url = await choosesProvider(gate, await opensAgeModal(gate, PICKER), 'ID document with Yoti');
    const page = await openPage(site, viewer, pathOf(await fails(url)), { width: 390 });
    await findsErrorToast(page, MESSAGE);
    await page.sees('Your last check didn’t work. Try again, or choose another way.');
    expect(await page.problems()).toEqual([]);
    await page.press('Verify your age', { in: await page.find('main') });
    await page.find('button', 'Yoti app', { in: await page.find('dialog', PICKER) });
  });
});
