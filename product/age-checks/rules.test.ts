import type { RegionPolicy } from '#product/compliance/rules.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  acceptedChecks,
  AGE_CHECKS,
  isCardOnly,
  isCardValid,
  isSameCard,
  METHOD_OF,
  type OfferedCheck,
} from './rules.ts';

const policy: RegionPolicy = {
  region: 'GB',
  from: '2025-07-25',
  rule: 'verify',
  minimumAge: 18,
  methods: ['credit_card', 'id_document', 'face_estimation', 'digital_id'],
  liveness: 'passive',
  proofLasts: 365,
  anonymous: false,
  source: 'made for a test',
};
const check = (kind: OfferedCheck['kind'], more: Partial<OfferedCheck> = {}): OfferedCheck => ({
  kind,
  liveness: 'passive',
  isAnonymous: false,
  provesAge: 18,
  ...more,
});
const kinds = (checks: readonly OfferedCheck[]): string[] => checks.map(({ kind }) => kind);

describe('the checks that a policy accepts', () => {
  it('are in the order of its methods, whatever the order of the offer', () => {
    fc.assert(fc.property(fc.shuffledSubarray([...AGE_CHECKS]), (offered) => {
      const accepted = kinds(acceptedChecks(policy, offered.map((kind) => check(kind))));
      const order = ['card', 'yoti_doc_scan', 'incode_age_verification', 'support', 'incode_age_estimation'];
      expect(accepted).toEqual(
        [...order, 'yoti_digital_id'].filter((kind) => (offered as string[]).includes(kind)),
      );
    }));
  });

  it('have its methods, its liveness, its anonymity and its age', () => {
    fc.assert(fc.property(
      fc.constantFrom(...AGE_CHECKS),
      fc.constantFrom('none', 'passive', 'active'),
      fc.boolean(),
      fc.integer({ min: 18, max: 30 }),
      fc.constantFrom('none', 'passive', 'active'),
      fc.boolean(),
      fc.integer({ min: 18, max: 25 }),
      (kind, liveness, isAnonymous, provesAge, asked, anonymous, minimumAge) => {
        const one = check(kind, { liveness, isAnonymous, provesAge });
        const rule = { ...policy, liveness: asked, anonymous, minimumAge };
        const levels = ['none', 'passive', 'active'];
        const looksAtFace = ['id_document', 'face_estimation'].includes(METHOD_OF[kind]);
        const isGood = provesAge >= minimumAge && (isAnonymous || !anonymous)
          && (!looksAtFace || levels.indexOf(liveness) >= levels.indexOf(asked));
        expect(acceptedChecks(rule, [one])).toEqual(isGood ? [one] : []);
      },
    ));
  });

  it('are none where nothing has to be proved', () => {
    for (const rule of ['declare', 'blocked'] as const) {
      expect(acceptedChecks({ ...policy, rule }, AGE_CHECKS.map((kind) => check(kind)))).toEqual([]);
    }
  });

  it('are the card alone only where the policy says so', () => {
    expect(isCardOnly({ rule: 'verify', methods: ['credit_card'] })).toBe(true);
    expect(isCardOnly({ rule: 'verify', methods: ['credit_card', 'digital_id'] })).toBe(false);
    expect(isCardOnly({ rule: 'declare', methods: [] })).toBe(false);
  });
});

describe('a card', () => {
  const named = { first6: '411111', last4: '1111', expMonth: '12', expYear: '30' };

  it('is the same only with the same digits and date', () => {
    const known = { first6: '411111', last4: '1111', expiry: '12/30' };
    expect(isSameCard(named, known)).toBe(true);
    for (
      const wrong of [
        { first6: '411112' },
        { first6: null },
        { last4: '1112' },
        { expiry: '11/30' },
        { expiry: null },
      ]
    ) expect(isSameCard(named, { ...known, ...wrong })).toBe(false);
  });

  it('is valid to the end of its month', () => {
    expect(isCardValid(named, '2030-12-31')).toBe(true);
    expect(isCardValid(named, '2031-01-01')).toBe(false);
    for (const expMonth of ['00', '13']) {
      expect(isCardValid({ ...named, expMonth }, '2026-01-01')).toBe(false);
    }
  });
});
