import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { CallContext } from '#platform/contract/context.ts';
import { topicChannel, topicPersonChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import type { Person } from '#product/accounts/server.ts';
import { roomUnknown } from '#product/rooms/contract.ts';
import { heldRejected } from '#product/rooms/contract/moderation.ts';
import { moderatorsTopic, roomTopic, type Restriction } from '#product/rooms/rules.ts';
import {
  decideHeld,
  getHeld,
  getModeration,
  heldDecided,
  heldUnknown,
  moderationForbidden,
  ownModeration,
  subjectProtected,
} from '../contract.ts';
import {
  canModerate,
  HELD_SILENCE_MINUTES,
  mayModerate,
  MODERATION_PER_PAGE,
  type HeldDecision,
  type ModerationAction,
  type ModerationList,
  type Participant,
} from '../rules.ts';
import { pageOfRestrictions } from '../store.ts';
import { pageOfActions, type StoredAction } from '../store/actions.ts';
import { findHeld, takeHeld, type StoredHeld } from '../store/held.ts';
import { findSpeaker, saveSpeaker } from '../store/speakers.ts';
import type { ModerationActions } from './actions.ts';
import { participantOf, roomFor, type ModerationDependencies } from './dependencies.ts';

const KINDS: Readonly<Record<Exclude<ModerationList, 'actions'>, readonly Restriction[]>> = {
  bans: ['banned', 'kicked'],
  silences: ['silenced'],
  moderators: ['moderator'],
};
const ACTION_OF: Readonly<Record<Restriction, ModerationAction>> = {
  banned: 'ban',
  kicked: 'kick',
  silenced: 'silence',
  moderator: 'moderator',
};

/** Calls of the moderation panel: lists, log, and the queue of held messages. */
export class ModerationPanel {
  readonly #deps: ModerationDependencies;
  readonly #actions: ModerationActions;

  constructor(deps: ModerationDependencies, actions: ModerationActions) {
    this.#deps = deps;
    this.#actions = actions;
  }

  callHandlers(): CallHandler[] {
    const { data } = this.#deps;
    return [
      handleCall(getModeration)(async (input, context) =>
        data.tx(context.scope, async (tx) => {
          const room = await this.#roomOf(tx, context, input.username);
          if (typeof room === 'string') return context.refuse(CLOSED[room]);
          return this.#page(tx, room.owner.id, input.list, input.before ?? null);
        })
      ),
      handleCall(getHeld)(async ({ username }, context) =>
        data.tx(context.scope, async (tx) => {
          const room = await this.#roomOf(tx, context, username);
          if (typeof room === 'string') return context.refuse(CLOSED[room]);
          const waiting = await findHeld(tx, room.owner.id);
          const senderIds = new Set(waiting.map((item) => item.personId));
          const people = await this.#deps.accounts.findMany(tx, [...senderIds]);
          const staff = await this.#deps.accounts.staffAmong(tx, people.values());
          return { held: waiting.flatMap((item) => heldOf(item, people.get(item.personId), staff)) };
        })
      ),
      handleCall(decideHeld)(async (
        { username, id, decision },
        context,
      ) =>
        data.tx(context.scope, async (tx) => {
          const room = await this.#roomOf(tx, context, username);
          if (typeof room === 'string') return context.refuse(CLOSED[room]);
          const refusal = await this.#decide(tx, room, id, decision);
          return refusal ? context.refuse(DECISION_REFUSALS[refusal]) : { status: 1 };
        })
      ),
    ];
  }

  /** The room, for its moderators; the access check of all calls here. */
  async #roomOf(
    tx: Tx,
    context: CallContext,
    username: string,
  ): Promise<{ readonly owner: Person; readonly actor: Participant } | 'unknown' | 'forbidden'> {
    const room = await roomFor(this.#deps, tx, context, username);
    if (!room) return 'unknown';
    return canModerate(room.role) ? room : 'forbidden';
  }

  async #page(
    tx: Tx,
    performerId: number,
    list: ModerationList,
    before: number | null,
  ): Promise<OutputOf<typeof getModeration>> {
    const rows = list === 'actions'
      ? await pageOfActions(tx, performerId, before)
      : (await pageOfRestrictions(tx, performerId, KINDS[list], before)).map((restriction): StoredAction => ({
        ...restriction,
        action: ACTION_OF[restriction.kind],
        personId: restriction.subject.personId,
        guestName: restriction.subject.guestName ?? null,
      }));
    const { page: shown, next } = pageOf(rows, MODERATION_PER_PAGE);
    const ids = new Set(shown.flatMap(({ personId, byId }) => [personId, byId].filter((id) => id !== null)));
    const people = await this.#deps.accounts.findMany(tx, [...ids]);
    const staff = await this.#deps.accounts.staffAmong(tx, people.values());
    const entries = shown.map((row) => entryOf(row, people, staff));
    return { list, entries, next };
  }

  async #decide(
    tx: Tx,
    { owner, actor }: { readonly owner: Person; readonly actor: Participant },
    id: number,
    decision: HeldDecision,
  ): Promise<keyof typeof DECISION_REFUSALS | null> {
    const held = await takeHeld(tx, owner.id, id);
    if (!held) return 'held_unknown';
    const { personId, body, language, recentTips } = held;
    if (decision !== 'show') {
      await tx.send(topicPersonChannel(roomTopic(owner.id), personId), heldRejected, { message: body });
    }
    if (decision === 'silence') {
      const sender = await this.#deps.accounts.findById(tx, personId);
      const subject = await participantOf(tx, { personId, roles: sender?.roles ?? [] }, owner.id);
      const refusal = mayModerate(actor, subject, 'silence', owner.id);
      // The sender has become a moderator meanwhile; the message is still dropped.
      if (refusal) await this.#sendDecided(tx, owner.id, id, 'drop');
      if (refusal) return refusal === 'own_moderation' ? refusal : 'subject_protected';
      const until = new Date(tx.now.getTime() + HELD_SILENCE_MINUTES * MINUTE_MS);
      await this.#actions.act(tx, {
        performerId: owner.id,
        subject: { personId },
        action: 'silence',
        until,
        reason: '',
        byId: actor.personId,
      });
    }
    if (decision === 'show') {
      const known = await findSpeaker(tx, owner.id, personId, true);
      // Later messages of an approved speaker are not held as a first message.
      const admittedAt = known?.state.admittedAt ?? tx.now;
      if (known) await saveSpeaker(tx, owner.id, personId, { ...known.state, admittedAt });
      const said = { performerId: owner.id, senderId: personId, body, language, recentTips };
      await this.#deps.rooms.showHeld(tx, said);
    }
    await this.#sendDecided(tx, owner.id, id, decision);
    await tx.audit({
      action: 'room-moderation.decideHeld',
      actorId: actor.personId,
      subject: `person:${personId}`,
      detail: { room: owner.id, decision },
    });
    return null;
  }

  #sendDecided(tx: Tx, performerId: number, id: number, decision: HeldDecision): Promise<void> {
    return tx.send(topicChannel(moderatorsTopic(performerId)), heldDecided, { id, decision });
  }
}

