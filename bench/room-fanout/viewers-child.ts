/**
 * Viewers with the client library, in their own process: each joins the lobby and the room, receives its
 * messages, and reconnects by itself. Reports when all have every message, and how many were missed or
 * repeated.
 */
import type { LiveClient, RoomConnection } from '#platform/contract/sockets/socket-client.ts';
import { systemClock } from '#platform/data/clock.ts';
import { randomId } from '#platform/data/ids.ts';
import { liveClient } from '#platform/realtime/client/live-client.ts';
import { socketsFrom } from '#platform/realtime/dial.ts';
import { history, message, ROOM } from './gateway-stage.ts';
import type { FromViewers, ToViewers } from './load.ts';

/** Clients started at once: only the return is meant to be a crowd. */
const STARTING = 200;

const report = (message: FromViewers): void => void process.send?.(message);

class Viewer {
  readonly #room: RoomConnection;
  readonly #client: LiveClient;
  /** The last message received. */
  last: number | null = null;
  /** Whether a message arrived since the server was killed. */
  isBack = true;
  repeated = 0;
  missed = 0;

  constructor(port: number) {
    const origin = `http://127.0.0.1:${port}`;
    this.#client = liveClient({
      open: socketsFrom(origin),
      time: { ...systemClock, random: Math.random },
      version: 'bench',
      lobbyUrl: `${origin.replace('http', 'ws')}/ws/lobby`,
      token: async () => randomId(),
    });
    this.#room = this.#client.join(ROOM);
    this.#room.on(history, ({ messages, seq }) => {
      // Away longer than the room retains messages: the earlier ones are missed.
      const first = messages[0]?.id ?? seq + 1;
      if (this.last !== null && first > this.last + 1) this.missed += first - this.last - 1;
      this.last = seq;
      this.isBack = true;
    });
    this.#room.on(message, ({ id }) => {
      if (this.last !== null && id <= this.last) this.repeated += 1;
      if (this.last !== null && id > this.last + 1) this.missed += id - this.last - 1;
      this.last = id;
      this.isBack = true;
    });
    this.#client.start();
  }

  get isJoined(): boolean {
    return this.#room.phase() === 'joined';
  }
}

const viewers: Viewer[] = [];

async function join(port: number, count: number): Promise<void> {
  while (viewers.length < count) {
    const first = viewers.length;
    const coming = Array.from({ length: Math.min(STARTING, count - first) }, () => new Viewer(port));
    viewers.push(...coming);
    await until(() => coming.every(({ last }) => last !== null));
  }
}

const until = (isSo: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => void (isSo() ? resolve() : setTimeout(look, 20));
    look();
  });

/** Everybody has joined and has every message up to the room's last one. */
async function back(): Promise<void> {
  await until(() => viewers.every(({ isBack, isJoined }) => isBack && isJoined));
  const sum = (what: 'repeated' | 'missed'): number => viewers.reduce((all, viewer) => all + viewer[what], 0);
  report({ kind: 'back', repeated: sum('repeated'), missed: sum('missed') });
}

process.on('message', (asked: ToViewers) => {
  if (asked.kind === 'join') {
    void join(asked.port, asked.count).then(() => report({ kind: 'joined' }));
    return;
  }
  for (const viewer of viewers) viewer.isBack = false;
  void back();
});
process.on('disconnect', () => process.exit());
