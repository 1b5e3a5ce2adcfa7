import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { STORED_YEAR } from '#platform/time/days.ts';
import { MAX_DAILY_LIMIT_TOKENS } from '#product/accounts/rules/settings.ts';
import { ageVerificationRequired } from '#product/compliance/contract.ts';
import { spendRefusals } from '#product/ledger/contract.ts';
import { roomBanned, roomKicked } from '#product/rooms/contract.ts';
import { z } from 'zod';
import { menuItemUnknown, menuPriceDiffers, TipTokens } from './contract/menu.ts';
import { MAX_APP_DATA_FIELDS, MAX_TIP_COMMENT_LENGTH, TIP_DAYS_PAGE, TIPS_PAGE } from './rules.ts';

const slice = 'tips';
export const overDailyLimit = refusal({
  slice,
  code: 'over_daily_limit',
  kind: 'limited',
  description: 'More than the operator lets somebody tip in a day. Opens the verify modal.',
});
export const geoBlockSender = refusal({
  slice,
  code: 'tip_geo_block_sender',
  kind: 'denied',
  description: 'The sender\'s last log-in came from a country where tipping is disabled.',
});
export const geoBlockReceiver = refusal({
  slice,
  code: 'tip_geo_block_receiver',
  kind: 'denied',
  description: 'The receiver\'s last log-in came from a country where tipping is disabled.',
});
export const receiverUnknown = refusal({
  slice,
  code: 'receiver_unknown',
  kind: 'absent',
  description: 'There is no such performer for this viewer.',
});
export const ownTip = refusal({
  slice,
  code: 'own_tip',
  kind: 'denied',
  description: 'Nobody tips themselves.',
});
export const receiverMissing = refusal({
  slice,
  code: 'receiver_missing',
  kind: 'invalid',
  description: 'The target username is empty.',
});
export const commentRefused = refusal({
  slice,
  code: 'comment_refused',
  kind: 'denied',
  description: 'The chat of the room would refuse the comment: a silence, a blocked word, a link. Nothing '
    + 'was charged.',
});

const Username = z.string().max(64);
/** Clients in a room receive the type of a tip: an identifier for programs, not text. */
const TIP_TYPE = /^[\w-]*$/;
const AppData = z.record(z.string().max(40), z.union([z.string().max(200), z.number(), z.boolean()]))
  .refine((fields) => Object.keys(fields).length <= MAX_APP_DATA_FIELDS);

export const sendTip = call({
  name: 'tips.sendTip',
  method: 'POST',
  path: '/tip/:username',
  access: 'member',
  credential: 'cookie',
  idempotency: 'required',
  input: z.object({
    username: Username,
    amount: TipTokens,
    /** With the type `menu`, `item` is the id of the ordered item and `amount` its price. */
    app_data: AppData.optional(),
    comment: z.string().max(MAX_TIP_COMMENT_LENGTH).optional(),
    source_id: z.string().max(64).optional(),
    type: z.string().regex(TIP_TYPE).max(32).optional(),
    vr: z.boolean().optional(),
    /** Only staff learn who the sender is; not even the performer does. */
    anonymous: z.boolean().optional(),
  }),
  output: z.object({
    status: z.literal(1),
    errorType: z.null(),
    error: z.null(),
    tip_id: z.string(),
    amount: z.int(),
    tokens: z.int(),
  }),
  refusals: [
    ...spendRefusals,
    overDailyLimit,
    geoBlockSender,
    geoBlockReceiver,
    receiverUnknown,
    ownTip,
    receiverMissing,
    menuItemUnknown,
    menuPriceDiffers,
    ageVerificationRequired,
    commentRefused,
    roomBanned,
    roomKicked,
  ],
  limit: { points: 300, seconds: 60, per: 'caller' },
  summary: 'Tip a performer',
  description: 'Takes whole tokens from the viewer and gives the performer their share, exactly once per '
    + 'Idempotency-Key. `tokens` is the balance after. A comment passes the rules of the room\'s chat.',
  requirements: ['A-348', 'A-230', 'A-008', 'A-214', 'A-231', 'A-233'],
});

export const targeted = [receiverUnknown, ageVerificationRequired] as const;

