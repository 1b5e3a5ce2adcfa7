import { updateProfile } from '#product/accounts/contract.ts';
import { changeOperatorRules } from '#product/site/contract/operator-rules.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { getOwnBroadcast } from './contract.ts';
import { getStreamerSettings, setStandby, setStreamerSettings, setStudio } from './contract/settings.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const DEVICES = [
  { kind: 'videoinput', deviceId: 'cam-1', label: 'Front camera' },
  { kind: 'videoinput', deviceId: 'cam-2', label: 'Back camera' },
  { kind: 'audioinput', deviceId: 'mic-1', label: 'Desk microphone' },
  { kind: 'audioinput', deviceId: 'mic-2', label: 'Headset' },
] as const;

type Wish = { readonly deviceId?: { readonly exact?: string; readonly ideal?: string } };

/** Devices of a browser: opens or refuses what is requested. Returns the requests. */
function devices({ refuse }: { readonly refuse: boolean }): MediaStreamConstraints[] {
  const asked: MediaStreamConstraints[] = [];
  const trackOf = (kind: 'audio' | 'video', wish: unknown) => {
    const { exact, ideal } = (wish as Wish).deviceId ?? {};
    const own = DEVICES.filter((item) => item.kind === `${kind}input`);
    const { deviceId, label } = own.find((item) => item.deviceId === (exact ?? ideal)) ?? own[0]!;
    return { kind, label, getSettings: () => ({ deviceId }), stop: () => undefined };
  };
  const before = Object.getOwnPropertyDescriptor(navigator, 'mediaDevices');
  Object.defineProperty(navigator, 'mediaDevices', {
    configurable: true,
    value: {
      enumerateDevices: async () => DEVICES,
      getUserMedia: async (wanted: MediaStreamConstraints) => {
        asked.push(wanted);
        if (refuse) throw new DOMException('the person said no', 'NotAllowedError');
        const tracks = [trackOf('video', wanted.video), trackOf('audio', wanted.audio)];
        const media = new MediaStream();
        // The microphone meter needs an AudioContext, which the DOM lacks.
        return Object.assign(media, { getTracks: () => tracks, getAudioTracks: () => [] });
      },
    },
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    if (before) Object.defineProperty(navigator, 'mediaDevices', before);
    else Reflect.deleteProperty(navigator, 'mediaDevices');
  });
  return asked;
}

const CONSTRAINTS = {
  width: { min: 320, max: 640 },
  height: { min: 240, max: 480 },
  frameRate: { min: 10, max: 30 },
};

describe('the camera', () => {
  test('is asked for 320x240 up to 640x480 at 10 to 30 frames a second [A-481, A-482]', async () => {
    const page = await openPage(site, await site.performer(), '/go-live');
    const asked = devices({ refuse: true });
    await page.press(/camera/iu);
    await page.until(() => expect(asked).toHaveLength(1));
    expect(asked[0]?.video).toMatchObject(CONSTRAINTS);
  });

  test('is asked for together with both channels of a microphone', async () => {
    const page = await openPage(site, await site.performer(), '/go-live');
    const asked = devices({ refuse: true });
    await page.press(/camera/iu);
    await page.until(() => expect(asked).toHaveLength(1));
    expect(asked[0]?.audio).toMatchObject({ channelCount: 2 });
  });

  test('is asked for the same when another is chosen, and the next time [A-481, A-482]', async () => {
    const performer = await site.performer();
    const page = await openPage(site, performer, '/go-live');
    const asked = devices({ refuse: false });
    await page.press(/camera/iu);
    await page.choose('Camera', 'Back camera');
    await page.until(() => expect(asked).toHaveLength(2));
    expect(asked.map(({ video }) => video))
      .toMatchObject([CONSTRAINTS, { ...CONSTRAINTS, deviceId: { exact: 'cam-2' } }]);
    await expect.poll(async () => (await performer.call(getStreamerSettings, {})).cam.videoTrack)
      .toBe('cam-2');
    const again = await openPage(site, performer, '/go-live');
    await again.press(/camera/iu);
    await again.until(() => expect(asked).toHaveLength(3));
    expect(asked[2]?.video).toMatchObject({ ...CONSTRAINTS, deviceId: { ideal: 'cam-2' } });
  });

  test('and microphone in use are saved with the bit rate, and asked for the next time [B-157]', async () => {
    const performer = await site.performer();
    // Polls slowly: calls of a performer are rate-limited.
    const camIs = (cam: object) =>
      expect.poll(async () => (await performer.call(getStreamerSettings, {})).cam, { interval: 500 }).toEqual(
        cam,
      );
    const page = await openPage(site, performer, '/go-live');
    devices({ refuse: false });
    await page.press(/camera/iu);
    const first = {
      audioName: 'Desk microphone',
      videoName: 'Front camera',
      audioTrack: 'mic-1',
      videoTrack: 'cam-1',
    };
    await camIs({ ...first, bitrate: null });
    await page.choose('Camera', 'Back camera');
    await page.choose('Microphone', 'Headset');
    const second = {
      audioName: 'Headset',
      videoName: 'Back camera',
      audioTrack: 'mic-2',
      videoTrack: 'cam-2',
    };
    await camIs({ ...second, bitrate: null });
    await page.choose('Video quality', '600 kbit/s · 480p');
    await camIs({ ...second, bitrate: 600 });
    const again = await openPage(site, performer, '/go-live');
    const asked = devices({ refuse: false });
    await again.press(/camera/iu);
    expect(await again.field('Video quality')).toHaveProperty('value', '600');
    expect(asked).toMatchObject([{
      video: { deviceId: { ideal: 'cam-2' } },
      audio: { deviceId: { ideal: 'mic-2' } },
    }]);
  });
});

