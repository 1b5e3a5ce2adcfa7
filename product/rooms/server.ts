import { subscribe, type Slice, type Subscription } from '#platform/contract/bind.ts';
import type { Caller } from '#platform/contract/context.ts';
import { topicChannel } from '#platform/contract/event.ts';
import { implement } from '#platform/contract/extension-point.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import type { GatewayPort } from '#platform/realtime/gateway/gateway-port.ts';
import { usernameChanged } from '#product/accounts/contract/life/username.ts';
import { personalData, settingsPart } from '#product/accounts/extension-points.ts';
import type { Person } from '#product/accounts/server.ts';
import { playbackAdmits } from '#product/broadcast/extension-points.ts';
import { policyStarted } from '#product/compliance/contract/policies.ts';
import { audiencesIn, roomsTopic } from '#product/compliance/rules/entry-topics.ts';
import {
  chatHistory,
  chatSubject,
  chatUpdate,
  reconnectRequired,
  userCount,
  type ChatMessageView,
} from './contract.ts';
import { modelSettings } from './contract/controls.ts';
import { personModerated } from './contract/moderation.ts';
import { showChatState } from './contract/show-chat.ts';
import * as extensionPoints from './extension-points.ts';
import type { RoomPartSource, ViewDecider, Visitor } from './extension-points.ts';
import {
  afterShow,
  followBroadcast,
  maySeeStream,
  moderatorsTopic,
  NEW_ROOM,
  performerOfTopic,
  roomTopic,
  type Activity,
  type ChatStatus,
  type RoomRights,
} from './rules.ts';
import { readersOf, showChatAccess } from './rules/show-chat.ts';
import type { DecidedCondition, DecidedConditions } from './rules/view-conditions.ts';
import type { HeldMessage, ShownTip } from './server/chat/chat-input.ts';
import { Chat } from './server/chat/chat.ts';
import { findMissed, sendMissed } from './server/chat/log.ts';
import { moderationService, type ModerationService } from './server/chat/moderation.ts';
import { noticeDeadline } from './server/chat/notices.ts';
import {
  NO_SHOW_CHAT,
  runningChat,
  sendShowChat,
  showChatDeadline,
  showChatOnJoining,
  showChatRead,
} from './server/chat/show-chat.ts';
import type { RoomsDependencies } from './server/dependencies.ts';
import { ownFieldsOf } from './server/people/own-fields.ts';
import { roomRightsIn } from './server/people/people.ts';
import { reachableOf } from './server/people/reachable.ts';
import { UserLists } from './server/people/users.ts';
import { Visits } from './server/people/visits.ts';
import { invisibleSetting, roomControlHandlers } from './server/room-controls.ts';
import { conditionsOf, playbackBy } from './server/room/conditions.ts';
import { asideBarOf, enterRoom, refusalOf, type Aside, type AsideBar } from './server/room/entry.ts';
import { updateFieldsOf } from './server/room/parts.ts';
import { roomHandlers } from './server/room/room-data.ts';
import { roomStateSubscriptions, sendRoomState, updateOf } from './server/room/room-state.ts';
import { settingsHandlers, settingsOf } from './server/room/settings.ts';
import {
  findActivity,
  findState,
  findStates,
  lockState,
  releaseActivity,
  saveState,
  takeActivity,
} from './store.ts';
import { ownRows } from './store/own-rows.ts';
import { findSettings, lockedAmong } from './store/settings.ts';