const Tip = z.object({
  id: z.int(),
  tip_id: z.string(),
  tokens: z.int(),
  comment: z.string(),
  type: z.string(),
  /** Title of the ordered item, with the type `menu`. */
  title: z.string().nullable(),
  anonymous: z.boolean(),
  at: z.string(),
});
/** UTC days, `YYYY-MM-DD`. */
const Day = z.iso.date().regex(STORED_YEAR);
const TipFilters = z.object({
  before: z.int().positive().optional(),
  limit: z.int().min(1).max(TIPS_PAGE).optional(),
  day: Day.optional(),
  type: z.string().max(32).optional(),
  /** Username of the other person. */
  with: Username.optional(),
});
export const SentTip = Tip.extend({ receiver_name: z.string() });
export const listSentTips = call({
  name: 'tips.listSentTips',
  method: 'GET',
  path: '/tips/sent',
  access: 'member',
  credential: 'cookie',
  input: TipFilters,
  output: z.object({ tips: z.array(SentTip), next: z.int().nullable() }),
  refusals: [],
  summary: 'The own tips',
  description: 'Newest first; `next` goes into `before` for the page after.',
});
export const ReceivedTip = Tip.extend({
  /** Null for an anonymous tip. */
  sender_name: z.string().nullable(),
});
export const listReceivedTips = call({
  name: 'tips.listReceivedTips',
  method: 'GET',
  path: '/tips/received',
  access: 'performer',
  credential: 'cookie',
  input: TipFilters,
  output: z.object({ tips: z.array(ReceivedTip), next: z.int().nullable() }),
  refusals: [],
  summary: 'Tips of the own room',
  description: 'Newest first. Anonymous tips are never found by name.',
});
export const listTipDays = call({
  name: 'tips.listTipDays',
  method: 'GET',
  path: '/tips/days',
  access: 'member',
  credential: 'cookie',
  input: z.object({ side: z.enum(['sent', 'received']), before: Day.optional() }),
  output: z.object({
    days: z.array(z.object({ day: z.string(), tokens: z.int(), tips: z.int() })).max(TIP_DAYS_PAGE),
    next: z.string().nullable(),
  }),
  refusals: [],
  summary: 'Tips by day',
  description: 'Days (UTC) with tips, newest first; `next` goes into `before`.',
});

export const getTipLimit = call({
  name: 'tips.getTipLimit',
  method: 'GET',
  path: '/tips/limit',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    /** Tokens one person can tip in a day (UTC); null without a limit. */
    daily_limit: z.int().nullable(),
    /** Tokens tipped today that count towards the limit. */
    tipped: z.int(),
    resets_at: z.string(),
  }),
  refusals: [],
  summary: 'Your daily tip limit',
  description: 'And how much of it is used. Above it tips answer `over_daily_limit`.',
  requirements: ['A-403'],
});

const TipRules = z.object({
  /** Tokens one person can tip in a day (UTC); null without a limit. */
  daily_limit: z.int().min(1).max(MAX_DAILY_LIMIT_TOKENS).nullable(),
});
export const getTipRules = call({
  name: 'tips.getTipRules',
  method: 'GET',
  path: '/tips/rules',
  access: 'admin',
  credential: 'cookie',
  input: z.object({}),
  output: TipRules,
  refusals: [],
  summary: 'What the operator allows',
  description: 'For admins.',
});
export const saveTipRules = call({
  name: 'tips.saveTipRules',
  method: 'POST',
  path: '/tips/rules',
  access: 'admin',
  credential: 'cookie',
  input: TipRules,
  output: TipRules,
  refusals: [],
  summary: 'Change what the operator allows',
  description: 'For admins; written to the audit log.',
});

export const tipReceived = event({
  name: 'v3.tip.received',
  socket: 'both',
  from: 'server',
  shape: z.object({
    tip_id: z.string(),
    tokens: z.int(),
    receiver_name: z.string(),
    /** `Anonymous` if `anonymous` is true. */
    sender_name: z.string(),
    type: z.string(),
    comment: z.string(),
    anonymous: z.boolean(),
  }),
  description: 'A tip arrived: to both people in every tab, and to the room. A socket may hear it twice: '
    + 'drop the `tip_id` you have.',
  requirements: ['B-006', 'A-387'],
});

export const tipPaid = fact({
  name: 'tips.received',
  shape: z.object({
    tipId: z.string(),
    senderId: z.int(),
    senderName: z.string(),
    receiverId: z.int(),
    receiverName: z.string(),
    tokens: z.int(),
    comment: z.string(),
    type: z.string(),
    /** If true, only the sender may learn who it was. */
    anonymous: z.boolean(),
    sourceId: z.string().nullable(),
    vr: z.boolean(),
    appData: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    /** The menu item that was ordered. */
    order: z.object({ id: z.int(), title: z.string() }).nullable(),
    /** The show it was given in, whose chat alone shows its words; older facts lack this. */
    showChat: z.string().nullable().optional(),
  }),
  description: 'A tip was posted in the ledger.',
});
