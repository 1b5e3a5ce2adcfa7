import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

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
  // The toast closes by itself.
  await copies();
  await site.passes(2_499);
  await page.idle();
  expect(isMarked()).toBe(true);
  await site.passes(1);
  await page.until(() => expect([page.shows('Copied.'), isMarked()]).toEqual([false, false]));
  // The toast is closed by its button.
  await copies();
  await page.press('Dismiss');
  await page.until(() => expect(isMarked()).toBe(false));
  // All toasts are closed together; each copy button has its own mark.
  const other = await page.find('button', /^Copy Bitrate/u);
  const marks = (): boolean[] => [button, other].map((item) => item.querySelector('.lucide-check') !== null);
  await copies();
  await page.click(other);
  await page.until(() => expect(marks()).toEqual([true, true]));
  await page.press('Dismiss all');
  await page.until(() => expect([page.shows('Copied.'), marks()]).toEqual([false, [false, false]]));
  // Newer toasts push it out, as only three fit; the clock does not move.
  await copies();
  for (let times = 0; times < 3; times += 1) await page.click(other);
  await page.until(() => expect(marks()).toEqual([false, true]));
  expect(page.all('button', 'Dismiss')).toHaveLength(3);
  expect(await page.problems()).toEqual([]);
});
