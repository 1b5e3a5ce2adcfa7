import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoSite, type DemoSite } from './demo-site.ts';
import { expectMoving, type Visit } from './stage.ts';

/** The methods of `whip-whep` clients that these journeys use. */
interface Client {
  publish: (peer: RTCPeerConnection, url: string, token: string) => Promise<void>;
  view: (peer: RTCPeerConnection, url: string, token: string) => Promise<void>;
  stop: () => Promise<void>;
}
interface ThirdParty {
  readonly thirdParty: { WHIPClient: new() => Client; WHEPClient: new() => Client };
  client: Client;
  peer: RTCPeerConnection;
}

let demoSite: DemoSite;
let publisher: Visit;
let viewer: Visit;
let script: string;

beforeAll(async () => {
  demoSite = await openDemoSite();
  const { outputFiles } = await build({
    stdin: {
      contents: 'export { WHIPClient } from \'whip-whep/whip.js\';'
        + 'export { WHEPClient } from \'whip-whep/whep.js\';',
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'thirdParty',
  });
  script = outputFiles[0]!.text;
  publisher = await demoSite.visit({ as: 'demo_performer' });
  viewer = await demoSite.visit({ as: 'demo_viewer' });
});
afterAll(() => demoSite.close());

/** Statuses that the page got for requests with a method. */
function statusesOf(page: Page, method: string): number[] {
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (response.request().method() === method) statuses.push(response.status());
  });
  return statuses;
}

it('a WHIP client of another project publishes with a stream key and trickles [A-014] [C-021]', async () => {
  const { page } = publisher;
  const key = await demoSite.tx(async (tx) =>
    demoSite.services.broadcast.makeStreamKey(
      tx,
      (await demoSite.services.accounts.findByUsername(
        tx,
        'demo_performer',
      ))!.id,
    )
  );
  const patched = statusesOf(page, 'PATCH');
  await page.evaluate(script);
  await page.evaluate(async ({ token, url }) => {
    const world = globalThis as unknown as ThirdParty;
    const media = await navigator.mediaDevices.getUserMedia({ video: true, audio: true });
    world.peer = new RTCPeerConnection({ bundlePolicy: 'max-bundle' });
    for (const track of media.getTracks()) {
      world.peer.addTransceiver(track, { direction: 'sendonly', streams: [media] });
    }
    world.client = new world.thirdParty.WHIPClient();
    await world.client.publish(world.peer, url, token);
  }, { token: key, url: `${demoSite.origin}/whip` });
  await viewer.page.goto('/demo_performer');
  await expectMoving(viewer.page);
  expect(patched.length).toBeGreaterThan(0);
  expect(new Set(patched)).toEqual(new Set([204]));
});

it('a WHEP client of another project plays with the address and token of the site [A-007]', async () => {
  const { page } = viewer;
  const patched = statusesOf(page, 'PATCH');
  await page.evaluate(script);
  const frames = await page.evaluate(async () => {
    const world = globalThis as unknown as ThirdParty;
    const answer = await fetch('/api/v1/video/playback/demo_performer');
    const { edge_servers: [edge], stream_name: stream, token } = await answer.json() as {
      edge_servers: string[];
      stream_name: string;
      token: string;
    };
    const peer = new RTCPeerConnection({ bundlePolicy: 'max-bundle' });
    const media = new MediaStream();
    for (const kind of ['audio', 'video']) {
      media.addTrack(peer.addTransceiver(kind, { direction: 'recvonly' }).receiver.track);
    }
    world.client = new world.thirdParty.WHEPClient();
    await world.client.view(peer, `${edge}/whep/${stream}`, token);
    const video = document.createElement('video');
    video.muted = true;
    video.srcObject = media;
    await video.play();
    await new Promise<void>((done) => {
      const count = (): void => {
        if (video.getVideoPlaybackQuality().totalVideoFrames > 10) done();
        else video.requestVideoFrameCallback(count);
      };
      count();
    });
    await world.client.stop();
    return video.getVideoPlaybackQuality().totalVideoFrames;
  });
  expect(frames).toBeGreaterThan(10);
  expect(new Set(patched)).toEqual(new Set([204]));
});

it('stopping the WHIP client ends the broadcast at once', async () => {
  await publisher.page.evaluate(() => (globalThis as unknown as ThirdParty).client.stop());
  await viewer.page.getByText('Demo Performer is offline').waitFor();
});
