import { bucketLeft, type BucketRate } from '#platform/time/token-bucket.ts';
import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { DEFAULT_SETTINGS, type CHAT_ALLOWED } from '#product/accounts/rules/settings.ts';
import type { Restriction } from '#product/rooms/rules.ts';

/** Actions of a moderator on somebody in a room. */
export const MODERATION_ACTIONS = [
  'ban',
  'unban',
  'kick',
  'silence',
  'unsilence',
  'moderator',
  'unmoderator',
] as const;
export type ModerationAction = (typeof MODERATION_ACTIONS)[number];
/** Lists of the moderation panel. */
export const MODERATION_LISTS = ['bans', 'silences', 'moderators', 'actions'] as const;
export type ModerationList = (typeof MODERATION_LISTS)[number];
export const HELD_DECISIONS = ['show', 'drop', 'silence'] as const;
export type HeldDecision = (typeof HELD_DECISIONS)[number];

/**
 * Days until a room moderator's rights end, unless the performer set others; naming them again restarts the
 * period (spec 1 §9).
 */
export const MODERATOR_DAYS: number = DEFAULT_SETTINGS.mod_expire;
/** A kick is a pause: long enough to calm down, short enough to see the end of the show. */
export const KICK_MINUTES = 10;
/** The longest timed ban or silence, a year; a longer one is permanent. */
export const MAX_TIMED_MINUTES = 365 * 24 * 60;
/** Fits two lines of a toast. */
export const MAX_REASON_LENGTH = 200;
/** The most moderators of a room: all fit one page of the list, and each was named by hand. */
export const MAX_MODERATORS = 50;
/** The most active bans, and active silences, of a room: if there are more, something else is wrong. */
export const MAX_RESTRICTIONS = 10_000;
/** Silenced people sent to a page; the moderation panel has the full list. */
export const MAX_SILENCED_NAMED = 200;
/** Messages removed at once: a screen of them. */
export const MAX_REMOVED = 50;
/** Fits two screens of a phone. */
export const MODERATION_PER_PAGE = 50;
/** Actions stored in a room's own log; the audit log has them all. */
export const MAX_ACTIONS = 1_000;

/** The role in which somebody acts in a room; the first that applies. */
export type RoomRole = 'performer' | 'admin' | 'site_moderator' | 'room_moderator' | 'none';

/** Roles that run the site: they name moderators, and nobody in a room can moderate them. */
const ADMIN_ROLES: readonly string[] = ['model_admin', 'admin', 'super_admin'];
const SITE_MODERATOR = 'site_mod';

/** Somebody in a room, as actor or subject of moderation. */
export interface Participant {
  /** Null for a guest. */
  readonly personId: number | null;
  readonly roles: readonly string[];
  /** Named a moderator of this room, and the naming has not expired. */
  readonly isRoomModerator: boolean;
}

/** The role in which somebody acts in the room of a performer. */
export function roomRoleOf({ personId, roles, isRoomModerator }: Participant, performerId: number): RoomRole {
  if (personId === null) return 'none';
  if (personId === performerId) return 'performer';
  if (roles.some((role) => ADMIN_ROLES.includes(role))) return 'admin';
  if (roles.includes(SITE_MODERATOR)) return 'site_moderator';
  return isRoomModerator ? 'room_moderator' : 'none';
}

/** Room admins and the room's moderators (spec 2 §6): who moderates and sees the moderation panel. */
export const canModerate = (role: RoomRole): boolean => role !== 'none';
/** The performer and admins; moderators cannot name others. */
export const mayNameModerators = (role: RoomRole): boolean => role === 'performer' || role === 'admin';
/** Only room admins may change all chat rules. */
export const mayChangeRules = (role: RoomRole): boolean => canModerate(role) && role !== 'room_moderator';
/** Rules that the room's moderators may change too, while the chat is busy. */
export const MODERATORS_RULES: readonly string[] = ['slow_mode_seconds', 'links'];

/** Why an action is refused; refusals of the contract have the same codes. */
export type ModerationRefusal =
  | 'moderation_forbidden'
  | 'own_moderation'
  | 'subject_protected'
  | 'guest_moderator';

const NAMING: ReadonlySet<ModerationAction> = new Set(['moderator', 'unmoderator']);

