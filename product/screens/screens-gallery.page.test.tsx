import { listPictures, savePictures, uploadPicture } from '#product/performers/contract/pictures.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const picture = (): Promise<Buffer> =>
  sharp({ create: { width: 90, height: 60, channels: 3, background: '#0af' } }).jpeg().toBuffer();
const file = async (): Promise<File> =>
  new File([new Uint8Array(await picture())], 'me.jpg', { type: 'image/jpeg' });

/** A performer with three pictures: Sea, one without a caption, Hills. */
async function pictured(): Promise<Member> {
  const luna = await site.performer();
  for (let nth = 0; nth < 3; nth += 1) {
    const form = new FormData();
    form.set('file', await file());
    await luna.call(uploadPicture, {}, { form });
  }
  const { pictures } = await luna.call(listPictures, {});
  const captions = ['Sea', '', 'Hills'];
  await luna.call(savePictures, {
    pictures: pictures.map(({ id }, at) => ({ id, caption: captions[at] ?? '' })),
  });
  await site.settle();
  return luna;
}
const opensBio = async (luna: Member): Promise<Page> =>
  openPage(site, await site.viewer(), `/${luna.username}/bio`);
const dialog = (page: Page) => page.find('dialog', /^Pictures of /u);
const shown = async (page: Page) => {
  const images = (await dialog(page)).querySelectorAll('img');
  return [...images].map((image) => image.getAttribute('src'));
};

describe('the image gallery', () => {
  it('opens at a picture of a bio and shows them one at a time [A-097]', async () => {
    const luna = await pictured();
    const urls = (await luna.call(listPictures, {})).pictures.map(({ url }) => url);
    const page = await opensBio(luna);
    await page.find('heading', 'Pictures');
    await page.press('Picture 2');
    await page.sees('2 of 3', { in: await dialog(page) });
    expect(await shown(page)).toEqual([urls[1]]);
    expect(await page.problems()).toEqual([]);
    await page.press('Next', { in: await dialog(page) });
    expect(await shown(page)).toEqual([urls[2]]);
    await page.sees('Hills', { in: await dialog(page) });
    await page.press('Previous', { in: await dialog(page) });
    expect(await shown(page)).toEqual([urls[1]]);
  });

  it('moves by the arrow keys, round both ends [A-099, A-100]', async () => {
    const luna = await pictured();
    const urls = (await luna.call(listPictures, {})).pictures.map(({ url }) => url);
    const page = await opensBio(luna);
    await page.press('Sea');
    await dialog(page);
    for (const [key, at] of [
      ['{ArrowRight}', 1],
      ['{ArrowLeft}', 0],
      ['{ArrowLeft}', 2],
      ['{ArrowLeft}', 1],
      ['{ArrowRight}', 2],
      ['{ArrowRight}', 0],
    ] as const) {
      await page.keys(key);
      expect(await shown(page)).toEqual([urls[at]]);
      await page.sees(`${at + 1} of 3`, { in: await dialog(page) });
    }
    // With a modifier, the key is the browser's: it goes back.
    await page.keys('{Alt>}{ArrowLeft}{/Alt}');
    expect(await shown(page)).toEqual([urls[0]]);
    // The gallery's buttons wrap around as well.
    for (const [name, at] of [['Previous', 2], ['Next', 0], ['Next', 1], ['Next', 2], ['Next', 0]] as const) {
      await page.press(name, { in: await dialog(page) });
      expect(await shown(page)).toEqual([urls[at]]);
    }
  });

  it('closes by Escape, and the focus is where it was [A-098]', async () => {
    const page = await opensBio(await pictured());
    await page.press('Hills');
    await dialog(page);
    await page.keys('{Escape}');
    await page.gone('dialog', /^Pictures of /u);
    expect(page.focused?.querySelector('img')?.getAttribute('alt')).toBe('Hills');
  });
});

describe('the pictures of the own page', () => {
  it('are added, captioned, ordered and removed at the listing, reached from the menu', async () => {
    const luna = await site.performer();
    const page = await openPage(site, luna, '/');
    await page.press(/’s account$/u, { in: await page.find('banner') });
    await page.press('How you’re listed', { role: 'menuitem' });
    const part = await page.find('region', 'Pictures');
    await page.sees('No pictures yet. Add one, and it’s on your profile page at once.', { in: part });
    await page.attach('Add picture', [await file()], { in: part });
    await page.field('Caption of picture 1', { in: part });
    await page.attach('Add picture', [await file()], { in: part });
    await page.fill('Caption of picture 2', 'Sea', { in: part });
    await page.press('Move Sea up', { in: part });
    await page.press('Save pictures', { in: part });
    await page.sees('Pictures saved');
    expect((await luna.call(listPictures, {})).pictures.map(({ caption }) => caption)).toEqual(['Sea', '']);
    expect(await page.problems()).toEqual([]);
    await page.press('Remove Picture 2', { in: part });
    await page.press('Save pictures', { in: part });
    await page.gone('button', 'Save pictures', { in: part });
    expect((await luna.call(listPictures, {})).pictures).toHaveLength(1);
    await page.attach('Add picture', [new File(['x'], 'a.txt', { type: 'text/plain' })], { in: part });
    await page.sees('Only image files are supported.', { in: part });
  });
});
