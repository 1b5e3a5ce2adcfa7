import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import { topicChannel, topicPersonChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { GUEST_PREFIX } from '#product/accounts/rules.ts';
import { roomUnknown } from '#product/rooms/contract.ts';
import { chatBanned } from '#product/rooms/contract/moderation.ts';
import { moderatorsTopic, roomTopic, type Restriction } from '#product/rooms/rules.ts';
import {
  guestModerator,
  heldDecided,
  moderate,
  moderationForbidden,
  nothingToUndo,
  ownModeration,
  removeMessages,
  subjectProtected,
  subjectRestricted,
  subjectUnknown,
  tooManyModerated,
} from '../contract.ts';
import {
  canModerate,
  covers,
  endOf,
  isUndo,
  KIND_OF,
  mayModerate,
  NETWORK_MARK_DAYS,
  roomRoleOf,
  type ModerationAction,
  type Participant,
} from '../rules.ts';
import {
  deleteNetworks,
  endRestrictions,
  findMarks,
  findRestriction,
  findRestrictions,
  insertMarks,
  insertRestriction,
  isFull,
  lockSubject,
} from '../store.ts';
import { insertAction } from '../store/actions.ts';
import { dropHeldOf } from '../store/held.ts';
import type { Subject } from '../store/schema.ts';
import { findSpeaker } from '../store/speakers.ts';
import { findGuest, findSharing, findTraces } from '../store/traces.ts';
import { participantOf, roomFor, type ModerationDependencies } from './dependencies.ts';
import { moderatorDaysOf } from './settings.ts';

const END = 'room-moderation.end';
const NETWORKS = 'room-moderation.networks';

/** Why an action failed; the refusals of `moderate` have the same codes. */
type ActionRefusal = 'nothing_to_undo' | 'subject_restricted' | 'too_many_moderated';

/** A moderation action that its actor is entitled to. */
export interface AuthorizedAction {
  readonly performerId: number;
  readonly subject: Subject;
  readonly action: ModerationAction;
  readonly until: Date | null;
  readonly reason: string;
  /** Null for the room's own rules. */
  readonly byId: number | null;
}

/** Moderation actions on people in a room, and how they end. */
export class ModerationActions {
  readonly #deps: ModerationDependencies;

  constructor(deps: ModerationDependencies) {
    this.#deps = deps;
  }

  callHandlers(): CallHandler[] {
    const { accounts, data, rooms } = this.#deps;
    return [
      handleCall(moderate)(async (input, context) =>
        data.tx(context.scope, async (tx) => {
          // A moderator named before an account recovery would still be one after it.
          if (input.action === 'moderator') await accounts.lockCaller(tx, context);
          const room = await roomFor(this.#deps, tx, context, input.username);
          if (!room) return context.refuse(roomUnknown);
          // Before the subject is looked up: viewers without rights must not learn whether they exist.
          if (!canModerate(room.role)) return context.refuse(moderationForbidden);
          const found = await this.#find(tx, input.subject, room.owner.id);
          if (!found) return context.refuse(subjectUnknown);
          const refusal = mayModerate(room.actor, found.participant, input.action, room.owner.id);
          if (refusal) return context.refuse(REFUSALS[refusal]);
          const days = input.action === 'moderator' ? await moderatorDaysOf(tx, room.owner.id) : undefined;
          const until = isUndo(input.action)
            ? null
            : endOf(input.action, input.minutes ?? null, tx.now, days);
          const failed = await this.act(tx, {
            performerId: room.owner.id,
            subject: found.subject,
            action: input.action,
            until,
            reason: input.reason ?? '',
            byId: context.caller.personId,
          });
          if (failed) return context.refuse(ACTION_REFUSALS[failed]);
          return { status: 1, until: until?.toISOString() ?? null };
        })
      ),
      handleCall(removeMessages)(async ({ username, ids }, context) =>
        data.tx(context.scope, async (tx) => {
          const room = await roomFor(this.#deps, tx, context, username);
          if (!room) return context.refuse(roomUnknown);
          if (!canModerate(room.role)) return context.refuse(moderationForbidden);
          await rooms.removeMessages(tx, room.owner.id, ids);
          await tx.audit({
            action: 'room-moderation.removeMessages',
            actorId: context.caller.personId,
            // No text of the messages: erasing their senders does not find this entry about the performer.
            subject: `person:${room.owner.id}`,
            reason: '',
            detail: { ids },
          });
          return { status: 1 };
        })
      ),
    ];
  }

  /** Stores the action, writes room log and audit log, and notifies the room. A refusal changes nothing. */
  async act(tx: Tx, authorized: AuthorizedAction): Promise<ActionRefusal | null> {
    const { performerId, subject, action, until, reason, byId } = authorized;
    const kind = KIND_OF[action];
    await lockSubject(tx, performerId, subject);
    // A message in flight is judged either before this, and removed with the others, or after it.
    if (subject.personId !== null) await findSpeaker(tx, performerId, subject.personId, true);
    const held = await findRestrictions(tx, performerId, subject);
    const before = held.find((restriction) => restriction.kind === kind);
    if (isUndo(action)) {
      if (!before) return 'nothing_to_undo';
      await this.#end(tx, authorized, kind);
    } else {
      if (kind === 'moderator' && held.some((item) => item.kind === 'banned' || item.kind === 'silenced')) {
        return 'subject_restricted';
      }
      if (!before && (await isFull(tx, performerId, kind))) return 'too_many_moderated';
      const isDeposed = kind === 'banned' && held.some((restriction) => restriction.kind === 'moderator');
      if (isDeposed) await this.#end(tx, { ...authorized, action: 'unmoderator' }, 'moderator');
      await this.#begin(tx, authorized, kind, before?.id ?? null);
    }
    await insertAction(tx, performerId, subject, { action, byId, reason, until });
    await this.#audit(tx, authorized);
    return null;
  }

  deadlineHandlers(): DeadlineHandler[] {
    const { data } = this.#deps;
    return [
      {
        kind: END,
        handle: ({ operatorId, key }) => data.tx({ operatorId }, (tx) => this.#expire(tx, Number(key))),
      },
      {
        kind: NETWORKS,
        handle: ({ operatorId, key }) => data.tx({ operatorId }, (tx) => deleteNetworks(tx, Number(key))),
      },
    ];
  }

  /** @param beforeId the active restriction of the same kind, which this one replaces */
  async #begin(
    tx: Tx,
    authorized: AuthorizedAction,
    kind: Restriction,
    beforeId: number | null,
  ): Promise<void> {
    const { performerId, subject, until } = authorized;
    const isRenewal = beforeId !== null;
    const known = isRenewal ? await findMarks(tx, beforeId) : [];
    if (isRenewal) await this.#endStored(tx, performerId, kind, subject);
    const id = await insertRestriction(tx, { ...authorized, kind });
    if (until) await tx.schedule({ kind: END, key: String(id), at: until });
    if (kind === 'banned' || kind === 'kicked') {
      const traces = await findTraces(tx, subject);
      // A kick ends in minutes: it need not cover a whole network.
      const marks = traces.filter((mark) => kind === 'banned' || mark.kind !== 'network');
      await insertMarks(tx, { id, performerId }, known);
      await insertMarks(tx, { id, performerId }, marks);
      if (kind === 'banned') {
        const at = new Date(tx.now.getTime() + NETWORK_MARK_DAYS * DAY_MS);
        await tx.schedule({ kind: NETWORKS, key: String(id), at });
        await this.#ejectCovered(tx, authorized, [...known, ...marks]);
      }
    }
    if (subject.personId !== null && (kind === 'banned' || kind === 'silenced')) {
      await this.#dropHeld(tx, performerId, subject.personId);
    }
    // Renewing a moderator's rights changes nothing for the room.
    if (!(isRenewal && kind === 'moderator')) await this.#notifyRoom(tx, authorized, kind, 'add');
  }

  /** Removes other people in the room whom the ban covers: guests and second accounts of its subject. */
  async #ejectCovered(
    tx: Tx,
    { performerId, subject, until }: AuthorizedAction,
    marks: Awaited<ReturnType<typeof findTraces>>,
  ): Promise<void> {
    const { accounts } = this.#deps;
    const owner = await accounts.findById(tx, performerId);
    if (!owner) throw new Error(`performer ${performerId} has a room and no account`);
    for (const { who, matched } of await findSharing(tx, subject, marks)) {
      const personId = who.startsWith('person:') ? Number(who.slice('person:'.length)) : null;
      const person = personId === null ? null : await accounts.findById(tx, personId);
      const participant = person && (await participantOf(tx, { personId, roles: person.roles }, performerId));
      if (participant && canModerate(roomRoleOf(participant, performerId))) continue;
      if (!covers(matched, person, tx.now, tx.now)) continue;
      const session = topicPersonChannel(roomTopic(performerId), personId ?? who.slice('guest:'.length));
      const payload = { room: owner.username, reason: null, until: until?.toISOString() ?? null };
      await tx.send(session, chatBanned, payload);
    }
  }

  async #end(tx: Tx, authorized: Omit<AuthorizedAction, 'until'>, kind: Restriction): Promise<void> {
    await this.#endStored(tx, authorized.performerId, kind, authorized.subject);
    await this.#notifyRoom(tx, { ...authorized, until: null }, kind, 'remove');
  }

  /** Ends the stored restriction and cancels its deadlines. */
  async #endStored(tx: Tx, performerId: number, kind: Restriction, subject: Subject): Promise<void> {
    for (const id of await endRestrictions(tx, performerId, kind, subject)) {
      await tx.unschedule(END, String(id));
      await tx.unschedule(NETWORKS, String(id));
    }
  }

  /** Ends an expired restriction; notifies the room of silences and moderators, and logs the latter. */
  async #expire(tx: Tx, id: number): Promise<void> {
    const found = await findRestriction(tx, id);
    if (!found || found.until === null || found.until > tx.now) return;
    const { performerId, subject, kind } = found;
    const authorized: AuthorizedAction = {
      performerId,
      subject,
      action: UNDO[kind],
      until: null,
      reason: 'expired',
      byId: null,
    };
    if (kind === 'silenced' || kind === 'moderator') await this.#end(tx, authorized, kind);
    else await this.#endStored(tx, performerId, kind, subject);
    if (kind !== 'moderator') return;
    await insertAction(tx, performerId, subject, authorized);
    await this.#audit(tx, authorized);
  }

  async #dropHeld(tx: Tx, performerId: number, personId: number): Promise<void> {
    for (const id of await dropHeldOf(tx, performerId, personId)) {
      await tx.send(topicChannel(moderatorsTopic(performerId)), heldDecided, { id, decision: 'drop' });
    }
  }

  async #notifyRoom(
    tx: Tx,
    { performerId, subject, reason, until, byId }: AuthorizedAction,
    type: Restriction,
    action: 'add' | 'remove',
  ): Promise<void> {
    await this.#deps.rooms.moderate(tx, {
      performerId,
      type,
      action,
      reason: reason === '' ? null : reason,
      until,
      subjectId: subject.personId,
      sessionId: subject.personId === null ? subject.session : null,
      byId,
    });
  }

  #audit(tx: Tx, { performerId, subject, action, until, reason, byId }: AuthorizedAction): Promise<void> {
    return tx.audit({
      action: `room-moderation.${action}`,
      actorId: byId,
      reason,
      subject: subject.personId === null ? `guest:${subject.guestName}` : `person:${subject.personId}`,
      detail: { room: performerId, until: until?.toISOString() ?? null },
    });
  }

  /** The subject with this name, with their role in the room. */
  async #find(
    tx: Tx,
    name: string,
    performerId: number,
  ): Promise<{ readonly subject: Subject; readonly participant: Participant } | null> {
    const username = normalizeUsername(name);
    if (username.startsWith(GUEST_PREFIX)) {
      const session = await findGuest(tx, username);
      if (session === null) return null;
      const participant = { personId: null, roles: [], isRoomModerator: false };
      return { subject: { personId: null, session, guestName: username }, participant };
    }
    const person = await this.#deps.accounts.findByUsername(tx, username);
    if (!person) return null;
    const participant = await participantOf(tx, { personId: person.id, roles: person.roles }, performerId);
    return { subject: { personId: person.id }, participant };
  }
}

const UNDO: Readonly<Record<Restriction, ModerationAction>> = {
  banned: 'unban',
  kicked: 'kick',
  silenced: 'unsilence',
  moderator: 'unmoderator',
};
const REFUSALS = {
  moderation_forbidden: moderationForbidden,
  own_moderation: ownModeration,
  subject_protected: subjectProtected,
  guest_moderator: guestModerator,
} as const;
const ACTION_REFUSALS = {
  nothing_to_undo: nothingToUndo,
  subject_restricted: subjectRestricted,
  too_many_moderated: tooManyModerated,
} as const;
