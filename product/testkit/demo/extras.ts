import type { RoomConnection } from '#platform/contract/sockets/socket-client.ts';
import { LOBBY_PATH } from '#platform/contract/sockets/wire.ts';
import type { Clock } from '#platform/data/clock.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import type { Host } from '#platform/http/host.ts';
import { liveClient } from '#platform/realtime/client/live-client.ts';
import { socketsFrom } from '#platform/realtime/dial.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { sayInChat } from '#product/rooms/contract.ts';
import { sendTip } from '#product/tips/contract.ts';
import type { Visitor } from '../visitor.ts';
import { EXTRA_LINES, EXTRAS } from './cast.ts';
import { entersDemo } from './entering.ts';
import { pickBy, shares } from './evening.ts';

/**
 * Each extra acts every 20 to 90 s, tips about every fourth time, and goes to
 * another room about every fifth.
 */
const LEAST_PAUSE_MS = 20_000;
const MOST_PAUSE_MS = 90_000;
const TIP_CHANCE = 0.3;
const MOVE_CHANCE = 0.2;
const TIP_TOKENS = [5, 10, 15, 25, 50] as const;
/** Pause between log-ins. */
const ARRIVE_EVERY_MS = 1_500;

export interface ExtrasDependencies {
  readonly host: Host;
  /** Origin for sockets, e.g. `http://127.0.0.1:3000`. */
  readonly origin: string;
  readonly clock: Clock;
  /** Rooms they visit: usernames, most popular first. */
  readonly rooms: readonly string[];
  readonly version: string;
  /** Returns a number from 0 up to, not including, 1. */
  readonly random: () => number;
  readonly onError: (error: unknown) => void;
}

/**
 * A few viewers who chat and tip at a human pace, with the same calls and sockets as everybody.
 * @returns a function that makes them leave
 */
export function startExtras(deps: ExtrasDependencies): () => void {
  const leaving: (() => void)[] = [];
  if (deps.rooms.length === 0) return () => undefined;
  for (const [at, username] of EXTRAS.entries()) {
    leaving.push(deps.clock.after('extras.arrive', ARRIVE_EVERY_MS * (at + 1), () => {
      visit(deps, username, at).then((leave) => leaving.push(leave), deps.onError);
    }));
  }
  return () => {
    for (const leave of leaving) leave();
  };
}

async function visit(deps: ExtrasDependencies, username: string, at: number): Promise<() => void> {
  const { host, origin, clock, version, random } = deps;
  const visitor = await entersDemo(host, username, {
    address: `127.9.0.${at + 1}`,
    host: new URL(origin).host,
  });
  const client = liveClient({
    open: socketsFrom(origin, () => visitor.headers['cookie']),
    version,
    time: { now: clock.now, after: clock.after, random },
    lobbyUrl: origin.replace(/^http/u, 'ws') + LOBBY_PATH,
    token: async () => (await visitor.call(getCurrentUser, {})).node_token,
  });
  client.start();
  const by = shares(deps.rooms.length);
  const join = (room: string) => ({ room, connection: client.join(room) });
  // The first ones visit the rooms people see first, one in each.
  let current = join(deps.rooms[at % deps.rooms.length] as string);
  let cancel = (): void => undefined;
  const next = (): void => {
    const pauseMs = LEAST_PAUSE_MS + random() * (MOST_PAUSE_MS - LEAST_PAUSE_MS);
    cancel = clock.after('extras.speak', pauseMs, () => {
      if (random() < MOVE_CHANCE) {
        current.connection.leave();
        current = join(deps.rooms[pickBy(random, by)] as string);
      } else act(deps, visitor, current.connection, current.room).catch(deps.onError);
      next();
    });
  };
  next();
  return () => {
    cancel();
    client.stop();
  };
}

const pick = <T>(random: () => number, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T;

async function act(
  { random }: ExtrasDependencies,
  visitor: Visitor,
  connection: RoomConnection,
  room: string,
): Promise<void> {
  if (random() >= TIP_CHANCE) {
    connection.send(sayInChat, { message: pick(random, EXTRA_LINES) });
    return;
  }
  const { tokens } = await visitor.call(getCurrentUser, {});
  const amount = pick(random, TIP_TOKENS);
  if (tokens < amount) return;
  await visitor.call(sendTip, { username: room, amount, type: 'tip' }, { idempotencyKey: uuidV4() });
}
