import type { Attendance } from '#platform/data/attendance.ts';
import type { Clock } from '#platform/data/clock.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { pickBy, shares } from './evening.ts';

/** Guests who watch in the demo, besides members: about 170 in the first of 24 rooms, 7 in the last. */
const GUESTS = 620;
/** How often somebody moves to another room: everybody stays for half an hour. */
const MOVE_EVERY_MS = 3_000;

export interface AudienceDependencies {
  readonly attendance: Attendance;
  readonly clock: Clock;
  readonly operatorId: number;
  /** Ids of the performers whose rooms are open, most popular first. */
  readonly rooms: readonly number[];
  /** Ids of members who watch. */
  readonly members: readonly number[];
  /** Returns a number from 0 up to, not including, 1. */
  readonly random: () => number;
}

interface Spectator {
  readonly identity: string;
  readonly personId: number | null;
  room: number;
}

/**
 * Viewers without a browser: they only exist in the attendance of the rooms, the source of every count of
 * viewers, and cost nothing else. A few rooms have many, most have few, and people move on.
 * @returns a function that removes them
 */
export function startAudience(deps: AudienceDependencies): () => void {
  const { attendance, clock, operatorId, rooms, members, random } = deps;
  if (rooms.length === 0) return () => undefined;
  const by = shares(rooms.length);
  const venueOf = (room: number) => ({ operatorId, topic: roomTopic(rooms[room] as number) });
  const enter = ({ identity, personId, room }: Spectator): void =>
    attendance.enter(venueOf(room), `demo ${identity}`, { identity, personId, isCounted: true, about: {} });
  const leave = ({ identity, room }: Spectator): void => attendance.leave(venueOf(room), `demo ${identity}`);
  const spectators: Spectator[] = [
    ...Array.from({ length: GUESTS }, (_, at) => ({ identity: `demo:${at}`, personId: null })),
    ...members.map((id) => ({ identity: `person:${id}`, personId: id })),
  ].map((item) => ({ ...item, room: pickBy(random, by) }));
  for (const one of spectators) enter(one);
  const stopMoving = clock.every('demo.audience', MOVE_EVERY_MS, () => {
    const one = spectators[Math.floor(random() * spectators.length)] as Spectator;
    leave(one);
    one.room = pickBy(random, by);
    enter(one);
  });
  return () => {
    stopMoving();
    for (const one of spectators) leave(one);
  };
}
