import { hear, listen, type Hearing, type Listening, type Slice } from '../../platform/contract/bind.ts';
import { topicChannel } from '../../platform/contract/event.ts';
import type { Slots } from '../../platform/contract/slot.ts';
import type { Bus, Data, Tx } from '../../platform/data/data.ts';
import type { HostPort } from '../../platform/http/host-port.ts';
import type { GatewayPort } from '../../platform/realtime/gateway-port.ts';
import type { AccountsService } from '../accounts/server.ts';
import {
  broadcastEnded, broadcastInterrupted, broadcastResumed, broadcastStarted, detailsChanged,
} from '../broadcast/contract.ts';
import type { BroadcastService } from '../broadcast/server.ts';
import type { ComplianceService } from '../compliance/server.ts';
import {
  chatHistory, chatSubject, chatUpdate, roomForbidden, roomUnknown, startUserList, stopUserList, userCount,
  userList, viewerStanding,
} from './contract.ts';
import {
  EMPTY_ROOM, followBroadcast, MAX_USER_LIST, performerOfTopic, placeOf, roomTopic, type ChatStatus,
  type RoomState,
} from './rules.ts';
import { Chat, type ShownTip } from './server/chat.ts';
import { Presence, type Crowd } from './server/presence.ts';
import { enterRoom, roomAnswers } from './server/room-data.ts';
import { findState, findStates, lockState, saveState } from './store.ts';

export interface RoomsService {
  /** Shows a tip as a chat line, once per `factId`. */
  readonly showTip: (tx: Tx, tip: ShownTip) => Promise<void>;
  /** Chat status and viewer count of performers, for listings. Counts are those of this process. */
  readonly statusOf: (tx: Tx, performerIds: readonly number[]) => Promise<ReadonlyMap<number, {
    status: ChatStatus; viewerCount: number;
  }>>;
  /** Room part of the gateway's port. */
  readonly gateway: Pick<GatewayPort, 'admit' | 'joined' | 'left'>;
}

export type RoomsSlice = Slice<RoomsService>;

export interface RoomsNeeds {
  readonly data: Data;
  readonly bus: Bus;
  readonly slots: Slots;
  readonly accounts: AccountsService;
  readonly compliance: ComplianceService;
  readonly broadcast: BroadcastService;
  readonly text: HostPort['text'];
  /** Logs a fault nobody waits for: in a user list feed. */
  readonly onFault: (error: unknown) => void;
}

/** The live room: chat, presence, subject, room state. */
export function roomsSlice(needs: RoomsNeeds): RoomsSlice {
  const { data, onFault } = needs;
  const chat = new Chat(needs);
  const presence = new Presence(data.clock, (crowd) => {
    announceCount(needs, crowd);
    if (crowd.listeners.length > 0) sendUserList(needs, crowd).catch(onFault);
  });
  const service: RoomsService = {
    showTip: (tx, tip) => chat.showTip(tx, tip),
    statusOf: async (tx, performerIds) => {
      const states = await findStates(tx, performerIds);
      return new Map(performerIds.map((id) => [id, {
        status: (states.get(id) ?? EMPTY_ROOM).status, viewerCount: presence.countOf(tx.operatorId, id),
      }]));
    },
    gateway: gatewayPart(needs, chat, presence),
  };
  return {
    name: 'rooms',
    service,
    answers: roomAnswers({ ...needs, countOf: (operatorId, id) => presence.countOf(operatorId, id) }),
    hearings: hearings(needs),
    listenings: [...chat.listenings(), ...listFeed(presence)],
    stop: async () => presence.stop(),
  };
}

