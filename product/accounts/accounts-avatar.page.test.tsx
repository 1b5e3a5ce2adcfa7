import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getCurrentUser } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const CHOOSE = /^(?:Choose|Change) picture$/u;

/** Opens the settings from the user menu. */
async function opensSettings(who: Member, locale?: string): Promise<Page> {
  if (locale !== undefined) return openPage(site, who, '/account/settings', { locale });
  const page = await openPage(site, who, '/');
  await page.press(/’s account$/u, { in: await page.find('banner') });
  await page.press('Settings', { role: 'menuitem' });
  await page.find('heading', 'Settings', { level: 1 });
  return page;
}

const pixels = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 90, height: 60, channels: 3, background } }).jpeg().toBuffer();
const file = (bytes: Uint8Array, type = 'image/jpeg', name = 'me.jpg'): File =>
  new File([bytes as Uint8Array<ArrayBuffer>], name, { type });
const urlOf = async (who: Member) => (await who.call(getCurrentUser, {})).user.avatar_url;
const uploads = (page: Page) => page.network.sent.filter((text) => text.includes('/avatar/upload')).length;
const own = (page: Page) => page.find('group', 'Your picture');
const imageIn = (part: HTMLElement) => part.querySelector('img:not([src*="favicon"])');

describe('the own avatar', () => {
  it('shows its upload while that runs, and takes no other one meanwhile [A-280, A-289]', async () => {
    const viewer = await site.viewer();
    const page = await opensSettings(viewer);
    const part = await own(page);
    expect(imageIn(part)).toBeNull();
    const release = page.network.holds(/avatar\/upload/u);
    await page.attach('Choose picture', [file(await pixels('#f00'))], { in: part });
    await page.sees('Uploading…', { in: part });
    const chosen = await page.field('Choose picture', { in: part });
    expect(chosen.closest('label')?.getAttribute('aria-busy')).toBe('true');
    expect(imageIn(part)?.getAttribute('src')).toMatch(/^blob:/u);
    await page.attach('Choose picture', [file(await pixels('#0f0'))], { in: part });
    await page.attach('Choose picture', [file(Buffer.from('x'), 'text/plain')], { in: part });
    expect(page.all('alert', undefined, { in: part })).toEqual([]);
    expect(uploads(page)).toBe(1);
    release();
    await page.sees('Picture saved');
    expect(page.shows('Uploading…', { in: part })).toBe(false);
    expect(uploads(page)).toBe(1);
    const red = await viewer.request({ method: 'GET', url: (await urlOf(viewer))! });
    const [r = 0, g = 0] = await sharp(red.rawPayload).raw().toBuffer();
    expect([r > 200, g < 50]).toEqual([true, true]);
    // The upload is over, so the page takes the next picture.
    await page.attach('Change picture', [file(await pixels('#00f'))], { in: part });
    await page.until(() => expect(uploads(page)).toBe(2));
    await page.sees('Picture saved');
  });

  it('is 50 px, shown here and in the header at once, and removed [A-281, A-457]', async () => {
    const viewer = await site.viewer();
    const page = await opensSettings(viewer);
    const [part, header] = [await own(page), await page.find('banner')];
    expect(imageIn(header)).toBeNull();
    await page.attach(CHOOSE, [file(await pixels('#f00'))], { in: part });
    await page.sees('Picture saved');
    const url = await urlOf(viewer);
    expect(url).toMatch(/^\/avatars\//u);
    const shown = imageIn(part)!;
    expect([shown.getAttribute('width'), shown.getAttribute('height'), shown.className.includes('size-12.5')])
      .toEqual(['50', '50', true]);
    expect([shown.getAttribute('src'), shown.getAttribute('srcset')])
      .toEqual([`${url}?px=50`, `${url} 2x`]);
    expect(imageIn(header)?.getAttribute('src')).toBe(url);
    const small = await viewer.request({ method: 'GET', url: shown.getAttribute('src')! });
    expect(await sharp(small.rawPayload).metadata()).toMatchObject({ width: 50, height: 50 });
    expect(await page.problems()).toEqual([]);
    await page.press('Remove picture', { in: part });
    await page.sees('Picture removed');
    expect([await urlOf(viewer), imageIn(part), imageIn(header)]).toEqual([null, null, null]);
    expect(page.all('button', 'Remove picture', { in: part })).toEqual([]);
  });

  it('changes in every open tab of the person', async () => {
    const viewer = await site.viewer();
    const page = await opensSettings(viewer);
    await page.until(() => expect(page.network.hasLobby).toBe(true));
    const other = await site.anotherTabOf(viewer);
    const form = new FormData();
    form.set('file', file(await pixels('#0ff')));
    const { uploadAvatar } = await import('./contract/avatar.ts');
    const { user: { avatar } } = await other.call(uploadAvatar, {}, { form });
    const part = await own(page);
    await page.until(() => expect(imageIn(part)?.getAttribute('src')).toBe(`${avatar}?px=50`));
  });

  it('is one image: other files are refused, by type here and by content there [A-286, A-287]', async () => {
    const viewer = await site.viewer();
    const page = await opensSettings(viewer);
    const part = await own(page);
    const alert = async () => (await page.find('alert', undefined, { in: part })).textContent;
    expect((await page.field(CHOOSE, { in: part }) as HTMLInputElement).multiple).toBe(false);
    await page.attach(CHOOSE, [file(Buffer.from('text'), 'text/plain', 'me.png')], { in: part });
    expect(await alert()).toBe('Only image files are supported.');
    await page.attach(CHOOSE, [file(Buffer.from('text'), '', 'me')], { in: part });
    expect([await alert(), uploads(page)]).toEqual(['Only image files are supported.', 0]);
    await page.attach(CHOOSE, [file(Buffer.from('<html>'), 'image/png', 'me.png')], { in: part });
    await page.until(() => expect(uploads(page)).toBe(1));
    await page.sees('Only image files are supported.', { in: part });
    expect(await page.problems()).toEqual([]);
    // A good picture clears the error of the one before.
    await page.attach(CHOOSE, [file(await pixels('#f00'))], { in: part });
    await page.sees('Picture saved');
    expect(page.all('alert', undefined, { in: part })).toEqual([]);
  });

  it('is a PNG, JPEG, WebP or GIF: other images are refused [A-288]', async () => {
    const viewer = await site.viewer();
    const page = await opensSettings(viewer);
    const part = await own(page);
    const words = 'Only PNG, JPG, WEBP or GIF files are supported.';
    for (const type of ['image/svg+xml', 'image/tiff', 'image/avif', 'image/bmp', 'image/heic']) {
      await page.attach(CHOOSE, [file(Buffer.from('x'), type)], { in: part });
      expect((await page.find('alert', undefined, { in: part })).textContent).toBe(words);
    }
    expect(uploads(page)).toBe(0);
    const avif = await sharp(await pixels('#f00')).avif().toBuffer();
    const tiff = await sharp(await pixels('#f00')).tiff().toBuffer();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"></svg>');
    const accepts = async (bytes: Buffer, type: string): Promise<void> => {
      const before = imageIn(part)?.getAttribute('src');
      await page.attach(CHOOSE, [file(bytes, type)], { in: part });
      await page.until(() => {
        const shown = imageIn(part)?.getAttribute('src');
        expect([shown?.startsWith('/avatars/'), shown === before]).toEqual([true, false]);
      });
    };
    for (const [colour, bytes] of [['#00f', avif], ['#0ff', svg], ['#f0f', tiff]] as const) {
      // The error of the picture before is gone.
      await accepts(await sharp(await pixels(colour)).png().toBuffer(), 'image/png');
      expect(page.shows(words, { in: part })).toBe(false);
      const before = uploads(page);
      await page.attach(CHOOSE, [file(bytes, 'image/png')], { in: part });
      await page.until(() => expect(uploads(page)).toBe(before + 1));
      await page.sees(words, { in: part });
    }
    for (const type of ['png', 'jpeg', 'webp', 'gif'] as const) {
      await accepts(await sharp(await pixels('#0f0')).toFormat(type).toBuffer(), `image/${type}`);
      expect(imageIn(part)?.getAttribute('src')).toBe(`${await urlOf(viewer)}?px=50`);
    }
  });

  it('that fails says so: damaged, without a network, with an error of the site [A-442]', async () => {
    const viewer = await site.viewer();
    const page = await opensSettings(viewer);
    const part = await own(page);
    const whole = await pixels('#f00');
    await page.attach(CHOOSE, [file(whole.subarray(0, whole.length / 2))], { in: part });
    await page.sees('An error occurred', { in: part });
    await page.sees('This picture is damaged or incomplete. Choose another one.', { in: part });
    const { put } = site.blobs;
    Object.assign(site.blobs, {
      put: async () => {
        throw new Error('the disk is full');
      },
    });
    await page.attach(CHOOSE, [file(whole)], { in: part });
    await page.until(() => expect(uploads(page)).toBe(2));
    const damaged = 'This picture is damaged or incomplete. Choose another one.';
    await page.until(() => expect(page.shows(damaged)).toBe(false));
    await page.sees('An error occurred', { in: part });
    Object.assign(site.blobs, { put });
    expect(await urlOf(viewer)).toBeNull();
    await page.attach(CHOOSE, [file(whole)], { in: part });
    await page.sees('Picture saved');
    page.network.goesDown(true);
    await page.attach(CHOOSE, [file(whole)], { in: part });
    await page.sees('An error occurred', { in: part });
    page.network.goesDown(false);
  });

  it.each([
    ['de', 'Bild auswählen', 'Nur PNG-, JPG-, WEBP- oder GIF-Dateien werden unterstützt.'],
    ['fr', 'Choisir une image', 'Seuls les fichiers PNG, JPG, WEBP ou GIF sont pris en charge.'],
    ['nl', 'Afbeelding kiezen', 'Alleen PNG-, JPG-, WEBP- of GIF-bestanden worden ondersteund.'],
  ])('speaks %s', async (locale, choose, words) => {
    const page = await opensSettings(await site.viewer(), locale);
    await page.attach(choose, [file(Buffer.from('x'), 'image/bmp')]);
    await page.sees(words);
  });
});
