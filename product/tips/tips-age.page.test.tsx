import { finishCheck, getIncodeEstimationUrl } from '#product/age-checks/contract.ts';
import { openAgeCheckedSite } from '#product/testkit/age-checks/age-checks.ts';
import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { key, tokensOf } from '#product/testkit/payments/wallet.ts';
import type { Member } from '#product/testkit/site.ts';
import { describe, expect, test } from 'vitest';
import { sendTip } from './contract.ts';

const { site, providers } = await openAgeCheckedSite();
const PICKER = 'Verify your age';

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
