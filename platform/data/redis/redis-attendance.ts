import type { Redis } from 'ioredis';
import { z } from 'zod';
import {
  Benches,
  HERE,
  Roll,
  type Attendance,
  type AttendanceChange,
  type Attendee,
  type Venue,
} from '../attendance.ts';
import { describeError } from '../errors.ts';
import { randomId } from '../ids.ts';
import { connect, opened, prefixOf, readAs, type RedisOptions } from './connection.ts';

/** Changes are sent in batches: a crowd that arrives at once costs one message, not one each. */
const BUNDLE_MS = 50;
/** Changes in one message: some hundred kilobytes. */
const MAX_BUNDLE = 1_000;
const HEARTBEAT_MS = 2_000;
/**
 * Three heartbeats may fail. After the next heartbeat of another process, at most 9 s in all, people on a
 * killed process are gone.
 */
const LIFETIME_MS = 7_000;
/** Field with the number of batches a process has sent; others that missed one read everything again. */
const VERSION = 'version';

const VenueShape = z.strictObject({ operatorId: z.int().nonnegative(), topic: z.string().max(200) });
const AttendeeShape = z.strictObject({
  identity: z.string().min(1).max(200),
  personId: z.int().positive().nullable(),
  isCounted: z.boolean(),
  about: z.record(z.string(), z.unknown()),
});
const ChangeShape = z.strictObject({
  venue: VenueShape,
  identity: z.string().min(1).max(200),
  attendee: AttendeeShape.nullable(),
});
/** Without changes and version, the process has ended. */
const Bundle = z.strictObject({
  from: z.string().min(1).max(100),
  version: z.int().positive().nullable(),
  changes: z.array(ChangeShape).max(MAX_BUNDLE),
});

/** Another process: the last batch known of it, and whether all of it is being read. */
interface Peer {
  version: number;
  reading: boolean;
  again: boolean;
}

export interface RedisAttendance extends Attendance {
  /** Removes all attendees of this process. */
  readonly close: () => Promise<void>;
}

/**
 * Attendance over several processes. Each stores its own attendees in one hash that expires unless its
 * heartbeat refreshes it, sends its changes to the other processes, and mirrors theirs. While Redis is away,
 * their attendees are shown as last known. Throws `RedisUnreachable`.
 */
export async function openRedisAttendance(options: RedisOptions): Promise<RedisAttendance> {
  const attendance = new LiveRedisAttendance(options);
  await attendance.open();
  return attendance;
}

class LiveRedisAttendance implements RedisAttendance {
  readonly #options: RedisOptions;
  readonly #id = randomId();
  readonly #roll = new Roll();
  readonly #benches: Benches;
  readonly #redis: Redis;
  readonly #listener: Redis;
  readonly #prefix: string;
  readonly #peers = new Map<string, Peer>();
  /** All attendees of this process, by field; {@link LiveRedisAttendance.#rewrite} writes them. */
  readonly #own = new Map<string, string>();
  #pending = new Map<string, AttendanceChange>();
  #version = 0;
  #isWritten = false;
  #cancelBundle: (() => void) | null = null;
  #cancelHeartbeat: () => void = () => {};

