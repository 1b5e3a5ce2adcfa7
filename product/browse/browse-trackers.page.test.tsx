import { playbackOf } from '#product/testkit/media/media-client.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { getTrackers } from './contract/trackers.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** A performer who is live with a portrait at this address. */
async function pictured(username: string, avatarUrl: string): Promise<Member> {
  const { accounts, compliance } = site.services;
  const person = await accounts.create(site.scope, {
    username,
    email: `${username}@people.example`,
    password: 'correct horse battery',
    birthDate: '1996-01-15',
    type: 'model',
    gender: 'f',
    roles: [],
    avatarUrl,
  });
  await site.settle();
  await site.tx((tx) => compliance.clear(tx, person.id, null, 'seen by the test'));
  const performer = await site.memberOf(username);
  await performer.goesLive();
  return performer;
}

test('clicks on live thumbnails and on picked ones are tracked, on others not [B-290, B-324]', async () => {
  const admin = await site.admin();
  const clicks = async (): Promise<unknown> => (await admin.call(getTrackers, {})).thumbs;
  /** Opens a tile with this image address, and lists the click reports. */
  const reported = async (performer: Member, image: RegExp): Promise<readonly string[]> => {
    const page = await openPage(site, await site.visitor({ ofAge: true }), '/girls');
    const main = await page.find('main');
    const tile = await page.find('link', new RegExp(performer.username, 'u'), { in: main });
    expect(tile.querySelector('img')?.getAttribute('src')).toMatch(image);
    await page.click(tile);
    await page.until(() => expect(page.path).toBe(`/${performer.username}`));
    await page.idle();
    return page.network.sent.filter((request) => request.includes('/thumb-tracker/'));
  };
  for (const [username, address] of [
    ['nearly', '/media/thumbs/nearly.webp'],
    ['almost', '/media/thumbs-pick/almost.webp'],
  ] as const) {
    expect(await reported(await pictured(username, address), /^\/media\/thumbs/u)).toEqual([]);
  }
  const performer = await pictured('momentary', '/portraits/momentary?v=1');
  // A stream shows the portrait until its first live thumbnail.
  expect(await reported(performer, /^\/portraits\//u)).toEqual([]);
  expect(await clicks()).toEqual([]);
  site.outputs.photograph((await playbackOf(performer, performer)).stream);
  // Guests may get a listing up to a second old.
  await site.passes(1_000);
  expect(await reported(performer, /^\/thumbs\/t\/momentary\?v=\d+$/u)).toEqual([
    'POST /api/v1/thumb-tracker/click {"thumbUrl":"/thumbs/t/momentary"}',
  ]);
  await vi.waitFor(async () =>
    expect(await clicks()).toEqual([{ username: 'momentary', kind: 't', clicks: 1 }])
  );
  const picked = await pictured('picked', '/media/thumbs-picked/picked.webp');
  expect(await reported(picked, /^\/media\/thumbs-picked\//u)).toEqual([
    'POST /api/v1/thumb-tracker/click {"thumbUrl":"/media/thumbs-picked/picked"}',
  ]);
  await vi.waitFor(async () =>
    expect(await clicks()).toEqual([
      { username: 'momentary', kind: 't', clicks: 1 },
      { username: 'picked', kind: 'picked', clicks: 1 },
    ])
  );
});

test('Casa Salsa shows one of four images, drawn at random [C-408]', async () => {
  const shown = async (): Promise<string | undefined> => {
    const page = await openPage(site, await site.visitor({ ofAge: true }), '/casa-salsa');
    const main = await page.find('main');
    return page.until(() => {
      const src = main.querySelector('img[src^="/images/"]')?.getAttribute('src');
      if (!src) throw new Error('no image yet');
      return src;
    });
  };
  const images = [1, 2, 3, 4].map((number) => `/images/casa-salsa-${number}.svg`);
  for (const image of images) expect(existsSync(`product/screens/web/public${image}`)).toBe(true);
  expect(images).toContain(await shown());
  const native = crypto.getRandomValues.bind(crypto);
  const dice = vi.spyOn(crypto, 'getRandomValues');
  try {
    const drawn: (string | undefined)[] = [];
    for (const byte of [0, 1, 2, 3, 252, 253, 254, 255]) {
      dice.mockImplementation((bytes) => {
        if (bytes?.byteLength !== 1) return native(bytes);
        (bytes as unknown as Uint8Array).fill(byte);
        return bytes;
      });
      drawn.push(await shown());
    }
    // 256 values in four equal parts.
    expect(drawn).toEqual([...images, ...images]);
  } finally {
    dice.mockRestore();
  }
});
