import { handleEvent, type EventContext, type EventHandler } from '#platform/contract/bind.ts';
import type { Caller, Scope } from '#platform/contract/context.ts';
import { topicChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { avatarKey } from '#product/accounts/rules/avatar.ts';
import type { Person } from '#product/accounts/server.ts';
import {
  startUserList,
  stopUserList,
  userCount,
  userJoined,
  userLeft,
  userList,
  type ChatUserView,
  type RoomDataView,
} from '../../contract.ts';
import { invisibleMode } from '../../contract/controls.ts';
import { fanLevels, roomGuard, tipping } from '../../extension-points.ts';
import {
  isShownTo,
  MAX_LIST_CHANGES,
  MAX_USER_LIST,
  performerOfTopic,
  roomRightsOf,
  seesUserList,
  type RoomRights,
} from '../../rules.ts';
import { findSettings, type Settings } from '../../store/settings.ts';
import type { RoomsDependencies } from '../dependencies.ts';
import { ownFieldsBySocket, PRIVATE, type OwnFields } from './own-fields.ts';
import { fieldsOf, staffFlag } from './people.ts';
import { Presence, type Audience } from './presence.ts';
import { invisibleLevels, tiersOf } from './tiers.ts';

export const seesUsersIn = (rights: RoomRights, { isUserListVisible }: Settings): boolean =>
  seesUserList(rights, isUserListVisible);

/** User lists and counts of rooms, and who receives them. */
export class UserLists {
  readonly #deps: RoomsDependencies;
  readonly #presence: Presence;
  readonly #unsubscribe: () => void;
  /** The list last sent to each socket: level of invisible mode by username. */
  readonly #lastSent = new Map<string, ReadonlyMap<string, number>>();

  constructor(deps: RoomsDependencies) {
    this.#deps = deps;
    const { data: { clock }, attendance, bus } = deps;
    const onFirstListener = (audience: Audience): void => void this.#sendUsers(audience).catch(deps.onError);
    this.#presence = new Presence({ clock, attendance }, {
      onChange: (audience) => {
        this.#sendCount(audience);
        if (audience.listeners.length > 0) onFirstListener(audience);
      },
      onFirstListener,
    });
    // People may hide or reappear through any process; the lists of this one follow.
    this.#unsubscribe = bus.subscribe(({ operatorId, channel, name }) => {
      const personId = name === invisibleMode.name ? personOfChannel(channel) : null;
      if (personId !== null) this.#presence.changed(operatorId, personId);
    });
  }

  /** People watching a room, without its performer. */
  countOf(operatorId: number, performerId: number): number {
    return this.#presence.countOf(operatorId, performerId);
  }

  join(context: EventContext): void {
    this.#presence.join(context);
  }

  leave(context: EventContext): void {
    this.#lastSent.delete(context.socketId);
    this.#presence.leave(context);
  }

  stop(): void {
    this.#unsubscribe();
    this.#presence.stop();
    this.#lastSent.clear();
  }

  /** A viewer who may not see the list receives nothing; their page does not request it. */
  eventHandlers(): EventHandler[] {
    return [
      handleEvent(startUserList)(async (_payload, context) => {
        const performerId = performerOfTopic(context.topic);
        const settings = await this.#deps.data.tx(context.scope, (tx) => findSettings(tx, performerId));
        if (!seesUsersIn(roomRightsOf(context.caller, performerId, false), settings)) return;
        this.#lastSent.delete(context.socketId);
        this.#presence.listen(context, true);
      }),
      handleEvent(stopUserList)(async (_payload, context) => {
        this.#lastSent.delete(context.socketId);
        this.#presence.listen(context, false);
      }),
    ];
  }

  /** The list in room data, for viewers who may see it. */
  async entriesFor(scope: Scope, performerId: number, caller: Caller): Promise<RoomDataView['chatUserList']> {
    const { data, extensions } = this.#deps;
    const ids = this.#presence.memberIdsOf(scope.operatorId, performerId).slice(0, MAX_USER_LIST);
    const { recent, shown } = await data.tx(scope, async (tx) => ({
      recent: await extensions.one(tipping).recentTips(tx, ids, performerId),
      shown: await this.#shownOf(tx, ids, performerId, caller),
    }));
    return Object.fromEntries(shown.map(({ id, username, level, tokens }) => [username, {
      tokens,
      recentTips: recent.get(id) ?? 0,
      invisible_mode_level: level,
    }]));
  }

  async #shownOf(tx: Tx, ids: readonly number[], performerId: number, caller: Caller) {
    const people = await this.#deps.accounts.findMany(tx, ids);
    const levels = await invisibleLevels(this.#deps, tx, [...people.values()]);
    const rights = roomRightsOf(caller, performerId, false);
    const own = caller.personId === null ? null : await this.#deps.ledger.balance(tx, caller.personId);
    return ids.flatMap((id) => people.get(id) ?? [])
      .map(({ id, username }) => ({
        id,
        username,
        level: levels.get(id) ?? 0,
        tokens: id === caller.personId ? own : null,
      }))
      .filter(({ id, level }) => id === caller.personId || isShownTo(rights, level));
  }

  /** Presence is not stored, so each process sends counts to its own sockets without the outbox. */
  #sendCount({ operatorId, topic, count }: Audience): void {
    this.#deps.bus.publishHere({
      operatorId,
      channel: topicChannel(topic),
      name: userCount.name,
      payload: { user_count: count },
    });
  }

  async #sendUsers({ operatorId, performerId, memberIds, listeners }: Audience): Promise<void> {
    const known = await this.#deps.data.tx({ operatorId }, async (tx) => ({
      own: await ownFieldsBySocket(this.#deps, tx, listeners),
      ...await this.#presentIn(tx, performerId, memberIds),
    }));
    const { room, present, settings } = known;
    for (const listener of listeners) {
      const own = known.own.get(listener.socketId) ?? PRIVATE;
      this.#sendList(listener, { performerId, room, present, own }, settings);
    }
  }

  /** One member's entry in the list; null if they are not there, or not shown to the caller. */
  async entryOf(
    tx: Tx,
    performerId: number,
    caller: Caller,
    username: string,
  ): Promise<ChatUserView | null> {
    const found = await this.#deps.accounts.findByUsername(tx, username);
    if (!found || !this.#presence.memberIdsOf(tx.operatorId, performerId).includes(found.id)) return null;
    const { present, settings } = await this.#presentIn(tx, performerId, [found.id]);
    const rights = roomRightsOf(caller, performerId, false);
    if (!seesUsersIn(rights, settings)) return null;
    return present.find(({ person, user }) =>
      person.id === caller.personId || isShownTo(rights, user.invisible_mode_level)
    )?.user ?? null;
  }

  /** The members of a room as in its list, before removing those that a recipient may not see. */
  async #presentIn(tx: Tx, performerId: number, memberIds: readonly number[]): Promise<{
    readonly room: string;
    readonly present: readonly Present[];
    readonly settings: Settings;
  }> {
    const { extensions, accounts } = this.#deps;
    const people = await accounts.findMany(tx, [...memberIds, performerId]);
    const staff = await accounts.staffAmong(tx, people.values());
    const recent = await extensions.one(tipping).recentTips(tx, memberIds, performerId);
    const fans = await extensions.one(fanLevels)(tx, memberIds, performerId);
    const tierOf = await tiersOf(this.#deps, tx, memberIds);
    const balances = await this.#deps.ledger.balances(tx, memberIds);
    const levels = await invisibleLevels(this.#deps, tx, [...people.values()]);
    const { moderatorIds } = await extensions.one(roomGuard).moderatedPeople(tx, performerId);
    const moderators = new Set(moderatorIds);
    const present = memberIds.flatMap((id) => people.get(id) ?? []).map((person): Present => {
      const invisible_mode_level = levels.get(person.id) ?? 0;
      return {
        person,
        user: {
          ...fieldsOf(person, {
            isPerformer: person.type === 'model',
            isModerator: roomRightsOf(
              { personId: person.id, roles: person.roles },
              performerId,
              moderators.has(person.id),
            ).isModerator,
            hasTokens: (balances.get(person.id) ?? 0) > 0,
            ...tierOf(person.id),
            fanclubLevel: fans.get(person.id) ?? null,
            recentTips: recent.get(person.id) ?? 0,
          }),
          ...staffFlag(staff.has(person.id)),
          invisible_mode_level,
          avatar: avatarIn(person, invisible_mode_level),
        },
      };
    });
    const settings = await findSettings(tx, performerId);
    return { room: people.get(performerId)?.username ?? '', present, settings };
  }

  #sendList(
    { caller, socketId, reply }: EventContext,
    { performerId, room, present, own }: List,
    settings: Settings,
  ): void {
    const rights = roomRightsOf(caller, performerId, false);
    // The performer may have hidden the list meanwhile.
    if (!seesUsersIn(rights, settings)) return;
    const shown = present
      .filter(({ person, user }) =>
        person.id === caller.personId || isShownTo(rights, user.invisible_mode_level)
      )
      .map(({ person, user }) => (person.id === caller.personId ? { ...user, ...own } : user));
    const users = shown.slice(0, MAX_USER_LIST);
    const before = this.#lastSent.get(socketId);
    this.#lastSent.set(socketId, new Map(users.map((user) => [user.username, user.invisible_mode_level])));
    const came = users.filter(({ username }) => !before?.has(username));
    const left = [...before?.keys() ?? []].filter((name) => !users.some(({ username }) => username === name));
    const hid = users.filter((user) =>
      before?.has(user.username) && before.get(user.username) !== user.invisible_mode_level
    );
    const isFew = came.length + left.length + hid.length <= MAX_LIST_CHANGES && shown.length <= MAX_USER_LIST;
    if (!before || !isFew) return reply(userList, { count: shown.length, users });
    for (const user of came) reply(userJoined, { user });
    for (const username of left) reply(userLeft, { room, user: { username } });
    for (const { username, invisible_mode_level } of hid) {
      reply(invisibleMode, { username, invisible_mode_level });
    }
    return undefined;
  }
}

/**
 * The avatar key in a list. Only for viewers who neither hide nor are suspended, as in
 * `accounts.avatarAccess` for people who passed the entry gate, which everybody in a room has. Access
 * to the image itself is checked again.
 */
const avatarIn = (
  { type, inactiveSince, avatarUrl }: Person,
  hidden: number,
): string | null => (type === 'model' || inactiveSince !== null || hidden > 0 ? null : avatarKey(avatarUrl));

/** The person of a channel; null for other channels. */
function personOfChannel(channel: string): number | null {
  const id = /^person:(\d+)$/u.exec(channel)?.[1];
  return id === undefined ? null : Number(id);
}

/** A list before removing the people whom a recipient may not see. */
interface List {
  readonly performerId: number;
  /** Username of the performer. */
  readonly room: string;
  readonly present: readonly Present[];
  /** The private fields of the recipient. */
  readonly own: OwnFields;
}
interface Present {
  readonly person: Person;
  readonly user: ChatUserView;
}