function gatewayPart(
  { data, accounts, compliance }: RoomsNeeds, chat: Chat, presence: Presence,
): RoomsService['gateway'] {
  return {
    admit: async (scope, caller, room, context) => {
      const viewer = compliance.viewerOf({ ...context, caller });
      const entry = await data.tx(scope, (tx) => enterRoom({ accounts, compliance }, tx, viewer, room));
      if ('owner' in entry) return { topic: roomTopic(entry.owner.id) };
      return { refused: entry.refused === 'forbidden' ? roomForbidden.code : roomUnknown.code };
    },
    joined: async (context) => {
      const performerId = performerOfTopic(context.topic);
      const { messages, state } = await data.tx(context.scope, async (tx) => ({
        messages: await chat.history(tx, performerId), state: await findState(tx, performerId),
      }));
      context.reply(chatHistory, { messages });
      context.reply(chatUpdate, updateOf(performerId, state));
      presence.join(context);
      context.reply(userCount, { user_count: presence.countOf(context.scope.operatorId, performerId) });
    },
    left: async (context) => presence.leave(context),
  };
}

/** Whoever may not see the list hears nothing: the page does not ask then. */
function listFeed(presence: Presence): Listening[] {
  return [
    listen(startUserList)(async (_payload, context) => {
      if (placeOf(context.caller, performerOfTopic(context.topic)).seesUsers) presence.listen(context, true);
    }),
    listen(stopUserList)(async (_payload, context) => presence.listen(context, false)),
  ];
}

/** Presence is not kept, so neither is its news: it goes to the gateways without the outbox. */
function announceCount({ bus }: RoomsNeeds, { operatorId, topic, count }: Crowd): void {
  const payload = { user_count: count };
  bus.publish({ operatorId, channel: topicChannel(topic), name: userCount.name, payload });
}

async function sendUserList(
  { data, slots, accounts }: RoomsNeeds, { operatorId, performerId, memberIds, listeners }: Crowd,
): Promise<void> {
  const named = memberIds.slice(0, MAX_USER_LIST);
  const [first] = listeners;
  if (!first) return;
  const recent = await slots.one(viewerStanding).recentTips(first.scope, named, performerId);
  const people = await data.tx({ operatorId }, (tx) => accounts.findMany(tx, named));
  const users = named.flatMap((id) => people.get(id) ?? []).map((person) => ({
    username: person.username, display_name: person.displayName, is_model: person.type === 'model',
    is_guest: false,
    is_moderator: placeOf({ personId: person.id, roles: person.roles }, performerId).isModerator,
    // What somebody owns is theirs to know; what they gave here is the performer's too.
    tokens: null, recentTips: recent.get(person.id) ?? 0,
  }));
  for (const listener of listeners) listener.reply(userList, { count: memberIds.length, users });
}

const updateOf = (performerId: number, { status, stream }: RoomState) =>
  ({ id: performerId, status, stream_name: stream, private_exclusive: false });

/** The room follows its broadcast. Facts of several kinds come in any order, so each only says where to look.
 * */
function hearings({ data, broadcast }: RoomsNeeds): Hearing[] {
  const follow = ({ operatorId, payload: { performerId } }: {
    operatorId: number; payload: { performerId: number };
  }): Promise<void> =>
    data.tx({ operatorId }, async (tx) => {
      const before = await lockState(tx, performerId);
      const after = followBroadcast(before, await broadcast.viewOf(tx, performerId));
      if (after === before) return;
      await saveState(tx, performerId, after);
      await tx.tell(topicChannel(roomTopic(performerId)), chatUpdate, updateOf(performerId, after));
    });
  return [
    hear(broadcastStarted, 'rooms.broadcastStarted')(follow),
    hear(broadcastResumed, 'rooms.broadcastResumed')(follow),
    hear(broadcastInterrupted, 'rooms.broadcastInterrupted')(follow),
    hear(broadcastEnded, 'rooms.broadcastEnded')(follow),
    hear(detailsChanged, 'rooms.detailsChanged')(({ operatorId, payload: { performerId, title } }) =>
      data.tx({ operatorId }, (tx) => tx.tell(
        topicChannel(roomTopic(performerId)), chatSubject, { subject: title, subject_color: null },
      ))),
  ];
}
