import { encodeFrame } from '#platform/contract/sockets/frame.ts';
import { discovered } from '#platform/contract/sockets/lobby.ts';
import type { LiveClientOptions } from '#platform/contract/sockets/socket-client.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import { liveClient } from '../client/live-client.ts';

/** A socket whose server is played by the test. */
export class Played {
  readonly sent: [string, unknown][] = [];
  readonly url: string;
  readonly #handlers: Parameters<LiveClientOptions['open']>[1];
  isClosed = false;
  /** Whether it leaves pings unanswered. */
  isMute = false;

  constructor(url: string, handlers: Parameters<LiveClientOptions['open']>[1]) {
    this.url = url;
    this.#handlers = handlers;
  }

  takes(text: string): void {
    const message = JSON.parse(text) as [string, unknown];
    this.sent.push(message);
    if (message[0] === 'v3.ping' && !this.isMute) this.sends('v3.pong', {});
  }

  says(text: string): void {
    this.#handlers.message(text);
  }

  sends(name: string, payload: unknown, seq: number | null = null): void {
    this.says(encodeFrame(name, payload, seq));
  }

  closes(code = 1006): void {
    this.#handlers.closed(code);
  }

  async opens(): Promise<void> {
    this.#handlers.opened();
    await turn();
  }

  /** Opens, receives `v3.authorize` and accepts it. Returns the payload of `v3.authorize`. */
  async authorizes(): Promise<unknown> {
    await this.opens();
    const asked = this.sent.at(-1);
    if (asked?.[0] !== 'v3.authorize') throw new Error('the client did not authorize');
    this.sends('v3.authorize.success', { success: true, user: null });
    return asked?.[1];
  }

  asked(name: string): unknown[] {
    return this.sent.filter(([sent]) => sent === name).map(([, payload]) => payload);
  }
}

/** Lets pending promises settle without passing time. */
export const turn = async (): Promise<void> => {
  for (let at = 0; at < 5; at += 1) await Promise.resolve();
};

/** A started client whose servers are played by the test; `chance` replaces its random numbers. */
export function scripted(given: Partial<LiveClientOptions> & { chance?: number } = {}) {
  const clock = new VirtualClock();
  const sockets: Played[] = [];
  /** How long rooms waited before each new request. */
  const tries: number[] = [];
  const after: VirtualClock['after'] = (name, delayMs, task) => {
    if (name === 'room.discover') tries.push(delayMs);
    return clock.after(name, delayMs, task);
  };
  const live = liveClient({
    version: 'v1',
    lobbyUrl: 'ws://lobby',
    time: { now: clock.now, after, random: () => given.chance ?? 0 },
    token: async () => 'token',
    open: (url, handlers) => {
      const played = new Played(url, handlers);
      sockets.push(played);
      return {
        send: (text) => played.takes(text),
        close: () => {
          played.isClosed = true;
        },
      };
    },
    ...given,
  });
  live.start();
  const last = (): Played => sockets.at(-1) as Played;
  /** Joins the lobby on its newest socket. */
  const lobby = async (): Promise<Played> => {
    const socket = last();
    if (socket.url !== 'ws://lobby') throw new Error('the newest socket is not the lobby');
    await socket.authorizes();
    return socket;
  };
  /** Answers the room's request to the lobby, and lets its socket join. */
  const enter = async (at: Played, room = 'open'): Promise<Played> => {
    at.sends(discovered.name, { room, url: `ws://${room}` });
    const socket = last();
    if (socket.url !== `ws://${room}`) throw new Error(`no socket was opened to ${room}`);
    await socket.authorizes();
    return socket;
  };
  return { clock, live, sockets, tries, last, lobby, enter };
}

/** Joins a room whose lobby and own socket work; returns all phases since the start. */
export async function joined(given: Parameters<typeof scripted>[0] = {}) {
  const on = scripted(given);
  const lobby = await on.lobby();
  const room = on.live.join('open');
  const phases = [room.phase()];
  room.watch((phase) => phases.push(phase));
  await turn();
  const socket = await on.enter(lobby);
  return { ...on, lobbySocket: lobby, room, phases, socket };
}

/** Longer than any wait of a client. */
const LONGEST_WAIT_MS = 10_000;

/** How long a room stays in the back-off: until it asks the lobby again. */
export function waitOf(clock: VirtualClock, lobby: Played): number {
  const before = lobby.asked('v3.lobby.discover').length;
  let waited = 0;
  while (lobby.asked('v3.lobby.discover').length === before && waited < LONGEST_WAIT_MS) {
    clock.advance(1);
    waited += 1;
  }
  return waited;
}
