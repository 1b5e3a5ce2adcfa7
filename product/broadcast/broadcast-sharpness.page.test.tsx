import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { getStreamerSettings } from './contract/settings.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const CHECK = /\/broadcast\/upload_check$/u;
const SETTINGS = /\/video\/streamer_settings$/u;
/** How long a part of 512 KiB takes at 7.8 Mbit/s, and at slightly less. */
const FAST_MS = 537;
const SLOWER_MS = 538;
/** The same at 4.6 Mbit/s, and at slightly less. */
const HALF_MS = 921;
const USUAL_MS = 922;
const USUAL = ['600 kbit/s · 480p', '1200 kbit/s · 480p', '2000 kbit/s · 480p'];
const HALF = '3500 kbit/s · 720p';
const FULL = '6000 kbit/s · 1080p';

/** A camera that opens, and the highest number of lines requested each time. */
function camera(): { readonly lines: unknown[] } {
  const lines: unknown[] = [];
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
      getUserMedia: async ({ video }: { video: { width: object; height: object } }) => {
        lines.push([video.width, video.height]);
        // The microphone meter needs an AudioContext, which the DOM lacks.
        return Object.assign(new MediaStream(), { getTracks: () => tracks, getAudioTracks: () => [] });
      },
    },
  });
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'mediaDevices'));
  return { lines };
}

