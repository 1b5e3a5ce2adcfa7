import { z } from 'zod';
import { call } from '../../platform/contract/call.ts';
import { event } from '../../platform/contract/event.ts';
import { fact } from '../../platform/contract/fact.ts';
import { refusal } from '../../platform/contract/refusal.ts';
import { STORED_YEAR } from '../../platform/time/days.ts';
import { ageVerificationRequired } from '../compliance/contract.ts';
import { spendRefusals } from '../ledger/contract.ts';
import { roomBanned, roomKicked } from '../rooms/contract.ts';
import { roomPart } from '../rooms/rules/room-part.ts';
import { MAX_SPLITTERS, MIN_SPLITTERS, SPLIT_MODES, SPLIT_REASONS } from './rules/split.ts';
import {
  EFFECT_KINDS, EFFECT_STATES, EFFECTS_PAGE, GOAL_STATES, MAX_APP_DATA_FIELDS, MAX_DAILY_LIMIT_TOKENS,
  MAX_GOAL_TOKENS, MAX_MENU_ITEMS, MAX_TIP_COMMENT_LENGTH, MAX_TIP_TOKENS, MAX_TITLE_LENGTH, MIN_TIP_TOKENS,
  TIP_DAYS_PAGE, TIPS_PAGE,
} from './rules.ts';

const slice = 'tips';
export const overDailyLimit = refusal({
  slice, code: 'over_daily_limit', kind: 'limited',
  description: 'More than the operator lets somebody tip in a day. Opens the verify modal.',
});
export const geoBlockSender = refusal({
  slice, code: 'tip_geo_block_sender', kind: 'denied',
  description: 'The sender\'s last log-in came from a country where tipping is disabled.',
});
export const geoBlockReceiver = refusal({
  slice, code: 'tip_geo_block_receiver', kind: 'denied',
  description: 'The receiver\'s last log-in came from a country where tipping is disabled.',
});
export const receiverUnknown = refusal({
  slice, code: 'receiver_unknown', kind: 'absent', description: 'There is no such performer for this viewer.',
});
export const ownTip = refusal({
  slice, code: 'own_tip', kind: 'denied', description: 'Nobody tips themselves.',
});
export const receiverMissing = refusal({
  slice, code: 'receiver_missing', kind: 'invalid', description: 'The target username is empty.',
});
export const commentRefused = refusal({
  slice, code: 'comment_refused', kind: 'denied',
  description: 'The chat of the room would refuse the comment: a silence, a blocked word, a link. Nothing '
    + 'was charged.',
});
export const splitSilenced = refusal({
  slice, code: 'split_silenced', kind: 'denied',
  description: 'Silenced in the room: a split would write into its chat.',
});
export const menuItemUnknown = refusal({
  slice, code: 'menu_item_unknown', kind: 'absent',
  description: 'The performer\'s menu has no such item (any more).',
});
export const menuPriceDiffers = refusal({
  slice, code: 'menu_price_differs', kind: 'conflict',
  description: 'The amount is not the price of the item (`price`).',
});
export const titleEmpty = refusal({
  slice, code: 'title_empty', kind: 'invalid', description: 'Nothing is left of the title.',
});
export const goalUnknown = refusal({
  slice, code: 'goal_unknown', kind: 'absent', description: 'There is no such goal that is not over.',
});
export const goalsFull = refusal({
  slice, code: 'goals_full', kind: 'conflict', description: 'No more goals can wait.',
});
export const splitUnavailable = refusal({
  slice, code: 'split_unavailable', kind: 'conflict',
  description: 'A split can only be started while none is proposed or has just ended.',
});
export const splitNotOpen = refusal({
  slice, code: 'split_not_open', kind: 'conflict', description: 'No split is open to be joined.',
});
export const splitJoined = refusal({
  slice, code: 'split_joined', kind: 'conflict', description: 'This person is in the split already.',
});
export const splitInPrivate = refusal({
  slice, code: 'split_in_private', kind: 'conflict',
  description: 'Nothing can be split while a private show runs.',
});
export const splitTooSmall = refusal({
  slice, code: 'split_too_small', kind: 'invalid', description: 'Less than one token for each.',
});
export const splitForbidden = refusal({
  slice, code: 'split_forbidden', kind: 'denied',
  description: 'Only the performer, moderators and whoever proposed it take a split back.',
});
export const effectUnknown = refusal({
  slice, code: 'effect_unknown', kind: 'absent', description: 'There is no such effect of this performer.',
});
export const overlayUnknown = refusal({
  slice, code: 'overlay_unknown', kind: 'absent', description: 'The token is not, or no longer, good.',
});

