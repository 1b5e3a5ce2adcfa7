import { bucketLeft, type BucketRate } from '../../platform/time/token-bucket.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/time/units.ts';
import type { Restriction } from '../rooms/rules.ts';

/** What somebody who keeps order does to somebody in a room. */
export const MODERATION_ACTIONS = [
  'ban', 'unban', 'kick', 'silence', 'unsilence', 'moderator', 'unmoderator',
] as const;
export type ModerationAction = (typeof MODERATION_ACTIONS)[number];
/** What can be seen in the moderator's view. */
export const MODERATION_LISTS = ['bans', 'silences', 'moderators', 'actions'] as const;
export type ModerationList = (typeof MODERATION_LISTS)[number];
export const HELD_DECISIONS = ['show', 'drop', 'silence'] as const;
export type HeldDecision = (typeof HELD_DECISIONS)[number];

/** A room moderator is one for this long; named again, it begins anew (spec 1 §9). */
export const MODERATOR_EXPIRY_MS = 14 * DAY_MS;
/** A kick is a pause: long enough to calm down, short enough to see the end of the show. */
export const KICK_MINUTES = 10;
/** The longest timed ban or silence, a year; what should hold longer is lasting. */
export const MAX_TIMED_MINUTES = 365 * 24 * 60;
/** Two lines of a toast. */
export const MAX_REASON_LENGTH = 200;
/** Moderators a room can have: all of them fit the list on a page, and each was named by hand. */
export const MAX_MODERATORS = 50;
/** Bans, and silences, that hold at once in a room: beyond it something else is wrong. */
export const MAX_RESTRICTIONS = 10_000;
/** Silenced people told to a page; a longer list is looked through in the moderator's view. */
export const MAX_SILENCED_NAMED = 200;
/** Messages taken away at once: a screen of them. */
export const MAX_REMOVED = 50;
/** Two screens of a phone. */
export const MODERATION_PER_PAGE = 50;
/** Actions a room's own log keeps; the audit log keeps them all. */
export const MAX_ACTIONS = 1_000;

/** By what right somebody acts in a room; who has several has the first. */
export type Rank = 'streamer' | 'admin' | 'site_moderator' | 'room_moderator' | 'none';

/** Roles whose holders run the house: they name moderators, and nobody in a room touches them. */
const ADMIN_ROLES: readonly string[] = ['model_admin', 'admin', 'super_admin'];
const SITE_MODERATOR = 'site_mod';

export interface Standing {
  /** Null for a guest. */
  readonly personId: number | null;
  readonly roles: readonly string[];
  /** Named a moderator of this room, and not expired. */
  readonly isRoomModerator: boolean;
}

/** By what right somebody acts in the room of a performer. */
export function rankOf({ personId, roles, isRoomModerator }: Standing, performerId: number): Rank {
  if (personId === null) return 'none';
  if (personId === performerId) return 'streamer';
  if (roles.some((role) => ADMIN_ROLES.includes(role))) return 'admin';
  if (roles.includes(SITE_MODERATOR)) return 'site_moderator';
  return isRoomModerator ? 'room_moderator' : 'none';
}

/** Admin rights plus the room's moderators (spec 2 §6): who moderates, and who has the moderator's view. */
export const canModerate = (rank: Rank): boolean => rank !== 'none';
/** The performer and admins; whoever was named herself names nobody. */
export const mayNameModerators = (rank: Rank): boolean => rank === 'streamer' || rank === 'admin';
/** What a room asks of its speakers is for those with admin rights. */
export const mayChangeRules = (rank: Rank): boolean => canModerate(rank) && rank !== 'room_moderator';
/** Rules a moderator turns while the room runs hot. */
export const MODERATORS_RULES: readonly string[] = ['slow_mode_seconds', 'links'];

/** Why somebody may not do something to somebody; refusals of the contract have the same codes. */
export type ModerationFault =
  | 'moderation_forbidden' | 'own_moderation' | 'subject_protected' | 'guest_moderator';

const NAMING: ReadonlySet<ModerationAction> = new Set(['moderator', 'unmoderator']);

