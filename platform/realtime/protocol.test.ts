import type { AnyEvent } from '#platform/contract/event.ts';
import { personChannel, topicChannel } from '#platform/contract/event.ts';
import type { Frame } from '#platform/contract/sockets/frame.ts';
import { clientVersion, lobbyRestarting, lobbyStop, refresh } from '#platform/contract/sockets/lobby.ts';
import type { LiveClient, LiveClientOptions } from '#platform/contract/sockets/socket-client.ts';
import { closeCodes } from '#platform/contract/sockets/wire.ts';
import { systemClock, VirtualClock } from '#platform/data/clock.ts';
import { freePort } from '#platform/data/redis/testing.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { liveClient } from './client/live-client.ts';
import { socketsFrom } from './dial.ts';
import { GATEWAY_LIMITS, type Tier } from './limits.ts';
import {
  dial,
  GUEST,
  PERSON,
  said,
  spoken,
  stage as plainStage,
  text,
  type Peer,
  type Stage,
} from './testing.ts';

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

const stage = (given: Parameters<typeof plainStage>[0] = {}): Promise<Stage> =>
  plainStage({ frequent: [spoken], ...given });

const named = ({ name: wanted }: Pick<AnyEvent, 'name'>) => ({ name }: Frame): boolean => name === wanted;

interface Entering {
  readonly path?: string;
  readonly caller?: typeof PERSON;
  readonly templates?: boolean;
  readonly version?: string;
}

async function enter(on: Stage, { path = '/ws/room/open', ...asked }: Entering = {}): Promise<Peer> {
  const peer = await dial(on, path);
  const { templates, version = 'v1' } = asked;
  peer.say('v3.authorize', { token: on.token(asked.caller ?? PERSON), version, templates });
  await peer.receives(named({ name: path === '/ws/lobby' ? 'v3.authorize.success' : spoken.name }));
  return peer;
}

/** A client of the library, connected to a real gateway. */
function clientOf(
  { origin }: Stage,
  token: () => string,
  given: Partial<LiveClientOptions> = {},
): LiveClient {
  const live = liveClient({
    open: socketsFrom(origin),
    time: { ...systemClock, random: () => 0 },
    version: 'v1',
    token: async () => token(),
    lobbyUrl: `${origin.replace('http', 'ws')}/ws/lobby`,
    ...given,
  });
  stops.push(live.stop);
  live.start();
  return live;
}

describe('encodings', () => {
  it('differ: who asked receives compressed frames, which mean the same [C-216]', async () => {
    const on = await stage();
    const [plain, packed] = [await enter(on), await enter(on, { templates: true })];
    on.publish('to both');
    await Promise.all([plain, packed].map((peer) => peer.receives(text('to both'))));
    expect(plain.texts.at(-1)).toBe('["v3.test.heard",{"text":"to both"},1]');
    expect(packed.texts.at(-1)).toBe('[1,["to both"],1,1]');
    expect(packed.frames.at(-1)).toEqual(plain.frames.at(-1));
  });

  it('are made by v3.templates, with `templates`, before the first frame [C-217, C-355]', async () => {
    const on = await stage();
    const [plain, packed] = [await enter(on), await enter(on, { templates: true })];
    on.publish('by template');
    await Promise.all([plain, packed].map((peer) => peer.receives(text('by template'))));
    expect(packed.frames.slice(0, 3).map(({ name }) => name))
      .toEqual(['v3.authorize.success', 'v3.templates', 'v3.events']);
    expect(packed.texts.at(-1)).toBe('[1,["by template"],1,1]');
    expect(packed.frames.find(named({ name: 'v3.templates' }))?.payload)
      .toEqual({ templates: [{ id: 1, fields: [{ name: 'text', default: '' }] }] });
    expect(plain.texts.some((item) => item.includes('v3.templates'))).toBe(false);
  });

  it('carry the events list, with ids and names [C-218]', async () => {
    const on = await stage();
    const packed = await enter(on, { templates: true });
    expect(packed.frames.find(named({ name: 'v3.events' }))?.payload)
      .toEqual({ events: [{ id: 1, name: 'v3.test.heard' }] });
    const lobby = await enter(on, { templates: true, path: '/ws/lobby' });
    expect(lobby.texts.some((item) => item.includes('v3.templates'))).toBe(false);
  });

  it('are built once each, however many sockets there are', async () => {
    const on = await stage();
    const readsFor = async (peers: readonly Peer[], wanted: string): Promise<number> => {
      let reads = 0;
      const payload = {
        get text() {
          reads += 1;
          return wanted;
        },
      };
      on.bus.publish({ operatorId: 1, channel: topicChannel('open'), name: spoken.name, payload });
      await Promise.all(peers.map((peer) => peer.receives(text(wanted))));
      return reads;
    };
    const peers = [await enter(on), await enter(on, { templates: true })];
    const few = await readsFor(peers, 'two sockets');
    for (let count = 0; count < 8; count += 1) {
      peers.push(await enter(on, { caller: GUEST }), await enter(on, { caller: GUEST, templates: true }));
    }
    expect(await readsFor(peers, 'eighteen sockets')).toBe(few);
    const plain = peers.filter((_peer, at) => at % 2 === 0);
    for (const peer of peers) if (!plain.includes(peer)) peer.ws.close();
    await expect.poll(() => on.gateway.size(), { interval: 5 }).toBe(9);
    expect(await readsFor(plain, 'nobody compressed')).toBeLessThan(few);
  });
});

