import { handleCall, type CallHandler, type DeadlineHandler } from '../../../platform/contract/bind.ts';
import { seatChannel, topicChannel } from '../../../platform/contract/event.ts';
import type { Tx } from '../../../platform/data/data.ts';
import { DAY_MS } from '../../../platform/time/units.ts';
import { normalizeUsername } from '../../../platform/text/usernames.ts';
import { GUEST_PREFIX } from '../../accounts/rules.ts';
import { chatBanned, roomUnknown } from '../../rooms/contract.ts';
import { deskTopic, roomTopic, type Restriction } from '../../rooms/rules.ts';
import {
  guestModerator, heldDecided, moderate, moderationForbidden, nothingToUndo, ownModeration, removeMessages,
  subjectProtected, subjectRestricted, subjectUnknown, tooManyModerated,
} from '../contract.ts';
import {
  canModerate, covers, endOf, isUndo, KIND_OF, mayModerate, NETWORK_MARK_DAYS, rankOf, type ModerationAction,
  type Standing,
} from '../rules.ts';
import {
  deleteNetworks, dropHeldOf, endRestrictions, findGuest, findMarks, findRestriction, findRestrictions,
  findSharing, findSpeaker, findTraces, insertAction, insertMarks, insertRestriction, isFull, lockSubject,
  type Subject,
} from '../store.ts';
import { roomFor, standingOf, type ModerationDependencies } from './dependencies.ts';

const END = 'room-moderation.end';
const NETWORKS = 'room-moderation.networks';

/** Why something was not done; the refusals of `moderate` have the same codes. */
type ActionFault = 'nothing_to_undo' | 'subject_restricted' | 'too_many_moderated';

/** Something done to somebody in a room, settled already that it may be. */
export interface Deed {
  readonly performerId: number;
  readonly subject: Subject;
  readonly action: ModerationAction;
  readonly until: Date | null;
  readonly reason: string;
  /** Null for the rules of the room. */
  readonly byId: number | null;
}

/** What those who keep order do to people of a room, and how it ends. */
export class Moderating {
  readonly #deps: ModerationDependencies;

  constructor(deps: ModerationDependencies) {
    this.#deps = deps;
  }

