import { clientVersion, discovered, refresh } from '#platform/contract/sockets/lobby.ts';
import type { RoomConnection } from '#platform/contract/sockets/socket-client.ts';
import { closeCodes } from '#platform/contract/sockets/wire.ts';
import { describe, expect, it } from 'vitest';
import { joined, scripted, turn, type Played } from './hostile/scripted-client.ts';
import { said, spoken } from './testing.ts';

describe('joining', () => {
  it('goes none, discovery, connecting, sent, joined, back to discovery [C-172, C-173]', async () => {
    const { room, phases, socket, lobbySocket } = await joined();
    expect(phases).toEqual(['none', 'discovery', 'connecting', 'sent', 'joined']);
    expect(lobbySocket.asked('v3.lobby.discover')).toEqual([{ room: 'open' }]);
    socket.closes();
    expect(room.phase()).toBe('discovery');
    room.leave();
    expect(room.phase()).toBe('none');
  });

  it('is connecting while its token is on its way, and sent once v3.authorize is [C-172]', async () => {
    const waiting: ((token: string) => void)[] = [];
    const token = (): Promise<string> =>
      new Promise((resolve) => {
        waiting.push(resolve);
      });
    const { live, last } = scripted({ token });
    const room = live.join('open');
    const lobby = last();
    await lobby.opens();
    waiting.shift()?.('of the lobby');
    await turn();
    lobby.sends('v3.authorize.success', { success: true, user: null });
    await turn();
    lobby.sends(discovered.name, { room: 'open', url: 'ws://open' });
    const socket = last();
    await socket.opens();
    expect([room.phase(), socket.asked('v3.authorize')]).toEqual(['connecting', []]);
    waiting.shift()?.('of the room');
    await turn();
    expect([room.phase(), socket.asked('v3.authorize').length]).toEqual(['sent', 1]);
    socket.sends('v3.authorize.success', { success: true, user: null });
    expect(room.phase()).toBe('joined');
  });

  it('sends v3.authorize with token and version [A-390, C-313]', async () => {
    const client = scripted();
    expect(await client.last().authorizes()).toEqual({ token: 'token', version: 'v1' });
  });

  it('sends v3.lobby.discover with a room; only rooms ask for templates [C-314]', async () => {
    const on = scripted();
    await on.last().authorizes();
    const lobby = on.last();
    on.live.join('open');
    await turn();
    expect(lobby.sent.at(-1)).toEqual(['v3.lobby.discover', { room: 'open' }]);
    lobby.sends(discovered.name, { room: 'open', url: 'ws://open' });
    expect(await on.last().authorizes()).toEqual({ token: 'token', version: 'v1', templates: true });
  });

  it('asks a lobby that does not answer again after 1 s [A-473, C-422]', async () => {
    const on = scripted();
    const lobby = await on.lobby();
    on.live.join('open');
    await turn();
    on.clock.advance(999);
    expect(lobby.asked('v3.lobby.discover')).toHaveLength(1);
    on.clock.advance(1);
    expect(lobby.asked('v3.lobby.discover')).toHaveLength(2);
  });

  it('connects to the url of v3.lobby.discovered, for its own room alone [C-318]', async () => {
    const on = scripted();
    const lobby = await on.lobby();
    on.live.join('open');
    await turn();
    lobby.sends(discovered.name, { room: 'another', url: 'ws://another' });
    expect(on.sockets).toHaveLength(1);
    lobby.sends(discovered.name, { room: 'open', url: 'ws://open' });
    expect(on.last().url).toBe('ws://open');
    on.clock.advance(5_000);
    expect(lobby.asked('v3.lobby.discover')).toHaveLength(1);
  });

  it('tries every 100 ms while the lobby is not ready [A-474, C-423]', async () => {
    const on = scripted();
    const lobby = await on.lobby();
    lobby.sends('v3.lobby.stop', {});
    const room = on.live.join('open');
    await turn();
    on.tries.length = 0;
    on.clock.advance(2_050);
    expect(on.tries).toEqual(Array.from({ length: 20 }, () => 100));
    expect([lobby.asked('v3.lobby.discover'), room.phase()]).toEqual([[], 'discovery']);
    // The next attempt finds it ready.
    lobby.sends('v3.lobby.start', {});
    on.clock.advance(49);
    expect(lobby.asked('v3.lobby.discover')).toEqual([]);
    on.clock.advance(1);
    expect(lobby.asked('v3.lobby.discover')).toEqual([{ room: 'open' }]);
  });

  it('tries every 100 ms while there is no lobby, and at once when it joins [A-474, C-175]', async () => {
    const on = scripted();
    const lobby = await on.lobby();
    lobby.closes();
    const room = on.live.join('open');
    await turn();
    on.tries.length = 0;
    on.clock.advance(999);
    expect(on.tries).toEqual(Array.from({ length: 9 }, () => 100));
    on.clock.advance(1);
    expect((await on.lobby()).asked('v3.lobby.discover')).toEqual([{ room: 'open' }]);
    expect(room.phase()).toBe('discovery');
  });

  it(
    'discovers nothing from v3.lobby.stop on, and tries each 100 ms until v3.lobby.start [C-175, C-147]',
    async () => {
      const { room, lobbySocket, socket, clock, enter, live } = await joined();
      const before = live.join('before');
      await turn();
      lobbySocket.sends('v3.lobby.stop', {});
      expect(room.phase()).toBe('joined');
      socket.closes();
      clock.advance(3_000);
      expect(lobbySocket.asked('v3.lobby.discover')).toEqual([{ room: 'open' }, { room: 'before' }]);
      expect([before.phase(), room.phase()]).toEqual(['discovery', 'discovery']);
      lobbySocket.sends('v3.lobby.start', {});
      clock.advance(100);
      expect(lobbySocket.asked('v3.lobby.discover')).toHaveLength(4);
      await enter(lobbySocket);
      expect(room.phase()).toBe('joined');
    },
  );

  it('holds several rooms at once over one lobby, each with its own place', async () => {
    const on = scripted();
    const lobby = await on.lobby();
    const rooms = ['one', 'two', 'three'].map((name) => [name, on.live.join(name)] as const);
    await turn();
    expect(lobby.asked('v3.lobby.discover')).toEqual([{ room: 'one' }, { room: 'two' }, { room: 'three' }]);
    const texts = new Map<RoomConnection, string[]>();
    const sockets: Played[] = [];
    for (const [name, room] of rooms.toReversed()) {
      sockets.unshift(await on.enter(lobby, name));
      room.on(spoken, ({ text }) => void texts.set(room, [...(texts.get(room) ?? []), text]));
    }
    for (const [at, socket] of sockets.entries()) socket.sends(spoken.name, { text: `in ${at}` }, 5 + at);
    expect(rooms.map(([, room]) => texts.get(room))).toEqual([['in 0'], ['in 1'], ['in 2']]);
    const [one, two, three] = rooms.map(([, room]) => room);
    two?.leave();
    expect([one, two, three].map((room) => room?.phase())).toEqual(['joined', 'none', 'joined']);
    expect(sockets.map(({ isClosed }) => isClosed)).toEqual([false, true, false]);
    expect(one?.send(said, { text: 'hi' })).toBe(true);
    expect(sockets.map((socket) => socket.asked(said.name).length)).toEqual([1, 0, 0]);
    one?.rejoin();
    lobby.sends(discovered.name, { room: 'one', url: 'ws://one' });
    expect(await on.last().authorizes()).toMatchObject({ seq: 5 });
  });
});