/** What an action makes somebody be, or be no more. */
export const KIND_OF: Readonly<Record<ModerationAction, Restriction>> = {
  ban: 'banned', unban: 'banned', kick: 'kicked', silence: 'silenced', unsilence: 'silenced',
  moderator: 'moderator', unmoderator: 'moderator',
};
/** Whether an action takes something back. */
export const isUndo = (action: ModerationAction): boolean => action.startsWith('un');

/**
 * The one rule of who may do what to whom in a room; null when it may be done. Nobody acts on herself but to
 * lay the office down; the performer and the house cannot be touched; moderators cannot touch each other.
 */
export function mayModerate(
  actor: Standing, subject: Standing, action: ModerationAction, performerId: number,
): ModerationFault | null {
  const [by, of] = [rankOf(actor, performerId), rankOf(subject, performerId)];
  if (!canModerate(by)) return 'moderation_forbidden';
  if (actor.personId === subject.personId) {
    return action === 'unmoderator' && by === 'room_moderator' ? null : 'own_moderation';
  }
  if (NAMING.has(action) && !mayNameModerators(by)) return 'moderation_forbidden';
  if (subject.personId === null && NAMING.has(action)) return 'guest_moderator';
  if (of === 'streamer' || of === 'admin' || of === 'site_moderator') return 'subject_protected';
  if (of === 'room_moderator' && by === 'room_moderator') return 'subject_protected';
  return null;
}

/** When what an action does ends: null for what lasts. @param minutes as asked for; null for the default. */
export function endOf(action: ModerationAction, minutes: number | null, now: Date): Date | null {
  if (action === 'moderator') return new Date(now.getTime() + MODERATOR_EXPIRY_MS);
  const length = minutes ?? (action === 'kick' ? KICK_MINUTES : null);
  return length === null ? null : new Date(now.getTime() + length * MINUTE_MS);
}

/** Who may write in a room (spec 2, chat_allowed). */
export const CHAT_ALLOWED = ['all', 'tip_anytime', 'tip_recent', 'tokens'] as const;
export type ChatAllowed = (typeof CHAT_ALLOWED)[number];
export const LINK_RULES = ['allow', 'hold', 'refuse'] as const;
export type LinkRule = (typeof LINK_RULES)[number];
export const CHAT_PRESETS = ['open', 'careful', 'fans_only'] as const;
export type ChatPreset = (typeof CHAT_PRESETS)[number];

/** Slow mode lets everybody speak at least every five minutes: slower is silence. */
export const MAX_SLOW_MODE_SECONDS = 300;
/** Whoever waits longer than this to say hello leaves. */
export const MAX_JOIN_COOL_DOWN_SECONDS = 300;
/** A page of words that one person looks through. */
export const MAX_BLOCKED_WORDS = 200;
/** The house blocks for all its rooms, in six languages. */
export const MAX_SITE_WORDS = 1_000;
/** A phrase; longer text is found by its likeness. */
export const MAX_BLOCKED_WORD_LENGTH = 40;
/** Held messages that wait in a room; one more and the oldest is gone: nobody reads that far back. */
export const MAX_HELD = 100;
/** Messages of one person that wait. */
const MAX_HELD_PER_PERSON = 3;
/** A held message answers nothing any more after this. */
export const HELD_MS = 60 * MINUTE_MS;

/** What a room asks of those who speak in it. */
export interface ChatRules {
  readonly chat_allowed: ChatAllowed;
  /** Between two messages of one person; 0 for none. */
  readonly slow_mode_seconds: number;
  /** After coming in, before the first message; 0 for none. */
  readonly join_cool_down_seconds: number;
  /** What becomes of links of members without an office. */
  readonly links: LinkRule;
  /** The first message of a fresh account waits for a moderator. */
  readonly first_message_hold: boolean;
}