  answers(): CallHandler[] {
    const { data, rooms } = this.#deps;
    return [
      handleCall(moderate)(async (input, context) => data.tx(context.scope, async (tx) => {
        const room = await roomFor(this.#deps, tx, context, input.username);
        if (!room) return context.refuse(roomUnknown);
        // Whoever does not moderate here learns nothing of whom.
        if (!canModerate(room.rank)) return context.refuse(moderationForbidden);
        const found = await this.#find(tx, input.subject, room.owner.id);
        if (!found) return context.refuse(subjectUnknown);
        const fault = mayModerate(room.actor, found.standing, input.action, room.owner.id);
        if (fault) return context.refuse(FAULTS[fault]);
        const until = isUndo(input.action) ? null : endOf(input.action, input.minutes ?? null, tx.now);
        const failed = await this.act(tx, {
          performerId: room.owner.id, subject: found.subject, action: input.action, until,
          reason: input.reason ?? '', byId: context.caller.personId,
        });
        if (failed) return context.refuse(ACTION_FAULTS[failed]);
        return { status: 1, until: until?.toISOString() ?? null };
      })),
      handleCall(removeMessages)(async ({ username, ids, reason }, context) =>
        data.tx(context.scope, async (tx) => {
          const room = await roomFor(this.#deps, tx, context, username);
          if (!room) return context.refuse(roomUnknown);
          if (!canModerate(room.rank)) return context.refuse(moderationForbidden);
          await rooms.removeMessages(tx, room.owner.id, ids);
          await tx.audit({
            action: 'room-moderation.removeMessages', actorId: context.caller.personId,
            subject: `person:${room.owner.id}`, reason: reason ?? '', detail: { ids },
          });
          return { status: 1 };
        })),
    ];
  }

  /** Does it: what holds, the room's own log, the audit log, the room. A fault changes nothing. */
  async act(tx: Tx, deed: Deed): Promise<ActionFault | null> {
    const { performerId, subject, action, until, reason, byId } = deed;
    const kind = KIND_OF[action];
    await lockSubject(tx, performerId, subject);
    // A message on its way is judged before this, and taken away with the others, or after it.
    if (subject.personId !== null) await findSpeaker(tx, performerId, subject.personId, true);
    const held = await findRestrictions(tx, performerId, subject);
    const before = held.find((one) => one.kind === kind);
    if (isUndo(action)) {
      if (!before) return 'nothing_to_undo';
      await this.#end(tx, deed, kind);
    } else {
      if (kind === 'moderator' && held.some((one) => one.kind === 'banned' || one.kind === 'silenced')) {
        return 'subject_restricted';
      }
      if (!before && (await isFull(tx, performerId, kind))) return 'too_many_moderated';
      const isDeposed = kind === 'banned' && held.some((one) => one.kind === 'moderator');
      if (isDeposed) await this.#end(tx, { ...deed, action: 'unmoderator' }, 'moderator');
      await this.#begin(tx, deed, kind, before?.id ?? null);
    }
    await insertAction(tx, performerId, subject, { action, byId, reason, until });
    await this.#audit(tx, deed);
    return null;
  }

  due(): DeadlineHandler[] {
    const { data } = this.#deps;
    return [
      {
        kind: END,
        handle: ({ operatorId, key }) => data.tx({ operatorId }, (tx) => this.#lapse(tx, Number(key))),
      },
      {
        kind: NETWORKS,
        handle: ({ operatorId, key }) => data.tx({ operatorId }, (tx) => deleteNetworks(tx, Number(key))),
      },
    ];
  }

  /** @param beforeId what holds already and is replaced by this */
  async #begin(tx: Tx, deed: Deed, kind: Restriction, beforeId: number | null): Promise<void> {
    const { performerId, subject, until } = deed;
    const isRenewal = beforeId !== null;
    const known = isRenewal ? await findMarks(tx, beforeId) : [];
    if (isRenewal) await this.#forget(tx, performerId, kind, subject);
    const id = await insertRestriction(tx, { ...deed, kind });
    if (until) await tx.schedule({ kind: END, key: String(id), at: until });
    if (kind === 'banned' || kind === 'kicked') {
      const traces = await findTraces(tx, subject);
      // A kick is over in minutes: it need not reach a whole network.
      const marks = traces.filter((mark) => kind === 'banned' || mark.kind !== 'network');
      await insertMarks(tx, { id, performerId }, known);
      await insertMarks(tx, { id, performerId }, marks);
      if (kind === 'banned') {
        const at = new Date(tx.now.getTime() + NETWORK_MARK_DAYS * DAY_MS);
        await tx.schedule({ kind: NETWORKS, key: String(id), at });
        await this.#putOutCovered(tx, deed, [...known, ...marks]);
      }
    }
    if (subject.personId !== null && (kind === 'banned' || kind === 'silenced')) {
      await this.#dropHeld(tx, performerId, subject.personId);
    }
    // Whoever is named again was never away: the room hears nothing new.
    if (!(isRenewal && kind === 'moderator')) await this.#tell(tx, deed, kind, 'add');
  }

  /** Whoever the ban covers and is in the room already, as a guest or with a second account, leaves too. */
  async #putOutCovered(
    tx: Tx, { performerId, subject, until }: Deed, marks: Awaited<ReturnType<typeof findTraces>>,
  ): Promise<void> {
    const { accounts } = this.#deps;
    const owner = await accounts.findById(tx, performerId);
    if (!owner) throw new Error(`performer ${performerId} has a room and no account`);
    for (const { who, matched } of await findSharing(tx, subject, marks)) {
      const personId = who.startsWith('person:') ? Number(who.slice('person:'.length)) : null;
      const person = personId === null ? null : await accounts.findById(tx, personId);
      const standing = person && (await standingOf(tx, { personId, roles: person.roles }, performerId));
      if (standing && canModerate(rankOf(standing, performerId))) continue;
      if (!covers(matched, person, tx.now, tx.now)) continue;
      const seat = seatChannel(roomTopic(performerId), personId ?? who.slice('guest:'.length));
      const told = { room: owner.username, reason: null, until: until?.toISOString() ?? null };
      await tx.send(seat, chatBanned, told);
    }
  }

  async #end(tx: Tx, deed: Omit<Deed, 'until'>, kind: Restriction): Promise<void> {
    await this.#forget(tx, deed.performerId, kind, deed.subject);
    await this.#tell(tx, { ...deed, until: null }, kind, 'remove');
  }