export interface RoomsService extends ModerationService {
  /** Shows a tip as a chat line, once per `factId`. */
  readonly showTip: (tx: Tx, tip: ShownTip) => Promise<void>;
  /** Shows a held message; returns its sequence number. */
  readonly showHeld: (tx: Tx, held: HeldMessage) => Promise<number>;
  /**
   * Shows a notice in the performer's name, in the room or in the chat of a show; returns its number there.
   */
  readonly notice: (
    tx: Tx,
    performerId: number,
    text: string,
    showChat?: string | null,
  ) => Promise<number>;
  /** Sends each person the show chat that they may read now, or that there is none any more. */
  readonly sendShowChat: (tx: Tx, performerId: number, personIds: readonly number[]) => Promise<void>;
  /** The chat of the show in which somebody may write now, and its readers; null outside of a show. */
  readonly showChatOf: (
    tx: Tx,
    performerId: number,
    personId: number,
  ) => Promise<{ readonly key: string; readonly readerIds: readonly number[] } | null>;
  /**
   * What somebody read in the chat of a show, running or over, while it is stored; null if they read none.
   */
  readonly showChatRead: (
    tx: Tx,
    performerId: number,
    which: { readonly key: string; readonly personId: number },
  ) => Promise<readonly ChatMessageView[] | null>;
  /** Chat status, viewer count and camera lock of each performer, for listings. */
  readonly statusOf: (tx: Tx, performerIds: readonly number[]) => Promise<
    ReadonlyMap<number, {
      status: ChatStatus;
      viewerCount: number;
      isLocked: boolean;
    }>
  >;
  /** People watching a room now, without its performer; read from memory. */
  readonly viewersIn: (scope: OperatorScope, performerId: number) => number;
  /** Calls back with each room that somebody entered or left, in any process. */
  readonly watchViewers: (listener: (scope: OperatorScope, performerId: number) => void) => () => void;
  /** Room part of the gateway's port. */
  readonly gateway: Pick<GatewayPort, 'admit' | 'joined' | 'left'>;
  /** Entry check for calls of later slices on a room. */
  readonly enter: (tx: Tx, ...asked: EnterArguments) => ReturnType<typeof enterRoom>;
  /** Why others in a room do not see what a viewer does there outside its chat; null when they do. */
  readonly asideBarOf: (tx: Tx, aside: Aside) => Promise<AsideBar>;
  /** Whether a performer takes new followers. */
  readonly takesFollowers: (tx: Tx, performerId: number) => Promise<boolean>;
  /** The activity a performer is busy with; null for none. */
  readonly activityOf: (tx: Tx, performerId: number) => Promise<Activity | null>;
  /**
   * Takes the only lock of a performer; changes nothing and returns false while another activity holds it.
   */
  readonly takeActivity: (tx: Tx, performerId: number, activity: Activity) => Promise<boolean>;
  /** Releases the lock when the show that held it is over. */
  readonly releaseActivity: (tx: Tx, performerId: number, activity: Activity) => Promise<void>;
  /** Those of the given people whom a performer's notices may reach now, wherever they are. */
  readonly reachable: (
    tx: Tx,
    performerId: number,
    personIds: readonly number[],
  ) => Promise<ReadonlyMap<number, Person>>;
  /** Whether a ban or a kick excludes a visitor from a room. Stores nothing. */
  readonly isExcluded: (tx: Tx, visitor: Visitor, performerId: number) => Promise<boolean>;
  /** Sends a room its state once more, to everybody in it. */
  readonly sendState: (tx: Tx, performerId: number) => Promise<void>;
  /** What somebody may do in a room. */
  readonly roomRightsIn: (
    tx: Tx,
    caller: Pick<Caller, 'personId' | 'roles'>,
    performerId: number,
  ) => Promise<RoomRights>;
}

type EnterArguments = Parameters<typeof enterRoom> extends [unknown, unknown, ...infer Rest] ? Rest : never;

export type RoomsSlice = Slice<RoomsService>;

export { refuseEntry } from './server/room/entry.ts';
export { checkParts, composedGetRoom, composedUpdate } from './server/room/parts.ts';

/** Types an implementation of `rooms.parts` by its part. */
export const partSource = <Data extends object, Update extends object>(
  source: RoomPartSource<Data, Update>,
): RoomPartSource => source;

/** Types an implementation of `rooms.viewConditions`: it returns a value for each condition it decides. */
export const viewDecider = <const Condition extends DecidedCondition>(decider: {
  readonly decides: readonly Condition[];
  readonly of: (...viewer: Parameters<ViewDecider['of']>) => Promise<Pick<DecidedConditions, Condition>>;
}): ViewDecider => decider;