/** The restriction an action adds or removes. */
export const KIND_OF: Readonly<Record<ModerationAction, Restriction>> = {
  ban: 'banned',
  unban: 'banned',
  kick: 'kicked',
  silence: 'silenced',
  unsilence: 'silenced',
  moderator: 'moderator',
  unmoderator: 'moderator',
};
/** Whether an action undoes another. */
export const isUndo = (action: ModerationAction): boolean => action.startsWith('un');

/**
 * The only rule of who may do what to whom in a room; null when it is allowed. Nobody acts on themselves,
 * except that moderators may resign. The performer, admins and site moderators are protected, and moderators
 * are protected from each other.
 */
export function mayModerate(
  actor: Participant,
  subject: Participant,
  action: ModerationAction,
  performerId: number,
): ModerationRefusal | null {
  const [by, of] = [roomRoleOf(actor, performerId), roomRoleOf(subject, performerId)];
  if (!canModerate(by)) return 'moderation_forbidden';
  if (actor.personId === subject.personId) {
    return action === 'unmoderator' && by === 'room_moderator' ? null : 'own_moderation';
  }
  if (NAMING.has(action) && !mayNameModerators(by)) return 'moderation_forbidden';
  if (subject.personId === null && NAMING.has(action)) return 'guest_moderator';
  if (of === 'performer' || of === 'admin' || of === 'site_moderator') return 'subject_protected';
  if (of === 'room_moderator' && by === 'room_moderator') return 'subject_protected';
  return null;
}

/** When an action's effect ends; null for a permanent one. @param minutes null for the default */
export function endOf(
  action: ModerationAction,
  minutes: number | null,
  now: Date,
  moderatorDays = MODERATOR_DAYS,
): Date | null {
  if (action === 'moderator') return new Date(now.getTime() + moderatorDays * DAY_MS);
  const length = minutes ?? (action === 'kick' ? KICK_MINUTES : null);
  return length === null ? null : new Date(now.getTime() + length * MINUTE_MS);
}

/** Who may write in a room (spec 2, chat_allowed). */
export type ChatAllowed = (typeof CHAT_ALLOWED)[number];
export const LINK_RULES = ['allow', 'hold', 'refuse'] as const;
export type LinkRule = (typeof LINK_RULES)[number];
export const CHAT_PRESETS = ['open', 'careful', 'fans_only'] as const;
export type ChatPreset = (typeof CHAT_PRESETS)[number];

/** With slow mode everybody can still write every five minutes: anything slower is a silence. */
export const MAX_SLOW_MODE_SECONDS = 300;
/** Viewers leave if they must wait longer than this for their first message. */
export const MAX_JOIN_COOL_DOWN_SECONDS = 300;
/** As many words as one person can read through. */
export const MAX_BLOCKED_WORDS = 200;
/** Words blocked in all rooms of the site, in six languages. */
export const MAX_SITE_WORDS = 1_000;
/** Length of a phrase; longer texts are found by similarity. */
export const MAX_BLOCKED_WORD_LENGTH = 40;
/** Held messages of a room; a further one drops the oldest, because nobody reads that far back. */
export const MAX_HELD = 100;
/** Held messages of one person. */
const MAX_HELD_PER_PERSON = 3;
/** A held message expires after this: its conversation is over. */
export const HELD_MS = 60 * MINUTE_MS;

/** Rules of a room's chat. */
export interface ChatRules {
  readonly chat_allowed: ChatAllowed;
  /** Between two messages of one person; 0 turns it off. */
  readonly slow_mode_seconds: number;
  /** Between joining and the first message; 0 turns it off. */
  readonly join_cool_down_seconds: number;
  /** What happens to links of members who don't moderate. */
  readonly links: LinkRule;
  /** Whether the first message of a fresh account waits for a moderator. */
  readonly first_message_hold: boolean;
}

/** The presets, as data. */
export const PRESETS: Readonly<Record<ChatPreset, ChatRules>> = {
  open: {
    chat_allowed: 'all',
    slow_mode_seconds: 0,
    join_cool_down_seconds: 0,
    links: 'hold',
    first_message_hold: false,
  },
  careful: {
    chat_allowed: 'all',
    slow_mode_seconds: 5,
    join_cool_down_seconds: 15,
    links: 'refuse',
    first_message_hold: true,
  },
  fans_only: {
    chat_allowed: 'tip_anytime',
    slow_mode_seconds: 0,
    join_cool_down_seconds: 5,
    links: 'refuse',
    first_message_hold: false,
  },
};
export const DEFAULT_PRESET: ChatPreset = 'open';

