import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { spendRefusals } from '#product/ledger/contract.ts';
import { roomBanned, roomForbidden, roomGone, roomKicked, roomUnknown } from '#product/rooms/contract.ts';
import { z } from 'zod';
import { RECEIPTS_PAGE } from '../rules/private.ts';
import { SPY_BARS, SPY_END_REASONS } from '../rules/spying.ts';
import { inShow } from './private-show.ts';

const slice = 'shows';
export const spyNotPrivate = refusal({
  slice,
  code: 'spy_not_private',
  kind: 'conflict',
  description: 'No private show runs in the room.',
});
export const spyNotPublic = refusal({
  slice,
  code: 'spy_not_public',
  kind: 'conflict',
  description: 'The caller takes part in the room\'s show, or spies on it already.',
});
export const spyLimitedShow = refusal({
  slice,
  code: 'spy_limited_show',
  kind: 'conflict',
  description: 'A ticket show is announced or runs.',
});
export const spyExclusive = refusal({
  slice,
  code: 'spy_exclusive',
  kind: 'denied',
  description: 'The private show is exclusive.',
});
export const spyDisabled = refusal({
  slice,
  code: 'spy_disabled',
  kind: 'denied',
  description: 'The performer does not let viewers spy.',
});
export const spyFull = refusal({
  slice,
  code: 'spy_full',
  kind: 'limited',
  description: 'As many spy on the show as can.',
});
export const spyPriceDiffers = refusal({
  slice,
  code: 'spy_price_differs',
  kind: 'conflict',
  description: 'Spying costs something else now (`price` a minute, `startup_tip` to start) than the viewer '
    + 'was shown.',
});
export const notSpying = refusal({
  slice,
  code: 'not_spying',
  kind: 'absent',
  description: 'The caller does not spy on this performer.',
});

const Username = z.string().max(64);
const entryRefusals = [roomUnknown, roomGone, roomForbidden, roomBanned, roomKicked] as const;

/** Totals so far, for the viewer who spies. */
export const RunningSpy = z.object({
  /** Username of the performer. */
  broadcaster: z.string(),
  /** Tokens; 0 for viewers who spy for free. */
  cost_per_minute: z.int(),
  /** Seconds that counted, without the free preview. */
  seconds: z.int(),
  /** Tokens that those seconds cost, and the tip to start once it is paid. */
  tokens: z.int(),
  startup_tip: z.int(),
  /** Seconds left of the free preview. */
  preview_seconds: z.int(),
  /** Seconds until the tokens are used up; null for viewers who spy for free. */
  seconds_left: z.int().nullable(),
  /** No seconds count at the moment, because no media arrives or none is sent. */
  is_paused: z.boolean(),
});
export type RunningSpyView = z.infer<typeof RunningSpy>;

/** Totals of one viewer's spying on a show. */
export const SpyReceipt = z.object({
  id: z.int(),
  /** Username of the viewer; null for the performer, who does not learn who spied. */
  username: z.string().nullable(),
  broadcaster: z.string(),
  /** The private show that was spied on. */
  private_id: z.int(),
  /** Tokens a minute; 0 for viewers who spied for free. */
  cost_per_minute: z.int(),
  /** Seconds that counted. */
  seconds: z.int(),
  /** Seconds of the free preview. */
  preview_seconds: z.int(),
  /** Seconds that cost nothing, by the person whose media was missing. */
  free_seconds: z.object({ performer: z.int(), viewer: z.int() }),
  /** Tokens paid for the seconds: `floor(cost_per_minute × seconds / 60)`. */
  tokens: z.int(),
  /** Tokens paid to start. */
  startup_tip: z.int(),
  /** Tokens that were set aside and given back. */
  released: z.int(),
  reason_ended: z.enum(SPY_END_REASONS),
  started_at: z.string(),
  ended_at: z.string(),
});
export type SpyReceiptView = z.infer<typeof SpyReceipt>;

export const startSpying = call({
  name: 'shows.startSpying',
  method: 'POST',
  path: '/video/spy/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    username: Username,
    /** Price per minute and tip to start that the viewer was shown; a changed one is refused. */
    price: z.int().min(0).optional(),
    startup_tip: z.int().min(0).optional(),
  }),
  output: z.object({ status: z.literal(1), cost_per_minute: z.int(), message: z.string() }),
  refusals: [
    ...entryRefusals,
    spyNotPrivate,
    spyNotPublic,
    spyLimitedShow,
    spyExclusive,
    spyDisabled,
    inShow,
    spyFull,
    spyPriceDiffers,
    ...spendRefusals,
  ],
  limit: { points: 20, seconds: 60, per: 'caller' },
  summary: 'Spy on a private show',
  description: 'The caller sees a private show that is not exclusive, and pays by the second what reaches '
    + 'them. The free preview comes first. The tip to start is paid with the first second, unless the '
    + 'caller tipped within ten minutes. Members of the fan club from insider on spy for nothing. Spying on '
    + 'somebody else ends. The specification\'s call has no fields: without `price` or `startup_tip` '
    + 'the current ones apply.',
  requirements: [
    'A-010',
    'B-008',
    'B-262',
    'B-263',
    'B-264',
    'B-265',
    'B-266',
    'B-267',
    'B-298',
    'C-004',
    'C-210',
    'C-211',
    'C-222',
    'C-258',
    'C-403',
    'C-406',
  ],
});