describe('the lobby', () => {
  it('answers authorize with success and who the socket speaks for [C-145]', async () => {
    const on = await stage();
    for (const path of ['/ws/lobby', '/ws/room/open']) {
      const peer = await enter(on, { path });
      expect(peer.texts[0]).toBe('["v3.authorize.success",{"success":true,"user":{"username":"anna"}}]');
    }
  });

  it('says that it has started once it is ready, and stops and starts again', async () => {
    const on = await stage();
    const lobby = await enter(on, { path: '/ws/lobby' });
    await lobby.receives(named({ name: 'v3.lobby.start' }));
    on.gateway.ready(false);
    await lobby.receives(named({ name: 'v3.lobby.stop' }));
    const late = await enter(on, { path: '/ws/lobby', caller: GUEST });
    await late.receives(named({ name: 'v3.lobby.stop' }));
    late.say('v3.lobby.discover', { room: 'open' });
    late.say('v3.ping', {});
    await late.receives(named({ name: 'v3.pong' }));
    on.gateway.ready(true);
    on.gateway.ready(true);
    await late.receives(named({ name: 'v3.lobby.start' }));
    late.say('v3.lobby.discover', { room: 'open' });
    await late.receives(named({ name: 'v3.lobby.discovered' }));
    expect(late.frames.filter(named({ name: 'v3.lobby.discovered' }))).toHaveLength(1);
    expect(late.frames.filter(named({ name: 'v3.lobby.start' }))).toHaveLength(1);
  });

  it('says to a client of the library when rooms can be joined', async () => {
    const on = await stage();
    on.gateway.ready(false);
    const live = clientOf(on, () => on.token(PERSON));
    const room = live.join('open');
    await new Promise<void>((resolve) => {
      live.lobby.on(lobbyStop, () => resolve());
    });
    expect([live.lobby.phase(), room.phase()]).toEqual(['joined', 'discovery']);
    on.gateway.ready(true);
    await new Promise<void>((resolve) => {
      room.watch((phase) => phase === 'joined' && resolve());
    });
    expect(on.presence).toEqual(['+anna']);
  });

  it('names the version it serves to a client of another [A-374, C-354]', async () => {
    const on = await stage();
    for (const path of ['/ws/lobby', '/ws/room/open']) {
      const peer = await enter(on, { path, version: 'v0' });
      const { payload } = await peer.receives(named({ name: 'v3.client.version' }));
      expect(payload).toEqual({ version: 'v1' });
      expect((await enter(on, { path })).frames.some(named({ name: 'v3.client.version' }))).toBe(false);
    }
  });

  it('carries v3.refresh to every tab of an account', async () => {
    const on = await stage();
    const tabs = [await enter(on, { path: '/ws/lobby' }), await enter(on)];
    on.bus.publish({ operatorId: 1, channel: personChannel(7), name: refresh.name, payload: {} });
    for (const tab of tabs) expect((await tab.receives(named(refresh))).payload).toEqual({});
  });
});

/** A joined client of the library with its sent and received messages; the test moves its time. */
async function entered(on: Stage, given: Partial<LiveClientOptions> = {}) {
  const clock = new VirtualClock();
  const texts: { sent: string[]; received: string[] } = { sent: [], received: [] };
  let opened = 0;
  const open = socketsFrom(on.origin);
  const live = clientOf(on, () => on.token(PERSON), {
    time: { ...clock, random: () => 0 },
    open: (url, handlers) => {
      opened += 1;
      const socket = open(url, {
        ...handlers,
        message: (received) => {
          texts.received.push(received);
          handlers.message(received);
        },
      });
      return {
        close: socket.close,
        send: (sent) => {
          texts.sent.push(sent);
          socket.send(sent);
        },
      };
    },
    ...given,
  });
  const room = live.join('open');
  await new Promise<void>((resolve) => {
    room.watch((phase) => phase === 'joined' && resolve());
  });
  return { clock, live, room, texts, sockets: () => opened };
}

