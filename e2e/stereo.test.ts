import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MediaProcess } from '../platform/streaming/conformance/processes/media-process.ts';
import { RtmpEncoder } from '../platform/streaming/conformance/rtmp/rtmp-encoder.ts';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { expectMoving, goLive } from './stage.ts';

const SECONDS = 4;
/** A channel this much quieter than the other has nothing of its tone; mono has the same on both. */
const QUIETER = 10;

let demoSite: DemoSite;
let media: MediaProcess;

beforeAll(async () => {
  demoSite = await openDemoSite();
  media = new MediaProcess();
});
afterAll(async () => {
  media.close();
  await demoSite.close();
});

/** Runs in the page of a performer: their microphone is a tone on the left channel alone. */
function toneOnLeft(): void {
  const { mediaDevices } = navigator;
  const getUserMedia = mediaDevices.getUserMedia.bind(mediaDevices);
  mediaDevices.getUserMedia = async (constraints) => {
    const found = await getUserMedia(constraints);
    const context = new AudioContext();
    const [tone, sides] = [context.createOscillator(), context.createChannelMerger(2)];
    const microphone = context.createMediaStreamDestination();
    microphone.channelCount = 2;
    tone.connect(sides, 0, 0);
    sides.connect(microphone);
    tone.start();
    await context.resume();
    return new MediaStream([...found.getVideoTracks(), ...microphone.stream.getAudioTracks()]);
  };
}

/** How loud each channel of the room's sound is, once there is some. */
function loudness(page: Page): Promise<readonly [left: number, right: number]> {
  return page.evaluate(async () => {
    const stream = document.querySelector('video')!.srcObject as MediaStream;
    const context = new AudioContext();
    await context.resume();
    const splitter = context.createChannelSplitter(2);
    context.createMediaStreamSource(new MediaStream(stream.getAudioTracks())).connect(splitter);
    const ears = [0, 1].map((channel) => {
      const analyser = context.createAnalyser();
      splitter.connect(analyser, channel);
      return analyser;
    });
    const measure = (analyser: AnalyserNode): number => {
      const samples = new Float32Array(analyser.fftSize);
      analyser.getFloatTimeDomainData(samples);
      return Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);
    };
    const SILENT = 0.01;
    return new Promise<readonly [number, number]>((resolve) => {
      const look = (): void => {
        const [left, right] = [measure(ears[0]!), measure(ears[1]!)];
        if (Math.max(left, right) > SILENT) resolve([left, right]);
        else requestAnimationFrame(look);
      };
      look();
    });
  });
}

async function expectOnLeft(username: string): Promise<void> {
  const { page, context } = await demoSite.visit({ as: 'demo_viewer', path: `/${username}` });
  await expectMoving(page);
  expect(await page.locator('[data-via]').first().getAttribute('data-via')).toBe('webrtc');
  await page.locator('body').click({ position: { x: 2, y: 2 } });
  const [left, right] = await loudness(page);
  expect(left, `left ${left}, right ${right}`).toBeGreaterThan(right * QUIETER);
  await context.close();
}

it('a tone on the left of an encoder is on the left of a browser', async () => {
  const id = await demoSite.idOf('demo_performer');
  const key = await demoSite.tx((tx) => demoSite.services.broadcast.makeStreamKey(tx, id));
  const tags = await media.source({ seconds: SECONDS, toneOnLeft: true });
  const encoder = await RtmpEncoder.publish({ port: demoSite.rtmpPort, key, tags, seconds: SECONDS });
  await expectOnLeft('demo_performer');
  encoder.finish();
});

it('a tone on the left of a browser is on the left of another', async () => {
  const { page, context } = await demoSite.visit({ as: 'demo_performer' });
  await page.addInitScript(toneOnLeft);
  await goLive(page);
  await expectOnLeft('demo_performer');
  await context.close();
});