export const endSpying = call({
  name: 'shows.endSpying',
  method: 'POST',
  path: '/video/spyend/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({ username: Username }),
  output: SpyReceipt,
  refusals: [notSpying],
  summary: 'Stop spying',
  description: 'Captures what is due and releases the rest of the hold at once.',
  requirements: ['C-224', 'C-259'],
});

export const getSpyPreview = call({
  name: 'shows.getSpyPreview',
  method: 'GET',
  path: '/video/spy/:username/preview-duration',
  access: 'member',
  credential: 'cookie',
  input: z.object({ username: Username }),
  output: z.object({
    /** 0 when today's preview is used up. */
    seconds: z.int(),
  }),
  refusals: [...entryRefusals],
  summary: 'How long spying is free at first',
  description: 'Seconds of the free preview that the caller has with this performer today (UTC).',
  requirements: ['C-257'],
});

export const checkSpying = call({
  name: 'shows.checkSpying',
  method: 'GET',
  path: '/video/spy/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({ username: Username }),
  output: z.object({
    /** Why the caller cannot spy now; null when they can, and while they spy. */
    bar: z.enum(SPY_BARS).nullable(),
    /** Tokens; 0 for viewers who spy for free. */
    cost_per_minute: z.int(),
    /** Tokens that starting costs in addition. */
    startup_tip: z.int(),
    preview_seconds: z.int(),
    /** The caller's balance, and the seconds it pays for after the tip; null when spying is free. */
    tokens: z.int(),
    seconds: z.int().nullable(),
    running: RunningSpy.nullable(),
  }),
  refusals: [...entryRefusals],
  summary: 'What spying would cost, and what it has come to',
  description: 'For the page that offers it, and for one that was loaded again.',
});

export const getSpyAudience = call({
  name: 'shows.getSpyAudience',
  method: 'GET',
  path: '/shows/spying',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    /** People who spy on the private show at the moment. */
    count: z.int(),
    /** Tokens that spying on this show has earned, including from viewers who have left. */
    tokens: z.int(),
  }),
  refusals: [],
  summary: 'How many spy on one\'s private show',
  description: 'A number and tokens; nobody\'s name.',
});

export const getSpyReceipts = call({
  name: 'shows.getSpyReceipts',
  method: 'GET',
  path: '/shows/spying/receipts',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    /** Only receipts before this id, which the previous page returned. */
    before: z.int().positive().optional(),
  }),
  output: z.object({
    /** Spying of the caller as viewer and as performer, newest first. */
    receipts: z.array(SpyReceipt).max(RECEIPTS_PAGE),
    /** `before` of the next page; null on the last. */
    next: z.int().nullable(),
  }),
  refusals: [],
  summary: 'Receipts of spying',
  description: 'What spying came to, for the viewer who did, and for the performer without the name.',
});

/** To one viewer, on their sockets in the performer's room. */
const toRoom = { socket: 'room', from: 'server' } as const;

export const spyStarted = event({
  name: 'v3.spy.started',
  ...toRoom,
  shape: z.object({
    /** Username of the performer. */
    broadcaster: z.string(),
    /** Tokens; 0 for viewers who spy for free. */
    cost_per_minute: z.int(),
    /** Seconds of the free preview. */
    preview_seconds: z.int(),
    /** Name of the private show's stream. */
    stream: z.string().nullable(),
  }),
  description: 'This viewer spies on the private show of the room from now on, on all of their pages.',
  requirements: ['C-114', 'C-115'],
});
export const spyTick = event({
  name: 'v3.spy.tick',
  ...toRoom,
  shape: RunningSpy,
  description: 'Each second: what spying has come to for this viewer.',
});
export const spyEnded = event({
  name: 'v3.spy.end',
  ...toRoom,
  shape: z.object({
    reason_ended: z.enum(SPY_END_REASONS),
    /** Totals; null when the page has to load them. */
    receipt: SpyReceipt.nullable(),
  }),
  description: 'This viewer no longer spies on the private show of the room.',
  requirements: ['B-346', 'B-197', 'C-116', 'C-158'],
});
export const spyAudience = event({
  name: 'v3.spy.audience',
  ...toRoom,
  shape: z.object({ count: z.int(), tokens: z.int() }),
  description: 'How many spy on the performer\'s private show and what it has brought: to the performer '
    + 'alone, when somebody comes or goes and every ten seconds.',
});
