import { openAgeCheckedSite } from '#product/testkit/age-checks/age-checks.ts';
import { choosesProvider, findsErrorToast, opensAgeModal, pathOf } from '#product/testkit/pages/age-modal.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { key, tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { sendTip } from '#product/tips/contract.ts';
import { describe, expect, test } from 'vitest';
import { finishCheck, getIncodeEstimationUrl } from './contract.ts';

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

/** Proves an age for one visit, without a page. */
async function proves(viewer: Member): Promise<void> {
  const { url } = await viewer.call(getIncodeEstimationUrl, {});
  await providers.finishes(url, 30);
  await viewer.call(finishCheck, {});
}

describe('a tip where the age is no longer proved', () => {
  test('is stopped by the age verification, and works after it [A-228]', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer({ region: 'FR', tokens: 100 });
    await proves(viewer);
    const page = await openRoom(site, viewer, performer);
    const tip = async () => {
      const form = await page.find('form', /^Tip /u);
      await page.fill('Tokens', '30', { in: form });
      await page.press('Tip 30', { in: form });
    };
    // The pass is gone, as at the end of a visit.
    viewer.writesCookie('entry=; Max-Age=0');
    await tip();
    const dialog = await page.find('dialog', PICKER);
    await page.find('button', 'Face age estimation with Incode', { in: dialog });
    expect(await tokensOf(viewer)).toBe(100);
    expect(await viewer.refused(sendTip, { username: performer.username, amount: 30 }, key()))
      .toMatchObject({ status: 403, errorType: 'age_verification_required' });
    expect(await page.problems()).toEqual([]);
    await page.keys('{Escape}');
    await page.gone('dialog');
    // The room is still there, with what was typed.
    expect(await page.field('Tokens', { in: await page.find('form', /^Tip /u) })).toHaveProperty(
      'value',
      '30',
    );
    await proves(viewer);
    await tip();
    await page.until(async () => expect(await tokensOf(viewer)).toBe(70));
  });

  test('is not shown again by what the page reads, once it was closed', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer({ region: 'FR', tokens: 100 });
    await proves(viewer);
    const page = await openRoom(site, viewer, performer);
    viewer.writesCookie('entry=; Max-Age=0');
    const form = await page.find('form', /^Tip /u);
    await page.press(/^Tip \d/u, { in: form });
    await page.find('dialog', PICKER);
    await page.keys('{Escape}');
    await page.gone('dialog');
    await site.passes(120_000);
    await page.idle();
    expect(page.all('dialog')).toEqual([]);
    await page.press(/^Tip \d/u, { in: form });
    await page.find('dialog', PICKER);
  });
});
