import { call } from '#platform/contract/call.ts';
import { event } from '#platform/contract/event.ts';
import { fact } from '#platform/contract/fact.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { FANCLUB_LEVELS } from '#product/accounts/rules/current-user.ts';
import { spendRefusals } from '#product/ledger/contract.ts';
import { roomBanned, roomForbidden, roomGone, roomKicked, roomUnknown } from '#product/rooms/contract.ts';
import { roomPart } from '#product/rooms/rules/room-part.ts';
import { z } from 'zod';
import {
  FANCLUB_SHARE_PERCENT,
  MAX_CLUB_DESCRIPTION_LENGTH,
  MAX_CLUB_PRICE_TOKENS,
  MAX_MEMBERSHIPS,
  MAX_PERK_LENGTH,
  MAX_PERKS,
  MEMBERS_PAGE,
  MIN_CLUB_PRICE_TOKENS,
} from './rules.ts';
import { MEMBERSHIP_STATES } from './rules/membership.ts';

const slice = 'fanclubs';
export const ownClub = refusal({
  slice,
  code: 'own_club',
  kind: 'denied',
  description: 'Nobody joins their own fan club.',
});
export const clubClosed = refusal({
  slice,
  code: 'club_closed',
  kind: 'conflict',
  description: 'The performer has no fan club, or closed it.',
});
export const alreadyMember = refusal({
  slice,
  code: 'already_member',
  kind: 'conflict',
  description: 'The viewer is a member of this level, or of a higher one. A lower level from the next month '
    + 'on is a plan, and no joining.',
});
export const clubPriceChanged = refusal({
  slice,
  code: 'club_price_changed',
  kind: 'conflict',
  description: 'The level costs more than the page said. `price` is what it costs now; nothing was charged.',
});
export const tooManyClubs = refusal({
  slice,
  code: 'too_many_clubs',
  kind: 'conflict',
  description: `Nobody is in more than ${MAX_MEMBERSHIPS} clubs.`,
});
export const membershipUnknown = refusal({
  slice,
  code: 'membership_unknown',
  kind: 'absent',
  description: 'The caller has no such running membership.',
});
export const levelNotPaid = refusal({
  slice,
  code: 'level_not_paid',
  kind: 'conflict',
  description: 'The level is above the one that is paid: it is joined.',
});
export const pricesUneven = refusal({
  slice,
  code: 'prices_uneven',
  kind: 'invalid',
  description: 'A level has to cost more than those below it.',
});
export const descriptionBlocked = refusal({
  slice,
  code: 'description_blocked',
  kind: 'invalid',
  description: 'The description or a benefit has a word that the operator blocked.',
});

const Username = z.string().max(64);
const Level = z.enum(FANCLUB_LEVELS);
const entryRefusals = [roomUnknown, roomGone, roomForbidden, roomBanned, roomKicked] as const;

/** The fan club of a room's performer, and the viewer's membership of it (spec 2 §3.1). */
export const fanclubsPart = roomPart({
  key: 'fanclubs',
  shape: z.object({
    userSetting: z.object({
      fanclub: z.object({
        enabled: z.boolean(),
        description: z.string(),
        /** Tokens a month; null for a closed club. */
        priceSupporter: z.int().nullable(),
        priceInsider: z.int().nullable(),
        priceLegend: z.int().nullable(),
      }),
    }),
    auth: z.object({ fanclub: z.object({ membershipLevel: Level.nullable() }) }),
  }),
  empty: {
    userSetting: {
      fanclub: {
        enabled: false,
        description: '',
        priceSupporter: null,
        priceInsider: null,
        priceLegend: null,
      },
    },
    auth: { fanclub: { membershipLevel: null } },
  },
});

/** A level of a club as one viewer sees it. */
const Tier = z.object({
  level: Level,
  /** Tokens a month. */
  price: z.int(),
  /** What the performer promises, in addition to what every club offers. */
  perks: z.array(z.string()),
  /** Whole percent off media and shows. */
  discount_percent: z.int(),
  free_spy: z.boolean(),
  /** Tokens that this viewer would pay now for a month; null if they have this level or a higher one. */
  charge: z.int().nullable(),
});
export type TierView = z.infer<typeof Tier>;

