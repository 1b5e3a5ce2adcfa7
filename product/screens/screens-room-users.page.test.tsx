import { uploadAvatar } from '#product/accounts/contract/avatar.ts';
import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('the users of a room and their cards show avatars, and a letter for who has none', async () => {
  const [performer, plain, painted] = [
    await site.performer({ live: true }),
    await site.viewer(),
    await site.viewer(),
  ];
  const picture = sharp({ create: { width: 60, height: 60, channels: 3, background: '#05b0fa' } });
  const file = new Blob([new Uint8Array(await picture.png().toBuffer())]);
  // A stand-in: the DOM's own form data takes no file of Node's.
  const form = { get: () => file } as unknown as FormData;
  const { user: { avatar } } = await painted.call(uploadAvatar, {}, { form });
  for (const who of [plain, painted]) await who.joins(performer);
  const page = await openRoom(site, performer, performer);
  await page.press(/^Users\b/u);
  const list = await page.find('list', 'In this room');
  const line = await page.find('button', new RegExp(painted.username, 'u'), { in: list });
  expect(line.querySelector('img')?.getAttribute('src')).toBe(`${avatar}?px=50`);
  const other = await page.find('button', new RegExp(plain.username, 'u'), { in: list });
  expect(other.querySelector('img')).toBeNull();
  expect((await performer.request({ url: `${avatar}?px=50` })).statusCode).toBe(200);
  await page.click(line);
  const card = await page.find('dialog', painted.person.displayName);
  expect(card.querySelector('img')?.getAttribute('src')).toBe(avatar);
  expect(await page.problems()).toEqual([]);
  // A picture that has been deleted meanwhile is replaced by the initial.
  card.querySelector('img')?.dispatchEvent(new Event('error'));
  await page.until(() => expect(card.querySelector('img')).toBeNull());
});