describe('a client of the library', () => {
  it('authorizes, discovers and joins with these messages alone [C-317, C-318]', async () => {
    const on = await stage();
    const { texts, live } = await entered(on, { templates: false });
    expect(live.lobby.phase()).toBe('joined');
    expect(texts.sent.filter((sent) => !sent.includes('v3.authorize')))
      .toEqual(['["v3.lobby.discover",{"room":"open"}]']);
    const url = `${on.origin.replace('http', 'ws')}/ws/room/open`;
    expect(texts.received.slice(0, 4)).toEqual([
      '["v3.authorize.success",{"success":true,"user":{"username":"anna"}}]',
      '["v3.lobby.start",{}]',
      `["v3.lobby.discovered",{"room":"open","url":"${url}"}]`,
      '["v3.authorize.success",{"success":true,"user":{"username":"anna"}}]',
    ]);
  });

  it('answers each v3.ping of the server with v3.pong, and stays [A-392, C-316]', async () => {
    const clock = new VirtualClock();
    const on = await stage({ clock });
    const { live, room, texts } = await entered(on);
    const pongs = (): string[] => texts.sent.filter((sent) => sent.includes('pong'));
    for (const [count, nextPingMs] of [[1, 10_000], [2, 8_000]] as const) {
      const before = on.gateway.counters().messages;
      clock.advance(nextPingMs);
      await expect.poll(() => on.gateway.counters().messages, { interval: 5 }).toBe(before + 2);
      expect(pongs()).toEqual(Array.from({ length: 2 * count }, () => '["v3.pong",{}]'));
      clock.advance(2_000);
    }
    expect([live.lobby.phase(), room.phase(), on.gateway.counters().pongMissing])
      .toEqual(['joined', 'joined', undefined]);
  });

  it('receives the version that a server of another serves, in lobby and room [C-320, C-354]', async () => {
    const on = await stage();
    const news: unknown[] = [];
    const { room, texts } = await entered(on, { version: 'v0', templates: false });
    expect(texts.received.filter((text) => text.includes('version')))
      .toEqual(['["v3.client.version",{"version":"v1"}]', '["v3.client.version",{"version":"v1"}]']);
    room.on(clientVersion, (payload) => news.push(payload));
    room.rejoin();
    await expect.poll(() => news, { interval: 5 }).toEqual([{ version: 'v1' }]);
  });

  it('receives v3.lobby.restarting when its gateway ends, and tries each 100 ms [C-319, C-149]', async () => {
    const on = await stage();
    const { live, clock, sockets } = await entered(on);
    const received: unknown[] = [];
    const lost = new Promise<void>((resolve) => {
      live.lobby.on(lobbyRestarting, (payload) => received.push(payload));
      live.lobby.watch((phase) => phase === 'none' && resolve());
    });
    on.gateway.close();
    await lost;
    expect([received, sockets()]).toEqual([[{}], 2]);
    clock.advance(99);
    expect(sockets()).toBe(2);
    clock.advance(1);
    expect(sockets()).toBe(3);
  });
});

/** A product whose topic has a log: a returning client receives what it missed, a new one a snapshot. */
function logged() {
  const log: string[] = [];
  const joined: Parameters<typeof plainStage>[0] = {
    port: {
      joined: async ({ reply }, lastSeq) => {
        const from = lastSeq ?? log.length;
        if (lastSeq === null) reply(spoken, { text: 'snapshot', seq: log.length } as never);
        for (const [at, entry] of log.entries()) if (at >= from) reply(spoken, { text: entry }, at + 1);
      },
    },
  };
  const say = (on: Stage, entry: string): void => {
    log.push(entry);
    on.bus.publish({
      operatorId: 1,
      channel: topicChannel('open'),
      name: spoken.name,
      payload: { text: entry },
      seq: log.length,
    });
  };
  return { log, joined, say };
}