const Membership = z.object({
  id: z.int(),
  level: Level,
  state: z.enum(MEMBERSHIP_STATES),
  /** Most tokens a month, for as long as the membership is renewed. */
  price: z.int(),
  since: z.string(),
  paid_until: z.string(),
  renews: z.boolean(),
  /** The lower level that applies after `paid_until`; null for the same level. */
  next_level: Level.nullable(),
  /** Most tokens a month for the lower level; null without one, or without an agreed price. */
  next_price: z.int().nullable(),
  /** In the state `grace`: when the membership ends unless it is paid. */
  grace_until: z.string().nullable(),
});
export type MembershipView = z.infer<typeof Membership>;

const Fans = z.object({
  username: z.string(),
  /** The caller's own membership; null without one. */
  membership: Membership.nullable(),
  /** The public profile of the club; null without `profile=1`. */
  profile: z.object({
    display_name: z.string(),
    enabled: z.boolean(),
    description: z.string(),
    /** Lowest first; empty for a closed club. */
    tiers: z.array(Tier),
    /** Number of members; only the performer learns who they are. */
    member_count: z.int(),
  }).nullable(),
});

export const getFans = call({
  name: 'fanclubs.getFans',
  method: 'GET',
  path: '/chat/:username/fans',
  access: 'anyone',
  credential: 'cookie',
  input: z.object({ username: Username, profile: z.literal('1').optional() }),
  output: Fans,
  refusals: [...entryRefusals],
  summary: 'A performer\'s fan club',
  description: 'What the caller is in it, and with `profile=1` the club: levels, prices, benefits. `charge` '
    + 'is what this caller would pay now.',
  requirements: ['C-256'],
});

export const joinFanclub = call({
  name: 'fanclubs.joinFanclub',
  method: 'POST',
  path: '/fanclubs/:username/join',
  access: 'member',
  credential: 'cookie',
  idempotency: 'required',
  input: z.object({
    username: Username,
    level: Level,
    /** The charge that the page showed. If the site's price is higher, the call is refused. */
    price: z.int().min(0).max(MAX_CLUB_PRICE_TOKENS),
  }),
  output: z.object({
    status: z.literal(1),
    membership: Membership,
    /** Tokens charged now, and the balance afterwards. */
    charged: z.int(),
    tokens: z.int(),
  }),
  refusals: [
    ...entryRefusals,
    ...spendRefusals,
    ownClub,
    clubClosed,
    alreadyMember,
    clubPriceChanged,
    tooManyClubs,
  ],
  limit: { points: 20, seconds: 60, per: 'caller' },
  summary: 'Join a fan club, or go up a level',
  description: 'Charges a month in tokens, once per Idempotency-Key; 80% are the performer\'s. Going up '
    + 'begins a new month, with what is left of the running one taken off. Renewed every 30 days until the '
    + 'member ends it.',
  requirements: ['A-012', 'B-012', 'A-461'],
});

export const planMembership = call({
  name: 'fanclubs.planMembership',
  method: 'POST',
  path: '/fanclubs/memberships/:id/plan',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    id: z.int().positive(),
    /** False ends the membership with the paid month. */
    renews: z.boolean(),
    /** The paid level or a lower one, from the next month on. */
    level: Level.optional(),
    /** For a lower level: price a month that the page showed. A higher one is refused. Absent means 0. */
    price: z.int().min(0).max(MAX_CLUB_PRICE_TOKENS).optional(),
  }),
  output: z.object({ membership: Membership }),
  refusals: [membershipUnknown, levelNotPaid, clubPriceChanged],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Cancel, resume or lower a membership',
  description: 'Takes effect when the paid month ends; in the grace a cancelled one ends at once. A lower '
    + 'level is renewed at the price agreed to here, or at a lower one of the day. It asks nothing of the '
    + 'room: whoever is banned cancels, too.',
});

export const listMemberships = call({
  name: 'fanclubs.listMemberships',
  method: 'GET',
  path: '/fanclubs/memberships',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    memberships: z.array(Membership.extend({
      /** Null for a performer whom the caller may not see. */
      username: z.string().nullable(),
      display_name: z.string().nullable(),
      /**
       * Current price of a month of each level; empty for a club that is closed or hidden from the caller.
       */
      prices: z.array(z.object({ level: Level, price: z.int() })).max(FANCLUB_LEVELS.length),
    })).max(MAX_MEMBERSHIPS),
  }),
  refusals: [],
  summary: 'The own fan club memberships',
  description: 'Running ones first, newest first; those that ended are named for 90 days.',
});