/** The live room: chat, presence, subject, room state. */
export function roomsSlice(deps: RoomsDependencies): RoomsSlice {
  const chat = new Chat(deps);
  const lists = new UserLists(deps);
  const service: RoomsService = {
    ...moderationService(deps),
    showTip: (tx, tip) => chat.showTip(tx, tip),
    showHeld: (tx, held) => chat.showHeld(tx, held),
    notice: (tx, performerId, text, showChat) => chat.notice(tx, performerId, text, showChat),
    sendShowChat: (tx, performerId, ids) =>
      sendShowChat(
        deps.extensions,
        tx,
        performerId,
        ids,
        (...messages) => chat.viewsOf(...messages, null),
      ),
    showChatRead: (tx, performerId, which) =>
      showChatRead(
        deps.extensions,
        tx,
        performerId,
        which,
        (...messages) => chat.viewsOf(...messages, null),
      ),
    showChatOf: async (tx, performerId, personId) => {
      const running = await runningChat(deps.extensions, tx, performerId);
      if (!running || !showChatAccess(running, personId)?.mayWrite) return null;
      return { key: running.key, readerIds: readersOf(running) };
    },
    statusOf: async (tx, performerIds) => {
      const states = await findStates(tx, performerIds);
      const locked = await lockedAmong(tx, performerIds);
      return new Map(performerIds.map((id) => [id, {
        status: (states.get(id) ?? NEW_ROOM).status,
        viewerCount: lists.countOf(tx.operatorId, id),
        isLocked: locked.has(id),
      }]));
    },
    viewersIn: ({ operatorId }, performerId) => lists.countOf(operatorId, performerId),
    watchViewers: (listener) =>
      deps.attendance.watch(({ operatorId, topic }) => listener({ operatorId }, performerOfTopic(topic))),
    gateway: gatewayPart(deps, chat, lists),
    enter: (tx, ...asked) => enterRoom(deps, tx, ...asked),
    asideBarOf: (tx, aside) => asideBarOf(deps.extensions, tx, aside),
    activityOf: findActivity,
    takeActivity,
    releaseActivity: async (tx, performerId, activity) => {
      await releaseActivity(tx, performerId, activity);
      const before = await lockState(tx, performerId);
      const after = afterShow(before, activity);
      if (after !== before) await saveState(tx, performerId, after);
    },
    reachable: (tx, performerId, ids) => reachableOf(deps, tx, performerId, ids),
    isExcluded: async (tx, visitor, performerId) => {
      const guard = deps.extensions.one(extensionPoints.roomGuard);
      return (await guard.mayExclude(tx, performerId))(visitor.caller)
        && guard.isExcluded(tx, visitor, performerId);
    },
    sendState: async (tx, performerId) =>
      sendRoomState(deps.extensions, tx, performerId, await lockState(tx, performerId)),
    takesFollowers: async (tx, performerId) => (await findSettings(tx, performerId)).followEnabled,
    roomRightsIn: (tx, caller, performerId) => roomRightsIn(deps.extensions, tx, caller, performerId),
  };
  return {
    name: 'rooms',
    service,
    extensionPoints,
    extensions: [
      implement(personalData, ownRows),
      implement(playbackAdmits, playbackBy(deps.extensions)),
      implement(settingsPart, invisibleSetting(deps)),
    ],
    callHandlers: [
      ...roomHandlers(deps, lists),
      ...settingsHandlers(deps),
      ...roomControlHandlers(deps, chat),
    ],
    subscriptions: [...roomStateSubscriptions(deps), reviewed(deps), admittedAgain(deps), renamed(deps)],
    eventHandlers: [...chat.eventHandlers(), ...lists.eventHandlers()],
    deadlineHandlers: [noticeDeadline(deps, service.notice), showChatDeadline(deps)],
    stop: async () => lists.stop(),
  };
}

/** Banned and kicked viewers lose the video together with the room. */
const reviewed = ({ broadcast }: RoomsDependencies): Subscription =>
  subscribe(personModerated, 'rooms.reviewed')(async ({ operatorId, payload: { performerId, type } }) => {
    if (type === 'banned' || type === 'kicked') await broadcast.review({ operatorId }, performerId);
  });

