import type { PageActions } from './page-actions.ts';

/** The bar of actions of a room. */
export const actionBar = (page: PageActions): Promise<HTMLElement> => page.find('region', 'Tips and shows');

/**
 * Presses an action of the bar, and waits for what it opens.
 * @param opens name of the panel or the dialog; that of the action unless said otherwise
 */
export async function openAction(
  page: PageActions, action: string | RegExp, opens: string | RegExp = action,
): Promise<HTMLElement> {
  await page.press(action, { in: await actionBar(page) });
  return page.find('dialog', opens);
}
