import { afterAll, beforeAll, expect, it } from 'vitest';
import { pressBalance, SLOW_DOWN } from './first-press/presses.ts';
import { openStage, type Stage } from './stage.ts';

/** `npm run prove` makes two hundred clicks. */
const PRESSES = 2;

/** By then everything the page loads on its own has arrived, even on the slow machine. */
const SETTLED_MS = 1_500;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

it('no press on the balance is lost on a slow machine, and the focus comes back to it', async () => {
  const presses = await pressBalance(stage, PRESSES);
  expect(presses).toEqual({ pressed: PRESSES, lost: 0, focusLost: 0, failedAtMs: [] });
}, 300_000);

it('no button of the header is replaced while its page loads on a slow machine', async () => {
  const { page, context } = await stage.visit({ as: 'demo_admin', path: '/account/settings' });
  await context.addInitScript(() => {
    const replaced: string[] = [];
    Object.assign(globalThis, { replaced });
    new MutationObserver((changes) => {
      for (const { target, removedNodes } of changes) {
        if (!(target instanceof Element) || !target.closest('header')) continue;
        for (const node of removedNodes) {
          if (!(node instanceof Element)) continue;
          for (const one of [node, ...node.querySelectorAll('*')]) {
            if (one.matches('button, a')) replaced.push(one.outerHTML);
          }
        }
      }
    }).observe(document, { childList: true, subtree: true });
  });
  const devTools = await context.newCDPSession(page);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOW_DOWN });
  for (const path of ['/', '/luna_vale', '/account/tokens']) {
    await page.goto(path);
    await page.getByRole('button', { name: /tokens.*Get tokens/u }).waitFor();
    await page.waitForFunction(() => document.querySelector('header [data-late]') === null);
    await page.waitForTimeout(SETTLED_MS);
    expect(await page.evaluate(() => (globalThis as { replaced?: string[] }).replaced), path).toEqual([]);
  }
  await context.close();
}, 300_000);
