import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  acceptsProof,
  gateFor,
  gateOfPerson,
  LIVENESS_LEVELS,
  proofSeconds,
  readEntryPass,
  VERIFICATION_METHODS,
  type EntryPass,
  type PassProof,
  type PersonProof,
  type RegionPolicy,
} from './rules.ts';

const now = new Date('2026-01-15T12:00:00Z');
const nowSeconds = now.getTime() / 1_000;
const DAY_SECONDS = 86_400;

const policy: RegionPolicy = {
  region: 'GB',
  from: '2025-07-25',
  rule: 'verify',
  minimumAge: 18,
  methods: ['credit_card', 'id_document', 'face_estimation', 'digital_id'],
  liveness: 'passive',
  proofLasts: 365,
  anonymous: false,
  source: 'made for tests',
};
const proof: PassProof = {
  method: 'face_estimation',
  liveness: 'passive',
  isAnonymous: false,
  provedAt: nowSeconds - DAY_SECONDS,
  isVisit: false,
};
const pass: EntryPass = {
  siteId: 1,
  region: 'GB',
  minimumAge: 18,
  rule: 'verify',
  expires: nowSeconds + 364 * DAY_SECONDS,
  proof,
};
const gateOf = (
  policyChange: Partial<RegionPolicy>,
  passChange: Partial<EntryPass> = {},
  proofChange: Partial<PassProof> = {},
): string =>
  gateFor(
    { ...policy, ...policyChange },
    { ...pass, proof: { ...proof, ...proofChange }, ...passChange },
    1,
    now,
  );