/** Why a message is refused; texts under `room-moderation:errors.*`. */
export const SPEECH_REFUSALS = [
  'silenced',
  'tip_anytime',
  'tip_recent',
  'tokens',
  'join_cool_down',
  'slow_mode',
  'too_fast',
  'word',
  'link',
  'repeated',
  'waiting',
] as const;
export type SpeechRefusal = (typeof SPEECH_REFUSALS)[number];
/** Why a message is held for a moderator. */
export const HELD_FOR = ['link', 'first_message'] as const;
export type HeldFor = (typeof HELD_FOR)[number];

/** What identifies a viewer to a ban besides the account; all are keyed digests. */
export const MARKS = ['session', 'device', 'network'] as const;
export type Mark = (typeof MARKS)[number];
/** An account younger than this may be a second one made after a ban: sharing a network is enough. */
const NETWORK_ACCOUNT_DAYS = 7;
/** On the same device, an account younger than this at the time of the ban counts as made to evade it. */
const DEVICE_ACCOUNT_DAYS = 30;
/** A permanent ban drops its networks after this: addresses move to other people. */
export const NETWORK_MARK_DAYS = 30;
/** Marks stored per ban: those of its subject from before, and some that they return with. */
export const MAX_MARKS = 64;
/** How long a viewer's marks are stored for a possible ban. */
export const TRACE_MS = DAY_MS;
/** Combinations of marks stored per viewer; the latest are used. */
export const MAX_TRACES = 16;
/** Others removed together with a banned person: a household, or a small farm of accounts. */
export const MAX_SHARING = 100;
/** A visit is stored again only after this time, so that returning costs no write. */
export const TRACE_AGAIN_MS = 10 * MINUTE_MS;
/** Lifetime of the device cookie. */
export const DEVICE_SECONDS = 365 * 24 * 3_600;
/** Stored visits that this process remembers; a forgotten one is simply stored again. */
export const MAX_NOTED = 20_000;

/**
 * Whether a ban covers another visitor who shares these marks with its subject. Any mark covers a guest. A
 * network covers accounts only in their first days, a device only accounts that were less than a month old
 * when the ban was given: established accounts of the same household keep access.
 * @param account null for a guest
 */
export function covers(
  matched: ReadonlySet<Mark>,
  account: { readonly createdAt: Date } | null,
  bannedAt: Date,
  now: Date,
): boolean {
  if (matched.size === 0) return false;
  if (account === null || matched.has('session')) return true;
  const madeMs = account.createdAt.getTime();
  if (matched.has('device') && madeMs > bannedAt.getTime() - DEVICE_ACCOUNT_DAYS * DAY_MS) return true;
  return matched.has('network') && madeMs > now.getTime() - NETWORK_ACCOUNT_DAYS * DAY_MS;
}

/** Speakers by their pace: moderators have no limit, new accounts the strictest. */
export type SpeakerTier = 'fresh' | 'member' | 'fan' | 'moderator';
/** An account is fresh for a day (as `rooms` paces it). */
const FRESH_MS = DAY_MS;

export function tierOf(
  { role, createdAt, hasTipped }: {
    readonly role: RoomRole;
    readonly createdAt: Date;
    readonly hasTipped: boolean;
  },
  now: Date,
): SpeakerTier {
  if (canModerate(role)) return 'moderator';
  if (hasTipped) return 'fan';
  return now.getTime() - createdAt.getTime() < FRESH_MS ? 'fresh' : 'member';
}

/** Messages of one person in one room: a burst, then a rate per minute. Guests cannot write. */
export const SPEECH_PACES: Readonly<
  Record<
    Exclude<SpeakerTier, 'moderator'>,
    BucketRate & {
      readonly perMinute: number;
    }
  >
> = {
  fresh: { burst: 4, perMinute: 8 },
  member: { burst: 6, perMinute: 15 },
  fan: { burst: 10, perMinute: 30 },
};

/** After this long away, the join cool-down applies again. */
export const AWAY_MS = 30 * MINUTE_MS;
/** A speaker's state is deleted after this long away. */
export const SPEAKER_MS = 30 * DAY_MS;
/** Expired rows deleted with one write: more than one, so that tables shrink. */
export const SWEPT = 20;

