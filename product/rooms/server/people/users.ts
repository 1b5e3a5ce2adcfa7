import { handleEvent, type EventContext, type EventHandler } from '../../../../platform/contract/bind.ts';
import type { Caller, Scope } from '../../../../platform/contract/context.ts';
import { topicChannel } from '../../../../platform/contract/event.ts';
import type { Tx } from '../../../../platform/data/data.ts';
import type { Person } from '../../../accounts/server.ts';
import {
  invisibleMode, startUserList, stopUserList, userCount, userJoined, userLeft, userList,
  type ChatUserView, type RoomDataView,
} from '../../contract.ts';
import { roomGuard, tipping } from '../../extension-points.ts';
import {
  isShownTo, MAX_LIST_CHANGES, MAX_USER_LIST, performerOfTopic, placeOf, seesUserList, type Place,
} from '../../rules.ts';
import { findSettings, type Settings } from '../../store.ts';
import type { RoomsDependencies } from '../dependencies.ts';
import { fieldsOf } from './people.ts';
import { Presence, type Crowd } from './presence.ts';
import { invisibleLevels, tiersOf } from './tiers.ts';

export const seesUsersIn = (place: Place, { isUserListVisible }: Settings): boolean =>
  seesUserList(place, isUserListVisible);

/** Who is in rooms, and who hears of it. */
export class UserLists {
  readonly #deps: RoomsDependencies;
  readonly #presence: Presence;
  readonly #unsubscribe: () => void;
  /** What each listening socket was told last: level of invisible mode by username. */
  readonly #told = new Map<string, ReadonlyMap<string, number>>();

  constructor(deps: RoomsDependencies) {
    this.#deps = deps;
    const { data: { clock }, attendance, bus } = deps;
    const greet = (crowd: Crowd): void => void this.#announceUsers(crowd).catch(deps.onFault);
    this.#presence = new Presence({ clock, attendance }, {
      announce: (crowd) => {
        this.#announceCount(crowd);
        if (crowd.listeners.length > 0) greet(crowd);
      },
      greet,
    });
    // In whichever process somebody hides or shows again, the lists told here change.
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
    this.#told.delete(context.socketId);
    this.#presence.leave(context);
  }

  stop(): void {
    this.#unsubscribe();
    this.#presence.stop();
    this.#told.clear();
  }

  /** Whoever may not see the list hears nothing: the page does not ask then. */
  listenings(): EventHandler[] {
    return [
      handleEvent(startUserList)(async (_payload, context) => {
        const performerId = performerOfTopic(context.topic);
        const settings = await this.#deps.data.tx(context.scope, (tx) => findSettings(tx, performerId));
        if (!seesUsersIn(placeOf(context.caller, performerId, false), settings)) return;
        this.#told.delete(context.socketId);
        this.#presence.listen(context, true);
      }),
      handleEvent(stopUserList)(async (_payload, context) => {
        this.#told.delete(context.socketId);
        this.#presence.listen(context, false);
      }),
    ];
  }

  /** The list in room data, for who may see it. */
  async entriesFor(scope: Scope, performerId: number, caller: Caller): Promise<RoomDataView['chatUserList']> {
    const { data, extensions } = this.#deps;
    const ids = this.#presence.memberIdsOf(scope.operatorId, performerId).slice(0, MAX_USER_LIST);
    const { recent, shown } = await data.tx(scope, async (tx) => ({
      recent: await extensions.one(tipping).recentTips(tx, ids, performerId),
      shown: await this.#shownOf(tx, ids, performerId, caller),
    }));
    return Object.fromEntries(shown.map(({ id, username, level, tokens }) => [username, {
      tokens, recentTips: recent.get(id) ?? 0, invisible_mode_level: level,
    }]));
  }

  async #shownOf(tx: Tx, ids: readonly number[], performerId: number, caller: Caller) {
    const people = await this.#deps.accounts.findMany(tx, ids);
    const levels = await invisibleLevels(this.#deps, tx, [...people.values()]);
    const place = placeOf(caller, performerId, false);
    const own = caller.personId === null ? null : await this.#deps.ledger.balance(tx, caller.personId);
    return ids.flatMap((id) => people.get(id) ?? [])
      .map(({ id, username }) =>
        ({ id, username, level: levels.get(id) ?? 0, tokens: id === caller.personId ? own : null }))
      .filter(({ id, level }) => id === caller.personId || isShownTo(place, level));
  }

  /** Presence is not kept, so neither is its news: each process tells its own sockets past the outbox. */
  #announceCount({ operatorId, topic, count }: Crowd): void {
    this.#deps.bus.publishHere({
      operatorId, channel: topicChannel(topic), name: userCount.name, payload: { user_count: count },
    });
  }

  async #announceUsers({ operatorId, performerId, memberIds, listeners }: Crowd): Promise<void> {
    const { extensions, data, accounts } = this.#deps;
    const known = await data.tx({ operatorId }, async (tx) => {
      const people = await accounts.findMany(tx, [...memberIds, performerId]);
      return {
        people,
        recent: await extensions.one(tipping).recentTips(tx, memberIds, performerId),
        tierOf: await tiersOf(this.#deps, tx, memberIds),
        balances: await this.#deps.ledger.balances(tx, memberIds),
        levels: await invisibleLevels(this.#deps, tx, [...people.values()]),
        settings: await findSettings(tx, performerId),
        moderators: new Set((await extensions.one(roomGuard).moderatedPeople(tx, performerId)).moderatorIds),
      };
    });
    const room = known.people.get(performerId)?.username ?? '';
    const present = memberIds.flatMap((id) => known.people.get(id) ?? []).map((person): Present => {
      const tokens = known.balances.get(person.id) ?? 0;
      const invisible_mode_level = known.levels.get(person.id) ?? 0;
      return { person, tokens, user: { ...fieldsOf(person, {
        isPerformer: person.type === 'model',
        isModerator: placeOf(
          { personId: person.id, roles: person.roles }, performerId, known.moderators.has(person.id),
        ).isModerator,
        hasTokens: tokens > 0, ...known.tierOf(person.id), recentTips: known.recent.get(person.id) ?? 0,
      }), invisible_mode_level } };
    });
    for (const listener of listeners) this.#tell(listener, performerId, room, present, known.settings);
  }

  #tell(
    { caller, socketId, reply }: EventContext, performerId: number, room: string, present: readonly Present[],
    settings: Settings,
  ): void {
    const place = placeOf(caller, performerId, false);
    // The performer may have closed the list meanwhile.
    if (!seesUsersIn(place, settings)) return;
    const shown = present
      .filter(({ person, user }) =>
        person.id === caller.personId || isShownTo(place, user.invisible_mode_level))
      .map(({ person, user, tokens }) => (person.id === caller.personId ? { ...user, tokens } : user));
    const users = shown.slice(0, MAX_USER_LIST);
    const before = this.#told.get(socketId);
    this.#told.set(socketId, new Map(users.map((user) => [user.username, user.invisible_mode_level])));
    const came = users.filter(({ username }) => !before?.has(username));
    const left = [...before?.keys() ?? []].filter((name) => !users.some(({ username }) => username === name));
    const hid = users.filter((user) =>
      before?.has(user.username) && before.get(user.username) !== user.invisible_mode_level);
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

/** The person whose tabs a channel is; null for other channels. */
function personOfChannel(channel: string): number | null {
  const id = /^person:(\d+)$/u.exec(channel)?.[1];
  return id === undefined ? null : Number(id);
}

interface Present {
  readonly person: Person;
  readonly user: ChatUserView;
  /** What they have, for themselves alone. */
  readonly tokens: number;
}
