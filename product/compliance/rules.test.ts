import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import table from './region-policies.json' with { type: 'json' };
import {
  DEMO_REGION,
  ENTRY_DAYS,
  faultsOfTable,
  gateFor,
  hiddenInRegion,
  invalidBlockList,
  MAX_BLOCKED_REGIONS,
  normalizeRegion,
  perceives,
  readEntryPass,
  REGION_RULES,
  STRICT_FALLBACK,
  UNKNOWN_REGION,
  visibilityKey,
  type EntryPass,
  type RegionPolicy,
} from './rules.ts';
import { PolicyTable, rowOfSeed, type PolicyRow } from './rules/policy-table.ts';

const policies = table as readonly RegionPolicy[];
const row = (
  region: string,
  rule: RegionPolicy['rule'],
  from = '2000-01-01',
  minimumAge = 18,
): RegionPolicy => ({
  region,
  rule,
  from,
  minimumAge,
  source: 'made for tests',
  methods: rule === 'verify' ? ['id_document'] : [],
  liveness: rule === 'verify' ? 'passive' : 'none',
  proofLasts: 30,
  anonymous: false,
});
const today = '2026-01-15';
/** The row that governs a region in the middle of a day. */
const policyFor = (
  region: string,
  day: string,
  rows: readonly RegionPolicy[],
  fallback?: string,
): PolicyRow =>
  new PolicyTable(rows.map(rowOfSeed), [], fallback).decide(region, Date.parse(`${day}T12:00:00Z`)).row;
const now = new Date('2026-01-15T12:00:00Z');

const places = ['*', 'US', 'US-FL', 'US-TX', 'DE', 'FR', 'GB'];
const anyTable = fc
  .array(
    fc.record({
      region: fc.constantFrom(...places),
      rule: fc.constantFrom(...REGION_RULES),
      from: fc.constantFrom('2001-01-01', '2020-05-05', '2026-01-15', '2026-01-16', '2030-01-01'),
      minimumAge: fc.constantFrom(18, 21),
    }),
    { maxLength: 12 },
  )
  .map((rows) => [row('*', 'declare'), ...rows.map((r) => row(r.region, r.rule, r.from, r.minimumAge))]);

describe('the region table', () => {
  it('has no errors, and a row for everywhere and for the demo', () => {
    expect(faultsOfTable(policies)).toEqual([]);
    const demo = policyFor(DEMO_REGION, today, policies);
    expect(demo).toMatchObject({ region: 'demo', rule: 'declare', minimumAge: 18 });
    expect(policyFor('BR', today, policies)).toMatchObject({ region: '*', rule: 'declare' });
  });

  it('names the errors of a table', () => {
    const faults = faultsOfTable([
      { ...row('Florida', 'declare'), source: '' },
      row('US-FL', 'verify', 'soon', 16),
      row('US-FL', 'verify', 'soon'),
      { ...row('FR', 'verify'), methods: [] },
      { ...row('GB', 'declare'), methods: ['palm_reading' as never] },
      { ...row('IT', 'verify'), liveness: 'lifelike' as never },
      { ...row('ES', 'verify'), proofLasts: 0 },
      { ...row('PT', 'verify'), proofLasts: 401 },
      { ...row('NL', 'verify'), proofLasts: 'forever' as never },
    ]);
    expect(faults.join('\n')).toMatch(/Florida .* is no place/);
    for (const fault of ['no source', 'no day', 'below 18', 'is there twice', 'exactly', 'unknown method']) {
      expect(faults.join('\n')).toContain(fault);
    }
    expect(faults.join('\n')).toContain('IT from 2000-01-01 has no known level of liveness');
    for (const place of ['ES', 'PT', 'NL']) {
      expect(faults).toContain(`${place} from 2000-01-01 does not say how long a proof lasts`);
    }
  });

  it('changes by date: Florida from 2025, France in two steps', () => {
    expect(policyFor('US-FL', '2024-12-31', policies).rule).toBe('declare');
    expect(policyFor('US-FL', '2025-01-01', policies).rule).toBe('verify');
    expect(policyFor('FR', '2025-04-10', policies).methods).toContain('credit_card');
    expect(policyFor('FR', '2025-04-11', policies).methods).not.toContain('credit_card');
    const methodsIn = (region: string): readonly string[] => policyFor(region, today, policies).methods;
    expect(methodsIn('US-FL')).not.toEqual(methodsIn('US-TX'));
  });
});

