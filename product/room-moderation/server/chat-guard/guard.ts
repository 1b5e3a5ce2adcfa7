import { personChannel, topicChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { rolesOf } from '#product/accounts/rules.ts';
import type { Person } from '#product/accounts/server.ts';
import {
  tipping,
  type RoomGuard,
  type Speaker,
  type Verdict,
  type Visitor,
} from '#product/rooms/extension-points.ts';
import { moderatorsTopic } from '#product/rooms/rules.ts';
import { autosilenced, messageHeld } from '../../contract.ts';
import {
  afterRuling,
  ALIKE,
  AWAY_MS,
  canModerate,
  covers,
  MARKS,
  MAX_NOTED,
  MIN_CROWD_LETTERS,
  MIN_OWN_LETTERS,
  newcomer,
  roomRoleOf,
  ruleSpeech,
  speechBlockOf,
  tierOf,
  TRACE_AGAIN_MS,
  type ChatRules,
  type Means,
  type Ruling,
  type Silence,
  type SpeechBlock,
  type SpeechFacts,
  type SpeechText,
} from '../../rules.ts';
import {
  findExcluded,
  findMarked,
  findPeopleWith,
  findRestrictions,
  insertMarks,
  isModeratorOf,
  type StoredRestriction,
} from '../../store.ts';
import { countHeld, insertHeld } from '../../store/held.ts';
import { findRules, findSiteWords, type StoredRules } from '../../store/rules.ts';
import { traceOf, type Subject } from '../../store/schema.ts';
import { findSketches, findSpeaker, insertSketch, saveSpeaker, sweepSpeakers } from '../../store/speakers.ts';
import { noteTrace } from '../../store/traces.ts';
import type { ModerationActions } from '../actions.ts';
import { rulesOf, type ModerationDependencies } from '../dependencies.ts';
import { likeness, sketchOf, type Sketch } from './likeness.ts';
import { hasLink } from './links.ts';
import type { Marking, Marks } from './marks.ts';
import { hasBlockedWord, patternOf } from './words.ts';

/** Blocked words cached in normal form: enough for a few hundred busy rooms. */
const MAX_PATTERNS = 20_000;

/** Exclusions of a room read at once; with more, each viewer is checked individually. */
const MAX_EXCLUDED_LISTED = 5_000;

/** Decides who may enter a room, and what happens to their messages. */
export class ModerationGuard implements RoomGuard {
  readonly #deps: ModerationDependencies;
  readonly #marking: Marking;
  readonly #actions: ModerationActions;
  /** Stored visits and their times; only avoids writes. */
  readonly #noted = new Remembered<true>(MAX_NOTED);
  /** Normal form of each blocked word; only saves time. */
  readonly #patterns = new Map<string, string | null>();

  constructor(deps: ModerationDependencies, marking: Marking, actions: ModerationActions) {
    this.#deps = deps;
    this.#marking = marking;
    this.#actions = actions;
  }

  readonly isModerator: RoomGuard['isModerator'] = isModeratorOf;

  readonly moderatedPeople: RoomGuard['moderatedPeople'] = async (tx, performerId) => ({
    moderatorIds: await findPeopleWith(tx, performerId, 'moderator'),
    silencedIds: await findPeopleWith(tx, performerId, 'silenced'),
  });

  readonly exclusionOf: RoomGuard['exclusionOf'] = async (tx, visitor, performerId) => {
    if (alwaysEnters(visitor, performerId)) return null;
    const subject = subjectOf(visitor);
    const marks = this.#marking.marksOf(tx.operatorId, visitor);
    const { own, covering } = await this.#restrictionOf(tx, visitor, performerId, marks);
    if (own) {
      // The ban also covers the marks its subject returns with.
      if (own.kind === 'banned') await insertMarks(tx, own, listOf(marks));
      return exclusionFrom(own);
    }
    // The reason of a ban is for its subject alone.
    if (covering) return { ...exclusionFrom(covering), reason: null };
    if (subject) await this.#note(tx, performerId, subject, marks);
    return null;
  };

  readonly isExcluded: RoomGuard['isExcluded'] = async (tx, visitor, performerId) => {
    if (alwaysEnters(visitor, performerId)) return false;
    const marks = this.#marking.marksOf(tx.operatorId, visitor);
    const { own, covering } = await this.#restrictionOf(tx, visitor, performerId, marks);
    return own !== null || covering !== null;
  };

  readonly mayExclude: RoomGuard['mayExclude'] = async (tx, performerId) => {
    const known = await findExcluded(tx, performerId, MAX_EXCLUDED_LISTED);
    if (!known) return () => true;
    return (caller) => {
      if (known.size === 0) return false;
      const visitor = { caller, address: '', device: null };
      const subject = subjectOf(visitor);
      const { session } = this.#marking.marksOf(tx.operatorId, visitor);
      return (subject !== null && known.has(traceOf(subject))) || known.has(session ?? '');
    };
  };

  readonly judge: RoomGuard['judge'] = async (tx, speaker, body) => {
    const { performerId, person, person: { id: personId } } = speaker;
    const { facts, stored } = await this.factsOf(tx, performerId, person, speaker.recentTips, true);
    if (facts.tier === 'moderator' && facts.silence === null) return { kind: 'show' };
    const sketch = sketchOf(body);
    const blocked = speechBlockOf(facts);
    // The text is not checked if its sender may not write anyway.
    const ruling: Ruling = blocked
      ? { kind: 'refuse', ...blocked }
      : ruleSpeech(facts, await this.#textOf(tx, speaker, body, sketch, stored, facts));
    const { state, silenceMinutes } = afterRuling(facts, ruling);
    await saveSpeaker(tx, performerId, personId, state);
    if (countsAsSaid(ruling)) {
      const { letters, hashes } = sketch;
      await insertSketch(tx, performerId, { personId, letters, hashes });
    }
    if (silenceMinutes !== null) return this.#silence(tx, speaker, silenceMinutes);
    return this.#verdict(tx, speaker, body, ruling);
  };

  readonly judgeAside: RoomGuard['judgeAside'] = async (tx, { performerId, person }, text) => {
    const { facts, stored } = await this.factsOf(tx, performerId, person, 0, false);
    if (facts.silence) return refusalOf({ refusal: 'silenced', until: facts.silence.until }, tx.now);
    if (facts.tier === 'moderator' || text === '') return null;
    const words = await this.#patternsOf(tx, stored);
    if (hasBlockedWord(text, words)) return refusalOf({ refusal: 'word', until: null }, tx.now);
    // Outside the chat nothing waits for approval.
    return facts.rules.links !== 'allow' && hasLink(text)
      ? refusalOf({ refusal: 'link', until: null }, tx.now)
      : null;
  };

  /** Everything that decides whether somebody may write in a room now. @param locked true for a message */
  async factsOf(
    tx: Tx,
    performerId: number,
    person: Person,
    recentTips: number,
    locked: boolean,
  ): Promise<{ readonly facts: SpeechFacts; readonly stored: StoredRules | null }> {
    // Read first, so that a concurrent action on the speaker either waits or is seen.
    const known = await findSpeaker(tx, performerId, person.id, locked);
    const held = await findRestrictions(tx, performerId, { personId: person.id });
    const roles = rolesOf({ type: person.type, roles: person.roles });
    const isRoomModerator = held.some(({ kind }) => kind === 'moderator');
    const role = roomRoleOf({ personId: person.id, roles, isRoomModerator }, performerId);
    const silenced = held.find(({ kind }) => kind === 'silenced');
    // An earlier silence does not bind somebody who has become a room admin.
    const isBound = role === 'none' || role === 'room_moderator';
    const stored = await findRules(tx, performerId);
    const rules = rulesOf(stored);
    const means = await this.#meansOf(tx, performerId, person, recentTips, rules);
    return {
      stored,
      facts: {
        now: tx.now,
        tier: tierOf({ role, createdAt: person.createdAt, hasTipped: means.hasTipped }, tx.now),
        rules,
        state: known?.state ?? newcomer(tx.now),
        means,
        silence: silenced && isBound ? silenceFrom(silenced) : null,
      },
    };
  }

  async #meansOf(
    tx: Tx,
    performerId: number,
    { id }: Person,
    recentTips: number,
    rules: ChatRules,
  ): Promise<Means> {
    const { extensions, ledger } = this.#deps;
    const hasTipped = recentTips > 0 || (await extensions.one(tipping).hasTipped(tx, id, performerId));
    const tokens = rules.chat_allowed === 'tokens' ? await ledger.balance(tx, id) : 0;
    return { hasTipped, recentTips, tokens };
  }

  /** The properties of a text that the ladder checks. */
  async #textOf(
    tx: Tx,
    { performerId, person: { id: personId } }: Speaker,
    body: string,
    sketch: Sketch,
    stored: StoredRules | null,
    { rules, state }: SpeechFacts,
  ): Promise<SpeechText> {
    const words = await this.#patternsOf(tx, stored);
    const recent = await findSketches(tx, performerId);
    const alike = recent.filter((other) => likeness(sketch, other) >= ALIKE);
    const others = alike.filter((other) =>
      other.personId !== personId && Math.min(other.letters, sketch.letters) >= MIN_CROWD_LETTERS
    );
    const isLink = rules.links !== 'allow' && hasLink(body);
    const mayWait = isLink || (rules.first_message_hold && state.admittedAt === null);
    return {
      hasBlockedWord: hasBlockedWord(body, words),
      hasLink: isLink,
      isShort: sketch.letters < MIN_OWN_LETTERS,
      ownRepeats: alike.filter((other) => other.personId === personId).length,
      crowdRepeats: new Set(others.map((other) => other.personId)).size,
      held: mayWait ? await countHeld(tx, performerId, personId) : 0,
    };
  }

  async #verdict(
    tx: Tx,
    speaker: Speaker,
    body: string,
    ruling: Ruling,
  ): Promise<Verdict> {
    if (ruling.kind === 'refuse') return refusalOf(ruling, tx.now);
    if (ruling.kind !== 'hold') return ruling;
    const { performerId, person, locale: language, recentTips } = speaker;
    const { why } = ruling;
    const id = await insertHeld(tx, performerId, { personId: person.id, body, language, recentTips, why });
    await tx.send(topicChannel(moderatorsTopic(performerId)), messageHeld, {
      id,
      username: person.username,
      display_name: person.displayName,
      message: body,
      why,
      at: tx.now.toISOString(),
    });
    return { kind: 'hold', heldId: id };
  }

  /** The automatic silence after one strike too many. */
  async #silence(tx: Tx, speaker: Speaker, minutes: number): Promise<Verdict> {
    const { performerId, person: { id: personId }, locale } = speaker;
    const until = new Date(tx.now.getTime() + minutes * MINUTE_MS);
    const failed = await this.#actions.act(tx, {
      performerId,
      subject: { personId },
      action: 'silence',
      until,
      reason: 'spam',
      byId: null,
    });
    // In a room at its limit of silences, only this message is refused.
    if (failed) return refusalOf({ refusal: 'too_fast', until: null }, tx.now);
    const owner = await this.#deps.accounts.findById(tx, performerId);
    if (!owner) throw new Error(`performer ${performerId} has a room and no account`);
    await tx.send(personChannel(personId), autosilenced, {
      room: owner.username,
      until: until.toISOString(),
      reason: this.#deps.text(locale, 'room-moderation:autosilenced', { minutes }),
    });
    return refusalOf({ refusal: 'silenced', until }, tx.now);
  }

  /** The ban or kick of a visitor: their own, or somebody else's that covers them. */
  async #restrictionOf(
    tx: Tx,
    visitor: Visitor,
    performerId: number,
    marks: Marks,
  ): Promise<{ readonly own: StoredRestriction | null; readonly covering: StoredRestriction | null }> {
    const subject = subjectOf(visitor);
    const held = subject ? await findRestrictions(tx, performerId, subject) : [];
    const own = held.find(({ kind }) => kind === 'banned')
      ?? held.find(({ kind }) => kind === 'kicked') ?? null;
    const isModerator = held.some(({ kind }) => kind === 'moderator');
    const covering = own || isModerator
      ? null
      : await this.#covering(tx, performerId, visitor.caller.personId, marks);
    return { own, covering };
  }

  /**
   * A ban or kick of somebody else that covers these marks. It does not exclude viewers from a show they pay
   * for: the performer meant another person, and took these viewers' tokens.
   */
  async #covering(
    tx: Tx,
    performerId: number,
    personId: number | null,
    marks: Marks,
  ): Promise<StoredRestriction | null> {
    const found = await findMarked(tx, performerId, listOf(marks));
    if (found.length === 0) return null;
    const account = personId === null ? null : await this.#deps.accounts.findById(tx, personId);
    const covering =
      found.find(({ restriction, matched }) => covers(matched, account, restriction.at, tx.now))
        ?.restriction ?? null;
    if (covering === null || personId === null) return covering;
    return (await this.#deps.rooms.showChatOf(tx, performerId, personId)) === null ? covering : null;
  }

  /** Stores a visit: its marks, and when it began. */
  async #note(tx: Tx, performerId: number, subject: Subject, marks: Marks): Promise<void> {
    const key = JSON.stringify([tx.operatorId, performerId, traceOf(subject), marks]);
    const nowMs = tx.now.getTime();
    if (this.#noted.get(key, nowMs, TRACE_AGAIN_MS)) return;
    this.#noted.set(key, true, nowMs);
    await noteTrace(tx, subject, marks);
    if (subject.personId === null) return;
    const known = await findSpeaker(tx, performerId, subject.personId, true);
    const isBack = known !== null && nowMs - known.seenAt.getTime() < AWAY_MS;
    const state = known?.state ?? newcomer(tx.now);
    await saveSpeaker(tx, performerId, subject.personId, isBack ? state : { ...state, enteredAt: tx.now });
    await sweepSpeakers(tx);
  }

  /** The blocked words of a room and of the site, in normal form. */
  async #patternsOf(tx: Tx, stored: StoredRules | null): Promise<string[]> {
    const words = [...(stored?.blocked_words ?? []), ...(await findSiteWords(tx))];
    return words.flatMap((word) => this.#pattern(word) ?? []);
  }

  #pattern(word: string): string | null {
    const known = this.#patterns.get(word);
    if (known !== undefined) return known;
    if (this.#patterns.size >= MAX_PATTERNS) this.#patterns.clear();
    const pattern = patternOf(word);
    this.#patterns.set(word, pattern);
    return pattern;
  }
}

