import { afterAll, beforeAll, expect, it } from 'vitest';
import { MediaProcess } from '../platform/streaming/conformance/processes/media-process.ts';
import { RtmpEncoder } from '../platform/streaming/conformance/rtmp/rtmp-encoder.ts';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { expectMoving } from './stage.ts';

const SECONDS = 4;

let demoSite: DemoSite;
let media: MediaProcess;
let encoder: RtmpEncoder;

async function publish(bFrames: number): Promise<RtmpEncoder> {
  const performerId = await demoSite.idOf('demo_performer');
  const key = await demoSite.tx((tx) => demoSite.services.broadcast.makeStreamKey(tx, performerId));
  const tags = await media.source({ seconds: SECONDS, bFrames });
  return RtmpEncoder.publish({ port: demoSite.rtmpPort, key, tags, seconds: SECONDS });
}

beforeAll(async () => {
  demoSite = await openDemoSite();
  media = new MediaProcess();
  encoder = await publish(0);
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

it('an encoder with B-frames gets the setting to change, and nobody sees a black room', async () => {
  const performer = await demoSite.visit({ as: 'demo_performer', path: '/go-live' });
  await performer.page.getByRole('heading', { name: 'Performer console' }).waitFor();
  encoder.close();
  // She is given half a minute to come back, on a page that offers her camera meanwhile.
  await performer.page.getByRole('button', { name: 'Turn on camera and microphone' }).waitFor();
  encoder = await publish(2);
  await performer.page.getByText(/bframes=0/u).first().waitFor();
  const viewer = await demoSite.visit({ path: '/demo_performer' });
  await expect.poll(() => viewer.page.locator('video').count()).toBe(0);
});
