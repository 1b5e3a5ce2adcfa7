import { perceives, whyHidden } from '#product/compliance/rules.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTimes, sortedSchedule, type ScheduledTime } from './rules.ts';

const at = (iso: string): number => new Date(iso).getTime();
const shown = (schedule: readonly ScheduledTime[], zone: string | null, now: string): string[] =>
  nextTimes(schedule, zone, at(now)).map(({ startsAt, endsAt }) =>
    `${new Date(startsAt).toISOString().slice(0, 16)} to ${new Date(endsAt).toISOString().slice(0, 16)}`
  );
const HOUR = 60;
const evening = (day: number, hour = 20, hours = 2): ScheduledTime => ({
  day,
  fromMinute: hour * HOUR,
  minutes: hours * HOUR,
});
const [MONDAY, TUESDAY, FRIDAY, SATURDAY, SUNDAY] = [0, 1, 4, 5, 6] as const;

describe('the next times of a schedule', () => {
  it('are those of the next seven days in the time zone, sooner first', () => {
    // A Tuesday.
    expect(shown([evening(FRIDAY), evening(TUESDAY)], 'Europe/Bucharest', '2026-01-13T12:00:00Z')).toEqual([
      '2026-01-13T18:00 to 2026-01-13T20:00',
      '2026-01-16T18:00 to 2026-01-16T20:00',
    ]);
    // In Auckland it is Tuesday already, and that day starts on Monday here.
    expect(shown([evening(TUESDAY, 8)], 'Pacific/Auckland', '2026-01-12T15:00:00Z')).toEqual([
      '2026-01-12T19:00 to 2026-01-12T21:00',
    ]);
  });

  it('include one that runs, also since yesterday, and none that is over', () => {
    const night = evening(MONDAY, 22, 6);
    expect(shown([night], 'UTC', '2026-01-13T03:59:00Z')[0]).toBe('2026-01-12T22:00 to 2026-01-13T04:00');
    expect(shown([night], 'UTC', '2026-01-13T04:00:00Z')).toEqual(['2026-01-19T22:00 to 2026-01-20T04:00']);
  });

  it('follow the clocks when summer time begins and ends', () => {
    // Berlin: forward on 29 March 2026 at 2:00, back on 25 October 2026 at 3:00.
    const times = [evening(SATURDAY), evening(SUNDAY)];
    expect(shown(times, 'Europe/Berlin', '2026-03-28T12:00:00Z')).toEqual([
      '2026-03-28T19:00 to 2026-03-28T21:00',
      '2026-03-29T18:00 to 2026-03-29T20:00',
    ]);
    expect(shown(times, 'Europe/Berlin', '2026-10-24T12:00:00Z')).toEqual([
      '2026-10-24T18:00 to 2026-10-24T20:00',
      '2026-10-25T19:00 to 2026-10-25T21:00',
    ]);
  });

  it('run an hour less or more over the night of the change', () => {
    const night = evening(SATURDAY, 23, 5);
    expect(shown([night], 'Europe/Berlin', '2026-03-28T12:00:00Z')).toEqual([
      '2026-03-28T22:00 to 2026-03-29T02:00',
    ]);
    expect(shown([night], 'Europe/Berlin', '2026-10-24T12:00:00Z')).toEqual([
      '2026-10-24T21:00 to 2026-10-25T03:00',
    ]);
  });

  it('come later when clocks leave them out, and at the first of two when they show them twice', () => {
    const early = [{ day: SUNDAY, fromMinute: 2 * HOUR + 30, minutes: HOUR }];
    // 2:30 does not exist and becomes 3:30, the same instant as its end.
    expect(shown(early, 'Europe/Berlin', '2026-03-28T12:00:00Z')).toEqual([
      '2026-03-29T01:30 to 2026-03-29T02:30',
    ]);
    expect(shown(early, 'Europe/Berlin', '2026-10-24T12:00:00Z')).toEqual([
      '2026-10-25T00:30 to 2026-10-25T02:30',
    ]);
  });

  it('are one where they touch, seven at most, and none without a zone', () => {
    const split = [evening(FRIDAY, 22, 2), { day: SATURDAY, fromMinute: 0, minutes: HOUR }];
    expect(shown(split, 'UTC', '2026-01-13T12:00:00Z')).toEqual(['2026-01-16T22:00 to 2026-01-17T01:00']);
    const twice = [0, 1, 2, 3, 4, 5, 6].flatMap((day) => [evening(day, 8), evening(day)]);
    expect(shown(twice, 'UTC', '2026-01-13T12:00:00Z')).toHaveLength(7);
    expect(shown(twice, null, '2026-01-13T12:00:00Z')).toEqual([]);
    expect(shown([], 'UTC', '2026-01-13T12:00:00Z')).toEqual([]);
  });

  const anyTime = fc.record({
    day: fc.nat(6),
    fromMinute: fc.nat(1_439),
    minutes: fc.integer({ min: 15, max: 1_440 }),
  });
  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Pacific/Apia',
  ];
  it('never end before they start, overlap, or begin after a week, whatever the zone and moment', () => {
    fc.assert(
      fc.property(
        fc.array(anyTime, { maxLength: 21 }),
        fc.constantFrom(...zones),
        fc.integer({ min: at('2025-01-01T00:00:00Z'), max: at('2028-01-01T00:00:00Z') }),
        (schedule, zone, now) => {
          const times = nextTimes(schedule, zone, now);
          times.forEach(({ startsAt, endsAt }, index) => {
            expect(endsAt).toBeGreaterThan(Math.max(startsAt, now));
            expect(startsAt).toBeLessThan(now + 7 * 86_400_000);
            expect(startsAt).toBeGreaterThan(times[index - 1]?.endsAt ?? 0);
          });
          expect(times.length).toBeLessThanOrEqual(7);
        },
      ),
      { numRuns: 300 },
    );
  });
});

it('a schedule is stored in order, each time once', () => {
  const [early, late, next] = [evening(MONDAY, 8), evening(MONDAY), evening(TUESDAY, 8)];
  expect(sortedSchedule([next, late, early, { ...late }])).toEqual([early, late, next]);
});

it('why somebody is hidden agrees with the rule that hides them', () => {
  const place = fc.constantFrom('DE', 'US', 'US-FL', 'US-TX', 'FR');
  fc.assert(fc.property(
    fc.boolean(),
    fc.boolean(),
    fc.boolean(),
    fc.uniqueArray(place),
    fc.oneof(place, fc.constant('unknown')),
    (active, cleared, isHidden, blockedRegions, region) => {
      const state = { active, cleared, isHidden, blockedRegions };
      const guest = { gate: 'open', region, personId: null, roles: ['guest'] } as const;
      expect(whyHidden(state, region).length === 0).toBe(perceives(guest, 1, state));
    },
  ));
  const state = { active: false, cleared: false, isHidden: true, blockedRegions: ['US-FL'] };
  expect(whyHidden(state, 'US')).toEqual(['suspended', 'not_cleared', 'hidden', 'region_blocked']);
  expect(whyHidden({ ...state, active: true, cleared: true, isHidden: false }, 'DE')).toEqual([]);
});
