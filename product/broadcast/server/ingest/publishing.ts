import { personChannel } from '../../../../platform/contract/event.ts';
import type { OperatorScope } from '../../../../platform/data/data.ts';
import { randomId } from '../../../../platform/data/ids.ts';
import {
  EngineRefused, type IngestTrouble, type StreamHealth, type StreamReport,
} from '../../../../platform/streaming/engine.ts';
import { broadcastHealth, streamKeyInvalid, type HealthView } from '../../contract.ts';
import {
  adviceFor, HEALTH_FRESH_MS, secondsOf, step, type EndReason, type Happening, type PlaybackMode,
} from '../../rules.ts';
import {
  lockOpen, openPerformers, performerOf, raisePeak, type Broadcast, type KeyKind, type Publisher,
} from '../../store.ts';
import {
  admit, keepPublisher, refusedByEngine, stillRefused, type Applicant, type NotPublished,
} from './admission.ts';
import { DEADLINE, writeMove, writeStep } from '../course.ts';
import { Diversions, type Diversion } from './diversions.ts';
import type { BroadcastDependencies } from '../dependencies.ts';
import { Turns } from '../../../../platform/streaming/turns.ts';

/** Broadcasts taken up in one go after a restart. */
const RECOVERY_PAGE = 200;

/** A stream whose publisher is in this process, between its first offer and the end of its broadcast. */
interface Airing {
  readonly operatorId: number;
  readonly performerId: number;
  readonly publishedWith: KeyKind;
  mode: PlaybackMode;
  isOnline: boolean;
  /** A missed `up` is being made up for. */
  isCatchingUp: boolean;
  peakViewers: number;
  /** What keeps it from being shown, as its ingest said last. */
  trouble: IngestTrouble | null;
  codec: StreamHealth['codec'];
  health: { readonly view: HealthView; readonly atMs: number } | null;
}

/** A publish session, and the key that made it: nobody else's may change or end it. */
export interface PublishSession {
  readonly operatorId: number;
  readonly performerId: number;
  readonly keyHash: string;
  stream: string;
}

/** What happens around a stream, for those who play it. */
export interface StreamEvents {
  /** Its broadcast is over, before its readers are cut. */
  readonly ended: (stream: string) => Promise<void>;
  /** It plays under another name; its readers are cut already. */
  readonly moved: (stream: string) => Promise<void>;
  /** The streams everybody may see pictures of, whenever they change. */
  readonly public: (streams: readonly string[]) => void;
}

/** Publishers and the course of their broadcasts: admission, engine reports, deadlines, moves, ends. */
export class Publishing {
  readonly #deps: BroadcastDependencies;
  readonly #events: StreamEvents;
  readonly #turns = new Turns();
  /** By stream. Bounded by the engine's admission: an entry without a publisher leaves with its offer. */
  readonly #air = new Map<string, Airing>();
  /** By publish session, one a performer. */
  readonly #sessions = new Map<string, PublishSession>();
  readonly #diversions = new Diversions();

  constructor(deps: BroadcastDependencies, events: StreamEvents) {
    this.#deps = deps;
    this.#events = events;
  }

  readonly due = () => ({
    kind: DEADLINE,
    handle: async ({ operatorId, key }: { operatorId: number; key: string }): Promise<void> => {
      const id = Number(key);
      const performerId = await this.#deps.data.tx({ operatorId }, (tx) => performerOf(tx, id));
      if (performerId === null) return;
      await this.#inTurn(operatorId, performerId, { kind: 'deadline' }, (broadcast) => broadcast.id === id);
    },
  });

