import { topicPersonChannel } from '#platform/contract/event.ts';
import { discovered } from '#platform/contract/sockets/lobby.ts';
import { closeCodes } from '#platform/contract/sockets/wire.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { GatewayCounter } from './gateway/gateway-options.ts';
import { MAX_FRAME_BYTES } from './limits.ts';
import {
  dial,
  enter,
  GUEST,
  kicked,
  named,
  Peer,
  PERSON,
  said,
  spoken,
  stage,
  text,
  type Stage,
} from './testing.ts';

/** Waits until the gateway has counted; there is no event for it. */
async function counted({ gateway }: Stage, counter: GatewayCounter, least = 1): Promise<void> {
  await expect.poll(() => gateway.counters()[counter] ?? 0, { interval: 5, timeout: 5_000 })
    .toBeGreaterThanOrEqual(least);
}

describe('authorizing', () => {
  it('answers v3.authorize with success and the user [C-317, C-339]', async () => {
    const on = await stage();
    const lobby = await enter(on, '/ws/lobby');
    expect(lobby.frames[0]).toEqual({
      name: 'v3.authorize.success',
      payload: { success: true, user: { username: 'anna' } },
      seq: null,
    });
    lobby.say('v3.lobby.discover', { room: 'open' });
    const { payload } = await lobby.receives(named(discovered.name));
    expect(payload).toEqual({ room: 'open', url: `${on.origin.replace('http', 'ws')}/ws/room/open` });
  });

  it('names an address over TLS where the site is served over it [C-318]', async () => {
    const on = await stage({ publicOrigin: 'https://cam.example' });
    const lobby = new Peer(`${on.origin.replace('http', 'ws')}/ws/lobby`, { origin: 'https://cam.example' });
    onTestFinished(() => lobby.ws.terminate());
    await lobby.opened;
    lobby.say('v3.authorize', { token: on.token(PERSON), version: 'v1' });
    lobby.say('v3.lobby.discover', { room: 'velvet é?' });
    const { payload } = await lobby.receives(named('v3.lobby.discovered'));
    expect(payload).toEqual({ room: 'velvet é?', url: 'wss://cam.example/ws/room/velvet%20%C3%A9%3F' });
  });

  it('reads token and version of v3.authorize', async () => {
    const on = await stage();
    const current = await dial(on, '/ws/lobby');
    current.say('v3.authorize', { token: on.token(PERSON), version: 'v1' });
    await current.receives(named('v3.authorize.success'));
    const stranger = await dial(on, '/ws/lobby');
    stranger.say('v3.authorize', { token: `${on.token(PERSON)}x`, version: 'v1' });
    await stranger.receives(named('v3.authorize.failed'));
    expect([...current.frames, ...stranger.frames].some(named('v3.client.version'))).toBe(false);
    const peer = await dial(on, '/ws/lobby');
    peer.say('v3.authorize', { token: on.token(PERSON), version: 'v0' });
    expect((await peer.receives(named('v3.client.version'))).payload).toEqual({ version: 'v1' });
  });

  it.each([['forged', 'nobody-made-this'], ['empty', ''], ['not text', 7], ['missing', undefined]])(
    'refuses a %s token without a word of success, and closes [C-145]',
    async (_kind, token) => {
      const on = await stage();
      const peer = await dial(on, '/ws/lobby');
      peer.say('v3.authorize', { token, version: 'v1' });
      expect(await peer.closed).toBe(closeCodes.tokenInvalid);
      expect(peer.frames.map(({ name, payload }) => [name, payload]))
        .toEqual([['v3.authorize.failed', { code: 'token_invalid' }]]);
      expect(on.gateway.counters().joined).toBeUndefined();
    },
  );

  it('refuses a token that was spent before', async () => {
    const on = await stage();
    const token = on.token(PERSON);
    const first = await dial(on, '/ws/lobby');
    first.say('v3.authorize', { token, version: 'v1' });
    await first.receives(named('v3.authorize.success'));
    const thief = await dial(on, '/ws/lobby');
    thief.say('v3.authorize', { token, version: 'v1' });
    expect(await thief.closed).toBe(closeCodes.tokenInvalid);
  });

  it('gives nothing to a socket that has not authorized, and closes it after 10 s', async () => {
    const clock = new VirtualClock();
    const on = await stage({ clock });
    const peer = await dial(on, '/ws/room/open');
    peer.say(said.name, { text: 'let me in' });
    peer.say('v3.lobby.discover', { room: 'open' });
    await counted(on, 'unknownEvent', 2);
    on.publish('secret');
    clock.advance(9_999);
    clock.advance(2);
    expect(await peer.closed).toBe(closeCodes.authorizeLate);
    expect(peer.frames).toEqual([]);
  });

  it('takes named events in their order alone: authorize once and first', async () => {
    const on = await stage();
    const [lobby, room] = [await dial(on, '/ws/lobby'), await dial(on, '/ws/room/open')];
    // Before the caller is known, messages have no effect.
    lobby.say('v3.lobby.discover', { room: 'open' });
    room.say(said.name, { text: 'too early' });
    await counted(on, 'unknownEvent', 2);
    for (const peer of [lobby, room]) {
      peer.say('v3.authorize', { token: on.token(PERSON), version: 'v1' });
      await peer.receives(named('v3.authorize.success'));
      // A second authorize is ignored, even with a valid token.
      peer.say('v3.authorize', { token: on.token(GUEST), version: 'v1' });
    }
    room.say('v3.lobby.discover', { room: 'open' });
    lobby.say(said.name, { text: 'not in a room' });
    await counted(on, 'unknownEvent', 6);
    room.say(said.name, { text: 'now' });
    lobby.say('v3.lobby.discover', { room: 'open' });
    await Promise.all([room.receives(text('now')), lobby.receives(named(discovered.name))]);
    const names = (peer: Peer): string[] => peer.frames.map(({ name }) => name);
    expect(names(lobby).filter((name) => name === 'v3.authorize.success')).toHaveLength(1);
    expect(names(lobby).filter((name) => name === discovered.name)).toHaveLength(1);
    expect(names(room).filter((name) => name === 'v3.authorize.success')).toHaveLength(1);
    expect(names(room)).not.toContain(discovered.name);
    expect(room.frames.some(text('too early')) || room.frames.some(text('not in a room'))).toBe(false);
    expect(on.presence).toEqual(['+anna']);
    // Nothing is received after the end.
    on.bus.publish({ operatorId: 1, channel: topicPersonChannel('open', 7), name: kicked.name, payload: {} });
    expect(await room.closed).toBe(closeCodes.refused);
    expect(names(room).at(-1)).toBe(kicked.name);
  });

  it('refuses a room that does not admit, and says why [C-145]', async () => {
    const on = await stage();
    const peer = await dial(on, '/ws/room/hidden');
    peer.say('v3.authorize', { token: on.token(PERSON), version: 'v1' });
    expect(await peer.closed).toBe(closeCodes.refused);
    expect(peer.frames.map(({ name, payload }) => [name, payload]))
      .toEqual([['v3.authorize.failed', { code: 'room_unknown' }]]);
    on.publish('secret');
    expect(on.presence).toEqual([]);
  });

  it('says why somebody is put out while what they missed is still looked up', async () => {
    let looksUp: () => void = () => undefined;
    const atLookUp = new Promise<void>((resolve) => {
      looksUp = resolve;
    });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const on = await stage({
      port: {
        joined: async () => {
          looksUp();
          await held;
        },
      },
    });
    const peer = await dial(on, '/ws/room/open');
    peer.say('v3.authorize', { token: on.token(PERSON), version: 'v1' });
    await atLookUp;
    on.publish('not for them any more');
    on.bus.publish({ operatorId: 1, channel: topicPersonChannel('open', 7), name: kicked.name, payload: {} });
    expect(await peer.closed).toBe(closeCodes.refused);
    expect(peer.frames.map(({ name }) => name)).toEqual(['v3.authorize.success', kicked.name]);
    release();
  });

  it('does not let in a session that ended while its token was being spent', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let redeemed: () => void = () => undefined;
    const atRedeem = new Promise<void>((resolve) => {
      redeemed = resolve;
    });
    const on = await stage({
      port: {
        redeem: async () => {
          redeemed();
          await held;
          return PERSON;
        },
      },
    });
    const peer = await dial(on, '/ws/room/open');
    peer.say('v3.authorize', { token: 'x', version: 'v1' });
    await atRedeem;
    on.gateway.closeSession('s7');
    release();
    expect(await peer.closed).toBe(closeCodes.tokenInvalid);
    expect(on.presence).toEqual([]);
  });
});

