import { MediaProcess } from '#platform/streaming/conformance/processes/media-process.ts';
import { RtmpEncoder } from '#platform/streaming/conformance/rtmp/rtmp-encoder.ts';
import type { SourceTag } from '#platform/streaming/conformance/signals/flash-and-beep.ts';
import { MESSAGE } from '#platform/streaming/wire/rtmp/rtmp-chunks.ts';
import { DEFAULT_SCOPE } from '#product/site/rules.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { expectMoving } from './stage.ts';
import { loudness, QUIETER } from './stereo.ts';

const SECONDS = 4;
const PASSWORD = 'correct horse battery';

let demoSite: DemoSite;
let media: MediaProcess;
let encoder: RtmpEncoder;

/** Consecutive B-frames that x264 makes by default, as in OBS. */
const X264_B_FRAMES = 3;

async function publish(
  performerId: number,
  bFrames: number,
  isSent: (tag: SourceTag) => boolean = () => true,
  toneOnLeft = false,
): Promise<RtmpEncoder> {
  const key = await demoSite.tx((tx) => demoSite.services.broadcast.makeStreamKey(tx, performerId));
  const tags = (await media.source({ seconds: SECONDS, bFrames, toneOnLeft })).filter(isSent);
  return RtmpEncoder.publish({ port: demoSite.rtmpPort, key, tags, seconds: SECONDS });
}

async function makePerformer(username: string): Promise<number> {
  const { accounts, compliance } = demoSite.services;
  const passwordHash = await accounts.hashPassword(PASSWORD);
  const { id } = await accounts.create(DEFAULT_SCOPE, {
    username,
    email: `${username}@people.example`,
    password: PASSWORD,
    passwordHash,
    birthDate: '1996-01-15',
    type: 'model',
    gender: 'f',
    roles: [],
  });
  await demoSite.tx((tx) => compliance.clear(tx, id, null, 'a journey'));
  return id;
}

beforeAll(async () => {
  demoSite = await openDemoSite({ RTMP_TRANSCODERS: '1' });
  media = new MediaProcess();
  encoder = await publish(await demoSite.idOf('demo_performer'), 0);
});
afterAll(async () => {
  encoder.close();
  media.close();
  await demoSite.close();
});

it('what an encoder sends over RTMP is seen over WHEP [C-021] [C-001]', async () => {
  const { page, context, complaints } = await demoSite.visit({ as: 'demo_viewer' });
  await page.goto('/demo_performer');
  await expectMoving(page);
  expect(await page.locator('[data-via]').first().getAttribute('data-via')).toBe('webrtc');
  expect(complaints).toEqual([]);
  await context.close();
});

it('and over HLS where WHEP is blocked, by itself [C-021] [B-335]', async () => {
  const { page, context } = await demoSite.visit({ as: 'demo_viewer' });
  await page.route('**/whep/**', (route) => route.abort());
  await page.goto('/demo_performer');
  await expectMoving(page);
  expect(await page.locator('[data-via]').first().getAttribute('data-via')).toBe('hls');
  await context.close();
});

it(
  'x264 with its defaults is on air at once: WHEP while a transcoder is free, else HLS with its delay said',
  async () => {
    const performer = await demoSite.visit({ as: 'demo_performer', path: '/go-live' });
    await performer.page.getByRole('heading', { name: 'Performer console' }).waitFor();
    encoder.close();
    // The performer has half a minute to return, on a page that offers their camera meanwhile.
    await performer.page.getByRole('button', { name: 'Turn on camera and microphone' }).waitFor();
    encoder = await publish(await demoSite.idOf('demo_performer'), X264_B_FRAMES);
    await performer.page.getByText(/Your stream has B-frames, so we convert it/u).first().waitFor();
    const direct = await demoSite.visit({ path: '/demo_performer' });
    await expectMoving(direct.page);
    expect(await direct.page.locator('[data-via]').first().getAttribute('data-via')).toBe('webrtc');
    await performer.context.close();
    await direct.context.close();

    // The only transcoder is taken.
    const second = await publish(await makePerformer('second_performer'), X264_B_FRAMES);
    const { page, context } = await demoSite.visit({ path: '/second_performer' });
    await page.getByText('You’re watching with several seconds’ delay.', { exact: false }).waitFor();
    await expectMoving(page);
    expect(await page.locator('[data-via]').first().getAttribute('data-via')).toBe('hls');
    second.close();
    await context.close();
  },
);

it('sound without a picture plays over the poster, and the performer reads what is missing', async () => {
  const id = await makePerformer('sound_performer');
  const speaker = await publish(id, 0, ({ type }) => type === MESSAGE.audio);
  const viewer = await demoSite.visit({ path: '/sound_performer' });
  await viewer.page.getByText('Sound only. No video is coming from this room right now.').waitFor();
  // Audio really plays: its clock advances.
  const seconds = (): Promise<number> =>
    viewer.page.locator('video').first()
      .evaluate((video) => (video as HTMLVideoElement).currentTime);
  const before = await seconds();
  await expect.poll(seconds, { timeout: 20_000 }).toBeGreaterThan(before + 1);
  expect(await viewer.page.locator('[data-via]').first().getAttribute('data-via')).toBe('webrtc');
  expect(await viewer.page.locator('[data-stream-status]').isVisible()).toBe(true);
  await viewer.context.close();
  const performer = await demoSite.visit({
    as: 'sound_performer',
    password: PASSWORD,
    path: '/go-live',
  });
  await performer.page.getByText(/Viewers hear you but see no video/u).first().waitFor();
  speaker.close();
  await performer.context.close();
});

it('a tone on the left of an encoder over RTMP is on the viewer\'s left', async () => {
  const musician = await publish(await makePerformer('stereo_performer'), 0, () => true, true);
  const { page, context } = await demoSite.visit({ path: '/stereo_performer' });
  await expectMoving(page);
  expect(await page.locator('[data-via]').first().getAttribute('data-via')).toBe('webrtc');
  await page.locator('body').click({ position: { x: 2, y: 2 } });
  const [left, right] = await loudness(page);
  expect(left, `left ${left}, right ${right}`).toBeGreaterThan(right * QUIETER);
  musician.close();
  await context.close();
});
