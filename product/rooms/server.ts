import { subscribe, type Subscription, type Slice } from '../../platform/contract/bind.ts';
import { implement } from '../../platform/contract/extension-point.ts';
import type { Caller } from '../../platform/contract/context.ts';
import type { Tx } from '../../platform/data/data.ts';
import type { GatewayPort } from '../../platform/realtime/gateway/gateway-port.ts';
import { playbackAdmits } from '../broadcast/extension-points.ts';
import {
  chatHistory, chatSubject, chatUpdate, modelSettings, personModerated, userCount,
} from './contract.ts';
import * as extensionPoints from './extension-points.ts';
import type { RoomPartSource } from './extension-points.ts';
import {
  moderatorsTopic, followBroadcast, maySeeStream, NEW_ROOM, performerOfTopic, roomTopic, type ChatStatus,
  type Place,
} from './rules.ts';
import { Chat, type HeldMessage, type ShownTip } from './server/chat/chat.ts';
import { conditionsOf, playbackBy } from './server/room/conditions.ts';
import { courseHearings, updateOf } from './server/room/course.ts';
import { deskHandlers } from './server/desk.ts';
import { enterRoom, refusalOf } from './server/room/entry.ts';
import { missedBy, tellMissed } from './server/chat/log.ts';
import { roomOrders, type RoomOrders } from './server/chat/moderation.ts';
import type { RoomsDependencies } from './server/dependencies.ts';
import { noticeDue } from './server/chat/notices.ts';
import { placeIn } from './server/people/people.ts';
import { updateFieldsOf } from './server/room/parts.ts';
import { roomHandlers } from './server/room/room-data.ts';
import { settingsHandlers, settingsOf } from './server/room/settings.ts';
import { UserLists } from './server/people/users.ts';
import { findState, findStates } from './store.ts';

export interface RoomsService extends RoomOrders {
  /** Shows a tip as a chat line, once per `factId`. */
  readonly showTip: (tx: Tx, tip: ShownTip) => Promise<void>;
  /** Shows a message that waited for a moderator; its number in the log. */
  readonly showHeld: (tx: Tx, held: HeldMessage) => Promise<number>;
  /** Shows a line of the performer's that is no speech of hers; its number in the log. */
  readonly notice: (tx: Tx, performerId: number, text: string) => Promise<number>;
  /** Chat status and viewer count of performers, for listings. */
  readonly statusOf: (tx: Tx, performerIds: readonly number[]) => Promise<ReadonlyMap<number, {
    status: ChatStatus; viewerCount: number;
  }>>;
  /** Room part of the gateway's port. */
  readonly gateway: Pick<GatewayPort, 'admit' | 'joined' | 'left'>;
  /** The way into a room, for calls of later slices upon it. */
  readonly enter: (tx: Tx, ...asked: EnterArguments) => ReturnType<typeof enterRoom>;
  /** What somebody is in a room. */
  readonly placeIn: (
    tx: Tx, caller: Pick<Caller, 'personId' | 'roles'>, performerId: number,
  ) => Promise<Place>;
}

type EnterArguments = Parameters<typeof enterRoom> extends [unknown, unknown, ...infer Rest] ? Rest : never;

export type RoomsSlice = Slice<RoomsService>;

export { composedGetRoom, composedUpdate } from './server/room/parts.ts';

/** Types what a slice implements of `rooms.parts` by its part. */
export const partSource = <Data extends object, Update extends object>(
  source: RoomPartSource<Data, Update>,
): RoomPartSource => source;

