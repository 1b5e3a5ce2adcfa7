import { writeProof } from '#platform/streaming/conformance/load/proof-report.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pressBalance, SLOW_DOWN, SPREAD_MS } from './first-press/presses.ts';
import setUp from './set-up.ts';
import { openStage, type Stage } from './stage.ts';

/** Smaller runs are for trying things out; only full-size results are committed. */
const PRESSES = Number(process.env['PRESSES'] ?? 200);

let stage: Stage;
beforeAll(async () => {
  await setUp();
  stage = await openStage();
}, 600_000);
afterAll(() => stage.close());

it('two hundred presses on the balance, at any moment of a page that loads, open it', async () => {
  const presses = await pressBalance(stage, PRESSES, (text) => process.stdout.write(`${text}\n`));
  expect(presses).toEqual({ pressed: PRESSES, lost: 0, focusLost: 0, failedAtMs: [] });
  if (PRESSES < 200) return;
  writeProof({
    name: 'first-press',
    title: 'The first press on a page',
    claim: 'Chromium, with its processor slowed down, loads the home page again for each press and presses '
      + 'the balance with the mouse, at moments spread evenly from the first paint on, some before any '
      + 'script runs, some while React hydrates, some after. Each press must open the dialog, and Escape '
      + 'must bring the focus back to the balance.',
    facts: [
      ['Times the processor is slowed down', SLOW_DOWN],
      ['Milliseconds after the first paint, at most', SPREAD_MS],
      ['Presses', presses.pressed],
      ['Lost', presses.lost],
      ['Focus lost', presses.focusLost],
    ],
  });
}, 3_600_000);
