import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { getOwnBroadcast } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const keyOf = (performer: Member): Promise<string> =>
  site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));

/**
 * A camera, and connections that report `connected` once they have an answer, until they are dropped. On a
 * shut network they stay `new`: there is no candidate pair to try.
 */
function camera(network = { isShut: false }): { readonly drop: () => void } {
  const peers: { becomes: (state: string) => void }[] = [];
  const tracks = (['video', 'audio'] as const).map((kind) => ({
    kind,
    label: kind,
    getSettings: () => ({ deviceId: kind }),
    stop: () => undefined,
  }));
  Object.defineProperty(navigator, 'mediaDevices', {
    configurable: true,
    value: {
      enumerateDevices: async () => [],
      getUserMedia: async () =>
        Object.assign(new MediaStream(), { getTracks: () => tracks, getAudioTracks: () => [] }),
    },
  });
  vi.stubGlobal('RTCRtpSender', { getCapabilities: () => null });
  vi.stubGlobal(
    'RTCPeerConnection',
    class {
      connectionState = 'new';
      localDescription: { readonly sdp: string } | null = null;
      onconnectionstatechange: (() => void) | null = null;
      constructor() {
        peers.push(this);
      }
      readonly getSenders = (): [] => [];
      readonly addTransceiver = (): object => ({});
      readonly createOffer = async () => ({ type: 'offer', sdp: TEST_OFFER });
      readonly close = (): void => undefined;
      becomes = (state: string): void => {
        this.connectionState = state;
        this.onconnectionstatechange?.();
      };
      setLocalDescription = async (offer: { readonly sdp: string }): Promise<void> => {
        this.localDescription = offer;
      };
      setRemoteDescription = async (): Promise<void> => {
        if (!network.isShut) this.becomes('connected');
      };
    },
  );
  onTestFinished(() => {
    vi.unstubAllGlobals();
    Reflect.deleteProperty(navigator, 'mediaDevices');
  });
  return { drop: () => peers.at(-1)?.becomes('failed') };
}

test('the console says that an encoder with the same key is refused, while it tries', async () => {
  const performer = await site.performer();
  const key = await keyOf(performer);
  expect((await site.rtmp.publishes(key, { address: '192.0.2.1' })).admitted).toBe(true);
  site.engine.arrive();
  expect((await site.rtmp.publishes(key, { address: '192.0.2.2' })).admitted).toBe(true);
  site.engine.arrive();
  await site.settle();
  const page = await openPage(site, performer, '/go-live');
  await page.find('heading', 'Performer console');
  const rival = /^Another encoder keeps trying to use your stream key/u;
  const stream = site.engine.streams.at(-1)!;
  site.engine.measure(stream);
  await page.idle();
  expect(page.shows(rival)).toBe(false);
  expect(await site.rtmp.publishes(key, { address: '192.0.2.1' })).toMatchObject({ admitted: false });
  site.engine.measure(stream);
  await page.sees(rival);
  expect(await page.problems()).toEqual([]);
  // Once the rival has given up, the page stops warning about it.
  await site.passes(61_000);
  site.engine.measure(stream);
  await page.until(() => expect(page.shows(rival)).toBe(false));
});

test('a page that an encoder took over from says so, and sends no more', async () => {
  const performer = await site.performer();
  const { drop } = camera();
  const page = await openPage(site, performer, '/go-live', { mayPrint: /409/u });
  await page.press(/^Turn on camera/u);
  await page.press('Go live now');
  await page.find('heading', 'Performer console');
  await page.idle();
  site.engine.arrive();
  await site.settle();
  expect((await site.rtmp.publishes(await keyOf(performer), { address: '192.0.2.1' })).admitted).toBe(true);
  site.engine.arrive();
  await site.settle();
  drop();
  // The page reconnects by itself, and is refused.
  await site.passes(1_000);
  await page.sees(/^Another device or encoder has taken over your broadcast\./u);
  await page.find('heading', 'Performer console');
  expect(await page.problems()).toEqual([]);
  expect((await performer.call(getOwnBroadcast, {})).state).toBe('online');
});

test('the console says that no media server is reached, while connections stay new', async () => {
  const performer = await site.performer();
  const network = { isShut: true };
  camera(network);
  const page = await openPage(site, performer, '/go-live');
  await page.press(/^Turn on camera/u);
  await page.press('Go live now');
  await page.find('heading', 'Performer console');
  await page.sees('Connecting…');
  await page.idle();
  const unreached = /^Your browser can’t reach the media server, so nobody sees you\. .*Still trying…$/u;
  await site.passes(7_000);
  await page.idle();
  expect([page.shows(unreached), page.shows('No connection')]).toEqual([false, false]);
  await site.passes(1_000);
  await page.sees(unreached);
  // Screen readers must read it out, too.
  expect(page.all('status').filter(({ textContent }) => unreached.test(textContent ?? ''))).toHaveLength(1);
  await page.sees('No connection');
  expect(await page.problems()).toEqual([]);
  expect((await performer.call(getOwnBroadcast, {})).state).not.toBe('online');
  network.isShut = false;
  await site.passes(1_000);
  site.engine.arrive();
  await site.settle();
  await page.until(() =>
    expect([page.shows(unreached), page.shows('No connection')]).toEqual([false, false])
  );
  await page.sees('Live');
});