  /** Ends the open broadcast of a performer and cuts publisher and readers; null if there is none to end. */
  end(
    { operatorId }: OperatorScope, performerId: number, reason: EndReason,
    only?: (broadcast: Broadcast) => boolean,
  ): Promise<{ readonly seconds: number; readonly peakViewers: number } | null> {
    const turn = turnOf(operatorId, performerId);
    return this.#turns.take(turn, async () => {
      const aside = this.#diversions.of(turn);
      if (aside && endsDiversion(reason, aside.publishedWith)) {
        await this.#deps.media.engine.stop(aside.stream);
      }
      const over = await this.#happen(operatorId, performerId, { kind: 'end', reason }, only);
      if (!over) return null;
      const seconds = secondsOf(over.course, over.course.endedAt ?? 0);
      return { seconds, peakViewers: over.peakViewers };
    });
  }

  /**
   * Sends the publishers of a performer to a stream of their own from now on, which nobody else learns of:
   * no broadcast, no facts, nothing to play. False while a broadcast runs.
   */
  divert({ operatorId }: OperatorScope, performerId: number, diversion: Diversion): Promise<boolean> {
    const turn = turnOf(operatorId, performerId);
    return this.#turns.take(turn, async () => {
      const open = await this.#deps.data.tx({ operatorId }, (tx) => lockOpen(tx, performerId));
      if (open) return false;
      await this.#release(turn);
      this.#diversions.set(turn, diversion);
      return true;
    });
  }

  /** Ends a diversion and cuts the publisher it has. */
  undivert({ operatorId }: OperatorScope, performerId: number): Promise<void> {
    const turn = turnOf(operatorId, performerId);
    return this.#turns.take(turn, () => this.#release(turn));
  }

  async #release(turn: string): Promise<void> {
    const stream = this.#diversions.remove(turn);
    if (stream !== null) await this.#deps.media.engine.stop(stream);
  }

  /**
   * The broadcast of a performer plays under a new random name from now on, in a mode; the publisher notices
   * nothing. When this resolves nobody reads or is let to the old name any more. Null when she is not live.
   */
  move(
    { operatorId }: OperatorScope, performerId: number, mode: PlaybackMode,
  ): Promise<{ readonly stream: string } | null> {
    return this.#turns.take(turnOf(operatorId, performerId), async () => {
      const open = await this.#deps.data.tx({ operatorId }, (tx) => lockOpen(tx, performerId));
      if (!open || open.course.phase === 'ready') return null;
      const { stream: from } = open;
      const to = randomId();
      const airing = this.#air.get(from);
      // Under both names until the tables have the new one: no report falls between them.
      if (airing) this.#air.set(to, airing);
      const isCarried = await this.#carry(from, to);
      try {
        await this.#deps.data.tx({ operatorId }, (tx) =>
          writeMove(this.#deps.accounts, tx, open, to, mode));
      } catch (error) {
        this.#air.delete(to);
        if (isCarried) await this.#deps.media.engine.move(to, from);
        throw error;
      }
      this.#air.delete(from);
      if (airing) airing.mode = mode;
      for (const session of this.#sessions.values()) if (session.stream === from) session.stream = to;
      this.#tellPublic();
      await this.#events.moved(from);
      return { stream: to };
    });
  }

  /** Last health of a stream, while it is fresh; of one in trouble as long as that lasts. */
  healthOf(stream: string): HealthView | null {
    const airing = this.#air.get(stream);
    const { health = null, trouble = null } = airing ?? {};
    if (health && this.#nowMs() - health.atMs <= HEALTH_FRESH_MS) return health.view;
    return trouble === null ? null : troubledHealth(stream, trouble);
  }

  /** Whether a stream has a broadcast in this process. */
  has(stream: string): boolean {
    return this.#air.has(stream);
  }

  /** Video codec of a stream, as measured; null before it was. */
  codecOf(stream: string): StreamHealth['codec'] {
    return this.#air.get(stream)?.codec ?? null;
  }

  /** A publish session of this process; null for none, and for one made with another key. */
  sessionOf(session: string, { keyHash }: Publisher, { operatorId }: OperatorScope): PublishSession | null {
    const found = this.#sessions.get(session);
    return found && found.operatorId === operatorId && found.keyHash === keyHash ? found : null;
  }

  /** After a start the engine has no sessions: whoever was live gets the grace to come back. */
  async recover(operatorId: number): Promise<void> {
    const { data } = this.#deps;
    let after = 0;
    for (;;) {
      const page = await data.tx({ operatorId }, (tx) => openPerformers(tx, after, RECOVERY_PAGE));
      for (const performerId of page) {
        const isElsewhere = ({ stream }: Broadcast): boolean => !this.#air.has(stream);
        await this.#inTurn(operatorId, performerId, { kind: 'restarted' }, isElsewhere);
      }
      if (page.length < RECOVERY_PAGE) return;
      after = page.at(-1) ?? 0;
    }
  }

  /** Waits until everything reported so far is written. */
  idle(): Promise<void> {
    return this.#turns.idle();
  }

  /** Takes a report of the engine. Never throws: nobody waits for it. */
  report(report: StreamReport): void {
    if (report.kind === 'reader_gone') return;
    const stream = report.kind === 'health' ? report.health.stream : report.stream;
    if (report.kind === 'down' && this.#sessions.get(report.session)?.stream === stream) {
      this.#sessions.delete(report.session);
    }
    if (this.#diversions.report(report)) return;
    // What comes late under a name of before the last move is not about the broadcast of now.
    const airing = this.#air.get(stream);
    if (!airing) return;
    const { operatorId, performerId } = airing;
    if (report.kind === 'health') return this.#measured(airing, report.health);
    if (report.kind === 'trouble') return this.#troubled(airing, report);
    const { kind, session } = report;
    if (kind === 'up') airing.trouble = null;
    this.#inTurn(operatorId, performerId, { kind, session }).catch(this.#deps.onFault);
  }

  /** What an ingest says of a session of its own, before the engine has any media of it. */
  ingestReport(session: string, trouble: IngestTrouble | null): void {
    const stream = this.#sessions.get(session)?.stream;
    if (stream === undefined) return;
    if (trouble !== null) return this.report({ kind: 'trouble', stream, session, trouble });
    const airing = this.#air.get(stream);
    if (airing) airing.trouble = null;
  }

  /** Ends what a publish session publishes; false when there is no such session of this key. */
  async endSession(scope: OperatorScope, session: string, publisher: Publisher): Promise<boolean> {
    const known = this.#sessions.get(session);
    if (known && !this.sessionOf(session, publisher, scope)) return false;
    // What was put aside is no broadcast. And a session of before a restart is known to the tables alone.
    if (known && !this.#air.has(known.stream)) return this.#deps.media.engine.end(session);
    const isMeant = ({ course }: Broadcast): boolean => course.session === session;
    return (await this.end(scope, publisher.performerId, 'performer', isMeant)) !== null;
  }

  #inTurn(
    operatorId: number, performerId: number, happening: Happening, only?: (broadcast: Broadcast) => boolean,
  ): Promise<Broadcast | null> {
    return this.#turns.take(turnOf(operatorId, performerId), () =>
      this.#happen(operatorId, performerId, happening, only));
  }

  /** One step of a course: decided, written and announced in one unit of work; then the engine follows. */
  async #happen(
    operatorId: number, performerId: number, happening: Happening, only?: (broadcast: Broadcast) => boolean,
  ): Promise<Broadcast | null> {
    const after = await this.#deps.data.tx({ operatorId }, async (tx) => {
      const broadcast = await lockOpen(tx, performerId);
      if (!broadcast || only?.(broadcast) === false) return null;
      const { course, announce } = step(broadcast.course, happening, tx.now.getTime());
      if (course === broadcast.course) return broadcast;
      await writeStep(this.#deps.accounts, tx, broadcast, course, announce);
      return { ...broadcast, course };
    });
    if (!after) return null;
    const airing = this.#air.get(after.stream);
    const peakViewers = Math.max(after.peakViewers, airing?.peakViewers ?? 0);
    if (airing) airing.isOnline = after.course.phase === 'online';
    if (after.course.phase === 'ended') await this.#stop(after.stream);
    this.#tellPublic();
    return { ...after, peakViewers };
  }

  async #stop(stream: string): Promise<void> {
    this.#air.delete(stream);
    for (const [session, one] of this.#sessions) if (one.stream === stream) this.#sessions.delete(session);
    await Promise.all([this.#deps.media.engine.stop(stream), this.#events.ended(stream)]);
  }

  #tellPublic(): void {
    const seen = [...this.#air].filter(([, { isOnline, mode }]) => isOnline && mode === 'public');
    this.#events.public(seen.map(([stream]) => stream));
  }

  /** Takes the publisher along; false when there is none now: then it comes back under the new name. */
  async #carry(from: string, to: string): Promise<boolean> {
    const { engine } = this.#deps.media;
    try {
      await engine.move(from, to);
      return true;
    } catch (error) {
      if (!(error instanceof EngineRefused) || error.code !== 'stream_offline') {
        this.#air.delete(to);
        throw error;
      }
      await engine.stop(from);
      return false;
    }
  }

  /**
   * The one way in for publishers, whatever the protocol: key, account, clearance, then the engine, then all
   * of it again, because much can change while the engine opens.
   */
  async publish<O extends { readonly session: string }>(
    applicant: Applicant<O>,
  ): Promise<NotPublished | { readonly opened: O }> {
    const { scope } = applicant;
    const { data, media } = this.#deps;
    const first = await data.tx(scope, applicant.identify);
    if (!first) return { refused: streamKeyInvalid };
    const turn = turnOf(scope.operatorId, first.performerId);
    return this.#turns.take(turn, async () => {
      const admission = await data.tx(scope, (tx) => admit(this.#deps, tx, applicant));
      if ('refused' in admission) return admission;
      const aside = this.#diversions.of(turn);
      const stream = aside?.stream ?? admission.open?.stream ?? randomId();
      const result = aside
        ? await this.#open(stream, applicant, admission.publisher)
        : await this.#openOnAir(stream, applicant, admission);
      if ('refused' in result) return result;
      const { session } = result.opened;
      if (aside) this.#diversions.took(turn, session, admission.publisher.kind);
      const refused = await (aside
        ? data.tx(scope, (tx) => stillRefused(this.#deps, tx, applicant))
        : keepPublisher(this.#deps, stream, session, applicant));
      if (!refused) return result;
      this.#sessions.delete(session);
      await media.engine.end(session);
      return refused;
    });
  }

  /** Asks the engine; its reports are heard from before it answers. */
  async #openOnAir<O extends { readonly session: string }>(
    stream: string, applicant: Applicant<O>,
    { publisher, open }: { readonly publisher: Publisher; readonly open: Broadcast | null },
  ): Promise<NotPublished | { readonly opened: O }> {
    const before = this.#air.get(stream);
    this.#air.set(stream, {
      operatorId: applicant.scope.operatorId, performerId: publisher.performerId,
      publishedWith: publisher.kind, mode: open?.mode ?? 'public', isOnline: before?.isOnline ?? false,
      isCatchingUp: false, peakViewers: before?.peakViewers ?? 0, trouble: null, codec: null, health: null,
    });
    let isOpen = false;
    try {
      const result = await this.#open(stream, applicant, publisher);
      isOpen = !('refused' in result);
      return result;
    } finally {
      if (!isOpen && before) this.#air.set(stream, before);
      else if (!isOpen) this.#air.delete(stream);
    }
  }

  async #open<O extends { readonly session: string }>(
    stream: string, { scope, open }: Applicant<O>, { performerId, keyHash }: Publisher,
  ): Promise<NotPublished | { readonly opened: O }> {
    const { operatorId } = scope;
    try {
      const opened = await open(stream, { owner: `performer:${performerId}` });
      for (const [session, one] of this.#sessions) {
        if (one.operatorId === operatorId && one.performerId === performerId) this.#sessions.delete(session);
      }
      this.#sessions.set(opened.session, { operatorId, performerId, keyHash, stream });
      return { opened };
    } catch (error) {
      return refusedByEngine(error);
    }
  }

  /** Tells the performer's own tabs, and nobody else. A report of media on a stream that is not online means
   * that an `up` was missed, so it counts as one. */
  #measured(airing: Airing, health: StreamHealth): void {
    const { operatorId, performerId, publishedWith } = airing;
    const { data, onFault } = this.#deps;
    const { session, ...measured } = health;
    const source = publishedWith === 'browser_key' ? 'browser' : 'encoder';
    const view = { ...measured, advice: adviceFor(health, source) };
    airing.health = { view, atMs: this.#nowMs() };
    airing.codec = health.codec ?? airing.codec;
    this.#tellHealth(airing, view);
    if (health.viewers > airing.peakViewers) {
      airing.peakViewers = health.viewers;
      const raise = (): Promise<void> =>
        data.tx({ operatorId }, (tx) => raisePeak(tx, health.stream, health.viewers));
      this.#turns.take(turnOf(operatorId, performerId), raise).catch(onFault);
    }
    if (airing.isOnline || airing.isCatchingUp || health.videoBitsPerSecond === 0) return;
    airing.isCatchingUp = true;
    this.#inTurn(operatorId, performerId, { kind: 'up', session })
      .catch(onFault)
      .finally(() => {
        airing.isCatchingUp = false;
      });
  }

  /** A publisher whose media cannot be shown: its performer is told, and may mend it without a new start. */
  #troubled(
    airing: Airing,
    { stream, session, trouble }: { stream: string; session: string; trouble: IngestTrouble },
  ): void {
    const isNew = airing.trouble === null;
    airing.trouble = trouble;
    this.#tellHealth(airing, troubledHealth(stream, trouble));
    if (!isNew) return;
    const { operatorId, performerId } = airing;
    this.#inTurn(operatorId, performerId, { kind: 'troubled', session }).catch(this.#deps.onFault);
  }

  #tellHealth({ operatorId, performerId }: Airing, payload: HealthView): void {
    const channel = personChannel(performerId);
    this.#deps.bus.publish({ operatorId, channel, name: broadcastHealth.name, payload });
  }

  #nowMs(): number {
    return this.#deps.data.clock.now().getTime();
  }
}

/** Health of a stream that shows nothing, for the reason its ingest gives. */
function troubledHealth(stream: string, trouble: IngestTrouble): HealthView {
  const nothing = {
    videoBitsPerSecond: 0, audioBitsPerSecond: 0, framesPerSecond: 0, lossFraction: 0, roundTripMs: null,
    keyframeIntervalMs: null, trouble,
  };
  return { ...nothing, stream, codec: null, viewers: 0, advice: adviceFor(nothing, 'encoder') };
}

/** A stolen key must not go on sending, nor a performer who may not perform; where to does not matter. */
const endsDiversion = (reason: EndReason, publishedWith: KeyKind | null): boolean =>
  reason === 'revoked' || reason === 'suspended'
  || (reason === 'key_rotated' && publishedWith === 'stream_key');

const turnOf = (operatorId: number, performerId: number): string => `${operatorId}:${performerId}`;