const Username = z.string().max(64);
const Title = z.string().max(MAX_TITLE_LENGTH);
/** Clients of a room receive the type of a tip: a word of programs, and no text. */
const TIP_TYPE = /^[\w-]*$/;
const Tokens = z.int().min(MIN_TIP_TOKENS).max(MAX_TIP_TOKENS);
const Done = z.object({ status: z.literal(1) });
const AppData = z.record(z.string().max(40), z.union([z.string().max(200), z.number(), z.boolean()]))
  .refine((fields) => Object.keys(fields).length <= MAX_APP_DATA_FIELDS);

export const sendTip = call({
  name: 'tips.sendTip', method: 'POST', path: '/tip/:username', access: 'member', credential: 'cookie',
  idempotency: 'required',
  input: z.object({
    username: Username,
    amount: Tokens,
    /** With the type `menu`, `item` is the id of the ordered item and `amount` its price. */
    app_data: AppData.optional(),
    comment: z.string().max(MAX_TIP_COMMENT_LENGTH).optional(),
    source_id: z.string().max(64).optional(),
    type: z.string().regex(TIP_TYPE).max(32).optional(),
    vr: z.boolean().optional(),
    /** Nobody but staff learns who it was, the performer neither. */
    anonymous: z.boolean().optional(),
  }),
  output: z.object({
    status: z.literal(1), errorType: z.null(), error: z.null(),
    tip_id: z.string(), amount: z.int(), tokens: z.int(),
  }),
  refusals: [
    ...spendRefusals, overDailyLimit, geoBlockSender, geoBlockReceiver, receiverUnknown, ownTip,
    receiverMissing, menuItemUnknown, menuPriceDiffers, ageVerificationRequired, commentRefused, roomBanned,
    roomKicked,
  ],
  limit: { points: 300, seconds: 60, per: 'caller' },
  summary: 'Tip a performer',
  description: 'Takes whole tokens from the viewer and gives the performer their share, exactly once per '
    + 'Idempotency-Key. `tokens` is the balance after. A comment passes the rules of the room\'s chat.',
  requirements: ['A-348', 'A-230', 'A-008', 'A-214', 'A-231', 'A-233'],
});

export const MenuItem = z.object({ id: z.int(), title: z.string(), price: z.int() });
export type MenuItemView = z.infer<typeof MenuItem>;

/** The running goal, as everybody in the room sees it. */
export const Goal = z.object({
  id: z.int(), title: z.string(),
  /** Tokens. */
  target: z.int(), progress: z.int(),
});
export type GoalView = z.infer<typeof Goal>;
const OwnGoal = Goal.extend({ state: z.enum(GOAL_STATES) });
export type OwnGoalView = z.infer<typeof OwnGoal>;

