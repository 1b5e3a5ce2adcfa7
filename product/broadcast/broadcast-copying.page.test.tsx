import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('what was copied has a check mark until its toast closes, however that is closed [A-223]', async () => {
  const page = await openPage(site, await site.performer(), '/go-live');
  await page.press('OBS or encoder', { role: 'radio' });
  const button = await page.find('button', /^Copy Server for “WHIP”/u);
  const isMarked = (): boolean => button.querySelector('.lucide-check') !== null;
  const copies = async (): Promise<void> => {
    expect(isMarked()).toBe(false);
    await page.click(button);
    await page.sees('Copied.');
    await page.until(() => expect(isMarked()).toBe(true));
    await page.idle();
  };
  // By itself.
  await copies();
  await site.passes(2_499);
  await page.idle();
  expect(isMarked()).toBe(true);
  await site.passes(1);
  await page.until(() => expect([page.shows('Copied.'), isMarked()]).toEqual([false, false]));
  // By its button.
  await copies();
  await page.press('Dismiss');
  await page.until(() => expect(isMarked()).toBe(false));
  // With all others, each of which has its own.
  const other = await page.find('button', /^Copy Bitrate/u);
  const marks = (): boolean[] => [button, other].map((one) => one.querySelector('.lucide-check') !== null);
  await copies();
  await page.click(other);
  await page.until(() => expect(marks()).toEqual([true, true]));
  await page.press('Dismiss all');
  await page.until(() => expect([page.shows('Copied.'), marks()]).toEqual([false, [false, false]]));
  // By newer ones, of which three fit; no clock moves.
  await copies();
  for (let times = 0; times < 3; times += 1) await page.click(other);
  await page.until(() => expect(marks()).toEqual([false, true]));
  expect(page.all('button', 'Dismiss')).toHaveLength(3);
  expect(await page.problems()).toEqual([]);
});
