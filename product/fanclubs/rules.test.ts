import { FANCLUB_LEVELS, type FanclubLevel } from '#product/accounts/rules/current-user.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  divideDues,
  isClubPrice,
  MAX_CLUB_PRICE_TOKENS,
  MAX_PERKS,
  MIN_CLUB_PRICE_TOKENS,
  perksOf,
  pricesAscend,
  USUAL_PRICES,
  type ClubPrices,
} from './rules.ts';
import { discounted, hasLevel, spiesFree } from './rules/benefits.ts';
import {
  GRACE_MS,
  joined,
  levelAt,
  offerOf,
  PAID_MS,
  planned,
  renewalOf,
  RETRY_MS,
  retryAt,
  stateOf,
  upgraded,
  type Membership,
} from './rules/membership.ts';

const level = fc.constantFrom(...FANCLUB_LEVELS);
const prices = fc.tuple(
  fc.integer({ min: 10, max: 3_000 }),
  fc.integer({ min: 1, max: 3_000 }),
  fc.integer({ min: 1, max: 3_000 }),
).map(([supporter, more, most]): ClubPrices => ({
  supporter,
  insider: supporter + more,
  legend: supporter + more + most,
}));
const bought = (of: FanclubLevel, some: ClubPrices = USUAL_PRICES): Membership =>
  joined({ tokens: some[of], from: 0 }, of, some[of]);

describe('dues', () => {
  it('are 80% the performer\'s, rounded down, and nothing is lost', () => {
    expect(divideDues(100)).toEqual({ performer: 80, operator: 20 });
    expect(divideDues(1)).toEqual({ performer: 0, operator: 1 });
    fc.assert(fc.property(fc.integer({ min: 1, max: 1_000_000 }), (tokens) => {
      const { performer, operator } = divideDues(tokens);
      return performer + operator === tokens && performer === Math.floor(tokens * 0.8 + 1e-9);
    }));
  });
});

describe('prices of a club', () => {
  it('have limits and ascend', () => {
    expect([MIN_CLUB_PRICE_TOKENS - 1, MIN_CLUB_PRICE_TOKENS, MAX_CLUB_PRICE_TOKENS, 12.5].map(isClubPrice))
      .toEqual([false, true, true, false]);
    expect(isClubPrice(MAX_CLUB_PRICE_TOKENS + 1)).toBe(false);
    expect(pricesAscend(USUAL_PRICES)).toBe(true);
    expect(pricesAscend({ ...USUAL_PRICES, insider: USUAL_PRICES.legend })).toBe(false);
    expect(pricesAscend({ ...USUAL_PRICES, supporter: USUAL_PRICES.insider })).toBe(false);
  });

  it('come with promises that are clean lines', () => {
    expect(perksOf(['  a  photo a week ', '', '\u202E', 'x'.repeat(200)]))
      .toEqual(['a photo a week', 'x'.repeat(80)]);
    expect(perksOf(Array.from({ length: 20 }, (_, at) => `perk ${at}`))).toHaveLength(MAX_PERKS);
  });
});

describe('benefits', () => {
  it('of a level are those of the lower ones as well', () => {
    expect(FANCLUB_LEVELS.map((own) => FANCLUB_LEVELS.map((wanted) => hasLevel(own, wanted)))).toEqual([
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ]);
    expect(FANCLUB_LEVELS.some((wanted) => hasLevel(null, wanted))).toBe(false);
  });

  it('are free spying for insider and legend', () => {
    expect([null, ...FANCLUB_LEVELS].map(spiesFree)).toEqual([false, false, true, true]);
  });

  it('take 10% and 25% off, rounded down', () => {
    expect([null, ...FANCLUB_LEVELS].map((own) => discounted(99, own))).toEqual([99, 99, 89, 74]);
    expect([null, ...FANCLUB_LEVELS].map((own) => discounted(1, own))).toEqual([1, 1, 0, 0]);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000 }),
        (tokens) =>
          discounted(tokens, 'insider') === Math.floor((tokens * 90) / 100)
          && discounted(tokens, 'legend') === Math.floor((tokens * 75) / 100),
      ),
    );
  });
});