describe('the page of a performer before a show', () => {
  test('broadcasts from an encoder or from the browser, whichever is chosen [C-098]', async () => {
    const performer = await site.performer();
    const techIs = (tech: string) =>
      expect.poll(async () => (await performer.call(getStreamerSettings, {})).streaming_tech).toBe(tech);
    for (const path of ['/go-live', '/account/streaming']) {
      const page = await openPage(site, performer, path);
      const choice = await page.find('group', 'Broadcast from');
      const chosen = () =>
        page.all('radio', undefined, { in: choice, checked: true })
          .map((element) => element.getAttribute('value'));
      expect(page.all('radio', undefined, { in: choice })).toHaveLength(2);
      expect(chosen()).toEqual(['webrtc']);
      await page.press('OBS or encoder', { role: 'radio', in: choice });
      await techIs('obs');
      await page.until(() => expect(chosen()).toEqual(['obs']));
      const again = await openPage(site, performer, path);
      const stored = await again.find('group', 'Broadcast from');
      expect(await again.find('radio', 'OBS or encoder', { in: stored })).toHaveProperty('checked', true);
      await again.press('This browser', { role: 'radio', in: stored });
      await techIs('webrtc');
    }
  });

  test('offers standby where the operator allows it, and says elsewhere that it is not [C-243]', async () => {
    const admin = await site.admin();
    const change = { standby_domains: [], standby_studios: ['North'], reason: 'a test' };
    await admin.call(changeOperatorRules, change);
    const performer = await site.performer();
    const { username } = performer;
    const closed = await openPage(site, performer, '/account/streaming');
    await closed.sees('Standby isn’t available on this site or for your studio.');
    expect(closed.all('checkbox', 'Use standby')).toEqual([]);
    const outside = await openPage(site, performer, '/go-live');
    await outside.find('button', 'Go live now');
    expect(outside.all('button', /standby/iu)).toEqual([]);
    await admin.call(setStudio, { username, studio: 'North' });
    const page = await openPage(site, performer, '/go-live');
    await page.press('Begin standby');
    await page.find('button', 'End standby');
    expect((await performer.call(getOwnBroadcast, {})).standby).toBe(true);
    const settings = await openPage(site, performer, '/account/streaming');
    await settings.find('checkbox', 'Use standby', { checked: true });
  });

  test('names who comes during standby by their username, too', async () => {
    const [admin, performer, viewer] = [await site.admin(), await site.performer(), await site.viewer()];
    await admin.call(changeOperatorRules, { standby_domains: ['localhost'], reason: 'a test' });
    await performer.call(setStreamerSettings, { standby_notifications_enabled: true });
    await performer.call(setStandby, { on: true });
    await viewer.call(updateProfile, { display_name: 'Midnight Ann' });
    const page = await openPage(site, performer, '/go-live');
    await page.until(() => expect(page.network.texts.at(-1)?.text).toBe('["v3.lobby.start",{}]'));
    await viewer.joins(performer);
    await page.sees(`Midnight Ann (@${viewer.username}) came into your room`);
  });
});