/** A tip that several people pay together (spec 2 §3.5). */
export const TipSplit = z.object({
  mode: z.enum(SPLIT_MODES),
  /** Usernames, in the order in which they joined. */
  splitters: z.array(z.string()),
  /** How many it takes. */
  target_splitters: z.int(),
  /** Tokens of whoever joins; whoever proposed it pays what does not divide, too. */
  split_amount: z.int(),
  /** People still missing. */
  remaining: z.int(),
  /** Tokens of all together. */
  total: z.int(),
  /** Username; null for the performer herself, and where there is no split. */
  proposer: z.string().nullable(),
  ends_at: z.string().nullable(),
  /** Why a canceled one was. */
  reason: z.enum(SPLIT_REASONS).nullable(),
});
export type TipSplitView = z.infer<typeof TipSplit>;
/** The split of a room, as its page starts with it. */
export const tipsPart = roomPart({
  key: 'tips',
  shape: z.object({
    tipSplit: TipSplit.pick({
      mode: true, splitters: true, target_splitters: true, split_amount: true, remaining: true,
    }).nullable(),
  }),
  empty: { tipSplit: null },
});

const targeted = [receiverUnknown, ageVerificationRequired] as const;
export const getTipRoom = call({
  name: 'tips.getTipRoom', method: 'GET', path: '/tips/room/:username', access: 'anyone',
  credential: 'cookie', input: z.object({ username: Username }),
  output: z.object({ menu: z.array(MenuItem), goal: Goal.nullable(), split: TipSplit }),
  refusals: targeted, limit: { points: 240, seconds: 60, per: 'caller' },
  summary: 'Menu, goal and tip split of a room', description: 'As everybody who may see the room sees them.',
});

export const saveTipMenu = call({
  name: 'tips.saveTipMenu', method: 'POST', path: '/tips/menu', access: 'performer', credential: 'cookie',
  input: z.object({
    items: z.array(z.object({ id: z.int().positive().optional(), title: Title, price: Tokens }))
      .max(MAX_MENU_ITEMS),
  }),
  output: z.object({ items: z.array(MenuItem) }), refusals: [menuItemUnknown, titleEmpty],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Save the own tip menu',
  description: 'The whole menu in its order. An item keeps its `id` as long as title and price stay; a '
    + 'changed one gets another, and the old one can be ordered a little longer.',
});

export const getTipTools = call({
  name: 'tips.getTipTools', method: 'GET', path: '/tips/desk', access: 'performer', credential: 'cookie',
  input: z.object({}),
  output: z.object({
    menu: z.array(MenuItem), goals: z.array(OwnGoal),
    /** Tokens tipped today (UTC), and by how many tips. */
    today: z.object({ tokens: z.int(), tips: z.int() }),
    /** When the overlay's address was made; null while there is none. */
    overlay_made_at: z.string().nullable(),
  }),
  refusals: [], summary: 'The own tip tools', description: 'Menu, goals that are not over, and the overlay.',
});
export const addGoal = call({
  name: 'tips.addGoal', method: 'POST', path: '/tips/goals', access: 'performer', credential: 'cookie',
  input: z.object({ title: Title, target: z.int().min(1).max(MAX_GOAL_TOKENS) }),
  output: z.object({ goals: z.array(OwnGoal) }), refusals: [goalsFull, titleEmpty],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Add a goal', description: 'It starts at once when none runs, else after those before it.',
});
export const endGoal = call({
  name: 'tips.endGoal', method: 'POST', path: '/tips/goals/:id/end', access: 'performer',
  credential: 'cookie', input: z.object({ id: z.int().positive() }),
  output: z.object({ goals: z.array(OwnGoal) }), refusals: [goalUnknown],
  summary: 'End a goal', description: 'Takes a waiting goal away, or ends the running one; the next starts.',
});

