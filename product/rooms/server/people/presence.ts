import type { EventContext } from '../../../../platform/contract/bind.ts';
import type { Attendance, Venue } from '../../../../platform/data/fan-out/attendance.ts';
import type { Clock } from '../../../../platform/data/clock.ts';
import { COUNT_THROTTLE_MS, performerOfTopic, roomTopic } from '../../rules.ts';

/** A room with sockets in this process. */
interface Room {
  readonly venue: Venue;
  readonly performerId: number;
  /** Its sockets of this process by id. */
  readonly sockets: Map<string, EventContext>;
  /** Those that asked for the user list. */
  readonly listeners: Set<string>;
  /** Those that have heard it once: whoever asks again and again waits as the others do. */
  readonly greeted: Set<string>;
  /** Runs while something was announced less than a throttle ago; `again` when more happened since. */
  pause: { again: boolean; readonly cancel: () => void } | null;
}

/** What changed in a room that its people hear of. */
export interface Crowd {
  readonly operatorId: number;
  readonly performerId: number;
  readonly topic: string;
  /** People watching, each counted once, in whichever processes they are. */
  readonly count: number;
  /** Ids of the members among them. */
  readonly memberIds: readonly number[];
  /** Sockets of this process that asked for the user list. */
  readonly listeners: readonly EventContext[];
}

/** Two tabs of one person, or of one guest session, are one viewer. */
const identityOf = ({ caller, socketId }: EventContext): string =>
  (caller.personId === null ? (caller.sessionId ?? socketId) : `person:${caller.personId}`);

const venueOf = (operatorId: number, performerId: number): Venue =>
  ({ operatorId, topic: roomTopic(performerId) });
const keyOf = ({ operatorId, topic }: Venue): string => `${operatorId} ${topic}`;

/**
 * Who is in which room, in all processes, told to the sockets of this one. A room is announced when its crowd
 * changes: at once, then at most every 5 s.
 */
export class Presence {
  readonly #rooms = new Map<string, Room>();
  readonly #clock: Clock;
  readonly #attendance: Attendance;
  readonly #announce: (crowd: Crowd) => void;
  readonly #greet: (crowd: Crowd) => void;
  readonly #unwatch: () => void;

  constructor(
    { clock, attendance }: { readonly clock: Clock; readonly attendance: Attendance },
    { announce, greet }: {
      /** The crowd changed: everybody hears of it. */
      readonly announce: (crowd: Crowd) => void;
      /** Its one listener asks for the first time. */
      readonly greet: (crowd: Crowd) => void;
    },
  ) {
    this.#clock = clock;
    this.#attendance = attendance;
    this.#announce = announce;
    this.#greet = greet;
    this.#unwatch = attendance.watch((venue) => {
      const room = this.#rooms.get(keyOf(venue));
      if (room) this.#changed(room);
    });
  }

  join(context: EventContext): void {
    const { scope: { operatorId }, topic, socketId, caller: { personId } } = context;
    const performerId = performerOfTopic(topic);
    const venue = venueOf(operatorId, performerId);
    const room = this.#rooms.get(keyOf(venue))
      ?? {
        venue, performerId, sockets: new Map(), listeners: new Set(), greeted: new Set(), pause: null,
      };
    this.#rooms.set(keyOf(venue), room);
    room.sockets.set(socketId, context);
    // The performer does not watch herself.
    const isCounted = personId !== performerId;
    const identity = identityOf(context);
    this.#attendance.enter(venue, socketId, { identity, personId, isCounted, about: {} });
  }

  leave(context: EventContext): void {
    const room = this.#roomOf(context);
    if (!room?.sockets.delete(context.socketId)) return;
    room.listeners.delete(context.socketId);
    room.greeted.delete(context.socketId);
    this.#attendance.leave(room.venue, context.socketId);
    // With a pause that runs on, who comes back at once hears no sooner.
    if (room.sockets.size === 0 && !room.pause) this.#rooms.delete(keyOf(room.venue));
  }

  /** Whether a socket that is in the room hears of its members from now on. */
  listen(context: EventContext, wanted: boolean): void {
    const room = this.#roomOf(context);
    if (!room?.sockets.has(context.socketId)) return;
    if (!wanted) return void room.listeners.delete(context.socketId);
    room.listeners.add(context.socketId);
    const isNew = !room.greeted.has(context.socketId);
    room.greeted.add(context.socketId);
    if (isNew && room.pause) this.#greet({ ...this.#crowdOf(room), listeners: [context] });
    else this.#changed(room);
    return undefined;
  }

  /** People watching a room, without its performer. */
  countOf(operatorId: number, performerId: number): number {
    return this.#attendance.countOf(venueOf(operatorId, performerId));
  }

  /** Members watching a room, without its performer. */
  memberIdsOf(operatorId: number, performerId: number): readonly number[] {
    return this.#attendance.attendees(venueOf(operatorId, performerId))
      .flatMap(({ personId, isCounted }) => (personId !== null && isCounted ? [personId] : []));
  }

  /** What is known of somebody has changed: the rooms of this process they are in are announced. */
  changed(operatorId: number, personId: number): void {
    for (const room of this.#rooms.values()) {
      const isHere = room.listeners.size > 0 && room.venue.operatorId === operatorId
        && this.memberIdsOf(operatorId, room.performerId).includes(personId);
      if (isHere) this.#changed(room);
    }
  }

  /** Ends the timers. */
  stop(): void {
    this.#unwatch();
    for (const room of this.#rooms.values()) room.pause?.cancel();
    this.#rooms.clear();
  }

  #roomOf({ scope, topic }: EventContext): Room | undefined {
    return this.#rooms.get(keyOf(venueOf(scope.operatorId, performerOfTopic(topic))));
  }

  #changed(room: Room): void {
    if (room.pause) {
      room.pause.again = true;
      return;
    }
    this.#announce(this.#crowdOf(room));
    const cancel = this.#clock.after('rooms.crowd', COUNT_THROTTLE_MS, () => {
      const again = room.pause?.again ?? false;
      room.pause = null;
      if (room.sockets.size === 0) this.#rooms.delete(keyOf(room.venue));
      else if (again) this.#changed(room);
    });
    room.pause = { again: false, cancel };
  }

  #crowdOf({ venue: { operatorId, topic }, performerId, sockets, listeners }: Room): Crowd {
    return {
      operatorId, performerId, topic, count: this.countOf(operatorId, performerId),
      memberIds: this.memberIdsOf(operatorId, performerId),
      listeners: [...listeners].flatMap((id) => sockets.get(id) ?? []),
    };
  }
}