/**
 * Everybody in a room at a place whose policy begins or ends joins again, and the entry check decides by
 * the new one. Who may stay misses nothing.
 */
const admittedAgain = ({ data }: RoomsDependencies): Subscription =>
  subscribe(policyStarted, 'rooms.policyStarted')(({ operatorId, payload: { regions } }) =>
    data.tx({ operatorId }, async (tx) => {
      for (const audience of audiencesIn(regions)) {
        await tx.send(topicChannel(roomsTopic(audience)), reconnectRequired, {});
      }
    })
  );

/** Pages of a renamed performer's room join it again, under its new name. */
const renamed = ({ data }: RoomsDependencies): Subscription =>
  subscribe(usernameChanged, 'rooms.renamed')(async ({ operatorId, payload: { personId, type } }) => {
    if (type !== 'model') return;
    await data.tx({ operatorId }, (tx) => tx.send(topicChannel(roomTopic(personId)), reconnectRequired, {}));
  });

function gatewayPart(deps: RoomsDependencies, chat: Chat, lists: UserLists): RoomsService['gateway'] {
  const { data, extensions, broadcast, compliance } = deps;
  const visits = new Visits(deps);
  return {
    admit: async (scope, caller, room, context) => {
      const entry = await data.tx(scope, (tx) => enterRoom(deps, tx, { ...context, caller }, room));
      if ('refused' in entry) return { refused: refusalOf(entry.refused).code };
      const { owner: { id }, rights } = entry;
      return {
        topic: roomTopic(id),
        beside: [...compliance.roomTopics(context), ...(rights.canModerate ? [moderatorsTopic(id)] : [])],
      };
    },
    joined: async (context, lastSeq) => {
      const { caller, scope, reply } = context;
      const performerId = performerOfTopic(context.topic);
      const { personId } = caller;
      const past = await data.tx(scope, async (tx) => {
        const { canModerate } = await roomRightsIn(extensions, tx, caller, performerId);
        // Reads the sequence number first: whatever is read after it may be newer, and is then sent again.
        const state = await findState(tx, performerId);
        const own = await ownFieldsOf(deps, tx, context);
        const returning = { performerId, personId, canModerate, lastSeq, own };
        const missed = await findMissed(tx, returning);
        return {
          state,
          missed,
          returning,
          messages: missed ? [] : await chat.history(tx, performerId, { personId, own }),
          view: await broadcast.viewOf(tx, performerId),
          conditionsAt: await conditionsOf(extensions, tx, caller, performerId),
          partFields: await updateFieldsOf(extensions, tx, performerId),
          showChat: await showChatOnJoining(
            extensions,
            tx,
            performerId,
            personId,
            (...messages) => chat.viewsOf(...messages, { personId, own }),
          ),
          ...(await settingsOf(deps, tx, performerId)),
        };
      });
      const { state, missed, view } = past;
      if (missed) sendMissed(context, missed, past.returning);
      else {
        reply(chatHistory, { messages: past.messages, seq: state.seq });
        reply(chatSubject, { subject: view.title, subject_color: past.subjectColor });
        reply(modelSettings, { settings: past.settings });
      }
      // Always sent in full, so that no sequence number brings back what this viewer may no longer read.
      if (personId !== null) reply(showChatState, past.showChat ?? NO_SHOW_CHAT);
      // Reads the broadcast's current state: its fact may be delivered to the room later.
      const room = followBroadcast(state, view);
      const stream = maySeeStream(past.conditionsAt(room.status)) ? view.stream : null;
      reply(chatUpdate, updateOf(performerId, { ...room, stream }, past.partFields));
      if (room.status === 'standby' && personId !== null && personId !== performerId) {
        await data.tx(scope, (tx) => broadcast.memberEntered(tx, performerId, personId));
      }
      lists.join(context);
      reply(userCount, { user_count: lists.countOf(scope.operatorId, performerId) });
      await visits.entered(context);
    },
    left: async (context) => {
      lists.leave(context);
      await visits.left(context);
    },
  };
}