const splitEntry = [...targeted, splitInPrivate, splitSilenced, roomBanned, roomKicked] as const;
export const startSplit = call({
  name: 'tips.startSplit', method: 'POST', path: '/tips/split/:username', access: 'member',
  credential: 'cookie',
  input: z.object({
    username: Username, amount: Tokens, people: z.int().min(MIN_SPLITTERS).max(MAX_SPLITTERS),
  }),
  output: TipSplit,
  refusals: [
    ...splitEntry, ...spendRefusals, splitUnavailable, splitTooSmall, overDailyLimit, geoBlockSender,
    geoBlockReceiver,
  ],
  limit: { points: 12, seconds: 60, per: 'caller' },
  summary: 'Propose a tip split',
  description: 'Several people pay one tip together: `amount` in all, `people` of them, within 60 s. A '
    + 'viewer who proposes is the first of them; the performer only asks. Nobody pays until all are there.',
});
export const joinSplit = call({
  name: 'tips.joinSplit', method: 'POST', path: '/tips/split/:username/join', access: 'member',
  credential: 'cookie', input: z.object({ username: Username }), output: TipSplit,
  refusals: [
    ...splitEntry, ...spendRefusals, splitNotOpen, splitJoined, ownTip, overDailyLimit, geoBlockSender,
    geoBlockReceiver,
  ],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Join a tip split',
  description: 'Whoever takes the last place makes all pay at once, in one operation of the ledger.',
});
export const cancelSplit = call({
  name: 'tips.cancelSplit', method: 'POST', path: '/tips/split/:username/cancel', access: 'member',
  credential: 'cookie', input: z.object({ username: Username }), output: TipSplit,
  refusals: [...targeted, splitNotOpen, splitForbidden],
  summary: 'Take a tip split back', description: 'By whoever proposed it, the performer and moderators.',
});

/** Something a tip sets off, and how far it got. */
export const Effect = z.object({
  id: z.int(), kind: z.enum(EFFECT_KINDS), state: z.enum(EFFECT_STATES),
  /** What was ordered or reached; empty for an alert. */
  title: z.string(), tokens: z.int(),
  /** Null where nobody is to know. */
  sender_name: z.string().nullable(),
  /** How often it was sent on its way. */
  tries: z.int(),
  /** An order the performer has done; null for what is no order. */
  done: z.boolean().nullable(),
  at: z.string(),
});
export type EffectView = z.infer<typeof Effect>;
export const listEffects = call({
  name: 'tips.listEffects', method: 'GET', path: '/tips/effects', access: 'performer', credential: 'cookie',
  input: z.object({
    before: z.int().positive().optional(),
    limit: z.int().min(1).max(EFFECTS_PAGE).optional(),
  }),
  output: z.object({ effects: z.array(Effect), next: z.int().nullable() }), refusals: [],
  summary: 'What tips set off', description: 'Newest first; `next` goes into `before` for the page after.',
});
const EffectId = z.object({ id: z.int().positive() });
export const replayEffect = call({
  name: 'tips.replayEffect', method: 'POST', path: '/tips/effects/:id/replay', access: 'performer',
  credential: 'cookie', input: EffectId, output: Effect, refusals: [effectUnknown],
  limit: { points: 60, seconds: 60, per: 'caller' },
  summary: 'Set something off again', description: 'Delivered or failed before: it goes on its way anew.',
});
export const finishOrder = call({
  name: 'tips.finishOrder', method: 'POST', path: '/tips/effects/:id/done', access: 'performer',
  credential: 'cookie', input: EffectId.extend({ done: z.boolean() }), output: Effect,
  refusals: [effectUnknown],
  summary: 'Tick an order off', description: 'The performer did what was ordered, or did not yet.',
});

export const makeOverlay = call({
  name: 'tips.makeOverlay', method: 'POST', path: '/tips/overlay', access: 'performer', credential: 'cookie',
  input: z.object({}), output: z.object({ token: z.string(), made_at: z.string() }), refusals: [],
  limit: { points: 12, seconds: 60, per: 'caller' },
  summary: 'Make an overlay address',
  description: 'Answers the token of `/overlay/{token}`, this once. One made before stops working.',
});
export const revokeOverlay = call({
  name: 'tips.revokeOverlay', method: 'POST', path: '/tips/overlay/revoke', access: 'performer',
  credential: 'cookie', input: z.object({}), output: Done, refusals: [],
  summary: 'Revoke the overlay address', description: 'Its page goes dark and its sockets close.',
});
export const getOverlay = call({
  name: 'tips.getOverlay', method: 'GET', path: '/overlay/:token', access: 'anyone', credential: 'none',
  input: z.object({ token: z.string().max(64) }),
  output: z.object({ performer: z.string(), goal: Goal.nullable() }), refusals: [overlayUnknown],
  limit: { points: 60, seconds: 60, per: 'address' },
  summary: 'What an overlay starts with',
  description: 'Read by the page in OBS with nothing but its token. The same token opens `/ws/lobby` as '
    + '`v3.authorize.token`, where `v3.overlay.alert` and `v3.overlay.goal` come, and nothing else.',
});

