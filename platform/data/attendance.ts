/** A topic of one operator, in which people can be present. */
export interface Venue {
  readonly operatorId: number;
  readonly topic: string;
}

/** A person in a venue, with what every process may show of them. */
export interface Attendee {
  /** Sockets with the same identity are one attendee, even in different processes. */
  readonly identity: string;
  /** Null for guests. */
  readonly personId: number | null;
  /** Whether {@link Attendance.countOf} counts them. */
  readonly isCounted: boolean;
  /** What a list shows of them: small JSON, at most {@link MAX_ABOUT_BYTES}. */
  readonly about: Readonly<Record<string, unknown>>;
}

/**
 * Which people are in which venue, over all processes. Reads use this process's memory: changes in other
 * processes arrive within a moment, and people on a process that died are gone within 15 s.
 */
export interface Attendance {
  /** Adds a socket of this process to a venue. Entering again with the same socket replaces its attendee. */
  readonly enter: (venue: Venue, socketId: string, attendee: Attendee) => void;
  /** Removes a socket from a venue. A socket that never entered may leave too. */
  readonly leave: (venue: Venue, socketId: string) => void;
  /** Attendees that are counted, each identity once. */
  readonly countOf: (venue: Venue) => number;
  /** A copy of all attendees, each identity once, in order of arrival. */
  readonly attendees: (venue: Venue) => readonly Attendee[];
  /** Calls back with every venue whose attendees changed, here or in another process. */
  readonly watch: (listener: (venue: Venue) => void) => () => void;
}

/** Enough for names and a few flags: every process holds venues of thousands of people in memory. */
const MAX_ABOUT_BYTES = 1_024;

/** The process id of this process's own attendees. */
export const HERE = '';

const keyOf = ({ operatorId, topic }: Venue): string => `${operatorId} ${topic}`;

interface Present {
  readonly venue: Venue;
  /** Identity → process → the attendee as that process has it. */
  readonly known: Map<string, Map<string, Attendee>>;
  counted: number;
}

/** The attendee to show when processes disagree; every process picks the same one. */
function shown(words: ReadonlyMap<string, Attendee>): Attendee | undefined {
  return [...words.values()].find(({ isCounted }) => isCounted) ?? words.values().next().value;
}

/** A change that one process made to one identity in one venue. A null attendee has left. */
export interface AttendanceChange {
  readonly venue: Venue;
  readonly identity: string;
  readonly attendee: Attendee | null;
}

/** Attendance over several processes. Each identity is counted once. */
export class Roll {
  readonly #venues = new Map<string, Present>();
  readonly #listeners = new Set<(venue: Venue) => void>();

  /** `attendee` is null when the identity is no longer on that process. */
  set(processId: string, venue: Venue, identity: string, attendee: Attendee | null): void {
    const key = keyOf(venue);
    const present: Present = this.#venues.get(key) ?? { venue, known: new Map(), counted: 0 };
    const words = present.known.get(identity) ?? new Map<string, Attendee>();
    const before = shown(words)?.isCounted ? 1 : 0;
    if (attendee) words.set(processId, attendee);
    else words.delete(processId);
    if (words.size > 0) present.known.set(identity, words);
    else present.known.delete(identity);
    present.counted += (shown(words)?.isCounted ? 1 : 0) - before;
    if (present.known.size > 0) this.#venues.set(key, present);
    else this.#venues.delete(key);
    for (const listener of this.#listeners) listener(venue);
  }

  /** Removes all attendees of a process. */
  forget(processId: string): void {
    this.replace(processId, []);
  }

  /** Replaces all attendees of a process: those missing from the new list are removed. */
  replace(processId: string, all: readonly AttendanceChange[]): void {
    const current = new Set(all.map(({ venue, identity }) => `${keyOf(venue)} ${identity}`));
    for (const { venue, known } of this.#venues.values()) {
      for (const [identity, words] of known) {
        const isGone = words.has(processId) && !current.has(`${keyOf(venue)} ${identity}`);
        if (isGone) this.set(processId, venue, identity, null);
      }
    }
    for (const { venue, identity, attendee } of all) this.set(processId, venue, identity, attendee);
  }

  countOf(venue: Venue): number {
    return this.#venues.get(keyOf(venue))?.counted ?? 0;
  }

  attendees(venue: Venue): readonly Attendee[] {
    const known = this.#venues.get(keyOf(venue))?.known ?? new Map<string, Map<string, Attendee>>();
    return [...known.values()].flatMap((words) => shown(words) ?? []);
  }

  watch(listener: (venue: Venue) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** The sockets of this process. An attendee with several sockets leaves with the last of them. */
export class Benches {
  /** Venue and identity → socket id → attendee. */
  readonly #sockets = new Map<string, Map<string, Attendee>>();
  /** Venue and socket id → identity. */
  readonly #identities = new Map<string, string>();
  readonly #said: (change: AttendanceChange) => void;

  constructor(said: (change: AttendanceChange) => void) {
    this.#said = said;
  }

  enter(venue: Venue, socketId: string, attendee: Attendee): void {
    if (Buffer.byteLength(JSON.stringify(attendee.about)) > MAX_ABOUT_BYTES) {
      throw new Error('an attendee has too much about them');
    }
    const socketKey = `${keyOf(venue)} ${socketId}`;
    const before = this.#identities.get(socketKey);
    if (before !== undefined && before !== attendee.identity) this.leave(venue, socketId);
    this.#identities.set(socketKey, attendee.identity);
    const key = `${keyOf(venue)} ${attendee.identity}`;
    const sockets = this.#sockets.get(key) ?? new Map<string, Attendee>();
    this.#sockets.set(key, sockets.set(socketId, attendee));
    this.#said({ venue, identity: attendee.identity, attendee });
  }

  leave(venue: Venue, socketId: string): void {
    const socketKey = `${keyOf(venue)} ${socketId}`;
    const identity = this.#identities.get(socketKey);
    if (identity === undefined) return;
    this.#identities.delete(socketKey);
    const key = `${keyOf(venue)} ${identity}`;
    const sockets = this.#sockets.get(key);
    sockets?.delete(socketId);
    if (sockets?.size === 0) this.#sockets.delete(key);
    this.#said({ venue, identity, attendee: [...(sockets?.values() ?? [])].at(-1) ?? null });
  }
}

/** Attendance of a site with a single process. */
export function memoryAttendance(): Attendance {
  const roll = new Roll();
  const benches = new Benches(({ venue, identity, attendee }) => roll.set(HERE, venue, identity, attendee));
  return {
    enter: (venue, socketId, attendee) => benches.enter(venue, socketId, attendee),
    leave: (venue, socketId) => benches.leave(venue, socketId),
    countOf: (venue) => roll.countOf(venue),
    attendees: (venue) => roll.attendees(venue),
    watch: (listener) => roll.watch(listener),
  };
}
