import { afterAll, beforeAll, expect, it } from 'vitest';
import { pressBalance } from './first-press/presses.ts';
import { openStage, type Stage } from './stage.ts';

/** Two hundred are pressed by `npm run prove`. */
const PRESSES = 12;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

it('no press on the balance is lost on a slow machine, and the focus comes back to it', async () => {
  const presses = await pressBalance(stage, PRESSES);
  expect(presses).toEqual({ pressed: PRESSES, lost: 0, focusLost: 0, failedAtMs: [] });
}, 300_000);