describe('signs of life', () => {
  it('pings every 10 s [A-468, C-420]', async () => {
    const { clock, socket, lobbySocket } = await joined();
    const pings = () => [lobbySocket, socket].map((item) => item.asked('v3.ping').length);
    for (const count of [1, 2, 3, 4]) {
      clock.advance(9_999);
      expect(pings()).toEqual([count - 1, count - 1]);
      clock.advance(1);
      expect(pings()).toEqual([count, count]);
    }
  });

  it('sends v3.ping over lobby and room while they are open [C-315, A-391]', async () => {
    const { clock, socket, lobbySocket } = await joined();
    for (let at = 0; at < 6; at += 1) {
      clock.advance(10_000);
      for (const one of [socket, lobbySocket]) one.sends('v3.pong', {});
    }
    for (const one of [socket, lobbySocket]) {
      expect(one.sent.filter(([name]) => name === 'v3.ping')).toEqual(
        Array.from({ length: 6 }, () => ['v3.ping', {}]),
      );
    }
  });

  it('pings a lobby every 10 s, and gives it up after 2 s of silence [C-322, C-321]', async () => {
    const { clock, live, room, lobbySocket } = await joined();
    clock.advance(9_999);
    expect(lobbySocket.asked('v3.ping')).toEqual([]);
    clock.advance(1);
    expect(lobbySocket.asked('v3.ping')).toHaveLength(1);
    lobbySocket.isMute = true;
    clock.advance(9_999);
    expect(lobbySocket.asked('v3.ping')).toHaveLength(1);
    clock.advance(1);
    expect(lobbySocket.asked('v3.ping')).toHaveLength(2);
    clock.advance(1_999);
    expect(live.lobby.phase()).toBe('joined');
    clock.advance(1);
    expect(
      [live.lobby.phase() === 'joined', lobbySocket.isClosed, room.phase()],
    ).toEqual([false, true, 'joined']);
  });

  it.each(['lobby', 'room'] as const)(
    'gives up the socket of a %s that gets no pong within 2 s [A-469, C-421]',
    async (which) => {
      const { clock, live, room, socket, lobbySocket } = await joined();
      const mute = which === 'lobby' ? lobbySocket : socket;
      mute.isMute = true;
      clock.advance(10_000);
      clock.advance(1_999);
      expect([live.lobby.phase(), room.phase()]).toEqual(['joined', 'joined']);
      expect([lobbySocket.isClosed, socket.isClosed]).toEqual([false, false]);
      clock.advance(1);
      expect([live.lobby.phase(), room.phase()])
        .toEqual(which === 'lobby' ? ['none', 'joined'] : ['joined', 'discovery']);
      expect([lobbySocket.isClosed, socket.isClosed]).toEqual([which === 'lobby', which === 'room']);
    },
  );

  it('answers a ping with v3.pong [A-392, C-316]', async () => {
    const { last, lobby } = scripted();
    await lobby();
    last().sends('v3.ping', {});
    last().sends('v3.ping', {});
    expect(last().asked('v3.pong')).toEqual([{}, {}]);
  });
});

