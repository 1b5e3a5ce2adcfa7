import type { Member, TestSite } from '../site.ts';
import type { openPage } from './open-page.tsx';

type Page = Awaited<ReturnType<typeof openPage>>;

/** A live performer, and a viewer who has sent a message in the room. */
export async function roomWithMessage(
  site: TestSite,
  message: string,
): Promise<{ performer: Member; marco: Member; id: number }> {
  const [performer, marco] = [await site.performer({ live: true }), await site.viewer()];
  const socket = await marco.joins(performer);
  const { id } = await site.says(socket, message);
  return { performer, marco, id };
}

/** Opens a tab of the room's column. */
export const openPart = (page: Page, name: string) => page.press(new RegExp(`^${name}\\b`, 'u'));

/** Opens a person's card from the user list. */
export async function openCard(page: Page, { username }: Member): Promise<HTMLElement> {
  await openPart(page, 'Users');
  await page.press(new RegExp(username, 'u'), { in: await page.find('list', 'In this room') });
  const dialog = await page.find('dialog');
  await page.sees(`@${username}`, { in: dialog });
  return dialog;
}