describe('a viewer who comes back', () => {
  it.each([true, false])('misses and repeats nothing, templates: %s', async (templates) => {
    const { joined, say } = logged();
    const serverPort = await freePort();
    let on = await stage({ ...joined, serverPort });
    say(on, 'before anybody came');
    const texts: string[] = [];
    const live = clientOf(on, () => on.token(PERSON), { templates });
    const room = live.join('open');
    let wake = (): void => undefined;
    room.on(spoken, (payload) => {
      texts.push(payload.text);
      wake();
    });
    const until = async (last: string): Promise<void> => {
      while (texts.at(-1) !== last) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    };
    await until('snapshot');
    for (let at = 0; at < 30; at += 1) say(on, `first ${at}`);
    await until('first 29');
    await on.close();
    say(on, 'while nobody listened');
    on = await stage({ ...joined, serverPort });
    say(on, 'and again');
    await until('and again');
    say(on, 'at last');
    await until('at last');
    const first = Array.from({ length: 30 }, (_, at) => `first ${at}`);
    expect(texts).toEqual(['snapshot', ...first, 'while nobody listened', 'and again', 'at last']);
  });

  it('comes back by itself where the bus lost an entry', async () => {
    const { joined, say, log } = logged();
    const on = await stage(joined);
    const texts: string[] = [];
    const room = clientOf(on, () => on.token(PERSON)).join('open');
    const all = new Promise<void>((resolve) => {
      room.on(spoken, (payload) => {
        texts.push(payload.text);
        if (payload.text === 'snapshot') {
          say(on, 'one');
          log.push('two, which nobody was told');
          say(on, 'three');
        }
        if (payload.text === 'three') resolve();
      });
    });
    await all;
    expect(texts).toEqual(['snapshot', 'one', 'two, which nobody was told', 'three']);
  });
});

describe('the pace of a socket', () => {
  const STAFF = { ...PERSON, sessionId: 'staff', roles: ['member', 'admin'] };
  const tierOf = (
    { kind, roles }: typeof PERSON,
  ): Tier => (kind === 'guest' ? 'guest' : roles.includes('admin') ? 'trusted' : 'member');

  it.each<[Tier, typeof PERSON]>([['guest', GUEST], ['member', PERSON], ['trusted', STAFF]])(
    'is that of its tier: a %s may say so much at once, and one more cuts it',
    async (tier, caller) => {
      const clock = new VirtualClock();
      const on = await stage({ tierOf, clock });
      const { burst, perSecond } = GATEWAY_LIMITS.rates[tier];
      const [fair, greedy] = [
        await enter(on, { caller, path: '/ws/lobby' }),
        await enter(on, { caller, path: '/ws/lobby' }),
      ];
      const ping = (peer: Peer, times: number): void => {
        for (let at = 0; at < times; at += 1) peer.say('v3.ping', {});
      };
      // The first message was v3.authorize.
      ping(fair, burst - 1);
      await expect.poll(() => fair.frames.filter(named({ name: 'v3.pong' })).length).toBe(burst - 1);
      clock.advance(1_000);
      ping(fair, perSecond);
      await expect.poll(() => fair.frames.filter(named({ name: 'v3.pong' })).length)
        .toBe(burst - 1 + perSecond);
      ping(greedy, burst + 1);
      await expect.poll(() => on.gateway.counters().tooFast).toBe(1);
      clock.advance(1_000);
      expect(await greedy.closed).toBe(closeCodes.tooFast);
      expect([fair.ws.readyState, on.gateway.counters().tooFast]).toEqual([fair.ws.OPEN, 1]);
    },
  );

  it('is a guest\'s until it has said who it is', async () => {
    const on = await stage({ tierOf });
    const peer = await dial(on, '/ws/lobby');
    const { guest, trusted } = GATEWAY_LIMITS.rates;
    for (let at = 0; at < trusted.burst; at += 1) peer.say('v3.ping', {});
    expect(await peer.closed).toBe(closeCodes.tooFast);
    expect(peer.frames.length).toBeLessThan(guest.burst + guest.perSecond);
  });

  it('cuts a guest who floods a room while members and staff go on speaking', async () => {
    const on = await stage({ tierOf });
    const [flooder, member, staff] = [
      await enter(on, { caller: GUEST }),
      await enter(on),
      await enter(on, { caller: STAFF }),
    ];
    for (let at = 0; at < 3_000; at += 1) flooder.say(said.name, { text: `flood ${at}` });
    member.say(said.name, { text: 'a member' });
    staff.say(said.name, { text: 'staff' });
    expect(await flooder.closed).toBe(closeCodes.tooFast);
    for (const peer of [member, staff]) {
      await peer.receives(text('a member'));
      await peer.receives(text('staff'));
      expect(peer.frames.some(({ payload }) => JSON.stringify(payload).includes('flood'))).toBe(false);
    }
  });
});
