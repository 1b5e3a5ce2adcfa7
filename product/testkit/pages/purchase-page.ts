import { expect } from 'vitest';
import type { Shop } from '../payments/payments.ts';
import type { openPage } from './open-page.tsx';

type Page = Awaited<ReturnType<typeof openPage>>;

/** Presses the balance in the header, which opens the token purchase. */
export const wantsTokens = async (page: Page): Promise<void> =>
  page.press(/Get tokens$/u, { in: await page.find('banner') });

/** Goes to the tokens page by the account menu: the header of performers shows their earnings. */
export async function opensTokens(page: Page): Promise<void> {
  await page.press(/’s account$/u, { in: await page.find('banner') });
  await page.press('Tokens', { role: 'menuitem' });
}

/** Opens the purchase dialog from the header and waits for its products. */
export async function opensPurchase(page: Page): Promise<HTMLElement> {
  await wantsTokens(page);
  const dialog = await page.find('dialog', 'Get tokens');
  await page.until(() => expect(page.all('radio', undefined, { in: dialog }).length).toBeGreaterThan(2));
  return dialog;
}

/** Waits for the balance in the header. */
export const balanceIs = (page: Page, tokens: string): Promise<HTMLElement> =>
  page.find('button', new RegExp(`^${tokens} tokens.*Get tokens$`, 'u'));

/** Waits for anything else that could open. */
export async function settles(shop: Shop, page: Page): Promise<void> {
  await page.idle();
  await shop.site.passes(2_000);
  await page.idle();
}

/** Waits until the page and anything that could open would be there; checks that no dialog opened. */
export async function nothingOpens(shop: Shop, page: Page): Promise<void> {
  for (let look = 0; look < 2; look += 1) {
    await shop.site.passes(2_000);
    await page.idle();
  }
  await page.find('banner');
  expect(page.all('dialog')).toEqual([]);
}

/** What the page sent to addresses with this text in them, in order. */
export const sentTo = (page: Page, path: string): readonly string[] =>
  page.network.sent.filter((sent) => sent.includes(path));
