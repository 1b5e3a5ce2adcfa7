import { event } from '#platform/contract/event.ts';
import { roomPart } from '#product/rooms/rules/room-part.ts';
import { z } from 'zod';
import { GroupGoalOfRoom } from './contract/group-goal.ts';
import { PrivateStats } from './contract/private-running.ts';
import { Discount, PrivateSetting, SharecamSetting, SpySetting } from './contract/settings.ts';
import { LimitedShow } from './contract/ticket-show.ts';
import { DEFAULT_PRIVATE_PRICE } from './rules/private.ts';
import { RATINGS_TODAY } from './rules/ratings.ts';
import { DEFAULT_SHARECAM_PRICE } from './rules/sharecam.ts';
import { DEFAULT_SPY_PRICE } from './rules/spying.ts';

/** Shows of a performer for one viewer: what the room's page loads first. */
export const showsPart = roomPart({
  key: 'shows',
  shape: z.object({
    user: z.object({
      ratings: z.object({
        avgTokenPerStreamingHour: z.number().nullable(),
        private: z.number().nullable(),
        ticketShow: z.number().nullable(),
        /** 0 to 5 with one decimal, by votes of viewers who tipped; null for too few. */
        user: z.number().nullable(),
      }),
      /** The performer asks for a tip to start spying. */
      canChargeSpyStartupTip: z.boolean(),
    }),
    auth: z.object({
      rateToday: z.enum(RATINGS_TODAY),
      /** Tokens this viewer tipped the performer in the last 24 h. */
      recentTips: z.int(),
    }),
    userSetting: z.object({ private: PrivateSetting, sharecam: SharecamSetting, spy: SpySetting }),
    /** Username of the viewer in a private show; null for everybody but that viewer and the performer. */
    privateUsername: z.string().nullable(),
    privateExclusive: z.boolean(),
    privateRunningPricePerMinuteInToken: z.number().nullable(),
    /** What spying costs this viewer, in tokens a minute; null while they do not spy. */
    spyRunningPricePerMinuteInToken: z.number().nullable(),
    /** Numbers of the private show that this viewer or performer is in. */
    privateStats: PrivateStats.nullable(),
    privateDiscount: Discount.nullable(),
    /** The ticket show that is offered or runs; null without one. */
    limitedShow: LimitedShow.nullable(),
    /** The goal that viewers give to together; null without one. */
    groupGoal: GroupGoalOfRoom.nullable(),
  }),
  empty: {
    user: {
      ratings: { avgTokenPerStreamingHour: null, private: null, ticketShow: null, user: null },
      canChargeSpyStartupTip: false,
    },
    auth: { rateToday: 'RATE_NO', recentTips: 0 },
    userSetting: {
      private: {
        isEnabled: false,
        pricePerMinuteInToken: DEFAULT_PRIVATE_PRICE,
        exclusivePricePerMinuteInToken: DEFAULT_PRIVATE_PRICE,
        isRecordingEnabled: false,
        isPreTipEnabled: false,
        preTipCost: 0,
        isExclusiveEnabled: false,
        isWatchPornTogetherEnabled: false,
        privateMinimumDuration: 0,
        minimumTokenToStart: 0,
      },
      sharecam: {
        isAllowedInPrivate: false,
        isAllowedInPublic: false,
        pricePerMinuteInPublicInToken: DEFAULT_SHARECAM_PRICE,
      },
      spy: { isEnabled: false, pricePerMinuteInToken: DEFAULT_SPY_PRICE, startupTipInToken: 0 },
    },
    privateUsername: null,
    privateExclusive: false,
    privateRunningPricePerMinuteInToken: null,
    spyRunningPricePerMinuteInToken: null,
    privateStats: null,
    privateDiscount: null,
    limitedShow: null,
    groupGoal: null,
  },
  /** `cam2cam`: the performer takes cameras of viewers, in public, in private or both. */
  updateShape: z.object({ private_exclusive: z.boolean(), cam2cam: z.boolean() }),
  emptyUpdate: { private_exclusive: false, cam2cam: false },
});

/** Sent to the people in a show, or to a requesting viewer, each on their session channel of the room. */
const toRoom = { socket: 'room', from: 'server' } as const;

export const privateStarted = event({
  name: 'v3.private.started',
  ...toRoom,
  shape: z.object({
    /** Username of the viewer in the show. */
    username: z.string(),
    /** Username of the performer. */
    broadcaster: z.string(),
    /** Tokens. */
    cost_per_minute: z.number(),
    prepaid_seconds: z.number(),
    remaining_seconds: z.number(),
    /** Seconds since it started. */
    duration: z.number(),
    tokens_charged: z.int(),
    /** Seconds. */
    freeSpyPreviewDuration: z.number(),
    type: z.string(),
    source: z.string(),
    /** Name of the show's stream; null for people who may not watch it. */
    stream: z.string().nullable(),
  }),
  description: 'A private show started, to the two in it. Everybody else receives `v3.chat.update` with the '
    + 'status private, and keeps their mode.',
  requirements: ['B-342'],
});
export const privateEnded = event({
  name: 'v3.private.end',
  ...toRoom,
  shape: z.object({
    /** Tokens given back by the fan club; null counts as 0. */
    fanclub_refund: z.number().nullable(),
    /** Null means out of tokens. */
    reason_ended: z.string().nullable(),
  }),
  description: 'The private show of this viewer, or of this performer, is over.',
  requirements: ['B-344'],
});
export const privateDeclined = event({
  name: 'v3.private.declined',
  ...toRoom,
  shape: z.object({ username: z.string() }),
  description: 'The performer (`username`) declined this viewer\'s request for a private show.',
  requirements: ['B-340'],
});
export const privateFailed = event({
  name: 'v3.private.request_failed',
  ...toRoom,
  shape: z.object({ errorType: z.string().nullable(), error: z.string().nullable() }),
  description: 'This viewer\'s private show could not start. `errorType` is the code of a refusal, `error` '
    + 'its text.',
  requirements: ['B-345'],
});