/** The presets, as data: all that choosing one says. */
export const PRESETS: Readonly<Record<ChatPreset, ChatRules>> = {
  open: {
    chat_allowed: 'all', slow_mode_seconds: 0, join_cool_down_seconds: 0, links: 'hold',
    first_message_hold: false,
  },
  careful: {
    chat_allowed: 'all', slow_mode_seconds: 5, join_cool_down_seconds: 15, links: 'refuse',
    first_message_hold: true,
  },
  fans_only: {
    chat_allowed: 'tip_anytime', slow_mode_seconds: 0, join_cool_down_seconds: 5, links: 'refuse',
    first_message_hold: false,
  },
};
export const DEFAULT_PRESET: ChatPreset = 'open';

/** Why somebody's message does not go, or waits; texts under `room-moderation:errors.*`. */
export const SPEECH_FAULTS = [
  'silenced', 'tip_anytime', 'tip_recent', 'tokens', 'join_cool_down', 'slow_mode', 'too_fast', 'word',
  'link', 'repeated', 'waiting',
] as const;
export type SpeechFault = (typeof SPEECH_FAULTS)[number];
/** Why a message waits for a moderator. */
export const HELD_FOR = ['link', 'first_message'] as const;
export type HeldFor = (typeof HELD_FOR)[number];

/** By what a ban knows a visitor again beside the account: keyed digests all of them. */
export const MARKS = ['session', 'device', 'network'] as const;
export type Mark = (typeof MARKS)[number];
/** An account this young may be a second one made after a ban: the network it comes from is enough. */
export const NETWORK_ACCOUNT_DAYS = 7;
/** Of the same browser even an account this old, when the ban came, counts as made for it. */
const DEVICE_ACCOUNT_DAYS = 30;
/** A lasting ban lets go of a network after this: addresses wander to other people. */
export const NETWORK_MARK_DAYS = 30;
/** Marks one ban keeps: what was seen of its subject before, and some of what they come with later. */
export const MAX_MARKS = 64;
/** How long a visitor's marks are remembered for a ban to come. */
export const TRACE_MS = DAY_MS;
/** Ways in which one visitor is remembered; the latest count. */
export const MAX_TRACES = 16;
/** Others put out with somebody banned: those of a household, or of a small farm of accounts. */
export const MAX_SHARING = 100;
/** A visit is written down again only after this, so that coming back costs no row. */
export const TRACE_AGAIN_MS = 10 * MINUTE_MS;
/** A browser is known again for this long. */
export const DEVICE_SECONDS = 365 * 24 * 3_600;
/** Visits this process remembers to have written down; one forgotten is only written again. */
export const MAX_NOTED = 20_000;

/**
 * Whether a ban covers somebody who is not the banned account, but known by these marks. A guest is covered
 * by any of them. An account is a person of its own as long as it was one before: the network covers accounts
 * in their first days alone, the browser those that were not yet a month old when the ban was given. So
 * others of the same household keep their way in.
 * @param account null for a guest
 */
export function covers(
  matched: ReadonlySet<Mark>, account: { readonly createdAt: Date } | null, bannedAt: Date, now: Date,
): boolean {
  if (matched.size === 0) return false;
  if (account === null || matched.has('session')) return true;
  const madeMs = account.createdAt.getTime();
  if (matched.has('device') && madeMs > bannedAt.getTime() - DEVICE_ACCOUNT_DAYS * DAY_MS) return true;
  return matched.has('network') && madeMs > now.getTime() - NETWORK_ACCOUNT_DAYS * DAY_MS;
}

/** Who speaks, for pace: offices are not paced, new accounts most. */
export type Tier = 'fresh' | 'member' | 'fan' | 'keeper';
/** An account is fresh for a day (as `rooms` paces it). */
const FRESH_MS = DAY_MS;

export function tierOf(
  { rank, createdAt, hasTipped }: {
    readonly rank: Rank; readonly createdAt: Date; readonly hasTipped: boolean;
  }, now: Date,
): Tier {
  if (canModerate(rank)) return 'keeper';
  if (hasTipped) return 'fan';
  return now.getTime() - createdAt.getTime() < FRESH_MS ? 'fresh' : 'member';
}