  /** Ends what held, and what was to come of it. */
  async #forget(tx: Tx, performerId: number, kind: Restriction, subject: Subject): Promise<void> {
    for (const id of await endRestrictions(tx, performerId, kind, subject)) {
      await tx.unschedule(END, String(id));
      await tx.unschedule(NETWORKS, String(id));
    }
  }

  /** What was timed is over: kept by the room's log where it is an office, told where pages show it. */
  async #lapse(tx: Tx, id: number): Promise<void> {
    const found = await findRestriction(tx, id);
    if (!found || found.until === null || found.until > tx.now) return;
    const { performerId, subject, kind } = found;
    const deed: Deed = {
      performerId, subject, action: UNDO[kind], until: null, reason: 'expired', byId: null,
    };
    if (kind === 'silenced' || kind === 'moderator') await this.#end(tx, deed, kind);
    else await this.#forget(tx, performerId, kind, subject);
    if (kind !== 'moderator') return;
    await insertAction(tx, performerId, subject, deed);
    await this.#audit(tx, deed);
  }

  async #dropHeld(tx: Tx, performerId: number, personId: number): Promise<void> {
    for (const id of await dropHeldOf(tx, performerId, personId)) {
      await tx.send(topicChannel(deskTopic(performerId)), heldDecided, { id, decision: 'drop' });
    }
  }

  async #tell(
    tx: Tx, { performerId, subject, reason, until, byId }: Deed, type: Restriction,
    action: 'add' | 'remove',
  ): Promise<void> {
    await this.#deps.rooms.moderate(tx, {
      performerId, type, action, reason: reason === '' ? null : reason, until,
      subjectId: subject.personId, sessionId: subject.personId === null ? subject.session : null, byId,
    });
  }

  #audit(tx: Tx, { performerId, subject, action, until, reason, byId }: Deed): Promise<void> {
    return tx.audit({
      action: `room-moderation.${action}`, actorId: byId, reason,
      subject: subject.personId === null ? `guest:${subject.guestName}` : `person:${subject.personId}`,
      detail: { room: performerId, until: until?.toISOString() ?? null },
    });
  }

  /** Whom a name means, and how they stand in the room. */
  async #find(
    tx: Tx, name: string, performerId: number,
  ): Promise<{ readonly subject: Subject; readonly standing: Standing } | null> {
    const username = normalizeUsername(name);
    if (username.startsWith(GUEST_PREFIX)) {
      const session = await findGuest(tx, username);
      if (session === null) return null;
      const standing = { personId: null, roles: [], isRoomModerator: false };
      return { subject: { personId: null, session, guestName: username }, standing };
    }
    const person = await this.#deps.accounts.findByUsername(tx, username);
    if (!person) return null;
    const standing = await standingOf(tx, { personId: person.id, roles: person.roles }, performerId);
    return { subject: { personId: person.id }, standing };
  }
}

const UNDO: Readonly<Record<Restriction, ModerationAction>> = {
  banned: 'unban', kicked: 'kick', silenced: 'unsilence', moderator: 'unmoderator',
};
const FAULTS = {
  moderation_forbidden: moderationForbidden, own_moderation: ownModeration,
  subject_protected: subjectProtected, guest_moderator: guestModerator,
} as const;
const ACTION_FAULTS = {
  nothing_to_undo: nothingToUndo, subject_restricted: subjectRestricted,
  too_many_moderated: tooManyModerated,
} as const;