describe('policyFor', () => {
  it('prefers the most specific place', () => {
    const rows = [row('*', 'declare'), row('US', 'blocked'), row('US-FL', 'verify')];
    expect(policyFor('US-FL', today, rows).region).toBe('US-FL');
    expect(policyFor('US-NY', today, rows).region).toBe('US');
    expect(policyFor('DE', today, rows).region).toBe('*');
  });

  it('returns the newest row in force of the place, its country or everywhere', () => {
    fc.assert(
      fc.property(anyTable, fc.constantFrom('US-FL', 'US-NY', 'DE-BY', 'FR-75'), (rows, region) => {
        const policy = policyFor(region, today, rows);
        expect([region, region.split('-')[0], '*']).toContain(policy.region);
        expect(policy.from <= today).toBe(true);
        const inForce = rows.filter((r) => r.from <= today);
        expect(inForce.filter((r) => r.region === policy.region && r.from > policy.from)).toEqual([]);
        const closer = [region, region.split('-')[0] ?? '', '*'];
        const better = closer.slice(0, closer.indexOf(policy.region));
        expect(inForce.filter((r) => better.includes(r.region))).toEqual([]);
      }),
    );
  });

  it('gives an unknown place a rule at least as strict as that of every known place', () => {
    const strictness = (p: RegionPolicy): number => REGION_RULES.indexOf(p.rule);
    fc.assert(
      fc.property(anyTable, fc.constantFrom(...places.filter((p) => p !== '*')), (rows, place) => {
        const unknown = policyFor(UNKNOWN_REGION, today, rows);
        expect(strictness(unknown)).toBeGreaterThanOrEqual(strictness(policyFor(place, today, rows)));
      }),
    );
    expect(policyFor(UNKNOWN_REGION, today, policies).rule).toBe('verify');
  });

  it('gives a country whose state is unknown the strictest of its states, unless a fallback is named', () => {
    const rows = [row('*', 'declare'), row('US-FL', 'verify'), row('FR', 'blocked')];
    expect(policyFor('US', today, rows).rule).toBe('verify');
    expect(policyFor('US', today, rows, 'DE').rule).toBe('declare');
    expect(policyFor(UNKNOWN_REGION, today, rows, 'US-FL').rule).toBe('verify');
    expect(policyFor(UNKNOWN_REGION, today, rows, '*').rule).toBe('declare');
    expect(policyFor(UNKNOWN_REGION, today, rows, STRICT_FALLBACK).rule).toBe('blocked');
  });

  it('throws without a row for everywhere', () => {
    expect(() => policyFor('DE', today, [row('DE', 'declare')])).toThrow('no row for *');
  });
});

describe('regions of requests', () => {
  it('reads codes in any case, and refuses anything else', () => {
    expect(normalizeRegion(' us-fl ')).toBe('US-FL');
    expect(normalizeRegion('DEMO')).toBe('demo');
    const nowhere = [
      null,
      undefined,
      '',
      'XX',
      'T1',
      'A1',
      'Germany',
      'US-',
      '*',
      'US_FL',
      'U',
      'US\'-',
      '1',
    ];
    for (const value of nowhere) {
      expect(normalizeRegion(value)).toBe(UNKNOWN_REGION);
    }
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(normalizeRegion(value)).toMatch(/^(unknown|demo|[A-Z]{2}(-[A-Z0-9]{1,3})?)$/);
      }),
    );
  });
});

describe('the entry gate', () => {
  const pass: EntryPass = {
    siteId: 1,
    region: '*',
    minimumAge: 18,
    rule: 'declare',
    expires: now.getTime() / 1_000 + ENTRY_DAYS * 86_400,
  };
  it('opens with a matching pass, and stays closed if any field differs', () => {
    const policy = row('*', 'declare');
    expect(gateFor(policy, null, 1, now)).toBe('declare');
    expect(gateFor(policy, pass, 1, now)).toBe('open');
    expect(gateFor(policy, pass, 2, now)).toBe('declare');
    expect(gateFor(policy, { ...pass, region: 'US' }, 1, now)).toBe('declare');
    expect(gateFor(row('*', 'declare', '2000-01-01', 21), pass, 1, now)).toBe('declare');
    expect(gateFor(policy, { ...pass, expires: now.getTime() / 1_000 }, 1, now)).toBe('declare');
    expect(gateFor(row('*', 'verify'), pass, 1, now)).toBe('verify');
  });
  it('never opens a blocked region, whatever the pass', () => {
    fc.assert(
      fc.property(fc.constantFrom(...REGION_RULES), fc.nat(99), (rule, minimumAge) => {
        expect(gateFor(row('*', 'blocked'), { ...pass, rule, minimumAge }, 1, now)).toBe('blocked');
      }),
    );
  });
  it('reads complete passes only', () => {
    expect(readEntryPass(pass)).toEqual(pass);
    const parts = Object.keys(pass) as (keyof EntryPass)[];
    for (const part of parts) expect(readEntryPass({ ...pass, [part]: undefined })).toBeNull();
    for (const part of parts) expect(readEntryPass({ ...pass, [part]: {} })).toBeNull();
    for (const other of [null, 1, 'x', [], {}]) expect(readEntryPass(other)).toBeNull();
  });
});