/** Messages of one person in one room at once, and then per minute. Guests do not speak at all. */
export const SPEECH_PACES: Readonly<Record<Exclude<Tier, 'keeper'>, BucketRate & {
  readonly perMinute: number;
}>> = {
  fresh: { burst: 4, perMinute: 8 },
  member: { burst: 6, perMinute: 15 },
  fan: { burst: 10, perMinute: 30 },
};

/** Away for this long, somebody comes in anew: the join cool-down counts again. */
export const AWAY_MS = 30 * MINUTE_MS;
/** How somebody speaks in a room is forgotten after this long away. */
export const SPEAKER_MS = 30 * DAY_MS;
/** Rows of any kind that are too old and go with one write: more than one, so that tables shrink. */
export const SWEPT = 20;

/** Texts this alike are the same text said again. */
export const ALIKE = 0.8;
/** Shorter lines (hi, thank you) are said by everybody. */
export const MIN_CROWD_LETTERS = 20;
/** Own lines shorter than this may be said again sooner: yes, lol, a heart. */
export const MIN_OWN_LETTERS = 8;
/** How often one may say the same in the window, short and long. */
const OWN_REPEATS = { short: 3, long: 1 } as const;
/** Others who said the same in the window before it is kept from the room: two may quote each other. */
const CROWD_REPEATS = 2;
/** How long what was said is compared. */
export const SKETCH_MS = 2 * MINUTE_MS;
/** Lines of a room that are compared: two minutes of a busy room are more, a wave of spam is less. */
export const MAX_SKETCHES = 128;

/** Refusals that count as spam: the others only ask for patience, or for tokens. */
const STRIKES: ReadonlySet<SpeechFault> = new Set(['too_fast', 'word', 'link', 'repeated']);
/** Strikes within the window before the room silences by itself. */
export const MAX_STRIKES = 5;
export const STRIKE_WINDOW_MS = 10 * MINUTE_MS;
/** The first, second and every later automatic silence … */
export const AUTOSILENCE_MINUTES = [5, 30, 720] as const;
/** … as long as the one before is no longer ago than this. */
const AUTOSILENCE_MEMORY_MS = DAY_MS;
/** A moderator who drops a held message for good silences its sender for an hour. */
export const HELD_SILENCE_MINUTES = 60;

/** What of somebody's speaking in a room is counted. */
export interface SpeakerState {
  readonly enteredAt: Date;
  /** When the first message was shown. */
  readonly admittedAt: Date | null;
  readonly lastSaidAt: Date | null;
  /** What is left of the pace, as of a time; null is a full one. */
  readonly pace: { readonly left: number; readonly at: Date } | null;
  readonly strikes: number;
  readonly struckAt: Date | null;
  readonly silences: number;
  readonly silencedAt: Date | null;
}

/** Somebody who came in a moment ago and has said nothing. */
export const newcomer = (now: Date): SpeakerState => ({
  enteredAt: now, admittedAt: null, lastSaidAt: null, pace: null, strikes: 0, struckAt: null, silences: 0,
  silencedAt: null,
});

/** What lets somebody write where not all may. */
export interface Means {
  readonly hasTipped: boolean;
  readonly recentTips: number;
  readonly tokens: number;
}

/** Everything that says whether somebody may write now, whatever they write. */
export interface SpeechFacts {
  readonly now: Date;
  readonly tier: Tier;
  readonly rules: ChatRules;
  readonly state: SpeakerState;
  readonly means: Means;
  /** The silence that holds for them; `until` null for a lasting one. */
  readonly silence: { readonly until: Date | null } | null;
}

/** Why nothing of somebody goes now, and when that ends by itself. */
export interface Hush {
  readonly fault: SpeechFault;
  readonly until: Date | null;
}

const later = (from: Date, seconds: number): Date => new Date(from.getTime() + seconds * 1000);

/** The fault of who may write at all; null when this person may. */
function faultOfMeans(allowed: ChatAllowed, { hasTipped, recentTips, tokens }: Means): SpeechFault | null {
  if (allowed === 'tip_anytime' && !hasTipped && recentTips === 0) return 'tip_anytime';
  if (allowed === 'tip_recent' && recentTips === 0) return 'tip_recent';
  return allowed === 'tokens' && tokens <= 0 ? 'tokens' : null;
}