describe('a membership', () => {
  it('is over with the month when it is not renewed, with the grace when it is', () => {
    const renewed = bought('insider');
    const cancelled = { ...renewed, renews: false };
    const at = (membership: Membership, ms: number) => [stateOf(membership, ms), levelAt(membership, ms)];
    expect(at(renewed, PAID_MS - 1)).toEqual(['active', 'insider']);
    expect(at(cancelled, PAID_MS - 1)).toEqual(['active', 'insider']);
    expect(at(cancelled, PAID_MS)).toEqual(['ended', null]);
    expect(at(renewed, PAID_MS + GRACE_MS - 1)).toEqual(['grace', 'insider']);
    expect(at(renewed, PAID_MS + GRACE_MS)).toEqual(['ended', null]);
    expect(at({ ...renewed, isEnded: true }, 1)).toEqual(['ended', null]);
    expect(levelAt(null, 0)).toBe(null);
  });

  it('costs a month to join and to join again, and nothing while one has it', () => {
    const one = bought('insider');
    expect(offerOf(null, 'legend', USUAL_PRICES, 5)).toEqual({ kind: 'join', tokens: 500, from: 5 });
    expect(offerOf({ ...one, isEnded: true }, 'insider', USUAL_PRICES, 5))
      .toEqual({ kind: 'join', tokens: 250, from: 5 });
    expect(offerOf(one, 'insider', USUAL_PRICES, 5)).toEqual({ kind: 'member' });
    expect(offerOf(one, 'supporter', USUAL_PRICES, 5)).toEqual({ kind: 'lower' });
  });

  it('is paid from where the unpaid month began while it is in the grace, at the price agreed to', () => {
    const now = PAID_MS + GRACE_MS - 1;
    const dearer = { supporter: 100, insider: 300, legend: 900 };
    expect(offerOf(bought('insider'), 'insider', dearer, now))
      .toEqual({ kind: 'join', tokens: 250, from: PAID_MS });
    expect(offerOf(bought('insider'), 'legend', dearer, now))
      .toEqual({ kind: 'join', tokens: 900, from: PAID_MS });
  });

  it('goes up for the price less what is left of the month, rounded down in nobody\'s favour twice', () => {
    const half = PAID_MS / 2;
    expect(offerOf(bought('supporter'), 'legend', USUAL_PRICES, half))
      .toEqual({ kind: 'upgrade', tokens: 450, from: half });
    expect(offerOf(bought('supporter'), 'insider', USUAL_PRICES, 0))
      .toEqual({ kind: 'upgrade', tokens: 150, from: 0 });
    // If the club's prices have fallen, an upgrade still costs something.
    const cheap = { supporter: 10, insider: 11, legend: 12 };
    expect(offerOf(bought('supporter'), 'legend', cheap, 0)).toMatchObject({ tokens: 1 });
  });

  it('never costs more than its month, whatever is done with it', () => {
    fc.assert(
      fc.property(
        level,
        level,
        prices,
        prices,
        fc.integer({ min: 0, max: 2 * PAID_MS }),
        (own, wanted, before, now, ms) => {
          const offer = offerOf(bought(own, before), wanted, now, ms);
          return !('tokens' in offer) || (offer.tokens >= 1 && offer.tokens <= now[wanted]);
        },
      ),
    );
  });

  it('costs, step by step upwards, the highest level and what was used of the lower ones', () => {
    fc.assert(fc.property(
      prices,
      fc.array(fc.integer({ min: 0, max: PAID_MS / 3 }), { minLength: 2, maxLength: 2 }),
      fc.subarray([...FANCLUB_LEVELS], { minLength: 2 }),
      (some, waits, levels) => {
        const [first, ...higher] = levels.toSorted((text, other) => some[text] - some[other]);
        if (first === undefined) return;
        let [membership, now, charged, used] = [bought(first, some), 0, some[first], 0];
        higher.forEach((next, step) => {
          const wait = waits[step] ?? 0;
          now += wait;
          used += Math.ceil((some[membership.level] * wait) / PAID_MS);
          const offer = offerOf(membership, next, some, now);
          if (offer.kind !== 'upgrade') throw new Error(`${next} is a ${offer.kind}`);
          charged += offer.tokens;
          membership = upgraded(membership, offer, next, some[next]);
        });
        expect(charged).toBe(some[membership.level] + used);
      },
    ));
    const insider = upgraded(bought('supporter'), { tokens: 150, from: 0 }, 'insider', 250);
    expect(offerOf(insider, 'legend', USUAL_PRICES, 0)).toEqual({ kind: 'upgrade', tokens: 250, from: 0 });
  });

  it('waits, is charged once due, and ends where it is not renewed or the club is closed', () => {
    const one = bought('insider');
    expect(renewalOf(one, USUAL_PRICES, PAID_MS - 1)).toEqual({ kind: 'wait', at: PAID_MS });
    expect(renewalOf(one, USUAL_PRICES, PAID_MS))
      .toEqual({ kind: 'charge', level: 'insider', tokens: 250, from: PAID_MS });
    expect(renewalOf({ ...one, renews: false }, USUAL_PRICES, PAID_MS)).toEqual({ kind: 'end' });
    expect(renewalOf(one, null, PAID_MS)).toEqual({ kind: 'end' });
  });

  it('is renewed at the price agreed to, or at a lower one of the day', () => {
    fc.assert(fc.property(level, prices, prices, (own, before, now) => {
      const renewal = renewalOf(bought(own, before), now, PAID_MS);
      return renewal.kind === 'charge' && renewal.tokens === Math.min(before[own], now[own]);
    }));
  });

  it('goes on at a lower level for the price agreed to, or for a lower one of the day', () => {
    const lower = level.filter((text) => text !== 'legend');
    fc.assert(fc.property(lower, prices, prices, (next, before, now) => {
      const plan = planned(bought('legend', before), { renews: true, level: next }, before);
      const renewal = plan && renewalOf(plan, now, PAID_MS);
      return renewal?.kind === 'charge' && renewal.level === next
        && renewal.tokens === Math.min(before[next], now[next]);
    }));
    // A plan stored before members agreed to a price never costs more than the paid level.
    fc.assert(fc.property(lower, prices, prices, (next, before, now) => {
      const renewal = renewalOf({ ...bought('legend', before), nextLevel: next }, now, PAID_MS);
      return renewal.kind === 'charge' && renewal.tokens === Math.min(before.legend, now[next]);
    }));
  });

  it('is charged one month after a long silence of the site, which begins then', () => {
    const late = PAID_MS + GRACE_MS + RETRY_MS;
    expect(renewalOf(bought('legend'), USUAL_PRICES, late - 1)).toMatchObject({ from: PAID_MS });
    expect(renewalOf(bought('legend'), USUAL_PRICES, late)).toMatchObject({ from: late });
    expect(renewalOf(bought('legend'), USUAL_PRICES, 20 * PAID_MS)).toMatchObject({ from: 20 * PAID_MS });
  });

  it('is tried every day of the grace, and a last time at its end', () => {
    const one = bought('insider');
    const tries = [PAID_MS];
    for (let next = retryAt(one, PAID_MS); next !== null; next = retryAt(one, next)) tries.push(next);
    expect(tries).toEqual([0, 1, 2, 3].map((days) => PAID_MS + days * RETRY_MS));
  });

  it('is cancelled, resumed and lowered, and goes up by a payment alone', () => {
    const one = bought('insider');
    const change = (before: Membership, renews: boolean, to: FanclubLevel | null, some = USUAL_PRICES) =>
      planned(before, { renews, level: to }, some);
    const cancelled = change(one, false, null);
    expect(cancelled).toEqual({ ...one, renews: false });
    expect(cancelled && change(cancelled, true, null)).toEqual(one);
    const lower: Membership = { ...one, nextLevel: 'supporter', nextPrice: 100 };
    expect(change(one, true, 'supporter')).toEqual(lower);
    expect([change(lower, true, 'insider'), change(lower, true, null)]).toEqual([one, one]);
    expect(change(lower, false, null)).toEqual({ ...one, renews: false });
    expect(change(one, true, 'legend')).toBe(null);
    // When planned again, the membership retains the agreed price.
    const [dear, cheap] = [{ ...USUAL_PRICES, supporter: 200 }, { ...USUAL_PRICES, supporter: 50 }];
    expect(change(lower, true, 'supporter', dear)).toEqual(lower);
    expect(change(lower, true, 'supporter', cheap)).toEqual({ ...lower, nextPrice: 50 });
  });
});
