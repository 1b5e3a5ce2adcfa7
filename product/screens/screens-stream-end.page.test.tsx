import { endBroadcast } from '#product/broadcast/contract.ts';
import { saveRoomSettings } from '#product/rooms/contract/controls.ts';
import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { privatePerformer, startsPrivate } from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openRoom>>;

/** A browser that plays HLS natively, as Safari does, and whose user chose HLS. */
function prefersHls(viewer: Member): void {
  const { prototype } = HTMLVideoElement;
  const own = { webkitSetPresentationMode: () => undefined, canPlayType: () => 'maybe' };
  for (const [name, value] of Object.entries(own)) {
    Object.defineProperty(prototype, name, { configurable: true, value });
  }
  onTestFinished(() => {
    for (const name of Object.keys(own)) Reflect.deleteProperty(prototype, name);
  });
  viewer.storage.local.set('candela.player', '{"streamType":"hls"}');
}

const videoOf = (): HTMLVideoElement | null => document.querySelector<HTMLVideoElement>('video[src]');
const faceOf = (): string | undefined =>
  document.querySelector<HTMLElement>('[data-stream-status]')?.dataset['streamStatus'];
const isShown = (): boolean => document.querySelector('[data-phase=playing]') !== null;

/** Opens the room, and gets the first frame of the stream. */
async function plays(page: Page): Promise<HTMLVideoElement> {
  const video = await page.until(() => {
    const found = videoOf();
    if (!found) throw new Error('nothing is played');
    return found;
  });
  Object.defineProperty(video, 'videoWidth', { value: 1280 });
  for (const name of ['loadedmetadata', 'loadeddata']) video.dispatchEvent(new Event(name));
  await page.until(() => expect(isShown()).toBe(true));
  return video;
}

/** The broadcast ends, and the room receives it. */
async function ends(page: Page, performer: Member): Promise<void> {
  await performer.call(endBroadcast, {});
  await page.sees(/^Last live/u);
  await page.idle();
}

describe('a viewer over HLS, when the broadcast ends', () => {
  async function watching(): Promise<{ page: Page; performer: Member; video: HTMLVideoElement }> {
    const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
    prefersHls(viewer);
    const page = await openRoom(site, viewer, performer);
    return { page, performer, video: await plays(page) };
  }

  test('is shown the last seconds, and then that it is over', async () => {
    const { page, performer, video } = await watching();
    await ends(page, performer);
    expect([videoOf() === video, isShown(), faceOf()]).toEqual([true, true, undefined]);
    video.dispatchEvent(new Event('ended'));
    await page.until(() => expect(faceOf()).toBe('offline'));
    expect([videoOf(), isShown()]).toEqual([null, false]);
  });

  test('is not shown them once the server gives none', async () => {
    const { page, performer, video } = await watching();
    await ends(page, performer);
    video.dispatchEvent(new Event('error'));
    await page.until(() => expect(faceOf()).toBe('offline'));
    expect(videoOf()).toBeNull();
  });

  test('sees the next broadcast at once', async () => {
    const { page, performer, video } = await watching();
    await ends(page, performer);
    await performer.goesLive();
    await page.until(() => expect(videoOf()?.src).toMatch(/\/hls\//u));
    await page.until(() => expect(videoOf()).not.toBe(video));
  });

  test('gets nothing of it any more once a camera password shuts them out', async () => {
    const { page, performer } = await watching();
    await ends(page, performer);
    await performer.call(saveRoomSettings, { username: performer.username, camPassword: 'candle light' });
    await page.until(() => expect(faceOf()).toBe('password_required'));
    expect(videoOf()).toBeNull();
  });
});

test('the end of a broadcast is the end of a private show in it, for who watches over HLS, too', async () => {
  const performer = await privatePerformer(site, { pricePerMinuteInToken: 60 });
  const viewer = await site.viewer({ tokens: 300 });
  await startsPrivate(viewer, performer);
  prefersHls(viewer);
  const page = await openRoom(site, viewer, performer);
  await plays(page);
  await performer.call(endBroadcast, {});
  await page.until(() => expect(faceOf()).toBe('offline'));
  expect([videoOf(), isShown()]).toEqual([null, false]);
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