/** Why somebody may not write now, whatever they write; null when they may. */
export function hushOf({ now, tier, rules, state, means, silence }: SpeechFacts): Hush | null {
  if (silence) return { fault: 'silenced', until: silence.until };
  if (tier === 'keeper') return null;
  const fault = faultOfMeans(rules.chat_allowed, means);
  if (fault) return { fault, until: null };
  const settled = later(state.enteredAt, rules.join_cool_down_seconds);
  if (settled > now) return { fault: 'join_cool_down', until: settled };
  const next = state.lastSaidAt ? later(state.lastSaidAt, rules.slow_mode_seconds) : now;
  if (next > now) return { fault: 'slow_mode', until: next };
  const full = paceOf(state, tier, now) >= 1;
  return full ? null : { fault: 'too_fast', until: later(now, 60 / SPEECH_PACES[tier].perMinute) };
}

/** Messages left of a pace now. */
const paceOf = ({ pace }: SpeakerState, tier: Exclude<Tier, 'keeper'>, now: Date): number =>
  bucketLeft(pace && { left: pace.left, atMs: pace.at.getTime() }, SPEECH_PACES[tier], now.getTime());

/** What a text is, for the ladder. */
export interface SpeechText {
  readonly hasBlockedWord: boolean;
  readonly hasLink: boolean;
  readonly isShort: boolean;
  /** How often the speaker said the same in the window, and how many others did. */
  readonly ownRepeats: number;
  readonly crowdRepeats: number;
  /** Own messages that wait for a moderator. */
  readonly held: number;
}

export type Ruling =
  | { readonly kind: 'show' } | { readonly kind: 'shadow' }
  | { readonly kind: 'hold'; readonly why: HeldFor }
  | { readonly kind: 'refuse'; readonly fault: SpeechFault; readonly until: Date | null };

/** What becomes of a message: the steps of the spam ladder, in this order. */
export function ruleSpeech(facts: SpeechFacts, text: SpeechText): Ruling {
  const hush = hushOf(facts);
  if (hush) return { kind: 'refuse', ...hush };
  const { tier, rules, state } = facts;
  if (tier === 'keeper') return { kind: 'show' };
  const refuse = (fault: SpeechFault): Ruling => ({ kind: 'refuse', fault, until: null });
  if (text.hasBlockedWord) return refuse('word');
  if (text.hasLink && rules.links === 'refuse') return refuse('link');
  if (text.ownRepeats >= (text.isShort ? OWN_REPEATS.short : OWN_REPEATS.long)) return refuse('repeated');
  // Whoever sends one text from many accounts must not learn which of them are seen through.
  if (text.crowdRepeats >= CROWD_REPEATS) return { kind: 'shadow' };
  const isFirst = rules.first_message_hold && tier === 'fresh' && state.admittedAt === null;
  const why = text.hasLink && rules.links === 'hold' ? 'link' : isFirst ? 'first_message' : null;
  if (why === null) return { kind: 'show' };
  return text.held >= MAX_HELD_PER_PERSON ? refuse('waiting') : { kind: 'hold', why };
}

/** How a speaker stands after a ruling; `silenceMinutes` when it was one strike too many. */
export function afterRuling(
  facts: SpeechFacts, ruling: Ruling,
): { readonly state: SpeakerState; readonly silenceMinutes: number | null } {
  const { now, tier } = facts;
  if (tier === 'keeper') return { state: facts.state, silenceMinutes: null };
  const said = ruling.kind !== 'refuse';
  const state: SpeakerState = {
    ...facts.state,
    ...(said ? { lastSaidAt: now, pace: { left: paceOf(facts.state, tier, now) - 1, at: now } } : {}),
    ...(ruling.kind === 'show' ? { admittedAt: facts.state.admittedAt ?? now } : {}),
  };
  const isStrike = ruling.kind === 'shadow' || (ruling.kind === 'refuse' && STRIKES.has(ruling.fault));
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
    state: { ...state, strikes: 0, struckAt: null, silences: before + 1, silencedAt: now }, silenceMinutes,
  };
}