/** Texts at least this similar count as the same. */
export const ALIKE = 0.8;
/** Shorter lines are written by everybody (hi, thank you). */
export const MIN_CROWD_LETTERS = 20;
/** Shorter lines may be repeated more often by their sender: yes, lol, a heart. */
export const MIN_OWN_LETTERS = 8;
/** How often one person may send the same short or long text within the window. */
const OWN_REPEATS = { short: 3, long: 1 } as const;
/** How many others must have sent the same text before it is shadowed: two may quote each other. */
const CROWD_REPEATS = 2;
/** How long texts are stored for comparison. */
export const SKETCH_MS = 2 * MINUTE_MS;
/** How many texts a new one is compared with: fewer than a busy room sends, more than a wave of spam. */
export const MAX_SKETCHES = 128;

/** Refusals that count as spam; the others only require waiting, or tokens. */
const STRIKES: ReadonlySet<SpeechRefusal> = new Set(['too_fast', 'word', 'link', 'repeated']);
/** Strikes within the window before an automatic silence. */
export const MAX_STRIKES = 5;
export const STRIKE_WINDOW_MS = 10 * MINUTE_MS;
/** The first, the second and every later automatic silence. */
export const AUTOSILENCE_MINUTES = [5, 30, 720] as const;
/** An automatic silence older than this no longer counts. */
const AUTOSILENCE_MEMORY_MS = DAY_MS;
/** How long the decision `silence` on a held message silences its sender. */
export const HELD_SILENCE_MINUTES = 60;

/** A speaker's counters in a room. */
export interface SpeakerState {
  readonly enteredAt: Date;
  /** When their first message was shown. */
  readonly admittedAt: Date | null;
  readonly lastSaidAt: Date | null;
  /** Messages left of the pace at a time; null for the full burst. */
  readonly pace: { readonly left: number; readonly at: Date } | null;
  readonly strikes: number;
  readonly struckAt: Date | null;
  readonly silences: number;
  readonly silencedAt: Date | null;
}

/** The state of somebody who just joined. */
export const newcomer = (now: Date): SpeakerState => ({
  enteredAt: now,
  admittedAt: null,
  lastSaidAt: null,
  pace: null,
  strikes: 0,
  struckAt: null,
  silences: 0,
  silencedAt: null,
});

/** What `chat_allowed` depends on. */
export interface Means {
  readonly hasTipped: boolean;
  readonly recentTips: number;
  readonly tokens: number;
}

/** Everything that decides whether somebody may write now, whatever the text. */
export interface SpeechFacts {
  readonly now: Date;
  readonly tier: SpeakerTier;
  readonly rules: ChatRules;
  readonly state: SpeakerState;
  readonly means: Means;
  /** Their active silence; `until` is null for a permanent one. */
  readonly silence: Silence | null;
}

/** An active silence; `reason` is the moderator's, null if there is none or for the room's own rules. */
export interface Silence {
  readonly until: Date | null;
  readonly reason: string | null;
}

/** Why somebody cannot write now, and when that ends by itself. */
export interface SpeechBlock {
  readonly refusal: SpeechRefusal;
  readonly until: Date | null;
}

const later = (from: Date, seconds: number): Date => new Date(from.getTime() + seconds * 1000);

/** The refusal by `chat_allowed`; null when this person may write. */
function refusalOfMeans(
  allowed: ChatAllowed,
  { hasTipped, recentTips, tokens }: Means,
): SpeechRefusal | null {
  if (allowed === 'tip_anytime' && !hasTipped && recentTips === 0) return 'tip_anytime';
  if (allowed === 'tip_recent' && recentTips === 0) return 'tip_recent';
  return allowed === 'tokens' && tokens <= 0 ? 'tokens' : null;
}

/** Why somebody may not write now, whatever the text; null when they may. */
export function speechBlockOf({ now, tier, rules, state, means, silence }: SpeechFacts): SpeechBlock | null {
  if (silence) return { refusal: 'silenced', until: silence.until };
  if (tier === 'moderator') return null;
  const refusal = refusalOfMeans(rules.chat_allowed, means);
  if (refusal) return { refusal, until: null };
  const settled = later(state.enteredAt, rules.join_cool_down_seconds);
  if (settled > now) return { refusal: 'join_cool_down', until: settled };
  const next = state.lastSaidAt ? later(state.lastSaidAt, rules.slow_mode_seconds) : now;
  if (next > now) return { refusal: 'slow_mode', until: next };
  const full = paceOf(state, tier, now) >= 1;
  return full ? null : { refusal: 'too_fast', until: later(now, 60 / SPEECH_PACES[tier].perMinute) };
}