const Price = z.int().min(MIN_CLUB_PRICE_TOKENS).max(MAX_CLUB_PRICE_TOKENS);
const Perks = z.array(z.string().max(MAX_PERK_LENGTH)).max(MAX_PERKS);
const Club = z.object({
  enabled: z.boolean(),
  description: z.string().max(MAX_CLUB_DESCRIPTION_LENGTH),
  /** Tokens a month. */
  prices: z.object({ supporter: Price, insider: Price, legend: Price }),
  perks: z.object({ supporter: Perks, insider: Perks, legend: Perks }),
});
export type ClubView = z.infer<typeof Club>;
export const getOwnClub = call({
  name: 'fanclubs.getOwnClub',
  method: 'GET',
  path: '/fanclubs/club',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({
    club: Club,
    /** Running memberships by level. */
    members: z.object({ supporter: z.int(), insider: z.int(), legend: z.int() }),
    share_percent: z.literal(FANCLUB_SHARE_PERCENT),
  }),
  refusals: [],
  summary: 'The own fan club',
  description: 'Closed, with usual prices, before it is saved.',
});
export const saveOwnClub = call({
  name: 'fanclubs.saveOwnClub',
  method: 'POST',
  path: '/fanclubs/club',
  access: 'performer',
  credential: 'cookie',
  input: Club,
  output: z.object({ club: Club }),
  refusals: [pricesUneven, descriptionBlocked],
  limit: { points: 30, seconds: 60, per: 'caller' },
  summary: 'Open, change or close the own fan club',
  description: 'Members go on at the price they joined at, or at a lower one of the day. A closed club takes '
    + 'nobody, and renews nothing.',
  requirements: ['A-017'],
});

export const listMembers = call({
  name: 'fanclubs.listMembers',
  method: 'GET',
  path: '/fanclubs/members',
  access: 'performer',
  credential: 'cookie',
  input: z.object({ before: z.int().positive().optional(), level: Level.optional() }),
  output: z.object({
    members: z.array(Membership.extend({
      username: z.string(),
      display_name: z.string(),
      /** Whether the member belongs to the site's staff. Absent means no. */
      is_staff: z.boolean().optional(),
    })).max(MEMBERS_PAGE),
    next: z.int().nullable(),
  }),
  refusals: [],
  summary: 'Members of the own fan club',
  description: 'Running memberships, newest first; `next` goes into `before` for the page after.',
});

export const getAnnouncement = call({
  name: 'fanclubs.getAnnouncement',
  method: 'GET',
  path: '/fanclubs/announcement',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ is_new: z.boolean(), share_percent: z.literal(FANCLUB_SHARE_PERCENT) }),
  refusals: [],
  summary: 'Whether the caller has not seen the announcement of fan clubs yet',
  description: 'Performers see it one time, in whichever browser.',
  requirements: ['A-276', 'A-319'],
});
export const closeAnnouncement = call({
  name: 'fanclubs.closeAnnouncement',
  method: 'POST',
  path: '/fanclubs/announcement',
  access: 'performer',
  credential: 'cookie',
  input: z.object({}),
  output: z.object({ status: z.literal(1) }),
  refusals: [],
  summary: 'Say that one has seen the announcement of fan clubs',
  description: 'It does not come again.',
});

export const membershipChanged = event({
  name: 'v3.fanclub.membership',
  socket: 'both',
  from: 'server',
  shape: z.object({ username: z.string(), level: Level.nullable() }),
  description: 'To the member, in every tab: what they are in the club of `username` now, or how it goes on.',
});
export const fansError = event({
  name: 'v3.fans.error',
  socket: 'both',
  from: 'server',
  shape: z.object({
    username: z.string(),
    display_name: z.string(),
    /** Code of the renewal's refusal: `not_enough_tokens`, `user_monthly_limit`, `club_closed`. */
    errorType: z.string(),
    /** When the membership ends unless it is paid; null if it has ended. */
    grace_until: z.string().nullable(),
  }),
  description: 'To the member: the renewal of their membership failed.',
  requirements: ['C-324'],
});

export const clubChanged = fact({
  name: 'fanclubs.clubChanged',
  shape: z.object({ performerId: z.int() }),
  description: 'A performer opened, changed or closed the club. Subscribers read it now.',
});
export const duesPaid = fact({
  name: 'fanclubs.duesPaid',
  shape: z.object({
    performerId: z.int(),
    memberId: z.int(),
    level: Level,
    tokens: z.int(),
    kind: z.enum(['join', 'upgrade', 'renewal']),
  }),
  description: 'A month of a membership was paid in the ledger.',
});