describe('the proof in a pass', () => {
  it('opens the gate of every policy that accepts it, wherever it was given', () => {
    expect(gateOf({})).toBe('open');
    expect(gateOf({ region: 'US-TX' })).toBe('open');
    expect(gateOf({ region: '*', rule: 'declare', methods: [] })).toBe('open');
  });

  it('does not count at another site, nor for an older minimum age', () => {
    expect(gateOf({}, { siteId: 2 })).toBe('verify');
    expect(gateOf({ minimumAge: 21 })).toBe('verify');
    expect(gateOf({ minimumAge: 21 }, { minimumAge: 21 })).toBe('open');
  });

  it('does not count once the policy drops its method', () => {
    expect(gateOf({ methods: ['credit_card', 'digital_id'] })).toBe('verify');
    expect(gateOf({ methods: ['credit_card'] }, {}, { method: 'credit_card', liveness: 'none' })).toBe(
      'open',
    );
  });

  it('with a face does not count below the liveness that the policy asks for', () => {
    for (const method of ['face_estimation', 'id_document'] as const) {
      expect(gateOf({}, {}, { method, liveness: 'none' })).toBe('verify');
      expect(gateOf({ liveness: 'active' }, {}, { method, liveness: 'passive' })).toBe('verify');
      expect(gateOf({ liveness: 'active' }, {}, { method, liveness: 'active' })).toBe('open');
    }
    expect(gateOf({ liveness: 'active' }, {}, { method: 'digital_id', liveness: 'none' })).toBe('open');
  });

  it('does not count where double anonymity is asked for and the provider learned the site', () => {
    expect(gateOf({ anonymous: true })).toBe('verify');
    expect(gateOf({ anonymous: true }, {}, { isAnonymous: true })).toBe('open');
  });

  it('given for good does not count where the policy asks for one at each visit', () => {
    expect(gateOf({ proofLasts: 'session' }, {}, { provedAt: nowSeconds })).toBe('verify');
    expect(gateOf({ proofLasts: 'session' }, {}, { provedAt: nowSeconds, isVisit: true })).toBe('open');
  });

  it('of a visit counts for 24 hours at most, in a browser that never ends a session', () => {
    const visit = (hours: number) =>
      gateOf({ proofLasts: 'session' }, {}, { provedAt: nowSeconds - hours * 3_600, isVisit: true });
    expect(visit(23.9)).toBe('open');
    expect(visit(24)).toBe('verify');
  });

  it('counts as long as the policy in force says, not as long as that of its day', () => {
    expect(gateOf({ proofLasts: 1 })).toBe('verify');
    expect(gateOf({ proofLasts: 2 })).toBe('open');
    expect(gateOf({ proofLasts: 'good' }, { expires: nowSeconds })).toBe('verify');
    expect(proofSeconds({ proofLasts: 'good' })).toBe(400 * DAY_SECONDS);
    expect(proofSeconds({ proofLasts: 'session' })).toBe(24 * 3_600);
    expect(proofSeconds({ proofLasts: 30 })).toBe(30 * DAY_SECONDS);
  });

  it('is needed where a region verifies: a declaration opens none, however it is written', () => {
    const { proof: _proof, ...declared } = { ...pass, rule: 'declare' as const };
    expect(gateFor(policy, declared, 1, now)).toBe('verify');
    expect(gateFor(policy, { ...declared, rule: 'verify' }, 1, now)).toBe('verify');
    expect(readEntryPass({ ...declared, rule: 'verify' })).toBeNull();
    expect(readEntryPass({ ...pass, rule: 'declare' })).toBeNull();
    expect(readEntryPass(pass)).toEqual(pass);
  });

  it('opens no blocked region', () => {
    expect(gateOf({ rule: 'blocked', methods: [] })).toBe('blocked');
  });

  it('is accepted only with an accepted method, enough liveness and enough anonymity', () => {
    const anyProof = fc.record({
      method: fc.constantFrom(...VERIFICATION_METHODS),
      liveness: fc.constantFrom(...LIVENESS_LEVELS),
      isAnonymous: fc.boolean(),
    });
    const asked = fc.record({
      methods: fc.subarray([...VERIFICATION_METHODS]),
      liveness: fc.constantFrom(...LIVENESS_LEVELS),
      anonymous: fc.boolean(),
    });
    const rank = { none: 0, passive: 1, active: 2 };
    const withFace = ['id_document', 'face_estimation'];
    fc.assert(
      fc.property(anyProof, asked, (given, change) => {
        const all = change.methods.includes(given.method)
          && !(change.anonymous && !given.isAnonymous)
          && !(withFace.includes(given.method) && rank[given.liveness] < rank[change.liveness]);
        expect(acceptsProof({ ...policy, ...change }, given)).toBe(all);
      }),
    );
  });
});

describe('the gate of a person who is away', () => {
  const given: PersonProof = {
    method: 'id_document',
    liveness: 'passive',
    isAnonymous: false,
    isVisit: false,
    minimumAge: 18,
    provedAt: new Date('2026-01-14T12:00:00Z'),
  };
  it('is open with a proof that the policy accepts, and shut without', () => {
    expect(gateOfPerson(policy, [given], now)).toBe('open');
    expect(gateOfPerson(policy, [], now)).toBe('verify');
    expect(gateOfPerson({ ...policy, minimumAge: 21 }, [given], now)).toBe('verify');
    expect(gateOfPerson({ ...policy, anonymous: true }, [given], now)).toBe('verify');
    expect(gateOfPerson({ ...policy, proofLasts: 1 }, [given], now)).toBe('verify');
    const perVisit = { ...policy, proofLasts: 'session' } as const;
    const today = new Date(given.provedAt.getTime() + 23 * 3_600_000);
    expect(gateOfPerson(perVisit, [given], today)).toBe('verify');
    expect(gateOfPerson(perVisit, [{ ...given, isVisit: true }], today)).toBe('open');
    expect(gateOfPerson(perVisit, [{ ...given, isVisit: true }], now)).toBe('verify');
    expect(gateOfPerson({ ...policy, rule: 'blocked', methods: [] }, [given], now)).toBe('blocked');
    expect(gateOfPerson({ ...policy, rule: 'declare', methods: [] }, [], now)).toBe('open');
  });
});
