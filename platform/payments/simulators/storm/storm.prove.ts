import { writeProof } from '#platform/streaming/conformance/load/proof-report.ts';
import { Dice } from '#platform/streaming/conformance/network/dice.ts';
import { expect, it } from 'vitest';
import { runStorm } from './storm-run.ts';

const CALLBACKS = 100_000;
const SEED = 20_260_115;

it('a hundred thousand callbacks of all billers say exactly what is true', async () => {
  const dice = new Dice(SEED);
  const report = await runStorm(CALLBACKS, {
    fraction: () => dice.fraction(),
    below: (limit) => dice.below(limit),
  });
  expect(report).toMatchObject({ wrong: [], missing: [], invented: [], callbacks: CALLBACKS });
  const share = (count: number): string => `${count} (${((100 * count) / CALLBACKS).toFixed(1)}%)`;
  writeProof({
    name: 'biller-callbacks',
    title: 'Callbacks of billers',
    claim: 'People pay at simulators of all six billers; their callbacks come twice, out of order and '
      + 'forged. What the adapters then believe (each event once, unsigned ones after asking) equals the '
      + 'books of the simulators, event by event, with number, amount, currency and reason.',
    facts: [
      ['Seed', String(SEED)],
      ['Callbacks', report.callbacks],
      ['… second copies', share(report.counts.duplicated)],
      ['… out of order', share(report.counts.reordered)],
      ['… forged', share(report.counts.forged)],
      ['Orders', report.orders],
      ['Events believed', report.events],
      ...Object.entries(report.readings).map(([kind, count]) => [`Readings ${kind}`, count] as const),
      ['Forged ones believed', report.wrong.length],
      ['Events nothing happened for', report.invented.length],
      ['Movements no event told of', report.missing.length],
    ],
  });
});
