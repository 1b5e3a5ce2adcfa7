import {
  authorize,
  authorizeFailed,
  authorizeSuccess,
  clientVersion,
  discover,
  discovered,
  lobbyStart,
  ping,
  pong,
} from '#platform/contract/sockets/lobby.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { chatHistory, chatMessage, sayInChat, userCount } from '#product/rooms/contract.ts';
import { chatBanned } from '#product/rooms/contract/moderation.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const LOBBY = '/ws/lobby';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const tokenOf = async (visitor: Visitor): Promise<string> =>
  (await visitor.call(getCurrentUser, {})).node_token;
const roomOf = ({ username }: Pick<Member, 'username'>): string => `/ws/room/${username}`;

describe('the version of a page', () => {
  it(
    'is answered with v3.client.version where the site serves another, and only there [A-374, C-354]',
    async () => {
      const performer = await site.performer({ live: true });
      const people = [await site.viewer(), performer, await site.visitor({ ofAge: true })];
      for (const visitor of people) {
        for (const path of [LOBBY, roomOf(performer)]) {
          const old = await site.openSocket(visitor, path);
          old.send(authorize, { token: await tokenOf(visitor), version: 'an older one' });
          expect(await old.waitFor(clientVersion)).toEqual({ version: 'test' });
          expect(old.events.slice(0, 2).map(({ name }) => name))
            .toEqual(['v3.authorize.success', 'v3.client.version']);
          const current = await site.openSocket(visitor, path);
          await current.authorizes(await tokenOf(visitor), 'test');
          current.send(ping, {});
          await current.waitFor(pong);
          expect(current.received(clientVersion)).toEqual([]);
        }
      }
    },
  );
});

describe('a socket that is not let in', () => {
  it(
    'receives v3.authorize.failed with a code, in the lobby and in rooms, and is closed [C-146, C-327]',
    async () => {
      const performer = await site.performer({ live: true });
      const [viewer, banned] = [await site.viewer(), await site.viewer()];
      await performer.moderates('ban', banned);
      await site.settle();
      const spent = await tokenOf(viewer);
      await (await site.openSocket(viewer, LOBBY)).authorizes(spent, 'test');
      const attempts: [Visitor, string, string, string, number][] = [];
      for (const path of [LOBBY, roomOf(performer)]) {
        attempts.push(
          [viewer, path, 'nobody-made-this', 'token_invalid', 4002],
          [viewer, path, spent, 'token_invalid', 4002],
          [viewer, path, await tokenOf(performer), 'token_invalid', 4002],
        );
      }
      attempts.push(
        [viewer, '/ws/room/nobody_is_called_so', await tokenOf(viewer), 'room_unknown', 4003],
        [banned, roomOf(performer), await tokenOf(banned), 'room_banned', 4003],
      );
      for (const [visitor, path, token, code, closed] of attempts) {
        const socket = await site.openSocket(visitor, path);
        socket.send(authorize, { token, version: 'test' });
        expect([path, code, await socket.closing()]).toEqual([path, code, closed]);
        expect(socket.events).toEqual([{ name: 'v3.authorize.failed', payload: { code }, seq: null }]);
        expect(socket.received(authorizeFailed)).toEqual([{ code }]);
      }
    },
  );
});

describe('the order of events', () => {
  it(
    'of a lobby is authorize, success, start, discover, discovered: all else is ignored [C-318]',
    async () => {
      const [viewer, performer] = [await site.viewer(), await site.performer({ live: true })];
      const lobby = await site.openSocket(viewer, LOBBY);
      lobby.send(discover, { room: performer.username });
      lobby.send(ping, {});
      await lobby.waitFor(pong);
      await lobby.authorizes(await tokenOf(viewer), 'test');
      await lobby.waitFor(lobbyStart);
      lobby.send(authorize, { token: await tokenOf(viewer), version: 'test' });
      lobby.send(sayInChat, { message: 'said in a lobby' });
      lobby.send(discover, { room: performer.username });
      const url = `ws://localhost/ws/room/${performer.username}`;
      expect(await lobby.waitFor(discovered)).toEqual({ room: performer.username, url });
      expect(lobby.events.map(({ name }) => name)).toEqual([
        'v3.pong',
        'v3.authorize.success',
        'v3.lobby.start',
        'v3.lobby.discovered',
      ]);
    },
  );

  it('of a room is authorize, success, history, messages, and nothing after its end [C-317]', async () => {
    const [viewer, performer] = [await site.viewer(), await site.performer({ live: true })];
    const other = await (await site.viewer()).joins(performer);
    const room = await site.openSocket(viewer, roomOf(performer));
    room.send(sayInChat, { message: 'before it is known who speaks' });
    room.send(ping, {});
    await room.waitFor(pong);
    await site.says(other, 'said to who is there');
    expect(room.events.map(({ name }) => name)).toEqual(['v3.pong']);
    await room.authorizes(await tokenOf(viewer), 'test');
    await room.waitFor(userCount);
    room.send(authorize, { token: await tokenOf(viewer), version: 'test' });
    room.send(discover, { room: performer.username });
    await site.says(room, 'said after it was let in');
    await other.waitFor(chatMessage, ({ message }) => message === 'said after it was let in');
    expect(room.events[1]?.name).toBe('v3.authorize.success');
    expect(room.received(authorizeSuccess)).toHaveLength(1);
    expect(room.received(discovered)).toEqual([]);
    expect(room.received(chatHistory).map(({ messages }) => messages.map(({ message }) => message)))
      .toEqual([['said to who is there']]);
    await performer.moderates('ban', viewer);
    await site.settle();
    await room.waitFor(chatBanned);
    expect(await room.closing()).toBe(4003);
    await site.says(other, 'said after its end');
    expect(room.events.at(-1)?.name).toBe('v3.chat.banned');
    expect(room.received(chatMessage).map(({ message }) => message)).toEqual(['said after it was let in']);
    expect(other.received(chatMessage).map(({ message }) => message))
      .toEqual(['said to who is there', 'said after it was let in', 'said after its end']);
  });
});