/** The live room: chat, presence, subject, room state. */
export function roomsSlice(deps: RoomsDependencies): RoomsSlice {
  const chat = new Chat(deps);
  const lists = new UserLists(deps);
  const service: RoomsService = {
    ...roomOrders(deps),
    showTip: (tx, tip) => chat.showTip(tx, tip),
    showHeld: (tx, held) => chat.showHeld(tx, held),
    notice: (tx, performerId, text) => chat.notice(tx, performerId, text),
    statusOf: async (tx, performerIds) => {
      const states = await findStates(tx, performerIds);
      return new Map(performerIds.map((id) => [id, {
        status: (states.get(id) ?? NEW_ROOM).status, viewerCount: lists.countOf(tx.operatorId, id),
      }]));
    },
    gateway: gatewayPart(deps, chat, lists),
    enter: (tx, ...asked) => enterRoom(deps, tx, ...asked),
    placeIn: (tx, caller, performerId) => placeIn(deps.extensions, tx, caller, performerId),
  };
  return {
    name: 'rooms',
    service,
    extensionPoints,
    extensions: [implement(playbackAdmits, playbackBy(deps.extensions))],
    callHandlers: [
      ...roomHandlers(deps, lists), ...settingsHandlers(deps), ...deskHandlers(deps, chat),
    ],
    subscriptions: [...courseHearings(deps), reviewed(deps)],
    eventHandlers: [...chat.listenings(), ...lists.listenings()],
    deadlineHandlers: [noticeDue(deps, service.notice)],
    stop: async () => lists.stop(),
  };
}

/** Whoever is banned or kicked loses the picture with the room. */
const reviewed = ({ broadcast }: RoomsDependencies): Subscription =>
  subscribe(personModerated, 'rooms.reviewed')(async ({ operatorId, payload: { performerId, type } }) => {
    if (type === 'banned' || type === 'kicked') await broadcast.review({ operatorId }, performerId);
  });

function gatewayPart(deps: RoomsDependencies, chat: Chat, lists: UserLists): RoomsService['gateway'] {
  const { data, extensions, broadcast } = deps;
  return {
    admit: async (scope, caller, room, context) => {
      const entry = await data.tx(scope, (tx) => enterRoom(deps, tx, { ...context, caller }, room));
      if ('refused' in entry) return { refused: refusalOf(entry.refused).code };
      const { owner: { id }, place } = entry;
      return { topic: roomTopic(id), beside: place.canModerate ? [moderatorsTopic(id)] : [] };
    },
    joined: async (context, lastSeq) => {
      const { caller, scope, reply } = context;
      const performerId = performerOfTopic(context.topic);
      const { personId } = caller;
      const past = await data.tx(scope, async (tx) => {
        const { canModerate } = await placeIn(extensions, tx, caller, performerId);
        // The place comes first: what is read after it may be younger, and is then told once more.
        const state = await findState(tx, performerId);
        const returning = { performerId, personId, canModerate, lastSeq };
        const missed = await missedBy(tx, returning);
        return {
          state, missed, returning, messages: missed ? [] : await chat.history(tx, performerId),
          view: await broadcast.viewOf(tx, performerId),
          standing: await conditionsOf(extensions, tx, caller, performerId),
          partFields: await updateFieldsOf(extensions, tx, performerId),
          ...(await settingsOf(deps, tx, performerId)),
        };
      });
      const { state, missed, view } = past;
      if (missed) tellMissed(context, missed, past.returning);
      else {
        reply(chatHistory, { messages: past.messages, seq: state.seq });
        reply(chatSubject, { subject: view.title, subject_color: past.subjectColor });
        reply(modelSettings, { settings: past.settings });
      }
      // By the broadcast as it is now: its fact may reach the room only after this.
      const room = followBroadcast(state, view);
      const stream = maySeeStream(past.standing(room.status)) ? view.stream : null;
      reply(chatUpdate, updateOf(performerId, { ...room, stream }, past.partFields));
      if (room.status === 'standby' && personId !== null && personId !== performerId) {
        await data.tx(scope, (tx) => broadcast.memberEntered(tx, performerId, personId));
      }
      lists.join(context);
      reply(userCount, { user_count: lists.countOf(scope.operatorId, performerId) });
    },
    left: async (context) => lists.leave(context),
  };
}
