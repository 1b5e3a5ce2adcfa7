import type { FrameContext } from '../../../platform/contract/bind.ts';
import type { Clock } from '../../../platform/data/clock.ts';
import { COUNT_THROTTLE_MS, performerOfTopic } from '../rules.ts';

interface Room {
  readonly operatorId: number;
  readonly performerId: number;
  readonly topic: string;
  /** Sockets in the room by id. */
  readonly sockets: Map<string, FrameContext>;
  /** Sockets that asked for the user list. */
  readonly listeners: Set<string>;
  /** Runs while something was announced less than a throttle ago; `again` when more happened since. */
  pause: { again: boolean; readonly cancel: () => void } | null;
}

/** What changed in a room that its people hear of. */
export interface Crowd {
  readonly operatorId: number;
  readonly performerId: number;
  readonly topic: string;
  /** People watching, each counted once. */
  readonly count: number;
  /** Ids of the members among them. */
  readonly memberIds: readonly number[];
  readonly listeners: readonly FrameContext[];
}

/** Two tabs of one person, or of one guest session, are one viewer. */
const identityOf = ({ caller, socketId }: FrameContext): string =>
  (caller.personId === null ? (caller.sessionId ?? socketId) : `person:${caller.personId}`);

/**
 * Who is in which room, as the gateway of this process says. A room is announced when its crowd changes: at
 * once, then at most every 5 s.
 */
export class Presence {
  readonly #rooms = new Map<string, Room>();
  readonly #clock: Clock;
  readonly #announce: (crowd: Crowd) => void;

  constructor(clock: Clock, announce: (crowd: Crowd) => void) {
    this.#clock = clock;
    this.#announce = announce;
  }

  join(context: FrameContext): void {
    const { scope, topic, socketId } = context;
    const performerId = performerOfTopic(topic);
    const key = keyOf(scope.operatorId, performerId);
    const room = this.#rooms.get(key) ?? {
      operatorId: scope.operatorId, performerId, topic: topic as string,
      sockets: new Map(), listeners: new Set(), pause: null,
    };
    this.#rooms.set(key, room);
    room.sockets.set(socketId, context);
    this.#changed(key, room);
  }

  leave({ scope, topic, socketId }: FrameContext): void {
    const key = keyOf(scope.operatorId, performerOfTopic(topic));
    const room = this.#rooms.get(key);
    if (!room?.sockets.delete(socketId)) return;
    room.listeners.delete(socketId);
    this.#changed(key, room);
  }

  /** Whether a socket that is in the room hears of its members from now on. */
  listen({ scope, topic, socketId }: FrameContext, wanted: boolean): void {
    const key = keyOf(scope.operatorId, performerOfTopic(topic));
    const room = this.#rooms.get(key);
    if (!room?.sockets.has(socketId)) return;
    if (!wanted) room.listeners.delete(socketId);
    else {
      room.listeners.add(socketId);
      this.#changed(key, room);
    }
  }

  /** People watching a room, without its performer. */
  countOf(operatorId: number, performerId: number): number {
    const room = this.#rooms.get(keyOf(operatorId, performerId));
    return room ? viewersOf(room).size : 0;
  }

  /** Ends the timers. */
  stop(): void {
    for (const room of this.#rooms.values()) room.pause?.cancel();
    this.#rooms.clear();
  }

  #changed(key: string, room: Room): void {
    if (room.pause) {
      room.pause.again = true;
      return;
    }
    this.#announce(crowdOf(room));
    const cancel = this.#clock.after('rooms.crowd', COUNT_THROTTLE_MS, () => {
      const again = room.pause?.again ?? false;
      room.pause = null;
      if (again) this.#changed(key, room);
      else if (room.sockets.size === 0) this.#rooms.delete(key);
    });
    room.pause = { again: false, cancel };
  }
}

const keyOf = (operatorId: number, performerId: number): string => `${operatorId}:${performerId}`;

/** One context per person or guest session; the performer does not watch herself. */
function viewersOf(room: Room): ReadonlyMap<string, FrameContext> {
  const watching = [...room.sockets.values()].filter(({ caller }) => caller.personId !== room.performerId);
  return new Map(watching.map((context) => [identityOf(context), context]));
}

function crowdOf(room: Room): Crowd {
  const viewers = viewersOf(room);
  const memberIds = [...viewers.values()]
    .flatMap(({ caller }) => (caller.personId === null ? [] : [caller.personId]));
  const listeners = [...room.listeners].flatMap((id) => room.sockets.get(id) ?? []);
  const { operatorId, performerId, topic } = room;
  return { operatorId, performerId, topic, count: viewers.size, memberIds, listeners };
}
