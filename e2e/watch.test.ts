import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lookProblems } from './axe.ts';
import { expectMoving, goLive, openStage, type ProgramStage, type Visit } from './stage.ts';

/** The first HLS viewer waits for a segment; 15 s after a fallback the better delivery is tried again. */
const SLOW_MS = 60_000;
const ROOM = '/demo_performer';

let stage: ProgramStage;
let performer: Visit;
beforeAll(async () => {
  stage = await openStage();
  performer = await stage.visit({ as: 'demo_performer' });
  await goLive(performer.page);
});
afterAll(() => stage.close());

const player = (page: Page) => page.getByRole('group', { name: 'Player' });
const playsVia = (page: Page, via: 'webrtc' | 'hls') =>
  page.locator(`[data-phase=playing][data-via=${via}]`).waitFor({ timeout: SLOW_MS });

/** Opens the settings over the video; the bar is shown while the focus is in the player. */
async function openSettings(page: Page) {
  await page.getByRole('button', { name: 'Video settings' }).click();
  return page.getByRole('dialog', { name: 'Video settings' });
}

/** Height of the visible video. */
const heightOf = (page: Page): Promise<number> =>
  page.locator('video:not(.invisible)').first().evaluate((video) => (video as HTMLVideoElement).videoHeight);

/** Every phase the player shows from now on, in order, without repetitions. */
async function watchPhases(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const frame = document.querySelector<HTMLElement>('[data-phase]');
    const seen = [frame?.dataset['phase'] ?? ''];
    Object.assign(globalThis, { seenPhases: seen });
    new MutationObserver(() => {
      const phase = frame?.dataset['phase'] ?? '';
      if (seen.at(-1) !== phase) seen.push(phase);
    }).observe(frame as Node, { attributes: true, attributeFilter: ['data-phase'] });
  });
  return () => page.evaluate(() => (globalThis as unknown as { seenPhases: string[] }).seenPhases);
}