/** A browser that publishes, and the highest video bit rate that it may send, in bit/s. */
function peers(): { readonly rates: (number | undefined)[] } {
  const rates: (number | undefined)[] = [];
  vi.stubGlobal(
    'RTCPeerConnection',
    class {
      readonly connectionState = 'new';
      localDescription: { readonly sdp: string } | null = null;
      readonly getSenders = (): [] => [];
      readonly createOffer = async () => ({ type: 'offer', sdp: TEST_OFFER });
      readonly setRemoteDescription = async (): Promise<void> => undefined;
      readonly close = (): void => undefined;
      addTransceiver = (
        { kind }: { readonly kind: string },
        { sendEncodings }: { readonly sendEncodings?: readonly { readonly maxBitrate: number }[] },
      ): object => {
        if (kind === 'video') rates.push(sendEncodings?.[0]?.maxBitrate);
        return {};
      };
      setLocalDescription = async (offer: { readonly sdp: string }): Promise<void> => {
        this.localDescription = offer;
      };
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  return { rates };
}

/** The performer's uplink: time passes while a part of the check is sent. */
function lineOf(performer: Member): { partMs: number; parts: number } {
  const line = { partMs: FAST_MS, parts: 0 };
  const request = performer.request.bind(performer);
  performer.request = async (options) => {
    const answer = await request(options);
    if (!CHECK.test(String(options.url))) return answer;
    line.parts += 1;
    site.clock.advance(line.partMs);
    return answer;
  };
  return line;
}

async function qualities(page: Page): Promise<string[]> {
  const choice = await page.field('Video quality') as HTMLSelectElement;
  return [...choice.options].map(({ text }) => text);
}

describe('the quality of the video', () => {
  test.each([
    [FAST_MS, [...USUAL, HALF, FULL], 'Your upload carries 1080p. Choose it under Video quality.'],
    [SLOWER_MS, [...USUAL, HALF], 'Your upload carries 720p. Choose it under Video quality.'],
    [HALF_MS, [...USUAL, HALF], 'Your upload carries 720p. Choose it under Video quality.'],
    [USUAL_MS, USUAL, 'Your upload carries the usual quality. A network cable often helps.'],
  ])('is what a measured upload carries: parts of %i ms', async (partMs, offered, said) => {
    const performer = await site.performer();
    const line = lineOf(performer);
    line.partMs = partMs;
    camera();
    const page = await openPage(site, performer, '/go-live');
    await page.press(/^Turn on camera/u);
    expect(await qualities(page)).toEqual(USUAL);
    await page.sees('Sharper video, up to 1080p, needs a fast upload.');
    expect(line.parts).toBe(0);
    await page.press('Check upload');
    await page.sees(said);
    expect(await qualities(page)).toEqual(offered);
    expect(await page.problems()).toEqual([]);
  });

  test('of 1080 lines asks the camera for them, and is sent at 6 Mbit/s', async () => {
    const performer = await site.performer();
    lineOf(performer);
    const [{ lines }, { rates }] = [camera(), peers()];
    const page = await openPage(site, performer, '/go-live');
    await page.press(/^Turn on camera/u);
    await page.press('Check upload');
    await page.sees(/^Your upload carries 1080p/u);
    await page.idle();
    const release = page.network.holds(SETTINGS);
    await page.choose('Video quality', FULL);
    await page.until(() =>
      expect(lines).toEqual([
        [{ min: 320, ideal: 640, max: 640 }, { min: 240, ideal: 480, max: 480 }],
        [{ min: 320, ideal: 1_920, max: 1_920 }, { min: 240, ideal: 1_080, max: 1_080 }],
      ])
    );
    // Going live at once uses the chosen quality, even before it is saved.
    expect(await page.field('Video quality')).toHaveProperty('value', '6000');
    await page.press('Go live now');
    await page.find('heading', 'Performer console');
    await page.until(() => expect(rates).toEqual([6_000_000]));
    release();
    await page.until(async () =>
      expect((await performer.call(getStreamerSettings, {})).cam.bitrate).toBe(6_000)
    );
  });

  test('of 1080 lines comes again only where the line of the day carries it', async () => {
    const performer = await site.performer();
    const line = lineOf(performer);
    const [{ lines }, { rates }] = [camera(), peers()];
    const first = await openPage(site, performer, '/go-live');
    await first.press(/^Turn on camera/u);
    await first.press('Check upload');
    await first.sees(/^Your upload carries 1080p/u);
    await first.choose('Video quality', FULL);
    await first.until(async () =>
      expect((await performer.call(getStreamerSettings, {})).cam.bitrate).toBe(6_000)
    );
    for (const [partMs, most, quality] of [[FAST_MS, 1_080, '6000'], [USUAL_MS, 480, '2000']] as const) {
      line.partMs = partMs;
      lines.length = 0;
      const page = await openPage(site, performer, '/go-live');
      await page.press(/^Turn on camera/u);
      expect(await page.field('Video quality')).toHaveProperty('value', quality);
      expect(lines).toEqual([[expect.anything(), expect.objectContaining({ max: most })]]);
      if (partMs !== USUAL_MS) continue;
      await page.press('Go live now');
      await page.until(() => expect(rates).toEqual([2_000_000]));
    }
  });

  test('may be changed in the show to what was measured before it, and to no more', async () => {
    for (const [partMs, offered] of [[FAST_MS, [...USUAL, HALF, FULL]], [USUAL_MS, USUAL]] as const) {
      const performer = await site.performer();
      lineOf(performer).partMs = partMs;
      camera();
      peers();
      const page = await openPage(site, performer, '/go-live');
      await page.press(/^Turn on camera/u);
      await page.press('Check upload');
      await page.sees(/^Your upload carries/u);
      await page.press('Go live now');
      await page.find('heading', 'Performer console');
      await page.press('Camera and sound');
      await page.find('dialog', 'Camera and sound');
      expect(await qualities(page)).toEqual(offered);
    }
  });

  test('says that the check failed, and offers what it did before', async () => {
    const performer = await site.performer();
    camera();
    const page = await openPage(site, performer, '/go-live', { mayPrint: /./u });
    await page.press(/^Turn on camera/u);
    const mends = page.network.fails(CHECK);
    await page.press('Check upload');
    await page.sees('We couldn’t check your upload. Try again.');
    expect(await qualities(page)).toEqual(USUAL);
    mends();
  });
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