describe('signs of life', () => {
  /** Two sockets of the gateway: only one of them answers its pings. */
  async function pinged(path: string): Promise<void> {
    const clock = new VirtualClock();
    const on = await stage({ clock });
    const [alive, dead] = [await enter(on, path), await enter(on, path, GUEST)];
    const pings = (peer: Peer): number => peer.frames.filter(named('v3.ping')).length;
    /** Waits until everything sent before has arrived. */
    const answers = async (peer: Peer): Promise<void> => {
      const before = peer.frames.filter(named('v3.pong')).length;
      peer.say('v3.ping', {});
      await expect.poll(() => peer.frames.filter(named('v3.pong')).length, { interval: 5 }).toBe(before + 1);
    };
    for (const count of [0, 1]) {
      clock.advance(count === 0 ? 9_999 : 8_000);
      for (const peer of [alive, dead]) await answers(peer);
      expect([pings(alive), pings(dead)]).toEqual([count, count]);
      clock.advance(1);
      await Promise.all(
        [alive, dead].map((peer) => expect.poll(() => pings(peer), { interval: 5 }).toBe(count + 1)),
      );
      for (const peer of count === 0 ? [alive, dead] : [alive]) peer.say('v3.pong', {});
      for (const peer of [alive, dead]) await answers(peer);
      clock.advance(1_999);
      for (const peer of [alive, dead]) await answers(peer);
    }
    expect(on.gateway.counters().pongMissing).toBeUndefined();
    clock.advance(1);
    expect(await dead.closed).toBe(4005);
    expect([on.gateway.counters().pongMissing, alive.ws.readyState]).toEqual([1, WebSocket.OPEN]);
  }

  it('pings a lobby every 10 s, and closes it without an answer within 2 s [C-420, C-421]', async () => {
    await expect(pinged('/ws/lobby')).resolves.toBeUndefined();
  });

  it('pings a room every 10 s, and closes it without an answer within 2 s [A-468, A-469]', async () => {
    await expect(pinged('/ws/room/open')).resolves.toBeUndefined();
  });

  it('warns lobbies of a restart before closing [C-149]', async () => {
    const on = await stage();
    const lobby = await enter(on, '/ws/lobby');
    on.gateway.close();
    expect(await lobby.closed).toBe(closeCodes.restarting);
    expect(lobby.frames.at(-1)).toMatchObject({ name: 'v3.lobby.restarting', payload: {} });
  });
});

