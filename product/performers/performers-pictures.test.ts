import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getPicture, listPictures, savePictures, uploadPicture } from './contract/pictures.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const picture = (width = 90, height = 60): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#0af' } }).jpeg().toBuffer();
const formOf = (bytes: Uint8Array) => {
  const form = new FormData();
  form.set('file', new Blob([Buffer.from(bytes)]));
  return { form };
};
const add = async (who: Visitor, bytes?: Uint8Array) =>
  (await who.call(uploadPicture, {}, formOf(bytes ?? await picture()))).pictures;
const refusal = async (who: Visitor, bytes?: Uint8Array) =>
  (await who.refused(uploadPicture, {}, formOf(bytes ?? await picture()))).errorType;
const own = async (who: Visitor) => (await who.call(listPictures, {})).pictures;
const status = async (who: Visitor, url: string) => (await who.request({ method: 'GET', url })).statusCode;

describe('pictures of a performer', () => {
  it('are added last, ordered, captioned and removed with their bytes', async () => {
    const luna = await site.performer();
    await add(luna, await picture(3_200, 1_600));
    await add(luna);
    const [wide, small] = await add(luna);
    expect(wide).toMatchObject({ width: 1_600, height: 800, caption: '' });
    expect(small).toMatchObject({ width: 90, height: 60 });
    const [first, second, third] = (await own(luna)).map(({ id }) => id) as [number, number, number];
    const { pictures } = await luna.call(savePictures, {
      pictures: [{ id: third, caption: ' At the sea ' }, { id: first, caption: '' }],
    });
    expect(pictures.map(({ id, caption }) => [id, caption])).toEqual([[third, 'At the sea'], [first, '']]);
    expect(await own(luna)).toEqual(pictures);
    await site.passes(1_000);
    expect(await status(luna, small!.url)).toBe(404);
    expect(second).toBe(small!.id);
    const key = wide!.url.slice('/profile/'.length);
    expect(await luna.call(getPicture, { key, size: 'thumb' })).toMatchObject({ status: 200 });
    const thumb = await luna.request({ method: 'GET', url: wide!.thumbUrl });
    expect(await sharp(thumb.rawPayload).metadata())
      .toMatchObject({ format: 'webp', width: 320, height: 320 });
    expect(thumb.headers['cache-control']).toBe('private, max-age=86400, immutable');
  });

  it('are 24 at most, need a clearance, and are pictures', async () => {
    const luna = await site.performer();
    const file = await picture(9, 9);
    for (let nth = 0; nth < 24; nth += 1) await add(luna, file);
    expect(await refusal(luna, file)).toBe('pictures_full');
    expect(await own(luna)).toHaveLength(24);
    const uncleared = await site.performer({ cleared: false });
    expect(await refusal(uncleared)).toBe('clearance_missing');
    const mia = await site.performer();
    expect(await refusal(mia, Buffer.from('<svg/>'))).toBe('picture_type');
    expect(await refusal(mia, Buffer.from('text'))).toBe('picture_not_image');
    expect(await own(mia)).toEqual([]);
  });

  it('are changed by nobody else: guests, viewers, other performers, or who is suspended', async () => {
    const luna = await site.performer();
    const [one] = await add(luna);
    const [guest, viewer] = [await site.visitor({ ofAge: true }), await site.viewer()];
    const mia = await site.performer();
    expect([await refusal(guest), await refusal(viewer)]).toEqual(['not_authenticated', 'forbidden']);
    const wanted = { pictures: [{ id: one!.id, caption: 'mine' }] };
    for (const [who, code] of [
      [guest, 'not_authenticated'],
      [viewer, 'forbidden'],
      [mia, 'picture_unknown'],
    ] as const) {
      expect((await who.refused(savePictures, wanted)).errorType).toBe(code);
    }
    // Omitting another performer's picture does not remove it.
    await mia.call(savePictures, { pictures: [] });
    const twice = { pictures: [...wanted.pictures, ...wanted.pictures] };
    expect((await luna.refused(savePictures, twice)).errorType).toBe('picture_unknown');
    expect(await own(luna)).toEqual([one]);
    const order = { suspended: true, actorId: null, reason: 'x' };
    await site.tx((tx) => site.services.accounts.suspend(tx, luna.id, order));
    expect((await luna.refused(savePictures, { pictures: [] })).status).toBeGreaterThanOrEqual(401);
    expect(await status(viewer, one!.url)).toBe(404);
  });

  it('are shown to whom the performer may be shown', async () => {
    const luna: Member = await site.performer();
    const [one] = await add(luna);
    await site.tx((tx) => site.services.compliance.blockRegions(tx, luna.id, ['RO']));
    for (const url of [one!.url, one!.thumbUrl]) {
      expect(await status(await site.viewer(), url)).toBe(200);
      expect(await status(await site.visitor({ region: 'RO', ofAge: true }), url)).toBe(404);
      expect(await status(await site.visitor(), url)).toBe(404);
    }
    expect(await status(luna, `/profile/${'A'.repeat(22)}`)).toBe(404);
  });
});
