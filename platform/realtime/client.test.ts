import { afterEach, describe, expect, it } from 'vitest';
import { encodeFrame } from '../contract/frame.ts';
import { closeCodes } from '../contract/lobby.ts';
import { LiveClient } from '../contract/socket-client.ts';
import { systemClock, VirtualClock } from '../data/clock.ts';
import { socketsFrom } from './dial.ts';
import { heard, openStage, PERSON, said, type Stage } from './testing.ts';

const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

async function stage(given: Parameters<typeof openStage>[0] = {}): Promise<Stage> {
  const opened = await openStage(given);
  stops.push(opened.close);
  return opened;
}

function clientOf({ origin }: Stage, token: () => Promise<string>): LiveClient {
  const live = new LiveClient({
    open: socketsFrom(origin), time: { ...systemClock, random: () => 0 }, version: 'v1', token,
    lobbyUrl: `${origin.replace('http', 'ws')}/ws/lobby`,
  });
  stops.push(() => live.stop());
  live.start();
  return live;
}

describe('the client', () => {
  it('finds, joins and hears a room, and comes back when the server does', async () => {
    const on = await stage();
    let token = (): string => on.token(PERSON);
    const live = clientOf(on, async () => token());
    const room = live.join('open');
    const next = (wanted: string): Promise<void> => new Promise((resolve) => {
      const stop = room.on(heard, (payload) => {
        if (payload.text !== wanted) return;
        stop();
        resolve();
      });
    });
    await next('welcome');
    expect(room.phase()).toBe('joined');
    expect(room.send(said, { text: 'hi' })).toBe(true);
    await next('hi');
    await on.close();
    const again = next('welcome');
    const second = await stage({ serverPort: Number(new URL(on.origin).port) });
    token = () => second.token(PERSON);
    await again;
    expect(room.phase()).toBe('joined');
    expect(second.presence).toEqual(['+anna']);
  });

  it('leaves a refused room alone', async () => {
    const on = await stage();
    const live = clientOf(on, async () => on.token(PERSON));
    const room = live.join('nowhere');
    await new Promise<void>((resolve) => { room.watch((phase) => phase === 'refused' && resolve()); });
    expect(room.refusedCode()).toBe('room_unknown');
    expect(on.gateway.counters().refused).toBe(1);
  });

  it('retries a lobby after 1 s, a restarting one after 100 ms, a room after 50 ms up to 3 s', async () => {
    const clock = new VirtualClock();
    const { live, opened, socket } = scripted(clock);
    live.start();
    await socket(0).authorize();
    const room = live.join('open');
    socket(0).closes(1006);
    clock.advance(999);
    expect(opened).toHaveLength(1);
    clock.advance(1);
    await socket(1).authorize();
    socket(1).tells('v3.lobby.restarting', {});
    socket(1).closes(closeCodes.restarting);
    clock.advance(100);
    await socket(2).authorize();
    const waits: number[] = [];
    for (let loss = 0; loss < 8; loss += 1) {
      socket(2).tells('v3.lobby.discovered', { room: 'open', url: 'ws://room' });
      expect(room.phase()).toBe('connecting');
      const lostAt = clock.now().getTime();
      socket(3 + loss).closes(1006);
      while (room.phase() !== 'discovery') clock.advance(10);
      waits.push(clock.now().getTime() - lostAt);
    }
    expect(waits).toEqual([50, 100, 200, 400, 800, 1_600, 3_000, 3_000]);
    socket(2).tells('v3.lobby.discovered', { room: 'open', url: 'ws://room' });
    await socket(11).authorize();
    socket(11).closes(1006);
    clock.advance(50);
    expect(room.phase()).toBe('discovery');
  });

  it('joins rooms anew 1.5 s after a lobby outage of more than 5 minutes', async () => {
    const clock = new VirtualClock();
    const { live, opened, socket } = scripted(clock);
    live.start();
    await socket(0).authorize();
    const room = live.join('open');
    socket(0).tells('v3.lobby.discovered', { room: 'open', url: 'ws://room' });
    await socket(1).authorize();
    socket(0).closes(1006);
    const answerPings = clock.every('answers', 5_000, () => socket(1).tells('v3.pong', {}));
    for (let at = 0; at < 301; at += 1) {
      clock.advance(1_000);
      socket(1).tells('v3.pong', {});
      if (at < 300) socket(opened.length - 1).closes(1006);
    }
    await socket(opened.length - 1).authorize();
    expect(room.phase()).toBe('joined');
    clock.advance(1_499);
    expect(room.phase()).toBe('joined');
    clock.advance(1);
    expect(room.phase()).toBe('discovery');
    answerPings();
  });

  it('gives up a socket whose server does not answer a ping within 2 s', async () => {
    const clock = new VirtualClock();
    const { live, socket } = scripted(clock);
    live.start();
    await socket(0).authorize();
    clock.advance(10_000);
    expect(socket(0).sent.at(-1)).toEqual(['v3.ping', {}]);
    clock.advance(1_999);
    expect(live.lobby.phase()).toBe('joined');
    clock.advance(1);
    expect(live.lobby.phase()).toBe('none');
  });
});

/** A client whose servers are played by the test. */
function scripted(clock: VirtualClock) {
  interface Played {
    readonly url: string;
    readonly sent: unknown[];
    readonly authorize: () => Promise<void>;
    readonly tells: (name: string, payload: unknown) => void;
    readonly closes: (code: number) => void;
  }
  const opened: Played[] = [];
  const live = new LiveClient({
    version: 'v1', lobbyUrl: 'ws://lobby', time: { ...clock, random: () => 0 }, token: async () => 'token',
    open: (url, handlers) => {
      const sent: unknown[] = [];
      const tells = (name: string, payload: unknown): void => handlers.message(encodeFrame(name, payload));
      const authorize = async (): Promise<void> => {
        handlers.opened();
        await expect.poll(() => sent.length, { interval: 1 }).toBe(1);
        expect(sent[0]).toEqual(['v3.authorize', { token: 'token', version: 'v1' }]);
        tells('v3.authorize.success', { success: true, user: null });
      };
      opened.push({ url, sent, tells, authorize, closes: (code) => handlers.closed(code) });
      return { send: (message) => void sent.push(JSON.parse(message)), close: () => undefined };
    },
  });
  stops.push(() => live.stop());
  return { live, opened, socket: (at: number): Played => opened[at] as Played };
}
