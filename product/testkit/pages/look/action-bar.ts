import type { PageActions } from './page-actions.ts';

/** The action bar of a room. */
export const actionBar = (page: PageActions): Promise<HTMLElement> => page.find('region', 'Tips and shows');

/**
 * Presses an action of the bar, and waits for the panel or dialog it opens.
 * @param opens name of the panel or dialog; that of the action by default
 */
export async function openAction(
  page: PageActions,
  action: string | RegExp,
  opens: string | RegExp = action,
): Promise<HTMLElement> {
  await page.press(action, { in: await actionBar(page) });
  return page.find('dialog', opens);
}
