import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  faultOf, MAX_OPEN_GUEST_REPORTS, MAX_OPEN_REPORTS, mayReport, REPORT_KINDS, REPORT_REASONS,
} from './rules.ts';

const NUMBERED = ['message', 'picture', 'post', 'recording'];

describe('a report', () => {
  it('names a thing by its number where there are many, and has words where the reason has none', () => {
    fc.assert(fc.property(
      fc.constantFrom(...REPORT_KINDS), fc.option(fc.nat()), fc.constantFrom(...REPORT_REASONS), fc.string(),
      (kind, id, reason, details) => {
        const fault = faultOf({ kind, id, reason, details });
        if (NUMBERED.includes(kind) !== (id !== null)) expect(fault).toBe('unnamed');
        else expect(fault).toBe(reason === 'other' && details === '' ? 'no_details' : null);
      },
    ));
  });

  it('fits until the limit of a person, and of all guests together', () => {
    for (const [isGuest, most] of [[false, MAX_OPEN_REPORTS], [true, MAX_OPEN_GUEST_REPORTS]] as const) {
      expect([mayReport(most - 1, isGuest), mayReport(most, isGuest)]).toEqual([true, false]);
    }
  });
});
