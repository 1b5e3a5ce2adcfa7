import type { OperatorScope } from '#platform/data/data.ts';
import { randomId } from '#platform/data/ids.ts';
import type { IngestTrouble, StreamHealth, StreamReport } from '#platform/streaming/engine.ts';
import { Turns } from '#platform/streaming/turns.ts';
import type { HealthView } from '../../contract.ts';
import { encoderEnded } from '../../contract/admission.ts';
import { publisherReplaced, streamKeyInvalid, streamTaken } from '../../contract/webrtc.ts';
import { transition, type EndReason, type LifecycleEvent, type PlaybackMode } from '../../rules.ts';
import { lockOpen, openPerformers, performerOf, type Broadcast, type Publisher } from '../../store.ts';
import type { BroadcastDependencies } from '../dependencies.ts';
import { DEADLINE, moveAndSave, writeTransition } from '../lifecycle.ts';
import {
  admit,
  mayReadmit,
  recheck,
  refusedByEngine,
  savePublisher,
  type Applicant,
  type NotPublished,
  type Opening,
  type Readmission,
} from './admission.ts';
import { newAiring, turnOf, type Airing, type PublishSession, type StreamEvents } from './airing.ts';
import { Diversions, endsDiversion, type Diversion } from './diversions.ts';
import { EndedEncoders, endedView, type EndedBroadcast } from './ended.ts';
import { HealthReports } from './health.ts';
import { Replaced, sourceOf } from './replaced.ts';

/** Broadcasts recovered per page after a restart. */
const RECOVERY_PAGE = 200;

/** Publishers and their broadcasts: admission, engine reports, deadlines, moves, ends. */
export class Publishing {
  readonly #deps: BroadcastDependencies;
  readonly #events: StreamEvents;
  readonly #turns = new Turns();
  /** By stream; limited by the engine's admission, since a refused offer removes its entry. */
  readonly #air = new Map<string, Airing>();
  /** By publish session, one per performer. */
  readonly #sessions = new Map<string, PublishSession>();
  readonly #diversions = new Diversions();
  readonly #replaced = new Replaced();
  readonly #ended = new EndedEncoders();
  readonly #health: HealthReports;

  /** @param viewersOf how many people watch a stream; the engine counts the sessions of one size alone */
  constructor(deps: BroadcastDependencies, events: StreamEvents, viewersOf: (stream: string) => number) {
    this.#deps = deps;
    this.#events = events;
    this.#health = new HealthReports(deps, this.#turns, this.#replaced, viewersOf);
  }

