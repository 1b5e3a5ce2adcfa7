import { BILLER_NAMES, type BillerName } from '#platform/contract/payment.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { billersFor } from './billers.ts';
import { BillerWorld, type Traits } from './conformance-world.ts';
import { SCENARIOS } from './conformance.ts';
import { outsideWithin } from './outside.ts';
import { simulatedAccounts } from './simulators/accounts.ts';

const TEN_DOLLARS = { minor: 1099, currency: 'USD' } as const;

const FIFTY_EUROS = { minor: 5000, currency: 'EUR' } as const;

const BILLERS: readonly (readonly [BillerName, Traits])[] = [
  ['ccbill', { declines: true, refunds: true, chargebacks: true, signs: false, amount: TEN_DOLLARS }],
  ['segpay', { declines: true, refunds: true, chargebacks: true, signs: false, amount: TEN_DOLLARS }],
  ['rocketgate', { declines: true, refunds: true, chargebacks: true, signs: true, amount: TEN_DOLLARS }],
  ['nowpayments', { declines: false, refunds: true, chargebacks: false, signs: true, amount: TEN_DOLLARS }],
  ['btcpay', { declines: false, refunds: false, chargebacks: false, signs: true, amount: TEN_DOLLARS }],
  ['cashtocode', { declines: false, refunds: false, chargebacks: false, signs: true, amount: FIFTY_EUROS }],
];

const unused = 'http://127.0.0.1:9';
const billers = billersFor(simulatedAccounts(unused, unused), outsideWithin(1000, new VirtualClock()));

describe.each(BILLERS)('%s against its simulator', (name, traits) => {
  const biller = billers.find((item) => item.name === name)!;
  const applicable = SCENARIOS.filter(({ requires }) => requires?.({ biller, traits }) ?? true);

  it.each(applicable.map((scenario) => [scenario.title, scenario] as const))(
    '%s',
    async (_title, scenario) => {
      const world = await BillerWorld.open(name, traits);
      onTestFinished(() => world.close());
      await expect(scenario.run(world)).resolves.toBeUndefined();
    },
  );
});

describe('the list of billers', () => {
  it('has every biller there is, each with a simulator', () => {
    expect(billers.map((biller) => biller.name)).toEqual([...BILLER_NAMES]);
    expect(BILLERS.map(([name]) => name)).toEqual([...BILLER_NAMES]);
  });

  it('is empty without accounts, so that nothing is sold', () => {
    expect(billersFor({}, outsideWithin(1000, new VirtualClock()))).toEqual([]);
  });
});
