import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { getPlayback } from './contract.ts';

const EDGE = 'https://edge.example';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** A browser with WebRTC that connects and shows nothing: a DOM has no media. */
function withWebRtc(): void {
  vi.stubGlobal(
    'RTCPeerConnection',
    class {
      readonly connectionState = 'new';
      localDescription: { readonly sdp: string } | null = null;
      readonly addTransceiver = (): void => undefined;
      readonly createOffer = async () => ({ type: 'offer', sdp: TEST_OFFER });
      readonly setRemoteDescription = async (): Promise<void> => undefined;
      readonly getStats = async () => new Map();
      readonly close = (): void => undefined;
      setLocalDescription = async (offer: { readonly sdp: string }): Promise<void> => {
        this.localDescription = offer;
      };
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
}

/** A browser that plays HLS by itself, as Safari does. */
function withHls(): void {
  const { prototype } = HTMLVideoElement;
  const own = { webkitSetPresentationMode: () => undefined, canPlayType: () => 'maybe' };
  for (const [name, value] of Object.entries(own)) {
    Object.defineProperty(prototype, name, { configurable: true, value });
  }
  onTestFinished(() => {
    for (const name of Object.keys(own)) Reflect.deleteProperty(prototype, name);
  });
}

/** Requests of the page to the edge server; the site itself handles them. */
function edgeOf(viewer: Member): { readonly method: string; readonly url: string }[] {
  const asked: { method: string; url: string }[] = [];
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', async (input: string | URL, options: RequestInit = {}): Promise<Response> => {
    const url = String(input);
    if (!url.startsWith(EDGE)) return fetch(input, options);
    const { method = 'GET', headers, body } = options;
    asked.push({ method, url });
    const answer = await viewer.request({
      method,
      url: url.slice(EDGE.length),
      headers: { ...headers as Record<string, string> },
      payload: body as string,
    });
    return new Response(answer.body, { status: answer.statusCode });
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  return asked;
}

/** Playback descriptors sent to the page, with a second edge server that must not be used. */
function describedFor(viewer: Member): { readonly text: string }[] {
  const answers: { text: string }[] = [];
  const request = viewer.request.bind(viewer);
  viewer.request = async (options) => {
    const answer = await request(options);
    if (!String(options.url).includes('/video/playback/')) return answer;
    answers.push({ text: answer.body });
    const changed = { ...answer.json<object>(), edge_servers: [EDGE, 'https://second.example'] };
    return Object.assign(answer, { rawPayload: Buffer.from(JSON.stringify(changed)) });
  };
  return answers;
}

interface Parts {
  readonly stream_name: string;
  readonly token: string;
}

describe('the address that the player of a room plays', () => {
  async function playsWhep(quality: 'hd' | 'sd'): Promise<void> {
    withWebRtc();
    const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
    if (quality === 'sd') viewer.storage.local.set('candela.player', '{"quality":"sd"}');
    const [answers, asked] = [describedFor(viewer), edgeOf(viewer)];
    const page = await openRoom(site, viewer, performer);
    await page.until(() => expect(asked).toHaveLength(1));
    const [{ text }] = answers as [{ text: string }];
    expect(text).not.toMatch(/\/whep\/|\/hls\/|\?token=/u);
    const { stream_name, token } = JSON.parse(text) as Parts;
    const query = `token=${encodeURIComponent(token)}&multitrack=0&track=${quality}`;
    expect(asked).toEqual([{ method: 'POST', url: `https://edge.example/whep/${stream_name}?${query}` }]);
    expect(page.network.sent.filter((item) => item.includes('/whep/'))).toEqual([]);
    const played = quality === 'sd' ? `${stream_name}~360` : stream_name;
    await page.until(() => expect(site.engine.readersOf(played)).toBe(1));
    page.leave();
  }

  test(
    'is built by the page from the answer, which has none: WHEP on the edge server [B-334, B-336]',
    async () => {
      await expect(playsWhep('hd')).resolves.toBeUndefined();
    },
  );

  test('is of the first edge server, in sd too [B-336, B-337]', async () => {
    await expect(playsWhep('sd')).resolves.toBeUndefined();
  });

  test.each([['hd', 1, ['source', '360', '240']], ['sd', 0, ['360']]] as const)(
    'is a playlist of the first edge server over HLS: in %s with multitrack %i [B-335, B-337]',
    async (quality, multitrack, renditions) => {
      withHls();
      const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
      viewer.storage.local.set('candela.player', JSON.stringify({ streamType: 'hls', quality }));
      const answers = describedFor(viewer);
      const page = await openRoom(site, viewer, performer);
      const video = await page.until(() => {
        const found = document.querySelector<HTMLVideoElement>('video[src]');
        if (!found) throw new Error('nothing is played');
        return found;
      });
      const { stream_name, token } = JSON.parse(answers[0]?.text ?? '') as Parts;
      const query = `token=${encodeURIComponent(token)}&multitrack=${multitrack}&track=${quality}`;
      const path = `/hls/${stream_name}/index.m3u8?${query}`;
      expect(video.src).toBe(`https://edge.example${path}`);
      const played = await viewer.request({ url: path });
      expect([played.statusCode, played.headers['content-type']])
        .toEqual([200, 'application/vnd.apple.mpegurl']);
      const lines = played.body.split('\n').filter((line) => /^\w/u.test(line));
      expect(lines.map((line) => line.split('/')[0])).toEqual(renditions);
    },
  );
});

describe('a browser whose ICE stays new, as that of Firefox does where it has nothing to pair', () => {
  /** How long a person waits for another transport, or for the message that there is none. */
  const PATIENCE_MS = 8_000;

  const opens = async (performer: Member, viewer: Member) => {
    withWebRtc();
    const asked = edgeOf(viewer);
    describedFor(viewer);
    const page = await openRoom(site, viewer, performer);
    await page.until(() => expect(asked).toHaveLength(1));
    return { page, asked };
  };
  const phase = (): string | undefined =>
    document.querySelector<HTMLElement>('[data-phase]')?.dataset['phase'];

  test('plays HLS within 8 s', async () => {
    withHls();
    const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
    const { page } = await opens(performer, viewer);
    expect(document.querySelector('video[src]')).toBeNull();
    await site.passes(PATIENCE_MS);
    await page.until(() =>
      expect(document.querySelector<HTMLVideoElement>('video[src]')?.src)
        .toMatch(/^https:\/\/edge\.example\/hls\//u)
    );
    expect(phase()).not.toBe('blocked');
    page.leave();
  });

  test('says plainly, as long as it is so, that a stream of VP8 has no HLS', async () => {
    const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
    const { stream_name } = await viewer.call(getPlayback, { username: performer.username, kind: 'webrtc' });
    site.engine.measure(stream_name, { codec: 'VP8' });
    const { page, asked } = await opens(performer, viewer);
    expect(phase()).toBe('waiting');
    for (let round = 1; round <= 3; round += 1) {
      await site.passes(PATIENCE_MS);
      await page.until(() =>
        expect(document.querySelector('[data-phase] [role=status]')?.textContent)
          .toMatch(/can’t be reached from your browser or network/u)
      );
      expect(phase()).toBe('blocked');
      await site.passes(PATIENCE_MS);
      await page.until(() => expect(asked.length).toBeGreaterThan(round));
      expect(phase()).toBe('blocked');
    }
    expect(asked.every(({ url }) => url.includes('/whep/'))).toBe(true);
    page.leave();
  });
});

test.each([[720, 'HD', 'Original'], [719, 'Original', 'HD']] as const)(
  'the best quality of a video of %i lines is called %s',
  async (lines, named, other) => {
    withHls();
    const viewer = await site.viewer();
    viewer.storage.local.set('candela.player', '{"streamType":"hls"}');
    const page = await openRoom(site, viewer, await site.performer({ live: true }));
    const video = await page.until(() => {
      const found = document.querySelector('video[src]');
      if (!found) throw new Error('nothing is played');
      return found;
    });
    for (const [name, value] of [['videoWidth', 1280], ['videoHeight', lines]] as const) {
      Object.defineProperty(video, name, { value });
    }
    for (const name of ['loadedmetadata', 'loadeddata']) video.dispatchEvent(new Event(name));
    await page.press('Video settings');
    const quality = await page.find('group', 'Quality', { in: await page.find('dialog', 'Video settings') });
    expect(page.all('radio', undefined, { in: quality })).toHaveLength(2);
    await page.find('radio', new RegExp(`^${named}`, 'u'), { in: quality });
    expect(page.all('radio', new RegExp(`^${other}`, 'u'), { in: quality })).toEqual([]);
  },
);
