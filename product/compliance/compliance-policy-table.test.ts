import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import committed from './region-policies.json' with { type: 'json' };
import { LIVENESS_LEVELS, REGION_RULES, type RegionPolicy } from './rules.ts';
import {
  compareSeverity,
  PolicyTable,
  rowOfSeed,
  type PolicyRow,
  type SeedPolicy,
} from './rules/policy-table.ts';
import { isLaxer } from './rules/proposals.ts';
import { zoneOf } from './rules/zones.ts';

const seed = (region: string, change: Partial<SeedPolicy> = {}): PolicyRow =>
  rowOfSeed({
    region,
    from: '2000-01-01',
    rule: 'declare',
    minimumAge: 18,
    methods: change.rule === 'verify' ? ['id_document', 'digital_id'] : [],
    liveness: 'passive',
    proofLasts: 365,
    anonymous: false,
    source: 'made for tests',
    ...change,
  });
const own = (id: number, region: string, change: Partial<PolicyRow> = {}): PolicyRow => ({
  ...seed(region),
  id,
  isConfirmed: true,
  methods: change.rule === 'verify' ? ['id_document'] : [],
  ...change,
});
const at = (text: string): number => Date.parse(text);
const noon = at('2026-01-15T12:00:00Z');
const everywhere = seed('*');

describe('the policies of an operator by time', () => {
  it('begin and end at midnight of the place', () => {
    const table = new PolicyTable([everywhere], [
      own(1, 'US-FL', { rule: 'verify', from: '2026-07-01', until: '2026-07-02' }),
      own(2, 'JP', { rule: 'blocked', from: '2026-07-01' }),
    ]);
    const ruleOf = (region: string, moment: string) => table.decide(region, at(moment)).row.rule;
    expect(ruleOf('US-FL', '2026-07-01T03:59:59.999Z')).toBe('declare');
    expect(ruleOf('US-FL', '2026-07-01T04:00:00Z')).toBe('verify');
    expect(ruleOf('US-FL', '2026-07-03T03:59:59.999Z')).toBe('verify');
    expect(ruleOf('US-FL', '2026-07-03T04:00:00Z')).toBe('declare');
    expect(ruleOf('JP', '2026-06-30T14:59:59Z')).toBe('declare');
    expect(ruleOf('JP', '2026-06-30T15:00:00Z')).toBe('blocked');
    // Asked for an earlier moment again.
    expect(ruleOf('JP', '2026-06-30T14:59:59Z')).toBe('declare');
  });

  it('are the own row of a place before its seeds, even of a later day, until it ends', () => {
    const table = new PolicyTable(
      [everywhere, seed('FR', { rule: 'verify' }), seed('FR', { rule: 'blocked', from: '2026-03-01' })],
      [
        own(1, 'FR', { from: '2026-02-01', until: '2026-04-30', minimumAge: 21 }),
        own(2, 'FR', { from: '2026-02-10', until: '2026-02-20', minimumAge: 25 }),
      ],
    );
    const decided = (day: string) => {
      const { row } = table.decide('FR', at(`${day}T12:00:00Z`));
      return [row.id, row.rule, row.minimumAge];
    };
    expect(decided('2026-01-31')).toEqual([null, 'verify', 18]);
    expect(decided('2026-02-01')).toEqual([1, 'declare', 21]);
    expect(decided('2026-02-15')).toEqual([2, 'declare', 25]);
    expect(decided('2026-03-15')).toEqual([1, 'declare', 21]);
    expect(decided('2026-05-01')).toEqual([null, 'blocked', 18]);
  });

  it('are the last approved of two rows of one day', () => {
    const table = new PolicyTable([everywhere], [own(5, 'DE', { minimumAge: 21 }), own(4, 'DE')]);
    expect(table.decide('DE', noon).row.id).toBe(4);
  });

  it('say which row decides, and why', () => {
    const table = new PolicyTable([
      everywhere,
      seed('US', { minimumAge: 21 }),
      seed('US-FL', { rule: 'verify' }),
      seed('DE', { rule: 'verify', anonymous: true }),
    ]);
    const why = (region: string, of = table) => {
      const { row, why: reason } = of.decide(region, noon);
      return [row.region, reason];
    };
    expect(why('US-FL')).toEqual(['US-FL', 'own']);
    expect(why('US-NY')).toEqual(['US', 'country']);
    expect(why('BR')).toEqual(['*', 'everywhere']);
    expect(why('US')).toEqual(['US-FL', 'strictest_state']);
    expect(why('unknown')).toEqual(['DE', 'unknown']);
    expect(why('unknown', new PolicyTable([everywhere], [], 'BR'))).toEqual(['*', 'fallback']);
  });

  it('give a network that hides its place what the class of that place says', () => {
    const table = new PolicyTable(
      [
        everywhere,
        seed('BR', { vpnClass: 'strictest' }),
        seed('US-WI', { vpnClass: 'refused' }),
        seed('FR', { rule: 'verify', anonymous: true, proofLasts: 'session' }),
        seed('DE', { rule: 'verify' }),
      ],
      [],
      'BR',
    );
    const decided = (region: string) => {
      const { row, why } = table.decide(region, noon);
      return [table.regionOf(region, noon), row.region, row.rule, why];
    };
    expect(decided('vpn:DE')).toEqual(['DE', 'DE', 'verify', 'own']);
    // The strictest of all, whatever unknown places count as.
    expect(decided('vpn:BR')).toEqual(['strictest', 'FR', 'verify', 'vpn_strictest']);
    expect(decided('vpn:unknown')).toEqual(['strictest', 'FR', 'verify', 'vpn_strictest']);
    expect(decided('vpn:US-WI')).toEqual(['refused', 'refused', 'blocked', 'vpn_refused']);
    expect(decided('BR')).toEqual(['BR', 'BR', 'declare', 'own']);
    // What a viewer's region became is decided alike when it is asked for again.
    expect(table.decide('strictest', noon).row.region).toBe('FR');
    expect(table.decide('refused', noon).row.rule).toBe('blocked');
  });

  it('name every moment at which they change, and the places', () => {
    const table = new PolicyTable([everywhere, seed('GB', { from: '2026-06-01' })], [
      own(1, 'GB', { from: '2026-06-01', until: '2026-06-30' }),
      own(2, 'IE', { from: '2026-07-01' }),
      own(3, 'JP', { from: '2026-07-01' }),
    ]);
    const moments = table.boundariesAfter(noon).map((boundary) => [
      new Date(boundary.at).toISOString(),
      ...boundary.regions,
    ]);
    expect(moments).toEqual([
      ['2026-05-31T23:00:00.000Z', 'GB'],
      ['2026-06-30T15:00:00.000Z', 'JP'],
      ['2026-06-30T23:00:00.000Z', 'GB', 'IE'],
    ]);
    expect(new Date(table.changesAt(noon)).toISOString()).toBe('2026-05-31T23:00:00.000Z');
    expect(table.changesAt(at('2027-01-01T00:00:00Z'))).toBe(Number.POSITIVE_INFINITY);
  });

  it('are nowhere without a row for everywhere', () => {
    expect(() => new PolicyTable([seed('DE')]).decide('DE', noon)).toThrow('no row for *');
  });
});