describe('who may perceive whom', () => {
  const guest = { gate: 'open', region: 'DE', personId: null, roles: ['guest'] } as const;
  const shown = { active: true, cleared: true, isHidden: false, blockedRegions: [] };

  it('requires an open gate, an active account, a clearance, nobody who hides, and no blocked region', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('open', 'declare', 'verify', 'blocked'),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        (gate, active, cleared, isHidden, blocked) => {
          const performer = { active, cleared, isHidden, blockedRegions: blocked ? ['DE'] : [] };
          const all = gate === 'open' && active && cleared && !isHidden && !blocked;
          expect(perceives({ ...guest, gate }, 7, performer)).toBe(all);
        },
      ),
    );
  });

  it('lets performers see themselves and admins see everyone, and no other role', () => {
    const hidden = { active: false, cleared: false, isHidden: true, blockedRegions: ['DE'] };
    const shut = { ...guest, gate: 'blocked' } as const;
    expect(perceives({ ...shut, personId: 7 }, 7, hidden)).toBe(true);
    expect(perceives({ ...shut, personId: 8, roles: ['member', 'performer'] }, 7, hidden)).toBe(false);
    expect(perceives({ ...shut, personId: 8, roles: ['member', 'admin'] }, 7, hidden)).toBe(true);
    const moderator = { ...shut, personId: 8, roles: ['member', 'site_mod', 'model_admin'] };
    expect(perceives(moderator, 7, hidden)).toBe(false);
    expect(perceives({ ...shut, personId: 7 }, 8, hidden)).toBe(false);
    expect(perceives(guest, 7, shown)).toBe(true);
  });

  it('gives viewers with the same key the same result', () => {
    const viewer = fc.record({
      gate: fc.constantFrom('open' as const, 'declare' as const, 'blocked' as const),
      region: fc.constantFrom('DE', 'US', 'US-FL', UNKNOWN_REGION),
      personId: fc.constantFrom(null, 7, 8, 9),
      roles: fc.constantFrom(
        ['guest'],
        ['member'],
        ['member', 'performer'],
        ['member', 'admin'],
        ['site_mod'],
      ),
    });
    const performer = fc.record({
      active: fc.boolean(),
      cleared: fc.boolean(),
      isHidden: fc.boolean(),
      blockedRegions: fc.constantFrom([], ['DE'], ['US'], ['US-FL']),
    });
    fc.assert(
      fc.property(viewer, viewer, performer, (item, other, of) => {
        if (visibilityKey(item, 7) !== visibilityKey(other, 7)) return;
        expect(perceives(item, 7, of)).toBe(perceives(other, 7, of));
      }),
      { numRuns: 2_000 },
    );
    const member = { ...guest, personId: 8, roles: ['member'] };
    expect(visibilityKey(member, 7)).toBe(visibilityKey(guest, 7));
    expect(visibilityKey({ ...member, personId: 7 }, 7)).not.toBe(visibilityKey(guest, 7));
  });

  it('hides a performer who blocks regions from an unknown region', () => {
    expect(hiddenInRegion(['US-FL'], 'US-FL')).toBe(true);
    expect(hiddenInRegion(['US'], 'US-FL')).toBe(true);
    expect(hiddenInRegion(['US-FL'], 'US')).toBe(true);
    expect(hiddenInRegion(['US-FL'], 'US-TX')).toBe(false);
    expect(hiddenInRegion(['DE'], UNKNOWN_REGION)).toBe(true);
    expect(hiddenInRegion([], UNKNOWN_REGION)).toBe(false);
    expect(hiddenInRegion(['DE'], DEMO_REGION)).toBe(false);
  });

  it('accepts only lists of real places, up to a limit', () => {
    expect(invalidBlockList(['DE', 'US-FL'])).toBeNull();
    expect(invalidBlockList(['de'])).toContain('"de"');
    expect(invalidBlockList(['*'])).not.toBeNull();
    expect(invalidBlockList(Array.from({ length: MAX_BLOCKED_REGIONS + 1 }, () => 'DE'))).not.toBeNull();
  });
});