const Tip = z.object({
  id: z.int(), tip_id: z.string(), tokens: z.int(), comment: z.string(), type: z.string(),
  /** What was ordered, with the type `menu`. */
  title: z.string().nullable(),
  anonymous: z.boolean(), at: z.string(),
});
/** Days are of UTC, `YYYY-MM-DD`. */
const Day = z.iso.date().regex(STORED_YEAR);
const TipFilters = z.object({
  before: z.int().positive().optional(),
  limit: z.int().min(1).max(TIPS_PAGE).optional(),
  day: Day.optional(), type: z.string().max(32).optional(),
  /** Username of the other side. */
  with: Username.optional(),
});
export const SentTip = Tip.extend({ receiver_name: z.string() });
export const listSentTips = call({
  name: 'tips.listSentTips', method: 'GET', path: '/tips/sent', access: 'member', credential: 'cookie',
  input: TipFilters, output: z.object({ tips: z.array(SentTip), next: z.int().nullable() }), refusals: [],
  summary: 'The own tips', description: 'Newest first; `next` goes into `before` for the page after.',
});
export const ReceivedTip = Tip.extend({
  /** Null for an anonymous tip. */
  sender_name: z.string().nullable(),
});
export const listReceivedTips = call({
  name: 'tips.listReceivedTips', method: 'GET', path: '/tips/received', access: 'performer',
  credential: 'cookie', input: TipFilters,
  output: z.object({ tips: z.array(ReceivedTip), next: z.int().nullable() }), refusals: [],
  summary: 'Tips of the own room',
  description: 'Newest first. Anonymous tips are never found by name.',
});
export const listTipDays = call({
  name: 'tips.listTipDays', method: 'GET', path: '/tips/days', access: 'member', credential: 'cookie',
  input: z.object({ side: z.enum(['sent', 'received']), before: Day.optional() }),
  output: z.object({
    days: z.array(z.object({ day: z.string(), tokens: z.int(), tips: z.int() })).max(TIP_DAYS_PAGE),
    next: z.string().nullable(),
  }),
  refusals: [], summary: 'Tips by day',
  description: 'Days (UTC) with tips, newest first; `next` goes into `before`.',
});

export const getTipLimit = call({
  name: 'tips.getTipLimit', method: 'GET', path: '/tips/limit', access: 'member', credential: 'cookie',
  input: z.object({}),
  output: z.object({
    /** Tokens one person can tip in a day (UTC); null without a limit. */
    daily_limit: z.int().nullable(),
    /** Tokens of today that count. */
    tipped: z.int(),
    resets_at: z.string(),
  }),
  refusals: [], summary: 'What the operator lets oneself tip in a day',
  description: 'And how much of it is used. Above it tips answer `over_daily_limit`.',
  requirements: ['A-403'],
});

const TipRules = z.object({
  /** Tokens one person can tip in a day (UTC); null without a limit. */
  daily_limit: z.int().min(1).max(MAX_DAILY_LIMIT_TOKENS).nullable(),
});
export const getTipRules = call({
  name: 'tips.getTipRules', method: 'GET', path: '/tips/rules', access: 'admin', credential: 'cookie',
  input: z.object({}), output: TipRules, refusals: [],
  summary: 'What the operator allows', description: 'For admins.',
});
export const saveTipRules = call({
  name: 'tips.saveTipRules', method: 'POST', path: '/tips/rules', access: 'admin', credential: 'cookie',
  input: TipRules, output: TipRules, refusals: [],
  summary: 'Change what the operator allows', description: 'For admins; written to the audit log.',
});

