import { MediaProcess } from '#platform/streaming/conformance/processes/media-process.ts';
import { RtmpEncoder } from '#platform/streaming/conformance/rtmp/rtmp-encoder.ts';
import { readRecordedFile } from '#platform/streaming/wire/files/recorded-file.ts';
import { readFileSync, statSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lookProblems } from './axe.ts';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { besideVideo, expectMoving, goLive } from './stage.ts';

/** Length of the loop that the encoder sends. */
const SECONDS = 4;
/** A test broadcast takes ten seconds, and longer on a busy machine. */
const TESTED_MS = 60_000;

let demoSite: DemoSite;
let media: MediaProcess;
let page: Page;
let complaints: readonly string[] = [];
beforeAll(async () => {
  demoSite = await openDemoSite();
  media = new MediaProcess();
  ({ page, complaints } = await demoSite.visit({ as: 'demo_performer' }));
});
afterAll(async () => {
  media.close();
  await demoSite.close();
});

/** Whether a viewer finds the performer live: in their room, or by requesting their stream. */
async function isSeen(): Promise<boolean> {
  const viewer = await demoSite.visit({ as: 'demo_viewer', path: '/demo_performer' });
  const videos = await viewer.page.locator('video').count();
  const playback = await viewer.page.evaluate(() =>
    fetch('/api/v1/video/playback/demo_performer').then(({ status }) => status)
  );
  await viewer.context.close();
  return videos > 0 || playback === 200;
}

const ends = async (): Promise<void> => {
  await page.getByRole('button', { name: 'End broadcast', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'End broadcast', exact: true }).click();
  await page.getByRole('heading', { name: 'Go live', exact: true }).waitFor();
};

/** The first video of the page: its duration and width once it plays. */
const plays = (): Promise<{ duration: number; width: number }> =>
  page.locator('video[controls]').first().evaluate((element) =>
    new Promise((done, fail) => {
      const video = element as HTMLVideoElement;
      const look = (): void => {
        if (video.error) fail(new Error(video.error.message));
        else if (video.currentTime > 0.5) done({ duration: video.duration, width: video.videoWidth });
        else requestAnimationFrame(look);
      };
      video.muted = true;
      void video.play();
      look();
    })
  );

it('the page is tested before the show: ten seconds come back to her, and to nobody else', async () => {
  await page.goto('/go-live');
  await page.getByRole('button', { name: 'Turn on camera and microphone' }).click();
  await page.getByRole('button', { name: 'Start test' }).click();
  await page.getByRole('progressbar').waitFor();
  expect(await isSeen()).toBe(false);
  await page.getByRole('button', { name: 'Test again' }).waitFor({ timeout: TESTED_MS });
  const { duration, width } = await plays();
  expect([Math.round(duration), width]).toEqual([10, 640]);
  expect(await lookProblems(page)).toEqual([]);
  expect(await isSeen()).toBe(false);
  await page.getByRole('button', { name: 'Go live with this setup' }).click();
  await page.getByText('Live', { exact: true }).first().waitFor();
  expect(await isSeen()).toBe(true);
  await ends();
});

it('OBS needs no more than the address and the key the page shows, and has its test [C-021]', async () => {
  await page.getByText('OBS or encoder').click();
  await page.getByRole('button', { name: 'Create stream key' }).click();
  const shown = async (start: string): Promise<string> =>
    (await page.locator('code').filter({ hasText: start }).innerText()).trim();
  const key = await shown('sk_');
  const { port, pathname } = new URL((await shown('rtmp://')).replace('rtmp:', 'http:'));
  expect(pathname).toBe('/live');
  const send = async (bFrames: number): Promise<RtmpEncoder> => {
    const tags = await media.source({ seconds: SECONDS, bFrames });
    return RtmpEncoder.publish({ port: Number(port), key, tags, seconds: SECONDS });
  };
  expect(await lookProblems(page)).toEqual([]);

  await page.getByRole('button', { name: 'Start test' }).click();
  await page.getByText('Click “Start Streaming” in OBS now.', { exact: false }).waitFor();
  const right = await send(2);
  await page.getByRole('button', { name: 'Test again' }).waitFor({ timeout: TESTED_MS });
  await page.getByText('Your stream has B-frames, so we convert it', { exact: false }).first().waitFor();
  expect(Math.round((await plays()).duration)).toBe(10);
  // OBS still sends, but goes on air only when the performer chooses to.
  await page.getByText('OBS is still sending', { exact: false }).waitFor();
  expect(await isSeen()).toBe(false);
  right.close();
  await page.getByText('OBS is still sending', { exact: false }).waitFor({ state: 'detached' });
  const onAir = await send(0);
  await page.getByRole('heading', { name: 'Performer console' }).waitFor({ timeout: TESTED_MS });
  await page.getByText('Live', { exact: true }).first().waitFor();
  await expectMoving(page);
  expect(await isSeen()).toBe(true);
  await ends();
  onAir.close();
});

