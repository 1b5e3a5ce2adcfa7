import { requestOf } from '#platform/contract/client.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { getSiteConfig } from '#product/site/contract.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { Firefox } from './firefox.ts';

const PATIENCE_MS = 45_000;
const ENOUGH_PICTURES = 30;

interface Shown {
  readonly via: string | null;
  readonly pictures: number;
  readonly width: number;
}

const LOOK = `const video = document.querySelector('video');
  return {
    via: document.querySelector('[data-via]')?.dataset.via ?? null, width: video?.videoWidth ?? 0,
    pictures: video?.getVideoPlaybackQuality().totalVideoFrames ?? 0,
  };`;

/** What Firefox shows of a room, and after how long. */
export async function playWithFirefox(origin: string, username: string): Promise<string> {
  const firefox = await Firefox.open();
  try {
    await firefox.goto(origin);
    const age = requestOf(declareAge, { of_age: true });
    const { path } = requestOf(getSiteConfig, {});
    await firefox.run(`const config = await (await fetch(${JSON.stringify(path)})).json();
      await fetch(${JSON.stringify(age.path)}, {
        method: ${JSON.stringify(declareAge.method)}, body: ${JSON.stringify(age.body)},
        headers: { 'content-type': 'application/json', 'x-csrf-token': config.csrf },
      });`);
    const began = performance.now();
    await firefox.goto(`${origin}/${username}`);
    let shown: Shown = { via: null, pictures: 0, width: 0 };
    while (performance.now() - began < PATIENCE_MS) {
      shown = await firefox.run(LOOK) as Shown;
      if (shown.pictures >= ENOUGH_PICTURES && shown.width > 0) {
        const how = shown.via === 'hls' ? 'HLS' : 'WHEP';
        const seconds = ((performance.now() - began) / 1_000).toFixed(1);
        return `seen, ${how}, ${ENOUGH_PICTURES} pictures after ${seconds} s`;
      }
      await sleep(500);
    }
    return `no: ${JSON.stringify(shown)} after ${PATIENCE_MS / 1_000} s`;
  } finally {
    await firefox.close();
  }
}
