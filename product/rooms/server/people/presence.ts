import type { EventContext } from '#platform/contract/bind.ts';
import type { Attendance, Venue } from '#platform/data/attendance.ts';
import type { Clock } from '#platform/data/clock.ts';
import { COUNT_THROTTLE_MS, performerOfTopic, roomTopic } from '../../rules.ts';

/** A room with sockets in this process. */
interface Room {
  readonly venue: Venue;
  readonly performerId: number;
  /** Its sockets of this process by id. */
  readonly sockets: Map<string, EventContext>;
  /** Sockets that asked for the user list. */
  readonly listeners: Set<string>;
  /** Sockets that have received it once: repeated requests wait for the throttle. */
  readonly served: Set<string>;
  /** Runs for one throttle interval after a change was sent. */
  pause: Pause | null;
}

interface Pause {
  /** More has changed since then. */
  again: boolean;
  /** Sockets that received their first list meanwhile, and when each may receive the next. */
  readonly late: Map<string, number>;
  readonly cancel: () => void;
}

/** Who is in a room, and who receives the user list. */
export interface Audience {
  readonly operatorId: number;
  readonly performerId: number;
  readonly topic: string;
  /** People watching, each counted once across all processes. */
  readonly count: number;
  /** Ids of the members among them. */
  readonly memberIds: readonly number[];
  /** Sockets of this process that asked for the user list. */
  readonly listeners: readonly EventContext[];
}

/** Two tabs of one person, or of one guest session, are one viewer. */
const identityOf = (
  { caller, socketId }: EventContext,
): string => (caller.personId === null ? (caller.sessionId ?? socketId) : `person:${caller.personId}`);

const venueOf = (operatorId: number, performerId: number): Venue => ({
  operatorId,
  topic: roomTopic(performerId),
});
const keyOf = ({ operatorId, topic }: Venue): string => `${operatorId} ${topic}`;

/**
 * Who is in which room, in all processes, for the sockets of this one. Reports a room when its audience
 * changes: at once, then at most every 5 s.
 */
export class Presence {
  readonly #rooms = new Map<string, Room>();
  readonly #clock: Clock;
  readonly #attendance: Attendance;
  readonly #onChange: (audience: Audience) => void;
  readonly #onFirstListener: (audience: Audience) => void;
  readonly #unwatch: () => void;

  constructor(
    { clock, attendance }: { readonly clock: Clock; readonly attendance: Attendance },
    { onChange, onFirstListener }: {
      /** The audience changed. */
      readonly onChange: (audience: Audience) => void;
      /** A socket requests the user list for the first time, and only it should receive the list. */
      readonly onFirstListener: (audience: Audience) => void;
    },
  ) {
    this.#clock = clock;
    this.#attendance = attendance;
    this.#onChange = onChange;
    this.#onFirstListener = onFirstListener;
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
        venue,
        performerId,
        sockets: new Map(),
        listeners: new Set(),
        served: new Set(),
        pause: null,
      };
    this.#rooms.set(keyOf(venue), room);
    room.sockets.set(socketId, context);
    // The performer is not a viewer of their own room.
    const isCounted = personId !== performerId;
    const identity = identityOf(context);
    this.#attendance.enter(venue, socketId, { identity, personId, isCounted, about: {} });
  }

  leave(context: EventContext): void {
    const room = this.#roomOf(context);
    if (!room?.sockets.delete(context.socketId)) return;
    room.listeners.delete(context.socketId);
    room.served.delete(context.socketId);
    this.#attendance.leave(room.venue, context.socketId);
    // A running pause stays, so that reconnecting does not evade the throttle.
    if (room.sockets.size === 0 && !room.pause) this.#rooms.delete(keyOf(room.venue));
  }

  /** Starts or stops the user list for a socket in the room. */
  listen(context: EventContext, wanted: boolean): void {
    const room = this.#roomOf(context);
    if (!room?.sockets.has(context.socketId)) return;
    if (!wanted) return void room.listeners.delete(context.socketId);
    room.listeners.add(context.socketId);
    const isNew = !room.served.has(context.socketId);
    room.served.add(context.socketId);
    if (!isNew || !room.pause) return this.#changed(room);
    room.pause.late.set(context.socketId, this.#clock.now().getTime() + COUNT_THROTTLE_MS);
    return this.#onFirstListener({ ...this.#audienceOf(room), listeners: [context] });
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

  /** Somebody's data changed: reports this process's rooms in which they are. */
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

  /** Reports a change, except to sockets whose first list is too recent: they get it after the next pause. */
  #changed(room: Room, late: ReadonlySet<string> = new Set()): void {
    if (room.pause) {
      room.pause.again = true;
      return;
    }
    const audience = this.#audienceOf(room);
    const listeners = audience.listeners.filter(({ socketId }) => !late.has(socketId));
    this.#onChange({ ...audience, listeners });
    this.#pause(room, COUNT_THROTTLE_MS, late.size > 0);
  }

  #pause(room: Room, waitMs: number, again: boolean): void {
    const late: Pause['late'] = new Map();
    const cancel = this.#clock.after('rooms.crowd', waitMs, () => this.#resume(room, late));
    room.pause = { again, late, cancel };
  }

  #resume(room: Room, late: Pause['late']): void {
    const again = room.pause?.again ?? false;
    room.pause = null;
    const nowMs = this.#clock.now().getTime();
    const young = [...late].filter(([, dueMs]) => dueMs > nowMs);
    if (room.sockets.size === 0) this.#rooms.delete(keyOf(room.venue));
    else if (again) this.#changed(room, new Set(young.map(([socketId]) => socketId)));
    else if (young.length > 0) this.#pause(room, Math.max(...young.map(([, dueMs]) => dueMs)) - nowMs, false);
  }

  #audienceOf({ venue: { operatorId, topic }, performerId, sockets, listeners }: Room): Audience {
    return {
      operatorId,
      performerId,
      topic,
      count: this.countOf(operatorId, performerId),
      memberIds: this.memberIdsOf(operatorId, performerId),
      listeners: [...listeners].flatMap((id) => sockets.get(id) ?? []),
    };
  }
}