/** Messages that a pace still allows now. */
const paceOf = ({ pace }: SpeakerState, tier: Exclude<SpeakerTier, 'moderator'>, now: Date): number =>
  bucketLeft(pace && { left: pace.left, atMs: pace.at.getTime() }, SPEECH_PACES[tier], now.getTime());

/** Properties of a text that the ladder checks. */
export interface SpeechText {
  readonly hasBlockedWord: boolean;
  readonly hasLink: boolean;
  readonly isShort: boolean;
  /** How often the speaker sent the same text within the window, and how many other people did. */
  readonly ownRepeats: number;
  readonly crowdRepeats: number;
  /** Held messages of the speaker. */
  readonly held: number;
}

export type Ruling = { readonly kind: 'show' } | { readonly kind: 'shadow' } | {
  readonly kind: 'hold';
  readonly why: HeldFor;
} | { readonly kind: 'refuse'; readonly refusal: SpeechRefusal; readonly until: Date | null };

/** Decides about a message: the steps of the spam ladder, in this order. */
export function ruleSpeech(facts: SpeechFacts, text: SpeechText): Ruling {
  const block = speechBlockOf(facts);
  if (block) return { kind: 'refuse', ...block };
  const { tier, rules, state } = facts;
  if (tier === 'moderator') return { kind: 'show' };
  const refuse = (refusal: SpeechRefusal): Ruling => ({ kind: 'refuse', refusal, until: null });
  if (text.hasBlockedWord) return refuse('word');
  if (text.hasLink && rules.links === 'refuse') return refuse('link');
  if (text.ownRepeats >= (text.isShort ? OWN_REPEATS.short : OWN_REPEATS.long)) return refuse('repeated');
  // A spammer with many accounts must not learn which of them are detected.
  if (text.crowdRepeats >= CROWD_REPEATS) return { kind: 'shadow' };
  const isFirst = rules.first_message_hold && tier === 'fresh' && state.admittedAt === null;
  const why = text.hasLink && rules.links === 'hold' ? 'link' : isFirst ? 'first_message' : null;
  if (why === null) return { kind: 'show' };
  return text.held >= MAX_HELD_PER_PERSON ? refuse('waiting') : { kind: 'hold', why };
}

/** A speaker's state after a ruling; `silenceMinutes` is set if it was one strike too many. */
export function afterRuling(
  facts: SpeechFacts,
  ruling: Ruling,
): { readonly state: SpeakerState; readonly silenceMinutes: number | null } {
  const { now, tier } = facts;
  if (tier === 'moderator') return { state: facts.state, silenceMinutes: null };
  const said = ruling.kind !== 'refuse';
  const state: SpeakerState = {
    ...facts.state,
    ...(said ? { lastSaidAt: now, pace: { left: paceOf(facts.state, tier, now) - 1, at: now } } : {}),
    ...(ruling.kind === 'show' ? { admittedAt: facts.state.admittedAt ?? now } : {}),
  };
  const isStrike = ruling.kind === 'shadow' || (ruling.kind === 'refuse' && STRIKES.has(ruling.refusal));
  if (!isStrike) return { state, silenceMinutes: null };
  const counts = state.struckAt !== null && now.getTime() - state.struckAt.getTime() < STRIKE_WINDOW_MS;
  const strikes = (counts ? state.strikes : 0) + 1;
  if (strikes < MAX_STRIKES) {
    return { state: { ...state, strikes, struckAt: counts ? state.struckAt : now }, silenceMinutes: null };
  }
  const isAgain = state.silencedAt !== null
    && now.getTime() - state.silencedAt.getTime() < AUTOSILENCE_MEMORY_MS;
  const before = isAgain ? state.silences : 0;
  const silenceMinutes = AUTOSILENCE_MINUTES[Math.min(before, AUTOSILENCE_MINUTES.length - 1)] as number;
  return {
    state: { ...state, strikes: 0, struckAt: null, silences: before + 1, silencedAt: now },
    silenceMinutes,
  };
}