  constructor(options: RedisOptions) {
    this.#options = options;
    this.#prefix = `${prefixOf(options.url)}:attendance`;
    this.#redis = connect(options, 'attendance');
    this.#listener = connect(options, 'attendance-news');
    this.#benches = new Benches((change) => this.#said(change));
    this.#listener.on('message', (_channel: string, text: string) => this.#receive(text));
    // Changes were missed in the meantime, so everything is read again.
    this.#listener.on('ready', () =>
      this.#quietly(async () => {
        await this.#listener.subscribe(`${this.#prefix}:news`);
        await this.#meet();
      }));
    this.#redis.on('close', () => {
      this.#isWritten = false;
    });
  }

  async open(): Promise<void> {
    await opened(this.#redis, this.#options);
    await opened(this.#listener, this.#options);
    await this.#refresh();
    this.#cancelHeartbeat = this.#options.clock.every(
      'attendance.heartbeat',
      HEARTBEAT_MS,
      () => this.#quietly(() => this.#refresh()),
    );
  }

  readonly enter = (venue: Venue, socketId: string, attendee: Attendee): void =>
    this.#benches.enter(venue, socketId, attendee);

  readonly leave = (venue: Venue, socketId: string): void => this.#benches.leave(venue, socketId);

  readonly countOf = (venue: Venue): number => this.#roll.countOf(venue);

  readonly attendees = (venue: Venue): readonly Attendee[] => this.#roll.attendees(venue);

  readonly watch = (listener: (venue: Venue) => void): () => void => this.#roll.watch(listener);

  readonly close = async (): Promise<void> => {
    this.#cancelHeartbeat();
    this.#cancelBundle?.();
    await this.#redis.multi().del(this.#keyOf(this.#id)).srem(`${this.#prefix}:processes`, this.#id)
      .publish(...this.#news(null, [])).exec()
      .catch(() => undefined);
    for (const connection of [this.#redis, this.#listener]) {
      connection.removeAllListeners('close');
      connection.disconnect();
    }
  };

  #keyOf(processId: string): string {
    return `${this.#prefix}:of:${processId}`;
  }

  #news(version: number | null, changes: readonly AttendanceChange[]): [channel: string, text: string] {
    return [`${this.#prefix}:news`, JSON.stringify({ from: this.#id, version, changes })];
  }

  /** A change in this process counts here at once, and is sent to the others with the next batch. */
  #said(change: AttendanceChange): void {
    const { venue, identity, attendee } = change;
    const field = JSON.stringify([venue.operatorId, venue.topic, identity]);
    if (attendee) this.#own.set(field, JSON.stringify(change));
    else this.#own.delete(field);
    this.#pending.set(field, change);
    this.#roll.set(HERE, venue, identity, attendee);
    this.#cancelBundle ??= this.#options.clock.after('attendance.bundle', BUNDLE_MS, () => {
      this.#cancelBundle = null;
      this.#quietly(() => this.#send());
    });
  }

  async #send(): Promise<void> {
    const changes = [...this.#pending];
    this.#pending = new Map();
    // The heartbeat writes everything once Redis is back.
    if (!this.#isWritten) return;
    for (let at = 0; at < changes.length; at += MAX_BUNDLE) {
      await this.#sendBundle(changes.slice(at, at + MAX_BUNDLE));
    }
  }

  async #sendBundle(changes: readonly [string, AttendanceChange][]): Promise<void> {
    this.#version += 1;
    const key = this.#keyOf(this.#id);
    const set = changes.flatMap((
      [field, change],
    ) => (change.attendee ? [field, JSON.stringify(change)] : []));
    const gone = changes.flatMap(([field, { attendee }]) => (attendee ? [] : [field]));
    let unit = this.#redis.multi().hset(key, VERSION, this.#version, ...set);
    if (gone.length > 0) unit = unit.hdel(key, ...gone);
    try {
      const news = this.#news(this.#version, changes.map(([, change]) => change));
      await unit.pexpire(key, LIFETIME_MS).publish(...news).exec();
    } catch (error) {
      this.#isWritten = false;
      throw error;
    }
  }

  /** Refreshes this process's entry, writes it again if Redis lost it, and looks for changes of others. */
  async #refresh(): Promise<void> {
    if (this.#redis.status !== 'ready') return;
    const isThere = this.#isWritten && (await this.#redis.pexpire(this.#keyOf(this.#id), LIFETIME_MS)) === 1;
    if (!isThere) await this.#rewrite();
    await this.#meet();
  }

  async #rewrite(): Promise<void> {
    // One above the number that others may expect, so that they read everything.
    this.#version += 2;
    this.#pending = new Map();
    const key = this.#keyOf(this.#id);
    const fields = [...this.#own].flat();
    await this.#redis.multi().del(key).hset(key, VERSION, this.#version, ...fields)
      .pexpire(key, LIFETIME_MS).sadd(`${this.#prefix}:processes`, this.#id)
      .publish(...this.#news(this.#version, [])).exec();
    this.#isWritten = true;
  }

  /** Finds processes that are new, gone, or of which a batch was missed. */
  async #meet(): Promise<void> {
    if (this.#redis.status !== 'ready') return;
    const ids = await this.#redis.smembers(`${this.#prefix}:processes`);
    for (const id of new Set([...ids, ...this.#peers.keys()])) {
      if (id === this.#id) continue;
      const version = await this.#redis.hget(this.#keyOf(id), VERSION);
      if (version === null) await this.#gone(id);
      else if (Number(version) > (this.#peers.get(id)?.version ?? 0)) await this.#read(id);
    }
  }

  async #gone(id: string): Promise<void> {
    this.#peers.delete(id);
    this.#roll.forget(id);
    await this.#redis.srem(`${this.#prefix}:processes`, id);
  }

  #receive(text: string): void {
    const bundle = readAs(text, Bundle);
    if (!bundle || bundle.from === this.#id) return;
    const { from, version, changes } = bundle;
    if (version === null) {
      this.#peers.delete(from);
      return this.#roll.forget(from);
    }
    const peer = this.#peers.get(from);
    if (peer && !peer.reading && version === peer.version + 1) {
      peer.version = version;
      for (const { venue, identity, attendee } of changes) this.#roll.set(from, venue, identity, attendee);
    } else if (!peer || version > peer.version) this.#quietly(() => this.#read(from));
    return undefined;
  }

  /** Reads all attendees of another process, and again if changes arrive meanwhile. */
  async #read(id: string): Promise<void> {
    const peer = this.#peers.get(id) ?? { version: 0, reading: false, again: false };
    this.#peers.set(id, peer);
    if (peer.reading) {
      peer.again = true;
      return;
    }
    peer.reading = true;
    try {
      do {
        peer.again = false;
        const { [VERSION]: version, ...fields } = await this.#redis.hgetall(this.#keyOf(id));
        if (version === undefined || this.#peers.get(id) !== peer) return;
        this.#replace(id, Object.values(fields));
        peer.version = Number(version);
      } while (peer.again);
    } finally {
      peer.reading = false;
    }
  }

  #replace(id: string, fields: readonly string[]): void {
    const changes = fields.flatMap((text) => readAs(text, ChangeShape) ?? []);
    this.#roll.replace(id, changes);
  }

  /** The connections log once that Redis is away; the heartbeat repairs what failed here. */
  #quietly(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (this.#redis.status === 'ready' && this.#listener.status === 'ready') {
        this.#options.log.warn(describeError(error), 'attendance was not told; the heartbeat tries again');
      }
    });
  }
}
