import type { Page } from 'playwright-core';
import type { Stage } from '../stage.ts';

/** Like a phone of some years ago: six times slower than this machine. */
export const SLOW_DOWN = 6;
/** A slowed page is complete within this long after its first paint; clicks are spread over it. */
export const SPREAD_MS = 3_000;
/** Whatever has not appeared by then never will. */
const PATIENCE_MS = 30_000;
/** Multiples of the golden ratio are spread evenly and never coincide with a rhythm of the page. */
const GOLDEN = 0.618_033_988_749_895;
/** How long the mouse button is down, at most. */
const DOWN_MS = 150;

export interface Presses {
  readonly pressed: number;
  /** Clicks after which no dialog opened. */
  readonly lost: number;
  /** Clicks after which the dialog closed and the focus was not on the balance. */
  readonly focusLost: number;
  /** Milliseconds from the first paint to each click that lost its dialog or its focus. */
  readonly failedAtMs: readonly number[];
}

const fractionOf = (index: number, step: number): number => (index * step) % 1;

/** Whether the balance has the focus, after some time for it to return. */
const hasFocus = (page: Page): Promise<boolean> =>
  page.waitForFunction(() => document.activeElement?.matches('header [aria-haspopup=dialog]'), null, {
    timeout: 5_000,
  }).then(() => true, () => false);

/** Reloads the home page and clicks the balance `afterMs` after the first paint. */
async function pressOnce(page: Page, afterMs: number, downMs: number): Promise<'ok' | 'lost' | 'focusLost'> {
  await page.goto('/', { waitUntil: 'commit' });
  const box = await page.waitForFunction(
    () => {
      const button = document.querySelector('header [aria-haspopup=dialog]');
      if (!button || performance.getEntriesByName('first-contentful-paint').length === 0) return null;
      const { x, y, width, height } = button.getBoundingClientRect();
      return width > 0 ? { x: x + width / 2, y: y + height / 2 } : null;
    },
    null,
    { polling: 'raf', timeout: PATIENCE_MS },
  );
  const { x, y } = await box.jsonValue() as { x: number; y: number };
  await page.waitForTimeout(afterMs);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.waitForTimeout(downMs);
  await page.mouse.up();
  const dialog = page.getByRole('dialog');
  const isOpen = await dialog.waitFor({ timeout: PATIENCE_MS }).then(() => true, () => false);
  if (!isOpen) return 'lost';
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached', timeout: PATIENCE_MS });
  return await hasFocus(page) ? 'ok' : 'focusLost';
}

/**
 * Clicks the balance at moments spread over {@link SPREAD_MS} after the first paint, reloading the page for
 * each, on a processor that is {@link SLOW_DOWN} times slower.
 */
export async function pressBalance(
  stage: Stage,
  count: number,
  onProgress: (text: string) => unknown = () => undefined,
): Promise<Presses> {
  const { page, context } = await stage.visit({ as: 'demo_viewer', path: '/account/settings' });
  const devTools = await context.newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN });
  const counts = { ok: 0, lost: 0, focusLost: 0 };
  const failedAtMs: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const afterMs = Math.round(fractionOf(index, GOLDEN) * SPREAD_MS);
    const outcome = await pressOnce(page, afterMs, Math.round(fractionOf(index, GOLDEN ** 2) * DOWN_MS));
    counts[outcome] += 1;
    if (outcome !== 'ok') failedAtMs.push(afterMs);
    if ((index + 1) % 10 === 0 || outcome !== 'ok') onProgress(`${index + 1}: ${JSON.stringify(counts)}`);
  }
  await context.close();
  return { pressed: count, lost: counts.lost, focusLost: counts.focusLost, failedAtMs };
}