export const tipReceived = event({
  name: 'v3.tip.received', socket: 'both', from: 'server',
  shape: z.object({
    tip_id: z.string(), tokens: z.int(), receiver_name: z.string(),
    /** `Anonymous` where `anonymous` says so. */
    sender_name: z.string(),
    type: z.string(), comment: z.string(), anonymous: z.boolean(),
  }),
  description: 'A tip arrived: to both people in every tab, and to the room. A socket may hear it twice: '
    + 'drop the `tip_id` you have.',
  requirements: ['B-006', 'A-387'],
});
export const goalChanged = event({
  name: 'v3.tip.goal', socket: 'both', from: 'server',
  shape: z.object({ goal: Goal.nullable(), reached: z.array(Goal) }),
  description: 'How the running goal stands, null when none runs; goals reached just now. To the room and to '
    + 'every tab of the performer.',
});
export const menuChanged = event({
  name: 'v3.tip.menu', socket: 'room', from: 'server', shape: z.object({ items: z.array(MenuItem) }),
  description: 'The tip menu of the room is another one.',
});
export const splitChanged = event({
  name: 'v3.tip.split', socket: 'room', from: 'server', shape: TipSplit,
  description: 'The tip split of the room changed.',
  requirements: ['B-171', 'B-183'],
});
export const effectChanged = event({
  name: 'v3.tip.effect', socket: 'both', from: 'server', shape: z.object({ effect: Effect }),
  description: 'To the performer: something a tip sets off is new, or got on.',
});
export const overlayAlert = event({
  name: 'v3.overlay.alert', socket: 'lobby', from: 'server',
  shape: z.object({
    effect_id: z.int(), tokens: z.int(), sender_name: z.string().nullable(), comment: z.string(),
    /** What was ordered, else empty. */
    title: z.string(),
  }),
  description: 'To overlays: a tip to show. The overlay answers `v3.overlay.shown`.',
});
export const overlayGoal = event({
  name: 'v3.overlay.goal', socket: 'lobby', from: 'server',
  shape: z.object({ goal: Goal.nullable(), reached: z.array(Goal) }),
  description: 'To overlays: how the goal stands.',
});
export const overlayShown = event({
  name: 'v3.overlay.shown', socket: 'lobby', from: 'client', access: 'anyone',
  shape: z.object({ effect_id: z.int().positive() }),
  description: 'From an overlay: the alert arrived. From anybody else it is nothing.',
});

export const tipPaid = fact({
  name: 'tips.received',
  shape: z.object({
    tipId: z.string(), senderId: z.int(), senderName: z.string(),
    receiverId: z.int(), receiverName: z.string(),
    tokens: z.int(), comment: z.string(), type: z.string(),
    /** Then nobody but the sender may learn who it was. */
    anonymous: z.boolean(),
    sourceId: z.string().nullable(), vr: z.boolean(),
    appData: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    /** The menu item that was ordered. */
    order: z.object({ id: z.int(), title: z.string() }).nullable(),
    /** The show it was given in, whose readers alone get its words; older facts lack it. */
    showChat: z.string().nullable().optional(),
  }),
  description: 'A tip was posted in the ledger.',
});
export const toolsChanged = fact({
  name: 'tips.toolsChanged', shape: z.object({ performerId: z.int() }),
  description: 'A goal or the menu of a performer began or ended. Subscribers read which run now.',
});
export const effectQueued = fact({
  name: 'tips.effectQueued', shape: z.object({ effectId: z.int() }),
  description: 'Something a tip sets off is to be delivered.',
});
