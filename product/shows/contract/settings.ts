import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { MAX_RATE, MIN_RATE } from '#product/performers/rules.ts';
import { z } from 'zod';
import {
  MAX_DISCOUNT_MINUTES,
  MAX_DISCOUNT_PERCENT,
  MAX_MINIMUM_MINUTES,
  MAX_PRE_TIP_TOKENS,
  MAX_TOKENS_TO_START,
  MIN_DISCOUNT_MINUTES,
  MIN_DISCOUNT_PERCENT,
} from '../rules/private.ts';
import { MAX_STARTUP_TIP_TOKENS } from '../rules/spying.ts';

export const privateNotOffered = refusal({
  slice: 'shows',
  code: 'private_not_offered',
  kind: 'conflict',
  description: 'A discount takes private shows that are offered.',
});

const Rate = z.int().min(MIN_RATE).max(MAX_RATE);

/** `userSetting.private` of the room data (spec 2 §3.1). */
export const PrivateSetting = z.object({
  isEnabled: z.boolean(),
  pricePerMinuteInToken: Rate,
  exclusivePricePerMinuteInToken: Rate,
  isRecordingEnabled: z.boolean(),
  isPreTipEnabled: z.boolean(),
  preTipCost: z.int().min(0).max(MAX_PRE_TIP_TOKENS),
  isExclusiveEnabled: z.boolean(),
  isWatchPornTogetherEnabled: z.boolean(),
  /** Minutes that a viewer's tokens must cover for a show to start. */
  privateMinimumDuration: z.int().min(0).max(MAX_MINIMUM_MINUTES),
  minimumTokenToStart: z.int().min(0).max(MAX_TOKENS_TO_START),
});
export type PrivateSettingView = z.infer<typeof PrivateSetting>;

/** `userSetting.sharecam` of the room data (spec 2 §3.1). */
export const SharecamSetting = z.object({
  isAllowedInPrivate: z.boolean(),
  isAllowedInPublic: z.boolean(),
  pricePerMinuteInPublicInToken: Rate,
});
export type SharecamSettingView = z.infer<typeof SharecamSetting>;
/** `userSetting.spy` of the room data (spec 2 §3.1). */
export const SpySetting = z.object({
  isEnabled: z.boolean(),
  pricePerMinuteInToken: Rate,
  /** Paid with the first second; 0 means no tip. */
  startupTipInToken: z.int().min(0).max(MAX_STARTUP_TIP_TOKENS),
});
export type SpySettingView = z.infer<typeof SpySetting>;

/** A discount that is in effect (spec 2 §3.1). */
export const Discount = z.object({
  /** Percent. */
  discountRate: z.int(),
  timeLeftInSecond: z.int(),
  privatePricePerMinuteInToken: z.int(),
  /** When the discount ends: a page that shows it later counts from here. */
  until: z.string(),
});
export type DiscountView = z.infer<typeof Discount>;

const Settings = z.object({
  private: PrivateSetting,
  sharecam: SharecamSetting,
  spy: SpySetting,
  privateDiscount: Discount.nullable(),
});

export const getShowSettings = call({
  name: 'shows.getShowSettings',
  method: 'GET',
  path: '/shows/settings',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: Settings,
  refusals: [],
  summary: 'What a performer offers of paid shows',
  description: 'One\'s own. A performer who has named no price sees 30 tokens a minute and offers nothing.',
});

export const saveShowSettings = call({
  name: 'shows.saveShowSettings',
  method: 'POST',
  path: '/shows/settings',
  access: 'performer',
  credential: 'cookie',
  output: Settings,
  input: z.object({
    private: PrivateSetting.partial().optional(),
    sharecam: SharecamSetting.partial().optional(),
    spy: SpySetting.partial().optional(),
  }),
  refusals: [],
  limit: { points: 60, seconds: 60, per: 'caller' },
  summary: 'Change what one offers of paid shows',
  description: 'Fields that are absent stay. Prices are those of the listings: a performer is listed with '
    + 'private shows and spying while they are enabled, and with cameras of viewers while those '
    + 'are allowed anywhere. '
    + 'Shows that run and requests that wait keep their price.',
  requirements: ['B-142', 'B-143', 'B-145', 'A-021', 'A-450'],
});

export const setDiscount = call({
  name: 'shows.setDiscount',
  method: 'POST',
  path: '/shows/discount',
  access: 'performer',
  credential: 'cookie',
  input: z.object({
    /** Percent off each price; 0 ends the discount. */
    discountRate: z.union([z.literal(0), z.int().min(MIN_DISCOUNT_PERCENT).max(MAX_DISCOUNT_PERCENT)]),
    minutes: z.int().min(MIN_DISCOUNT_MINUTES).max(MAX_DISCOUNT_MINUTES),
  }),
  output: Settings,
  refusals: [privateNotOffered],
  limit: { points: 20, seconds: 60, per: 'caller' },
  summary: 'Discount one\'s private shows for a time',
  description: 'Everybody in the room learns of it, and of its end. A show keeps the price it was requested '
    + 'at.',
  requirements: ['B-162', 'B-341'],
});

export const privateSettingChanged = event({
  name: 'v3.private.settings',
  socket: 'room',
  from: 'server',
  shape: z.object({ private: PrivateSetting, spy: SpySetting }),
  description: 'What the performer of the room offers of private shows and spying changed.',
  requirements: ['B-142', 'B-143'],
});

export const sharecamSettingChanged = event({
  name: 'v3.sharecam.settings',
  socket: 'room',
  from: 'server',
  shape: z.object({ sharecam: SharecamSetting }),
  description: 'Which cameras of viewers the performer of the room takes, and for what price, after it was '
    + 'saved anywhere.',
  requirements: ['B-145'],
});