it('a recording is made with consent, played, saved, shown in the empty room, and deleted', async () => {
  await page.getByText('This browser').click();
  await goLive(page);
  await page.getByRole('button', { name: 'Record', exact: true }).click();
  const start = page.getByRole('button', { name: 'Start recording' });
  expect(await start.isDisabled()).toBe(true);
  expect(await lookProblems(page)).toEqual([]);
  await page.getByRole('checkbox', { name: 'I agree to this recording. Only' }).check();
  await start.click();
  await page.getByRole('timer').getByText('0:05').waitFor();
  expect(await lookProblems(page)).toEqual([]);
  await page.getByRole('button', { name: 'Stop recording' }).click();
  await page.getByRole('button', { name: 'Record', exact: true }).waitFor();
  await ends();

  await page.getByRole('link', { name: 'Recordings' }).click();
  await page.getByRole('button', { name: /^Play/u }).click();
  expect((await plays()).duration).toBeGreaterThan(4);
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^Save/u }).click(),
  ]);
  const file = await saved.path();
  const { bytes = 0, durationMs = 0, height } = await readRecordedFile(file) ?? {};
  expect([bytes, height]).toEqual([statSync(file).size, 480]);
  expect(durationMs).toBeGreaterThan(4_000);
  expect(readFileSync(file).subarray(4, 8).toString()).toBe('ftyp');

  await page.getByRole('button', { name: /while offline$/u }).click();
  await page.getByText('Offline video', { exact: true }).waitFor();
  expect(await lookProblems(page)).toEqual([]);
  const viewer = await demoSite.visit({ as: 'demo_viewer', path: '/demo_performer' });
  await viewer.page.locator('video[src^="/offline-videos/demo_performer"]').waitFor();
  await viewer.context.close();

  await page.getByRole('button', { name: /^Delete/u }).click();
  const dialog = page.getByRole('alertdialog');
  expect(await dialog.innerText()).toMatch(/0:\d\d, [\d.]+ [kM]B/u);
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('You haven’t recorded anything yet.', { exact: false }).waitFor();
});

it('says that the space is nearly or quite used up before anybody counts on it', async () => {
  const quota = (recordingQuotaBytes: number | null): Promise<void> =>
    demoSite.tx((tx) => demoSite.services.site.configure(tx, { recordingQuotaBytes }, null));
  await quota(0);
  await goLive(page);
  await page.getByText('Your recording space is full.', { exact: false }).waitFor();
  expect(await page.getByRole('button', { name: 'Record', exact: true }).isDisabled()).toBe(true);
  expect(await lookProblems(page)).toEqual([]);
  await page.getByRole('link', { name: 'View recordings' }).waitFor();
  await quota(null);
  await ends();
});

it('devices and bit rate of last time come back, and no more than that is sent [B-157]', async () => {
  await page.reload();
  await page.getByRole('button', { name: 'Turn on camera and microphone' }).click();
  await page.getByLabel('Video quality').selectOption('600');
  const camera = await page.getByLabel('Camera', { exact: true }).locator('option:checked').innerText();
  await page.goto('/account/streaming');
  await page.getByText(camera, { exact: true }).waitFor();

  // Collects the page's connections, to read their senders.
  await page.addInitScript(() => {
    const Peer = globalThis.RTCPeerConnection;
    const peers: RTCPeerConnection[] = [];
    Object.assign(globalThis, {
      peers,
      RTCPeerConnection: class extends Peer {
        constructor(settings?: RTCConfiguration) {
          super(settings);
          peers.push(this);
        }
      },
    });
  });
  const limits = (): Promise<(number | undefined)[]> =>
    page.evaluate(() =>
      (globalThis as unknown as { peers: RTCPeerConnection[] }).peers.flatMap((peer) => peer.getSenders())
        .filter(({ track }) => track?.kind === 'video')
        .map((sender) => sender.getParameters().encodings[0]?.maxBitrate)
    );
  await goLive(page);
  expect(await limits()).toEqual([600_000]);
  await page.getByRole('button', { name: 'Camera and sound' }).click();
  await page.getByLabel('Video quality').selectOption('1200');
  await expect.poll(limits).toEqual([1_200_000]);
  await page.keyboard.press('Escape');
  await ends();
  await page.reload();
  await page.getByRole('button', { name: 'Turn on camera and microphone' }).click();
  expect(await page.getByLabel('Video quality').inputValue()).toBe('1200');
});

it('standby is started by keyboard, shown in the room, and shows who comes in', async () => {
  await page.getByRole('button', { name: 'Begin standby' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'End standby' }).waitFor();
  const viewer = await demoSite.visit({ as: 'demo_viewer', path: '/demo_performer' });
  await page.getByText('demo_viewer came into your room').waitFor();
  await viewer.context.close();
  await page.getByRole('button', { name: 'End standby' }).click();
  await page.getByRole('button', { name: 'Begin standby' }).waitFor();
});

it('nothing complains', () => {
  expect(besideVideo(complaints)).toEqual([]);
});
