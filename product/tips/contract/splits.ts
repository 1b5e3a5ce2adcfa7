import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { spendRefusals } from '#product/ledger/contract.ts';
import { roomBanned, roomKicked } from '#product/rooms/contract.ts';
import { roomPart } from '#product/rooms/rules/room-part.ts';
import { z } from 'zod';
import { geoBlockReceiver, geoBlockSender, overDailyLimit, ownTip, targeted } from '../contract.ts';
import { MAX_SPLITTERS, MIN_SPLITTERS, SPLIT_MODES, SPLIT_REASONS } from '../rules/split.ts';
import { TipTokens } from './menu.ts';

const slice = 'tips';
export const splitSilenced = refusal({
  slice,
  code: 'split_silenced',
  kind: 'denied',
  description: 'Silenced in the room: a split would write into its chat.',
});
export const splitUnavailable = refusal({
  slice,
  code: 'split_unavailable',
  kind: 'conflict',
  description: 'A split can only be started while none is proposed or has just ended.',
});
export const splitNotOpen = refusal({
  slice,
  code: 'split_not_open',
  kind: 'conflict',
  description: 'No split is open to be joined.',
});
export const splitJoined = refusal({
  slice,
  code: 'split_joined',
  kind: 'conflict',
  description: 'This person is in the split already.',
});
export const splitPriceDiffers = refusal({
  slice,
  code: 'split_price_differs',
  kind: 'conflict',
  description: 'Another split is open than the caller was shown, or their share of it is another (`price`).',
});
export const splitInPrivate = refusal({
  slice,
  code: 'split_in_private',
  kind: 'conflict',
  description: 'Nothing can be split while a private show runs.',
});
export const splitTooSmall = refusal({
  slice,
  code: 'split_too_small',
  kind: 'invalid',
  description: 'Less than one token for each.',
});
export const splitForbidden = refusal({
  slice,
  code: 'split_forbidden',
  kind: 'denied',
  description: 'Only the proposer, the performer and moderators cancel a split.',
});

const Username = z.string().max(64);

/** A tip that several people pay together (spec 2 §3.5). */
export const TipSplit = z.object({
  /** Id of the split; null without one. */
  id: z.string().nullable(),
  mode: z.enum(SPLIT_MODES),
  /** Usernames, in the order in which they joined. */
  splitters: z.array(z.string()),
  /** People needed. */
  target_splitters: z.int(),
  /** Tokens paid by each person who joins; the proposer also pays the remainder. */
  split_amount: z.int(),
  /** People still missing. */
  remaining: z.int(),
  /** Tokens paid by all together. */
  total: z.int(),
  /** Username; null if the performer proposed it, and without a split. */
  proposer: z.string().nullable(),
  ends_at: z.string().nullable(),
  /** Why a split was canceled. */
  reason: z.enum(SPLIT_REASONS).nullable(),
});
export type TipSplitView = z.infer<typeof TipSplit>;
/** The split of a room, in the data its page loads first. */
export const tipsPart = roomPart({
  key: 'tips',
  shape: z.object({
    tipSplit: TipSplit.pick({
      mode: true,
      splitters: true,
      target_splitters: true,
      split_amount: true,
      remaining: true,
    }).nullable(),
  }),
  empty: { tipSplit: null },
});

const splitEntry = [...targeted, splitInPrivate, splitSilenced, roomBanned, roomKicked] as const;
export const startSplit = call({
  name: 'tips.startSplit',
  method: 'POST',
  path: '/tips/split/:username',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    username: Username,
    amount: TipTokens,
    people: z.int().min(MIN_SPLITTERS).max(MAX_SPLITTERS),
  }),
  output: TipSplit,
  refusals: [
    ...splitEntry,
    ...spendRefusals,
    splitUnavailable,
    splitTooSmall,
    overDailyLimit,
    geoBlockSender,
    geoBlockReceiver,
  ],
  limit: { points: 12, seconds: 60, per: 'caller' },
  summary: 'Propose a tip split',
  description: 'Several people pay one tip together: `amount` in all, `people` of them, within 60 s. A '
    + 'viewer who proposes is the first of them; the performer only asks. Nobody pays until all are there.',
});
export const joinSplit = call({
  name: 'tips.joinSplit',
  method: 'POST',
  path: '/tips/split/:username/join',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    username: Username,
    /** Id and share in tokens of the split that the caller was shown: a changed one is refused. */
    id: z.uuid(),
    price: z.int().min(1),
  }),
  output: TipSplit,
  refusals: [
    ...splitEntry,
    ...spendRefusals,
    splitNotOpen,
    splitJoined,
    splitPriceDiffers,
    ownTip,
    overDailyLimit,
    geoBlockSender,
    geoBlockReceiver,
  ],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Join a tip split',
  description: 'When the last place is taken everyone pays at once, in one operation of the ledger.',
});
export const cancelSplit = call({
  name: 'tips.cancelSplit',
  method: 'POST',
  path: '/tips/split/:username/cancel',
  access: 'member',
  credential: 'cookie',
  input: z.object({ username: Username }),
  output: TipSplit,
  refusals: [...targeted, splitNotOpen, splitForbidden],
  summary: 'Cancel a tip split',
  description: 'Only by its proposer, the performer and moderators.',
});
export const splitChanged = event({
  name: 'v3.tip.split',
  socket: 'room',
  from: 'server',
  shape: TipSplit,
  description: 'The tip split of the room changed.',
  requirements: ['B-171', 'B-183'],
});