const listOf = (marks: Marks) =>
  MARKS.flatMap((kind) => {
    const digest = marks[kind];
    return digest === undefined ? [] : [{ kind, digest }];
  });

/** The performer, admins and site moderators always enter. */
const alwaysEnters = ({ caller: { personId, roles } }: Visitor, performerId: number): boolean =>
  canModerate(roomRoleOf({ personId, roles, isRoomModerator: false }, performerId));

const subjectOf = ({ caller: { personId, sessionId, username } }: Visitor): Subject | null => {
  if (personId !== null) return { personId };
  return sessionId === null ? null : { personId: null, session: sessionId, guestName: username ?? '' };
};

const exclusionFrom = ({ kind, reason, until }: StoredRestriction) => ({
  kind: kind === 'kicked' ? 'kicked' as const : 'banned' as const,
  reason: reason === '' ? null : reason,
  until,
});

/** The room's own rules give their subject no reason: `spam` is a code for the log. */
const silenceFrom = ({ until, reason, byId }: StoredRestriction): Silence => ({
  until,
  reason: byId === null || reason === '' ? null : reason,
});

/**
 * Whether later texts are compared with this one: a sender who was refused for a link may resend without it.
 */
const countsAsSaid = (ruling: Ruling): boolean => ruling.kind !== 'refuse';

/** A refusal with the time to wait, in whole seconds and minutes. */
function refusalOf(
  { refusal, until }: SpeechBlock,
  now: Date,
): Extract<Verdict, { kind: 'refuse' }> {
  const seconds = until ? Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)) : 0;
  const key = refusal === 'silenced' && until === null ? 'silenced_lasting' : refusal;
  const values = { seconds, minutes: Math.ceil(seconds / 60) };
  return { kind: 'refuse', key: `room-moderation:errors.${key}`, values };
}