it('plays over WHEP, shows its latency, and logs nothing', async () => {
  const { page, context, complaints } = await stage.visit({ path: ROOM });
  await playsVia(page, 'webrtc');
  await expectMoving(page);
  await player(page).hover();
  await page.getByTestId('delay').filter({ hasText: /^\d+\.\d s behind$/u }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

// These tests mostly wait, so they run concurrently, each in a browser of its own.
it.concurrent('takes to HLS by itself when WHEP does not go through, and climbs back behind it', async () => {
  const { page, context } = await stage.visit();
  await page.route('**/whep/**', (route) => route.abort());
  await page.goto(ROOM);
  await playsVia(page, 'hls');
  await page.getByRole('status').filter({ hasText: 'The direct connection didn’t work' }).waitFor();
  await expectMoving(page);
  await player(page).hover();
  await page.getByTestId('delay').filter({ hasText: /^\d+\.\d s behind · HLS$/u }).waitFor();
  const phases = await watchPhases(page);
  await page.unroute('**/whep/**');
  await playsVia(page, 'webrtc');
  await expectMoving(page);
  expect(await phases()).toEqual(['playing']);
  expect(await page.locator('video').count()).toBe(1);
  await context.close();
}, 2 * SLOW_MS);

it.concurrent('takes to HLS where the browser makes no connection, or one that carries nothing', async () => {
  const broken = [
    () => {
      const missing = function missing(): never {
        throw new Error('not here');
      };
      globalThis.RTCPeerConnection = missing as unknown as typeof RTCPeerConnection;
    },
    // Answers without candidates, as behind a firewall that blocks UDP.
    () => {
      globalThis.RTCPeerConnection = class extends RTCPeerConnection {
        override setRemoteDescription({ type, sdp = '' }: RTCSessionDescriptionInit): Promise<void> {
          return super.setRemoteDescription({ type, sdp: sdp.replaceAll(/a=candidate.*\r\n/gu, '') });
        }
      };
    },
  ];
  await Promise.all(broken.map(async (script) => {
    const { page, context } = await stage.visit();
    await page.addInitScript(script);
    await page.goto(ROOM);
    await playsVia(page, 'hls');
    await expectMoving(page);
    await context.close();
  }));
}, 2 * SLOW_MS);

it.concurrent('says that the room is full or the video not open, and retries on request', async () => {
  const { page, context } = await stage.visit();
  const refuse = (status: number) => page.route(/\/(?:whep|hls)\//u, (route) => route.fulfill({ status }));
  await refuse(429);
  await page.goto(ROOM);
  await page.locator('[data-phase=full]').getByText('The room is full').waitFor({ timeout: SLOW_MS });
  await page.unroute(/\/(?:whep|hls)\//u);
  await refuse(403);
  await page.locator('[data-phase=refused]').getByText('You can’t watch this video')
    .waitFor({ timeout: SLOW_MS });
  expect(await lookProblems(page)).toEqual([]);
  await page.unroute(/\/(?:whep|hls)\//u);
  await page.getByRole('button', { name: 'Try again' }).click();
  await playsVia(page, 'webrtc');
  await expectMoving(page);
  await context.close();
}, 3 * SLOW_MS);

it('sd is a smaller picture, switched behind, and remembered [C-141, C-142]', async () => {
  const { page, context } = await stage.visit({ path: ROOM });
  await playsVia(page, 'webrtc');
  expect(await heightOf(page)).toBe(480);
  const phases = await watchPhases(page);
  const settings = await openSettings(page);
  expect(await settings.getByRole('radio', { name: /^Original/u }).isChecked()).toBe(true);
  await settings.getByRole('radio', { name: /^SD/u }).check();
  await expect.poll(() => heightOf(page), { timeout: SLOW_MS }).toBe(360);
  expect(await phases()).toEqual(['playing']);
  await page.reload();
  await playsVia(page, 'webrtc');
  expect(await heightOf(page)).toBe(360);
  await (await openSettings(page)).getByRole('radio', { name: /^Original/u }).check();
  await expect.poll(() => heightOf(page), { timeout: SLOW_MS }).toBe(480);
  await context.close();
}, 2 * SLOW_MS);

it('HLS is remembered as a choice beside WebRTC; another is ignored [C-143]', async () => {
  const { page, context } = await stage.visit({ path: ROOM });
  await playsVia(page, 'webrtc');
  const ways = (await openSettings(page)).getByRole('group', { name: 'Connection' }).getByRole('radio');
  await ways.first().waitFor();
  expect(await ways.count()).toBe(2);
  await ways.and(page.getByRole('radio', { name: /HLS/u })).check();
  await playsVia(page, 'hls');
  await page.reload();
  await playsVia(page, 'hls');
  await expectMoving(page);
  const settings = await openSettings(page);
  await settings.getByRole('radio', { name: /^SD/u }).check();
  await expect.poll(() => heightOf(page), { timeout: SLOW_MS }).toBe(360);
  await settings.getByRole('radio', { name: /^Direct/u }).check();
  await playsVia(page, 'webrtc');
  await page.evaluate(() => localStorage.setItem('candela.player', '{"streamType":"rtsp","quality":4}'));
  await page.reload();
  await playsVia(page, 'webrtc');
  expect(await heightOf(page)).toBe(480);
  await context.close();
}, 3 * SLOW_MS);

it('saving data starts in sd and pauses in a hidden tab', async () => {
  const { page, context } = await stage.visit({ path: ROOM });
  await playsVia(page, 'webrtc');
  await (await openSettings(page)).getByRole('checkbox', { name: /^Save data/u }).check();
  await expect.poll(() => heightOf(page), { timeout: SLOW_MS }).toBe(360);
  const hide = (hidden: boolean) =>
    page.evaluate((isHidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  await hide(true);
  await page.locator('[data-phase=paused]').waitFor();
  expect(await page.locator('video').count()).toBe(0);
  await hide(false);
  await playsVia(page, 'webrtc');
  await context.close();
}, 2 * SLOW_MS);

it('obeys the keyboard, but not what is typed', async () => {
  const { page, context } = await stage.visit({ as: 'demo_viewer', path: ROOM });
  await playsVia(page, 'webrtc');
  const sound = () =>
    page.locator('video').evaluate((element) => {
      const { muted, volume } = element as HTMLVideoElement;
      return muted ? 'muted' : Math.round(volume * 100);
    });
  // A person who logged in has interacted with the site, so sound may play.
  await expect.poll(sound).toBe(100);
  await player(page).focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(sound).toBe(95);
  await page.keyboard.press('m');
  await expect.poll(sound).toBe('muted');
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  await message.click();
  await page.keyboard.type('mmm k f');
  expect(await message.inputValue()).toBe('mmm k f');
  expect(await sound()).toBe('muted');
  await player(page).focus();
  await page.keyboard.press('m');
  await expect.poll(sound).toBe(95);
  await page.keyboard.press('k');
  await page.getByRole('button', { name: 'Back to live' }).waitFor();
  expect(await page.locator('video').count()).toBe(0);
  await page.keyboard.press('k');
  await playsVia(page, 'webrtc');
  await expectMoving(page);
  expect(await sound()).toBe(95);
  await page.keyboard.press('f');
  await expect.poll(() => page.evaluate(() => document.fullscreenElement?.getAttribute('aria-label')))
    .toBe('Player');
  await page.keyboard.press('f');
  await expect.poll(() => page.evaluate(() => document.fullscreenElement)).toBeNull();
  await context.close();
});

it('viewers over WHEP and HLS play on after the relay was killed, without a reload', async () => {
  const whep = await stage.visit({ path: ROOM });
  const hls = await stage.visit();
  await hls.page.evaluate(() => localStorage.setItem('candela.player', '{"streamType":"hls"}'));
  await hls.page.goto(ROOM);
  await playsVia(whep.page, 'webrtc');
  await playsVia(hls.page, 'hls');
  const phases = await watchPhases(whep.page);
  stage.killChild('relay-child');
  await expect.poll(async () => (await phases()).length, { timeout: SLOW_MS }).toBeGreaterThan(1);
  await playsVia(whep.page, 'webrtc');
  for (const { page, context } of [whep, hls]) {
    await page.locator('[data-phase=playing]').waitFor({ timeout: SLOW_MS });
    await expectMoving(page);
    await context.close();
  }
}, 3 * SLOW_MS);

it('has nothing serious for axe with its bar and settings open, on every width', async () => {
  const { page, context } = await stage.visit({ path: ROOM });
  await playsVia(page, 'webrtc');
  await openSettings(page);
  expect(await lookProblems(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Video settings' }).waitFor({ state: 'detached' });
  const opener = page.getByRole('button', { name: 'Video settings' });
  await expect.poll(() => opener.evaluate((own) => own === document.activeElement)).toBe(true);
  await context.close();
});

it('who is behind over HLS is shown the last seconds of a broadcast, and then that it is over', async () => {
  const { page, context } = await stage.visit();
  await page.evaluate(() => localStorage.setItem('candela.player', '{"streamType":"hls"}'));
  await page.goto(ROOM);
  await playsVia(page, 'hls');
  await expectMoving(page);
  const phases = await watchPhases(page);
  await page.locator('video').evaluate((video) =>
    video.addEventListener('ended', () => Object.assign(globalThis, { hasEnded: true }))
  );
  await performer.page.getByRole('button', { name: 'End broadcast', exact: true }).click();
  await performer.page.getByRole('alertdialog')
    .getByRole('button', { name: 'End broadcast', exact: true }).click();
  await page.locator('[data-phase=idle] [data-stream-status=offline]').waitFor({ timeout: SLOW_MS });
  // The browser itself reports that it played everything.
  expect(await page.evaluate(() => 'hasEnded' in globalThis)).toBe(true);
  expect(await phases()).toEqual(['playing', 'idle']);
  await context.close();
}, 2 * SLOW_MS);
