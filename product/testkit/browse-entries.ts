import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { GENDERS } from '#product/accounts/rules.ts';
import type { DirectoryEntry } from '#product/browse/rules/listing/entry.ts';
import { AGE_RANGES, BROWSE_REGIONS, ETHNICITIES, VOYEUR_ROOMS } from '#product/performers/rules.ts';
import { CHAT_STATUSES } from '#product/rooms/rules.ts';
import fc from 'fast-check';

/** A performer with an empty profile who is cleared and not live. */
export const anEntry = (part: Partial<DirectoryEntry> & Pick<DirectoryEntry, 'id'>): DirectoryEntry => ({
  username: `performer${part.id}`,
  displayName: `Performer ${part.id}`,
  gender: 'f',
  avatarUrl: null,
  registeredAt: 0,
  languages: [],
  state: { active: true, cleared: true, isHidden: false, blockedRegions: [] },
  region: null,
  country: null,
  ageRange: null,
  ethnicity: null,
  voyeur: null,
  isIndependent: false,
  hasFanclub: false,
  privatePrice: null,
  exclusivePrice: null,
  spyPrice: null,
  isExclusive: false,
  controlRate: null,
  offersCam2Cam: false,
  takesPrivateCameras: false,
  hasTicketShow: false,
  isOnHome: true,
  studio: null,
  roles: [],
  topic: '',
  tags: [],
  status: 'online',
  viewerCount: 0,
  isLocked: false,
  stream: null,
  startedAt: null,
  lastLiveAt: null,
  followers: 0,
  rating: null,
  privateRating: null,
  recentTips: 0,
  goal: null,
  ...part,
});

const maybe = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(some, { nil: null });
const few = <T>(some: readonly T[]): fc.Arbitrary<T[]> =>
  fc.subarray([...some], { maxLength: Math.min(3, some.length) });
const rate = maybe(fc.constantFrom(6, 12, 30, 60, 120));

/** Performers with different ids in every state, with few values each, so that filters find some. */
export const entries = (
  now: number,
  maxLength = 40,
): fc.Arbitrary<DirectoryEntry[]> =>
  fc.uniqueArray(
    fc.record({
      id: fc.integer({ min: 1, max: 500 }),
      gender: maybe(fc.constantFrom(...GENDERS)),
      registeredAt: fc.constantFrom(1, 29, 30, 31, 400).map((days) => now - days * DAY_MS),
      languages: few(['de', 'en', 'es', 'fr']),
      region: maybe(fc.constantFrom(...BROWSE_REGIONS)),
      country: maybe(fc.constantFrom('RO', 'CO', 'US')),
      ageRange: maybe(fc.constantFrom(...AGE_RANGES)),
      ethnicity: maybe(fc.constantFrom(...ETHNICITIES)),
      voyeur: maybe(fc.constantFrom(...VOYEUR_ROOMS)),
      isIndependent: fc.boolean(),
      hasFanclub: fc.boolean(),
      privatePrice: rate,
      exclusivePrice: rate,
      spyPrice: rate,
      isExclusive: fc.boolean(),
      controlRate: rate,
      offersCam2Cam: fc.boolean(),
      takesPrivateCameras: fc.boolean(),
      hasTicketShow: fc.boolean(),
      isOnHome: fc.boolean(),
      studio: maybe(fc.constantFrom('north-light', 'harbour')),
      roles: few(['voyeur', 'independent']),
      tags: few(['dance', 'music', 'chess', 'red-hair']),
      status: fc.constantFrom(...CHAT_STATUSES),
      viewerCount: fc.nat(4),
      startedAt: maybe(fc.nat(180).map((minutes) => now - minutes * (HOUR_MS / 60))),
      lastLiveAt: maybe(fc.nat(9).map((days) => now - days * DAY_MS)),
      followers: fc.nat(3),
      rating: maybe(fc.constantFrom(3, 4, 5)),
      privateRating: maybe(fc.constantFrom(4, 5)),
      recentTips: fc.nat(50),
      goal: maybe(fc.constant({ left: 5, total: 100 })),
      state: fc.record({
        active: fc.constantFrom(true, true, false),
        cleared: fc.constantFrom(true, true, false),
        isHidden: fc.constantFrom(false, false, false, true),
        blockedRegions: few(['DE', 'US-FL']),
      }),
    }).map(anEntry),
    { selector: ({ id }) => id, maxLength },
  );
