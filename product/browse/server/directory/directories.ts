import type { BusMessage, OperatorScope } from '#platform/data/data.ts';
import { waitAfter } from '#platform/data/delivery/retry.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { chatMessage, chatUpdate } from '#product/rooms/contract.ts';
import { modelSettings } from '#product/rooms/contract/controls.ts';
import { goalChanged } from '#product/tips/contract/goals.ts';
import { UNSEEN, type DirectoryEntry } from '../../rules/listing/entry.ts';
import type { BrowseDependencies } from '../dependencies.ts';
import { directoryChanged } from './changes.ts';
import { Directory } from './directory.ts';
import { goalPart, readEntries } from './reading.ts';

/** Performers read by one unit of work: few enough that nobody waits long for the database. */
const BATCH = 500;
/** Collects changes to read them together; listings lag by this time. */
const GATHER_MS = 50;

type Part = Partial<Omit<DirectoryEntry, 'id'>>;

/** The directories of this process, one per operator, each loaded when first asked for. */
export class Directories {
  readonly #deps: BrowseDependencies;
  readonly #operators = new Map<number, OperatorDirectory>();
  readonly #stops: readonly (() => void)[];

  constructor(deps: BrowseDependencies) {
    this.#deps = deps;
    const { bus, rooms, data: { clock } } = deps;
    this.#stops = [
      clock.every(
        'browse recent tips',
        MINUTE_MS,
        () => this.#operators.forEach((operator) => operator.refreshTips()),
      ),
      bus.subscribe((message) => this.#operators.get(message.operatorId)?.receive(message)),
      bus.restored(() => this.#operators.forEach((operator) => operator.reload())),
      rooms.watchViewers((scope, performerId) => this.#operators.get(scope.operatorId)?.counted(performerId)),
    ];
  }

  /** Resolves with a complete directory. Rejects when it cannot be read; the next call tries again. */
  of(operatorId: number): Promise<Directory> {
    const operator = this.#operators.get(operatorId) ?? new OperatorDirectory(this.#deps, { operatorId });
    this.#operators.set(operatorId, operator);
    return operator.current();
  }

  /** Resolves when everything that was received is in the directories, or waits to be tried again. */
  async settled(): Promise<void> {
    await Promise.all([...this.#operators.values()].map((operator) => operator.settled()));
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    for (const operator of this.#operators.values()) operator.stop();
  }
}

/**
 * The directory of one operator. Any message about a performer makes this read the performer again as a
 * whole: messages may arrive late, twice or out of order, but the last reading also writes last.
 */
class OperatorDirectory {
  readonly #deps: BrowseDependencies;
  readonly #scope: OperatorScope;
  /** Performers to read; true hides them until they are read. */
  readonly #dirty = new Map<number, boolean>();
  /** Performers who were tipped since their recent tips were read. */
  readonly #tipped = new Set<number>();
  #directory: Directory | null = null;
  #loading: Promise<Directory> | null = null;
  #reading: Promise<void> | null = null;
  #readingTips: Promise<void> | null = null;
  #failures = 0;
  #cancelRetry: (() => void) | null = null;
  /** Cancels the wait that collects changes; null when none is pending. */
  #cancelGathering: (() => void) | null = null;
  #isStopped = false;

  constructor(deps: BrowseDependencies, scope: OperatorScope) {
    this.#deps = deps;
    this.#scope = scope;
  }

  async current(): Promise<Directory> {
    return this.#directory ?? this.#loading ?? this.#loadAfter([]);
  }

  /** Reads everything again after missed messages. Until then listings show the last known state. */
  reload(): void {
    if (this.#directory === null && this.#loading === null) return;
    // A load or reading in progress may return older data than the one that starts now.
    this.#loadAfter([this.#loading, this.#reading]).catch((error: unknown) => {
      // Reading failed, so the old directory may show somebody who must be hidden.
      this.#directory?.retire();
      this.#directory = null;
      this.#deps.onError(error);
    });
  }

  receive({ channel, name, payload }: BusMessage): void {
    if (name === directoryChanged.name) {
      const { performerId, hides } = payload as { performerId: number; hides: boolean };
      this.#changed(performerId, hides);
      return;
    }
    if (name === chatMessage.name) {
      const tippedId = (payload as { is_tip: boolean }).is_tip ? performerOfChannel(channel) : null;
      if (tippedId !== null && this.#directory) this.#tipped.add(tippedId);
      return;
    }
    const part = partOf(name, payload);
    const performerId = part === null ? null : performerOfChannel(channel);
    if (part === null || performerId === null) return;
    this.#directory?.change(performerId, part);
    // The message of a goal is complete; a change of a room may include more than its message says.
    if (name !== goalChanged.name) this.#changed(performerId, false);
  }

  /** Somebody entered or left the performer's room. */
  counted(performerId: number): void {
    const viewerCount = this.#deps.rooms.viewersIn(this.#scope, performerId);
    if (this.#directory?.get(performerId)?.viewerCount === viewerCount) return;
    this.#directory?.change(performerId, { viewerCount });
  }

  /** Tips expire by themselves, so performers tipped in the last hour are read again every minute. */
  refreshTips(): void {
    // Starts in a microtask, when the clock has finished moving, because time spent waiting for the database
    // is measured from the start.
    this.#readingTips ??= Promise.resolve().then(() => this.#readTips()).catch(this.#deps.onError)
      .finally(() => {
        this.#readingTips = null;
      });
  }

  async settled(): Promise<void> {
    for (;;) {
      if (this.#cancelGathering) this.#startReading();
      const running = this.#loading ?? this.#reading ?? this.#readingTips;
      if (running === null) return;
      await Promise.allSettled([running]);
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRetry?.();
    this.#cancelGathering?.();
  }

  #changed(performerId: number, hides: boolean): void {
    // Nothing was loaded yet, so there is nothing to read again.
    if (this.#directory === null && this.#loading === null) return;
    if (hides) this.#directory?.change(performerId, { state: UNSEEN });
    this.#dirty.set(performerId, hides || this.#dirty.get(performerId) === true);
    if (this.#loading === null && this.#cancelRetry === null && this.#reading === null) this.#gather();
  }

  #loadAfter(others: readonly (Promise<unknown> | null)[]): Promise<Directory> {
    const before = others.filter((other) => other !== null);
    const read = before.length > 0
      ? Promise.allSettled(before).then(() => this.#readAll())
      : this.#readAll();
    const loading = read.finally(() => {
      if (this.#loading === loading) this.#loading = null;
    });
    this.#loading = loading;
    return loading;
  }

  async #readAll(): Promise<Directory> {
    const { data, accounts } = this.#deps;
    const directory = new Directory();
    const pageAfter = (after: number): Promise<readonly DirectoryEntry[]> =>
      data.read(
        this.#scope,
        async (tx) => readEntries(this.#deps, tx, await accounts.listPerformers(tx, after, BATCH)),
      );
    let page = await pageAfter(0);
    for (;;) {
      for (const entry of page) this.#put(directory, entry);
      const last = page.at(-1);
      if (last === undefined || page.length < BATCH) break;
      page = await pageAfter(last.id);
    }
    // The object stays the same, so that its watchers need not subscribe again.
    if (this.#directory) this.#directory.become(directory);
    else this.#directory = directory;
    if (this.#dirty.size > 0) this.#startReading();
    return this.#directory;
  }

  /** A go-live alone is half a dozen changes; one reading covers them all. */
  #gather(): void {
    this.#cancelGathering ??= this.#deps.data.clock.after(
      'browse directory gathers',
      GATHER_MS,
      () => this.#startReading(),
    );
  }

  #startReading(): void {
    this.#cancelGathering?.();
    this.#cancelGathering = null;
    if (this.#isStopped) return;
    this.#reading ??= this.#readDirty().finally(() => {
      this.#reading = null;
    });
  }

  async #readDirty(): Promise<void> {
    while (this.#dirty.size > 0) {
      const batch = [...this.#dirty.keys()].slice(0, BATCH);
      for (const id of batch) this.#dirty.delete(id);
      try {
        await this.#read(batch);
        this.#failures = 0;
      } catch (error) {
        this.#failed(batch, error);
        return;
      }
    }
  }

  async #read(ids: readonly number[]): Promise<void> {
    const { data, accounts } = this.#deps;
    const entries = await data.read(this.#scope, async (tx) => {
      const people = await accounts.findMany(tx, ids);
      const performers = [...people.values()].filter(({ type }) => type === 'model');
      return readEntries(this.#deps, tx, performers);
    });
    const directory = this.#directory;
    if (directory === null) return;
    const known = new Set(entries.map(({ id }) => id));
    for (const entry of entries) this.#put(directory, entry);
    for (const id of ids) if (!known.has(id)) directory.delete(id);
  }

  async #readTips(): Promise<void> {
    const { data, tips } = this.#deps;
    const directory = this.#directory;
    if (directory === null) return;
    const ids = [...this.#tipped];
    this.#tipped.clear();
    for (let at = 0; at < ids.length; at += BATCH) {
      const batch = ids.slice(at, at + BATCH);
      const { recent } = await data.read(this.#scope, (tx) => tips.momentsOf(tx, batch));
      for (const id of batch) {
        const recentTips = recent.get(id) ?? 0;
        if (recentTips > 0) this.#tipped.add(id);
        directory.change(id, { recentTips });
      }
    }
  }

  /** Hides performers who could not be read, until a reading succeeds. */
  #failed(ids: readonly number[], error: unknown): void {
    for (const id of ids) {
      this.#directory?.change(id, { state: UNSEEN });
      this.#dirty.set(id, true);
    }
    this.#failures += 1;
    this.#deps.onError(error);
    this.#cancelRetry = this.#deps.data.clock.after('browse directory', waitAfter(this.#failures), () => {
      this.#cancelRetry = null;
      this.#startReading();
    });
  }

  /** While the database was read, viewers may have come and gone, and somebody may have been hidden. */
  #put(directory: Directory, entry: DirectoryEntry): void {
    const viewerCount = this.#deps.rooms.viewersIn(this.#scope, entry.id);
    const state = this.#dirty.get(entry.id) === true ? UNSEEN : entry.state;
    directory.put({ ...entry, viewerCount, state });
    if (entry.recentTips > 0) this.#tipped.add(entry.id);
  }
}

/** The part of a performer that a room message changes at once; null for other messages. */
function partOf(name: string, payload: unknown): Part | null {
  switch (name) {
    case chatUpdate.name:
      return { status: (payload as { status: DirectoryEntry['status'] }).status };
    case modelSettings.name:
      return { isLocked: (payload as { settings: { hasCamPassword: boolean } }).settings.hasCamPassword };
    case goalChanged.name: {
      const { goal } = payload as { goal: { target: number; progress: number } | null };
      return { goal: goal === null ? null : goalPart(goal) };
    }
    default:
      return null;
  }
}

/** The performer of a whole room's channel; null for other channels. */
function performerOfChannel(channel: string): number | null {
  const id = /^topic:room:(\d+)$/u.exec(channel)?.[1];
  return id === undefined ? null : Number(id);
}