  readonly deadlineHandler = () => ({
    kind: DEADLINE,
    handle: async ({ operatorId, key }: { operatorId: number; key: string }): Promise<void> => {
      const id = Number(key);
      const performerId = await this.#deps.data.tx({ operatorId }, (tx) => performerOf(tx, id));
      if (performerId === null) return;
      await this.#applyInTurn(
        operatorId,
        performerId,
        { kind: 'deadline' },
        (broadcast) => broadcast.id === id,
      );
    },
  });

  /** Ends a performer's open broadcast and cuts publisher and readers; null without one. */
  end(
    { operatorId }: OperatorScope,
    performerId: number,
    reason: EndReason,
    only?: (broadcast: Broadcast) => boolean,
  ): Promise<EndedBroadcast | null> {
    const turn = turnOf(operatorId, performerId);
    return this.#turns.take(turn, async () => {
      const aside = this.#diversions.of(turn);
      if (aside && endsDiversion(reason, aside.publishedWith)) {
        await this.#deps.media.engine.stop(aside.stream);
      }
      const over = await this.#applyEvent(operatorId, performerId, { kind: 'end', reason }, only);
      return over && endedView(over);
    });
  }

  /** Ends a performer's broadcast at their request; an encoder that reconnects does not begin another one. */
  endByPerformer(scope: OperatorScope, performerId: number): Promise<EndedBroadcast | null> {
    return this.end(scope, performerId, 'performer', ({ stream, state: { session } }) => {
      const turn = turnOf(scope.operatorId, performerId);
      const airing = this.#air.get(stream);
      this.#endRivals(turn, null);
      if (airing?.publishedWith === 'stream_key') this.#ended.note(turn, airing, session, this.#nowMs());
      return true;
    });
  }

  /**
   * Treats replaced encoders as ended with the broadcast, except one whose source equals `stopper`: an
   * encoder that stops on purpose may start again on purpose, too.
   */
  #endRivals(turn: string, stopper: string | null): void {
    const nowMs = this.#nowMs();
    for (const rival of this.#replaced.encodersOf(turn, nowMs)) {
      if (rival.source !== stopper) this.#ended.noteRival(turn, rival, nowMs);
    }
  }

  /**
   * Whether a publisher that means to stop ends this broadcast. Encoders it replaced cannot begin another.
   */
  readonly #endsOwn = (turn: string, session: string) => ({ stream, state }: Broadcast): boolean => {
    if (state.session !== session) return false;
    this.#endRivals(turn, this.#air.get(stream)?.source ?? null);
    return true;
  };

  /**
   * Admits encoders again after the performer ended their broadcast. A refusal if the performer may not
   * publish, or is live: the encoder would take over.
   */
  readmitEncoders(scope: OperatorScope, performerId: number): Promise<Readmission> {
    const turn = turnOf(scope.operatorId, performerId);
    return this.#turns.take(turn, async () => {
      const readmission = await this.#deps.data.tx(scope, (tx) => mayReadmit(this.#deps, tx, performerId));
      if (readmission === null) this.#ended.forget(turn);
      return readmission;
    });
  }

  /** Whether an encoder of a performer would be refused, because its broadcast was ended. */
  refusesEncoder({ operatorId }: OperatorScope, performerId: number): boolean {
    return this.#ended.isRefusing(turnOf(operatorId, performerId), this.#nowMs());
  }

  /**
   * Diverts a performer's publishers to a hidden stream: no broadcast, no facts, nothing to play. False while
   * a broadcast runs.
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

  /** Ends a diversion and cuts its publisher. */
  undivert({ operatorId }: OperatorScope, performerId: number): Promise<void> {
    const turn = turnOf(operatorId, performerId);
    return this.#turns.take(turn, () => this.#release(turn));
  }

  async #release(turn: string): Promise<void> {
    const stream = this.#diversions.remove(turn);
    if (stream !== null) await this.#deps.media.engine.stop(stream);
  }

  /**
   * Moves a performer's broadcast to a new random stream name and a mode, without interrupting the publisher.
   * When it resolves, the old name has no readers and admits none. Null when the performer is not live.
   */
  move(
    { operatorId }: OperatorScope,
    performerId: number,
    mode: PlaybackMode,
  ): Promise<{ readonly stream: string } | null> {
    return this.#turns.take(turnOf(operatorId, performerId), async () => {
      const open = await this.#deps.data.tx({ operatorId }, (tx) => lockOpen(tx, performerId));
      if (!open || open.state.phase === 'ready') return null;
      const { stream: from } = open;
      const to = randomId();
      const airing = this.#air.get(from);
      // Both names are registered until the new one is saved, so that no report is lost.
      if (airing) this.#air.set(to, airing);
      if (airing) airing.isMoving = true;
      try {
        await moveAndSave(this.#deps, operatorId, open, to, mode);
      } catch (error) {
        this.#air.delete(to);
        if (airing) airing.isMoving = false;
        this.#publishPublicStreams();
        throw error;
      }
      this.#air.delete(from);
      if (airing) Object.assign(airing, { mode, isMoving: false });
      for (const session of this.#sessions.values()) if (session.stream === from) session.stream = to;
      this.#publishPublicStreams();
      await this.#events.moved(from);
      return { stream: to };
    });
  }

  /** Last health of a stream while fresh; of an unplayable stream as long as that lasts. */
  healthOf(stream: string): HealthView | null {
    const airing = this.#air.get(stream);
    return airing ? this.#health.of(stream, airing) : null;
  }

  /** Whether a stream has a broadcast in this process. */
  has(stream: string): boolean {
    return this.#air.has(stream);
  }

  /** The mode of a broadcast of this process; null for a stream without one, and while it changes. */
  modeOf(stream: string): PlaybackMode | null {
    const airing = this.#air.get(stream);
    return airing && !airing.isMoving ? airing.mode : null;
  }

  /** Measured video codec of a stream; null before the first measurement. */
  codecOf(stream: string): StreamHealth['codec'] {
    return this.#air.get(stream)?.codec ?? null;
  }

  /** A publish session of this process; null if unknown or created with another key. */
  sessionOf(session: string, { keyHash }: Publisher, { operatorId }: OperatorScope): PublishSession | null {
    const found = this.#sessions.get(session);
    return found && found.operatorId === operatorId && found.keyHash === keyHash ? found : null;
  }

  /** After a restart the engine has no sessions: running broadcasts get the grace period to reconnect. */
  async recover(operatorId: number): Promise<void> {
    const { data } = this.#deps;
    let after = 0;
    for (;;) {
      const page = await data.tx({ operatorId }, (tx) => openPerformers(tx, after, RECOVERY_PAGE));
      for (const performerId of page) {
        const isElsewhere = ({ stream }: Broadcast): boolean => !this.#air.has(stream);
        await this.#applyInTurn(operatorId, performerId, { kind: 'restarted' }, isElsewhere);
      }
      if (page.length < RECOVERY_PAGE) return;
      after = page.at(-1) ?? 0;
    }
  }

  /** Resolves when everything reported so far is saved. */
  idle(): Promise<void> {
    return this.#turns.idle();
  }

  /** Handles a report of the engine. Never throws. */
  report(report: StreamReport): void {
    if (report.kind === 'reader_gone') return;
    const stream = report.kind === 'health' ? report.health.stream : report.stream;
    const over = report.kind === 'down' ? this.#sessions.get(report.session) : undefined;
    if (report.kind === 'down' && over?.stream === stream) {
      this.#sessions.delete(report.session);
      const turn = turnOf(over.operatorId, over.performerId);
      // A publisher whose connection broke reconnects by itself: only one that was still sending has a rival.
      if (report.wasSending) this.#replaced.note(turn, over, this.#nowMs());
    }
    if (report.kind === 'down') {
      this.#replaced.isDown(report.session, report.wasSending === true, this.#nowMs());
    }
    if (this.#diversions.report(report)) return;
    // Late reports under the name before a move are ignored.
    const airing = this.#air.get(stream);
    if (!airing) return;
    const { operatorId, performerId } = airing;
    if (report.kind === 'health') return this.#measured(airing, report.health);
    if (report.kind === 'trouble') return this.#troubled(airing, report);
    const { kind, session } = report;
    if (kind === 'up') airing.trouble = null;
    // A meant stop needs no grace period: the encoder will not come back, and viewers should know at once.
    const isMeant = kind === 'down' && report.reason === 'finished';
    const only = isMeant ? this.#endsOwn(turnOf(operatorId, performerId), session) : undefined;
    this.#applyInTurn(operatorId, performerId, { kind: isMeant ? 'finished' : kind, session }, only)
      .catch(this.#deps.onError);
  }

  /** Handles an ingest's report about a session whose media the engine has not received yet. */
  ingestReport(session: string, trouble: IngestTrouble | null): void {
    const stream = this.#sessions.get(session)?.stream;
    if (stream === undefined) return;
    if (trouble !== null) return this.report({ kind: 'trouble', stream, session, trouble });
    const airing = this.#air.get(stream);
    if (airing) airing.trouble = null;
  }

  /** Ends a publish session and its broadcast; false when this key has no such session. */
  async endSession(scope: OperatorScope, session: string, publisher: Publisher): Promise<boolean> {
    const known = this.#sessions.get(session);
    const turn = turnOf(scope.operatorId, publisher.performerId);
    this.#ended.stopped(turn, session, this.#nowMs());
    if (known && !this.sessionOf(session, publisher, scope)) return false;
    // A diverted session has no broadcast. A session from before a restart exists only in the tables.
    if (known && !this.#air.has(known.stream)) return this.#deps.media.engine.end(session);
    return (await this.end(scope, publisher.performerId, 'performer', this.#endsOwn(turn, session))) !== null;
  }

  #applyInTurn(
    operatorId: number,
    performerId: number,
    event: LifecycleEvent,
    only?: (broadcast: Broadcast) => boolean,
  ): Promise<Broadcast | null> {
    return this.#turns.take(
      turnOf(operatorId, performerId),
      () => this.#applyEvent(operatorId, performerId, event, only),
    );
  }

  /** Applies an event to a broadcast: saves and publishes it in one unit of work, then updates the engine. */
  async #applyEvent(
    operatorId: number,
    performerId: number,
    event: LifecycleEvent,
    only?: (broadcast: Broadcast) => boolean,
  ): Promise<Broadcast | null> {
    const after = await this.#deps.data.tx({ operatorId }, async (tx) => {
      const broadcast = await lockOpen(tx, performerId);
      if (!broadcast || only?.(broadcast) === false) return null;
      const next = transition(broadcast.state, event, tx.now.getTime());
      if (next.state === broadcast.state) return broadcast;
      await writeTransition(this.#deps.accounts, tx, broadcast, next);
      return { ...broadcast, state: next.state };
    });
    if (!after) return null;
    const airing = this.#air.get(after.stream);
    const peakViewers = Math.max(after.peakViewers, airing?.peakViewers ?? 0);
    if (airing) airing.isOnline = after.state.phase === 'online';
    if (after.state.phase === 'ended') {
      this.#replaced.forget(turnOf(operatorId, performerId));
      await this.#stop(after);
    }
    this.#publishPublicStreams();
    return { ...after, peakViewers };
  }

  async #stop({ stream, state: { endReason } }: Broadcast): Promise<void> {
    // A performer who may not be seen is gone at once; otherwise players that are behind see the end.
    const hasTail = endReason === 'performer' || endReason === 'lost';
    this.#air.delete(stream);
    for (const [session, one] of this.#sessions) if (one.stream === stream) this.#sessions.delete(session);
    await Promise.all([this.#deps.media.engine.stop(stream), this.#events.ended(stream, hasTail)]);
  }

  #publishPublicStreams(): void {
    const visible = [...this.#air].filter(([, { isOnline, isMoving, mode }]) =>
      isOnline && !isMoving && mode === 'public'
    );
    this.#events.public(visible.map(([stream]) => stream));
  }

  /**
   * Admits a publisher of any protocol: checks key, account and clearance, opens the engine, checks again,
   * because they can change while the engine opens.
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
      const source = sourceOf(admission.publisher, applicant.connection);
      const asking = { source, keyHash: admission.publisher.keyHash };
      if (this.#ended.isTryingAgain(turn, asking, this.#nowMs())) return { refused: encoderEnded };
      const present = this.#publisherOf(turn);
      const onlyPaused = present !== null && this.#replaced.has(turn, source, this.#nowMs());
      const refuseReplaced = (): NotPublished => {
        this.#replaced.refused(turn, asking, this.#nowMs());
        return { refused: publisherReplaced };
      };
      if (onlyPaused && present.source !== source) return refuseReplaced();
      const open = { ...applicant, onlyPaused };
      const aside = this.#diversions.of(turn);
      const stream = aside?.stream ?? admission.open?.stream ?? randomId();
      const result = aside
        ? await this.#open(stream, open, admission.publisher)
        : await this.#openOnAir(stream, open, admission);
      if ('refused' in result) {
        return onlyPaused && result.refused === streamTaken ? refuseReplaced() : result;
      }
      const { session } = result.opened;
      if (aside) this.#diversions.setPublisher(turn, session, admission.publisher.kind);
      const refused = await (aside
        ? data.tx(scope, (tx) => recheck(this.#deps, tx, applicant))
        : savePublisher(this.#deps, stream, session, applicant));
      if (!refused) return result;
      this.#sessions.delete(session);
      await media.engine.end(session);
      return refused;
    });
  }

  /** Opens the stream in the engine. It is registered before, so that no report is lost. */
  async #openOnAir<O extends { readonly session: string }>(
    stream: string,
    applicant: Opening<O>,
    { publisher, mode }: { readonly publisher: Publisher; readonly mode: PlaybackMode },
  ): Promise<NotPublished | { readonly opened: O }> {
    const before = this.#air.get(stream);
    this.#air.set(stream, newAiring(applicant, publisher, mode, before));
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
    stream: string,
    { scope, open, connection, onlyPaused }: Opening<O>,
    publisher: Publisher,
  ): Promise<NotPublished | { readonly opened: O }> {
    const { operatorId } = scope;
    const { performerId, keyHash, kind } = publisher;
    const source = sourceOf(publisher, connection);
    try {
      const opened = await open(stream, { owner: `performer:${performerId}`, onlyPaused });
      const turn = turnOf(operatorId, performerId);
      for (const [session, one] of this.#sessions) {
        if (turnOf(one.operatorId, one.performerId) !== turn) continue;
        this.#sessions.delete(session);
        this.#replaced.leaves(session, turn, one, this.#nowMs());
      }
      if (kind === 'browser_key') this.#replaced.forgive(turn, source);
      this.#sessions.set(opened.session, { operatorId, performerId, keyHash, source, stream });
      return { opened };
    } catch (error) {
      return refusedByEngine(error);
    }
  }

  /** The publisher of a performer in the engine now. */
  #publisherOf(turn: string): PublishSession | null {
    return [...this.#sessions.values()]
      .find((session) => turnOf(session.operatorId, session.performerId) === turn) ?? null;
  }

  /** Media on a stream that is not online means that an `up` was missed, so it counts as one. */
  #measured(airing: Airing, health: StreamHealth): void {
    const { operatorId, performerId } = airing;
    this.#health.measured(airing, health);
    if (airing.isOnline || airing.isCatchingUp || health.videoBitsPerSecond === 0) return;
    airing.isCatchingUp = true;
    this.#applyInTurn(operatorId, performerId, { kind: 'up', session: health.session })
      .catch(this.#deps.onError)
      .finally(() => {
        airing.isCatchingUp = false;
      });
  }

  /** Handles media that cannot be played: notifies the performer, who may fix it without restarting. */
  #troubled(
    airing: Airing,
    { stream, session, trouble }: { stream: string; session: string; trouble: IngestTrouble },
  ): void {
    const isNew = airing.trouble === null;
    this.#health.troubled(airing, stream, trouble);
    if (!isNew) return;
    const { operatorId, performerId } = airing;
    this.#applyInTurn(operatorId, performerId, { kind: 'troubled', session }).catch(this.#deps.onError);
  }

  #nowMs(): number {
    return this.#deps.data.clock.now().getTime();
  }
}
