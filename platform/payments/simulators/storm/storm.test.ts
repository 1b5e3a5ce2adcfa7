import { Dice } from '#platform/streaming/conformance/network/dice.ts';
import { expect, it } from 'vitest';
import { runStorm } from './storm-run.ts';

it('2,000 callbacks, doubled, out of order and forged, say exactly what is true', async () => {
  const dice = new Dice(7);
  const report = await runStorm(2_000, {
    fraction: () => dice.fraction(),
    below: (limit) => dice.below(limit),
  });
  expect(report).toMatchObject({ wrong: [], missing: [], invented: [], callbacks: 2_000 });
  expect(report.counts.duplicated).toBeGreaterThan(350);
  expect(report.counts.reordered).toBeGreaterThan(160);
  expect(report.counts.forged).toBeGreaterThan(75);
});
