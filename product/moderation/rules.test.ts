import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultOf, mayReport, REPORT_KINDS, REPORT_REASONS, roomForGuest } from './rules.ts';

const NUMBERED = ['message', 'picture', 'post', 'recording'];

describe('a report', () => {
  it('names a thing by its number where there are many, and has words where the reason has none', () => {
    fc.assert(fc.property(
      fc.constantFrom(...REPORT_KINDS),
      fc.option(fc.nat()),
      fc.constantFrom(...REPORT_REASONS),
      fc.string(),
      (kind, id, reason, details) => {
        const fault = faultOf({ kind, id, reason, details });
        if (NUMBERED.includes(kind) !== (id !== null)) expect(fault).toBe('unnamed');
        else expect(fault).toBe(reason === 'other' && details === '' ? 'no_details' : null);
      },
    ));
  });

  it('fits until the limit of a person', () => {
    expect([mayReport(29), mayReport(30)]).toEqual([true, false]);
  });

  it('of a guest fits while the queue has room, and then in the place of the network with most', () => {
    const room = (total: number, own: number, most: number) => roomForGuest({ total, own, most });
    expect([room(1_999, 0, 20), room(2_000, 0, 20), room(2_000, 19, 20)])
      .toEqual(['fits', 'displaces', 'displaces']);
    expect([room(2_000, 20, 20), room(2_000, 1, 1), room(100, 30, 30)]).toEqual(['full', 'full', 'full']);
  });
});
