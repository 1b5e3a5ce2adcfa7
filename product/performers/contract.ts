import { call } from '#platform/contract/call.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { REGION_CODE } from '#platform/text/codes.ts';
import { performerUnknown } from '#product/compliance/contract.ts';
import { HIDDEN_REASONS, REGION_RULES } from '#product/compliance/rules.ts';
import { z } from 'zod';
import {
  AGE_RANGES,
  BROWSE_REGIONS,
  ETHNICITIES,
  MAX_RATE,
  MAX_SCHEDULED_TIMES,
  MIN_RATE,
  MIN_SCHEDULED_MINUTES,
  MINUTES_PER_DAY,
  SURFACES,
  VOYEUR_ROOMS,
} from './rules.ts';

const Rate = z.int().min(MIN_RATE).max(MAX_RATE).nullable();
export const ScheduledTime = z.object({
  day: z.int().min(0).max(6),
  fromMinute: z.int().min(0).max(MINUTES_PER_DAY - 1),
  minutes: z.int().min(MIN_SCHEDULED_MINUTES).max(MINUTES_PER_DAY),
});

/** A performer's own profile in listings. Everything is optional. */
export const ListingProfile = z.object({
  region: z.enum(BROWSE_REGIONS).nullable(),
  /** ISO 3166-1 alpha-2; shown as the country's name. */
  country: z.string().regex(/^[A-Z]{2}$/u).nullable(),
  age_range: z.enum(AGE_RANGES).nullable(),
  ethnicity: z.enum(ETHNICITIES).nullable(),
  voyeur_room: z.enum(VOYEUR_ROOMS).nullable(),
  is_independent: z.boolean(),
  /** Tokens a minute; null if not offered. */
  private_price: Rate,
  exclusive_price: Rate,
  spy_price: Rate,
  control_rate: Rate,
  offers_cam2cam: z.boolean(),
  /** IANA name, e.g. `Europe/Bucharest`; null without a schedule. */
  time_zone: z.string().max(40).nullable(),
  schedule: z.array(ScheduledTime).max(MAX_SCHEDULED_TIMES),
});
export type ListingProfileView = z.infer<typeof ListingProfile>;

export const timeZoneUnknown = refusal({
  slice: 'performers',
  code: 'time_zone_unknown',
  kind: 'invalid',
  description: 'The time zone has no such name, or a schedule has none.',
});
export const getListingProfile = call({
  name: 'performers.getListingProfile',
  method: 'GET',
  path: '/performers/listing',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: ListingProfile,
  refusals: [],
  summary: 'What a performer says of themselves for listings',
  description: 'The caller’s own. Nulls and an empty schedule until something is saved.',
});

export const saveListingProfile = call({
  name: 'performers.saveListingProfile',
  method: 'POST',
  path: '/performers/listing',
  access: 'performer',
  credential: 'cookie',
  input: ListingProfile.partial(),
  output: ListingProfile,
  refusals: [timeZoneUnknown],
  summary: 'Changes what a performer says of themselves for listings',
  description: 'Fields that are absent stay as they are; null takes one back.',
});

export const getSchedule = call({
  name: 'performers.getSchedule',
  method: 'GET',
  path: '/performers/:username/schedule',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ username: z.string().max(40) }),
  output: z.object({
    time_zone: z.string().nullable(),
    schedule: z.array(ScheduledTime),
    /** The next times, ISO 8601, at most seven. */
    next: z.array(z.object({ starts_at: z.string(), ends_at: z.string() })),
  }),
  refusals: [performerUnknown],
  summary: 'A performer’s schedule',
  description: 'Only of performers this viewer may see.',
});

export const viewAs = call({
  name: 'performers.viewAs',
  method: 'GET',
  path: '/performers/view_as',
  access: 'performer',
  credential: 'cookie',
  /** ISO 3166: `DE`, `US-FL`. */
  input: z.object({ region: z.string().max(6).regex(REGION_CODE) }),
  output: z.object({
    region: z.string(),
    /** What visitors from this region must do before they see any performer, and their minimum age. */
    gate: z.enum(REGION_RULES),
    minimum_age: z.int(),
    /** Whether a visitor who has passed the gate sees this performer, by place. */
    surfaces: z.array(z.object({ surface: z.enum(SURFACES), is_shown: z.boolean() })),
    /** Why not; empty if only the gate is in the way. */
    reasons: z.array(z.enum(HIDDEN_REASONS)),
  }),
  refusals: [],
  summary: 'Whether a visitor from a region sees a performer',
  description: 'For the caller’s own profile, by the rule that decides for real visitors.',
});

export const profileChanged = fact({
  name: 'performers.profileChanged',
  shape: z.object({ performerId: z.int(), username: z.string() }),
  description: 'What a performer says of themselves for listings has changed.',
});