const CLOSED = { unknown: roomUnknown, forbidden: moderationForbidden } as const;
const DECISION_REFUSALS = {
  held_unknown: heldUnknown,
  subject_protected: subjectProtected,
  own_moderation: ownModeration,
} as const;

function entryOf(
  { id, at, action, personId, guestName, byId, reason, until }: StoredAction,
  people: ReadonlyMap<number, Person>,
  staff: ReadonlySet<number>,
): OutputOf<typeof getModeration>['entries'][number] {
  const person = personId === null ? undefined : people.get(personId);
  const name = guestName ?? '';
  return {
    id,
    at: at.toISOString(),
    action,
    username: person?.username ?? name,
    display_name: person?.displayName ?? name,
    is_guest: personId === null,
    ...(person && staff.has(person.id) ? { is_staff: true } : {}),
    by: byId === null ? null : (people.get(byId)?.username ?? null),
    reason,
    until: until?.toISOString() ?? null,
  };
}

function heldOf(
  { id, body, why, at }: StoredHeld,
  person: Person | undefined,
  staff: ReadonlySet<number>,
): OutputOf<typeof getHeld>['held'] {
  if (!person) return [];
  const { username, displayName } = person;
  return [{
    id,
    username,
    display_name: displayName,
    message: body,
    why,
    at: at.toISOString(),
    ...(staff.has(person.id) ? { is_staff: true } : {}),
  }];
}