describe('attacks', () => {
  it.each([
    ['another site', { origin: 'https://evil.example' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['no page at all', {}],
  ])('refuses the upgrade of %s', async (_who, options) => {
    const on = await stage();
    const peer = new Peer(`${on.origin.replace('http', 'ws')}/ws/lobby`, options);
    await expect(peer.opened).rejects.toThrow('403');
    expect(on.gateway.counters().crossOrigin).toBe(1);
    expect(on.gateway.size()).toBe(0);
  });

  it('refuses a host name without a site, and paths that are no socket', async () => {
    const on = await stage();
    const base = on.origin.replace('http', 'ws');
    const foreign = new Peer(`${base}/ws/lobby`, { origin: on.origin, headers: { host: 'other.example' } });
    await expect(foreign.opened).rejects.toThrow('421');
    const rooms = ['', '%E0%A4%A', 'a/b', 'x'.repeat(65)].map((name) => `/ws/room/${name}`);
    for (const path of ['/', '/ws/', ...rooms]) {
      await expect(new Peer(base + path, { origin: on.origin }).opened).rejects.toThrow('404');
    }
  });

  it('bounds the sockets of one address and of one session, as it was configured [C-428]', async () => {
    const on = await stage({ limits: { socketsPerAddress: 3, socketsPerSession: 2 } });
    await enter(on);
    await enter(on);
    const third = await dial(on, '/ws/room/open');
    third.say('v3.authorize', { token: on.token(PERSON), version: 'v1' });
    expect(await third.closed).toBe(closeCodes.tooManySockets);
    await enter(on, '/ws/lobby', GUEST);
    const fourth = new Peer(`${on.origin.replace('http', 'ws')}/ws/lobby`, { origin: on.origin });
    await expect(fourth.opened).rejects.toThrow('429');
  });

  it('waits for a token, and takes messages, as long and as often as configured [C-428]', async () => {
    const clock = new VirtualClock();
    const pace = { burst: 5, perSecond: 1 };
    const on = await stage({
      clock,
      limits: { authorizeWithinMs: 3_000, rates: { guest: pace, member: pace, trusted: pace } },
    });
    const silent = await dial(on, '/ws/lobby');
    clock.advance(2_999);
    silent.say('v3.ping', {});
    await silent.receives(named('v3.pong'));
    const speaks = await enter(on, '/ws/lobby');
    clock.advance(1);
    expect(await silent.closed).toBe(4001);
    for (let count = 0; count < 4; count += 1) speaks.say('v3.ping', {});
    await expect.poll(() => speaks.frames.filter(named('v3.pong')).length, { interval: 5 }).toBe(4);
    speaks.say('v3.ping', {});
    await counted(on, 'tooFast');
    clock.advance(1_000);
    expect(await speaks.closed).toBe(1008);
  });

  it('bounds the sockets of one IPv6 /64, and those of one /56 at eight times as many', async () => {
    let last = 0;
    let network = 0;
    const nextAddress = (): string => `2001:db8:0:${network.toString(16)}::${(last += 1).toString(16)}`;
    const on = await stage({ limits: { socketsPerAddress: 1 }, nextAddress });
    const open = () => new Peer(`${on.origin.replace('http', 'ws')}/ws/lobby`, { origin: on.origin }).opened;
    for (network = 0; network < 8; network += 1) {
      await open();
      await expect(open()).rejects.toThrow('429');
    }
    await expect(open()).rejects.toThrow('429');
    network = 0x100;
    await open();
  });

  it('cuts a flood, and others do not notice', async () => {
    const on = await stage();
    const [calm, flooder] = [await enter(on, '/ws/room/open', GUEST), await enter(on)];
    for (let count = 0; count < 5_000; count += 1) flooder.say(said.name, { text: `flood ${count}` });
    expect(await flooder.closed).toBe(closeCodes.tooFast);
    on.publish('calm');
    await calm.receives(text('calm'));
    expect(on.gateway.counters().tooFast).toBe(1);
    expect(calm.frames.filter((frame) => frame.name === spoken.name).length).toBeLessThan(50);
  });

  it.each<[string, string | Buffer, number, GatewayCounter]>([
    ['a binary frame', Buffer.from([1, 2, 3]), closeCodes.binary, 'binary'],
    ['no JSON', 'hello', closeCodes.malformed, 'malformed'],
    ['an object', '{"event":"v3.ping"}', closeCodes.malformed, 'malformed'],
    ['an array without payload', '["v3.ping"]', closeCodes.malformed, 'malformed'],
    ['a number for a name', '[1,{}]', closeCodes.malformed, 'malformed'],
    ['a sequence number of its own', '["v3.ping",{},1]', closeCodes.malformed, 'malformed'],
    ['deep nesting', '['.repeat(10_000), closeCodes.malformed, 'malformed'],
    ['text that is not UTF-8', Buffer.from([0xff, 0xfe]), 1007, 'malformed'],
    ['more than 16 kB', JSON.stringify(['v3.ping', 'x'.repeat(MAX_FRAME_BYTES)]), 1009, 'oversized'],
  ])('closes on %s', async (_what, message, code, counter) => {
    const on = await stage();
    const [peer, other] = [await enter(on), await enter(on, '/ws/room/open', GUEST)];
    peer.ws.send(message, { binary: counter === 'binary' });
    expect(await peer.closed).toBe(code);
    await counted(on, counter);
    on.publish('fine');
    await other.receives(text('fine'));
  });

  it('ignores and counts what it does not know, wrong shapes, and what the caller may not use', async () => {
    const on = await stage();
    const [peer, guest] = [await enter(on), await enter(on, '/ws/room/open', GUEST)];
    peer.say('v3.no.such', { text: 'x' });
    peer.say('__proto__', {});
    peer.say(said.name, { text: 'x'.repeat(51) });
    peer.say(said.name, null);
    guest.say(said.name, { text: 'as a guest' });
    peer.say(said.name, { text: 'fault' });
    peer.say(said.name, { text: 'after' });
    await Promise.all([peer, guest].map((item) => item.receives(text('after'))));
    expect(on.gateway.counters()).toMatchObject({ unknownEvent: 2, invalidPayload: 2, denied: 1, faults: 1 });
    expect(peer.frames.some(text('as a guest'))).toBe(false);
  });

  it('cuts a reader that lags too far, and the others get everything', async () => {
    const on = await stage({ limits: { unreadBytes: 256 * 1024 } });
    const [quick, slow] = [await enter(on, '/ws/room/open', GUEST), await enter(on)];
    slow.ws.pause();
    const padding = 'x'.repeat(64 * 1024);
    let sent = 0;
    for (; sent < 2_000 && !on.gateway.counters().slowReader; sent += 1) {
      on.publish(`${sent} ${padding}`);
      if (sent % 8 === 7) await quick.receives(text(`${sent} ${padding}`));
    }
    expect(on.gateway.counters().slowReader).toBe(1);
    on.publish('last');
    await quick.receives(text('last'));
    expect(quick.frames.filter((frame) => frame.seq !== null)).toHaveLength(sent + 1);
    expect(on.presence).toContain('-anna');
  });
});