describe('which of two policies is stricter', () => {
  const policies = fc.record({
    rule: fc.constantFrom(...REGION_RULES),
    minimumAge: fc.constantFrom(18, 21),
    anonymous: fc.boolean(),
    proofLasts: fc.constantFrom('session' as const, 30, 365, 'good' as const),
    liveness: fc.constantFrom(...LIVENESS_LEVELS),
  }).map((change): RegionPolicy => seed('DE', change));

  it('is an order', () => {
    fc.assert(fc.property(policies, policies, policies, (a, b, c) => {
      expect(compareSeverity(a, a)).toBe(0);
      // Adding zero makes -0 and 0 the same.
      expect(compareSeverity(a, b) + 0).toBe(-compareSeverity(b, a) + 0);
      if (compareSeverity(a, b) <= 0 && compareSeverity(b, c) <= 0) {
        expect(compareSeverity(a, c)).toBeLessThanOrEqual(0);
      }
    }));
  });

  it('goes by rule, age, anonymity, duration, liveness and methods', () => {
    const verify = (change: Partial<RegionPolicy> = {}) => seed('DE', { rule: 'verify', ...change });
    const stricter: readonly [RegionPolicy, RegionPolicy][] = [
      [verify(), seed('DE', { minimumAge: 25 })],
      [seed('DE', { rule: 'blocked' }), verify({ minimumAge: 25 })],
      [verify({ minimumAge: 21 }), verify({ anonymous: true })],
      [verify({ anonymous: true }), verify({ proofLasts: 'session' })],
      [verify({ proofLasts: 'session' }), verify({ proofLasts: 1 })],
      [verify({ proofLasts: 30 }), verify({ proofLasts: 'good' })],
      [verify({ liveness: 'active' }), verify()],
      [verify({ methods: ['digital_id'] }), verify()],
    ];
    for (const [one, other] of stricter) expect(compareSeverity(one, other)).toBe(1);
  });
});

it('a policy is laxer where it asks for less in any one respect, however strict it is in others', () => {
  const verify = (change: Partial<PolicyRow> = {}) => ({ ...seed('DE', { rule: 'verify' }), ...change });
  const stricterOtherwise = { proofLasts: 364 } as const;
  const laxer: readonly Partial<PolicyRow>[] = [
    { liveness: 'none' },
    { methods: ['email_estimation'] },
    { proofLasts: 366, anonymous: true },
    { vpnClass: 'as_place' },
    { minimumAge: 18, anonymous: true },
    { rule: 'declare', methods: [], minimumAge: 30 },
  ];
  const than = verify({ vpnClass: 'strictest', minimumAge: 19 });
  for (const change of laxer) {
    const row = { ...verify({ vpnClass: 'strictest', minimumAge: 19 }), ...stricterOtherwise, ...change };
    expect(isLaxer(row, than), JSON.stringify(change)).toBe(true);
  }
  expect(isLaxer({ ...than, proofLasts: 364, methods: ['digital_id'], liveness: 'active' }, than)).toBe(
    false,
  );
  expect(isLaxer({ ...than, rule: 'blocked', methods: [] }, than)).toBe(false);
});

it('the committed table marks no row as confirmed, and has a zone for each of its places', () => {
  for (const row of (committed as readonly SeedPolicy[]).map(rowOfSeed)) {
    expect(row.isConfirmed).toBe(false);
    if (row.region !== '*' && row.region !== 'demo') expect(zoneOf(row.region), row.region).not.toBe('UTC');
  }
  expect(zoneOf('US-NY')).toBe('America/New_York');
  expect(zoneOf('AQ')).toBe('UTC');
});