describe('what goes wrong', () => {
  it('is reported, and the other handlers still run', async () => {
    const reports: string[] = [];
    const texts: string[] = [];
    const { socket, room } = await joined({ report: (error) => reports.push(error) });
    room.on(spoken, () => {
      throw new Error('a listener of a page');
    });
    room.on(spoken, ({ text }) => texts.push(text));
    socket.says('[77,["x"],1]');
    const unreadable = ['', '{', '{}', 'null', '[]', '["v3.x"]', '[1]', '["",{}]', '[null,{}]'];
    for (const text of unreadable) socket.says(text);
    socket.sends('v3.templates', { templates: null });
    socket.sends('v3.nobody.listens', {});
    socket.sends(spoken.name, { text: 'still here' });
    expect(texts).toEqual(['still here']);
    expect(room.phase()).toBe('joined');
    expect(reports.filter((error) => error === 'unknownId')).toHaveLength(2);
    expect(reports.filter((error) => error === 'malformed')).toHaveLength(8);
    expect(reports.filter((error) => error === 'handler')).toHaveLength(2);
  });

  it('reads frames by the templates and the events list that it was sent last [C-217, C-218]', async () => {
    const { socket, room } = await joined();
    const received: unknown[] = [];
    room.on(spoken, (payload) => received.push(payload));
    const means = (name: string): void => socket.sends('v3.events', { events: [{ id: 1, name }] });
    const has = (...fields: object[]): void => {
      socket.sends('v3.templates', { templates: [{ id: 1, fields }] });
    };
    has({ name: 'text', default: '' });
    means('v3.test.heard');
    socket.says('[1,["one"],1]');
    has({ name: 'more', default: 'unsaid' }, { name: 'text', default: '' });
    socket.says('[1,["two"],2]');
    means('v3.test.another');
    socket.says('[1,["not it"],2]');
    means('v3.test.heard');
    socket.says('[1,["said","three"],3]');
    expect(received)
      .toEqual([{ text: 'one' }, { more: 'unsaid', text: 'two' }, { more: 'said', text: 'three' }]);
  });

  it('reports once per code why a socket was not authorized [C-146, C-327]', async () => {
    const failures: unknown[] = [];
    const { last, clock, live, lobby } = scripted({ onFailed: (...why) => failures.push(why) });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      last().sends('v3.authorize.failed', { code: 'token_invalid' });
      last().closes(closeCodes.tokenInvalid);
      clock.advance(1_000);
    }
    expect(failures).toEqual([['token_invalid', null]]);
    const at = await lobby();
    live.join('open');
    await turn();
    at.sends(discovered.name, { room: 'open', url: 'ws://open' });
    last().sends('v3.authorize.failed', { code: 'room_unknown' });
    at.closes();
    clock.advance(1_000);
    last().sends('v3.authorize.failed', { code: 'token_invalid' });
    expect(failures).toEqual([['token_invalid', null], ['room_unknown', 'open'], ['token_invalid', null]]);
  });

  it('a token that cannot be had is asked for again', async () => {
    let asked = 0;
    const { last, clock, sockets } = scripted({
      token: async () => {
        asked += 1;
        if (asked === 1) throw new Error('offline');
        return 'token';
      },
    });
    last().sends('v3.nothing', {});
    await expect(last().authorizes()).rejects.toThrow();
    clock.advance(1_000);
    expect(sockets).toHaveLength(2);
    expect(await last().authorizes()).toMatchObject({ token: 'token' });
  });

  it('is informed of another version [C-320]', async () => {
    const { socket, lobbySocket, live, room } = await joined();
    const news: unknown[] = [];
    for (const on of [live.lobby, room]) {
      on.on(clientVersion, ({ version }) => news.push(version));
    }
    for (const one of [lobbySocket, socket]) one.sends('v3.client.version', { version: 'v2' });
    expect(news).toEqual(['v2', 'v2']);
  });

  it('is informed of a refresh', async () => {
    const { socket, lobbySocket, live, room } = await joined();
    let refreshed = 0;
    for (const on of [live.lobby, room]) {
      on.on(refresh, () => {
        refreshed += 1;
      });
    }
    for (const one of [lobbySocket, socket]) one.sends('v3.refresh', {});
    expect(refreshed).toBe(2);
  });
});
