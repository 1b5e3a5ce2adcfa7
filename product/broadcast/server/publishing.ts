import { answer, type Answer } from '../../../platform/contract/bind.ts';
import type { AnswerContext } from '../../../platform/contract/context.ts';
import { personChannel } from '../../../platform/contract/event.ts';
import type { RefusalOf } from '../../../platform/contract/call.ts';
import type { Refused } from '../../../platform/contract/refusal.ts';
import type { OperatorScope, Tx } from '../../../platform/data/data.ts';
import { randomId } from '../../../platform/data/ids.ts';
import {
  EngineRefused, type Negotiated, type StreamHealth, type StreamReport,
} from '../../../platform/streaming/engine.ts';
import { suspended } from '../../accounts/contract.ts';
import { clearanceMissing } from '../../compliance/contract.ts';
import {
  broadcastEnded, broadcastHealth, broadcastInterrupted, broadcastResumed, broadcastStarted, codecUnsupported,
  offerMalformed, overloaded, sessionUnknown, streamKeyInvalid, streamTaken, whip, whipEnd, type HealthView,
} from '../contract.ts';
import {
  adviceFor, HEALTH_FRESH_MS, openCourse, OVERLOAD_RETRY_SECONDS, secondsOf, step, type Announcement,
  type Course, type EndReason, type Happening,
} from '../rules.ts';
import {
  bindBrowserKey, insertBroadcast, lockOpen, openPerformers, performerOf, raisePeak, saveCourse, saveTakeover,
  type Broadcast, type KeyKind, type Publisher,
} from '../store.ts';
import { publisherOf } from './keys.ts';
import type { BroadcastNeeds } from './needs.ts';
import { Turns } from './turns.ts';

const DEADLINE = 'broadcast.deadline';
/** Broadcasts taken up in one go after a restart. */
const RECOVERY_PAGE = 200;

/** A stream whose publisher is in this process, between its first offer and the end of its broadcast. */
interface Airing {
  readonly operatorId: number;
  readonly performerId: number;
  readonly publishedWith: KeyKind;
  isOnline: boolean;
  /** A missed `up` is being made up for. */
  isCatchingUp: boolean;
  peakViewers: number;
  health: { readonly view: HealthView; readonly atMs: number } | null;
}

/** Which refusal stands in the way of a publisher, or what it may publish on. */
type Admission =
  | { readonly refused: typeof streamKeyInvalid | typeof suspended | typeof clearanceMissing }
  | { readonly publisher: Publisher; readonly clearanceId: number; readonly open: Broadcast | null };

type WhipContext = AnswerContext<RefusalOf<typeof whip>>;

/** Publishers and the course of their broadcasts: WHIP, engine reports, deadlines, ends. */
export class Publishing {
  readonly #needs: BroadcastNeeds;
  readonly #turns = new Turns();
  /** By stream. Bounded by the engine's admission: an entry without a publisher leaves with its offer. */
  readonly #air = new Map<string, Airing>();
  /** Called when a stream is over and its readers are cut. */
  onStopped: (stream: string) => void = () => {};

  constructor(needs: BroadcastNeeds) {
    this.#needs = needs;
  }

  readonly answers = (): Answer[] => [
    answer(whip)(async ({ body }, context) => this.#publish(body, context)),
    answer(whipEnd)(async ({ session }, context) => {
      const { data, secret } = this.#needs;
      const publisher = await data.tx(context.scope, (tx) => publisherOf(tx, secret, context));
      if (!publisher) return context.refuse(streamKeyInvalid);
      const ended = await this.end(context.scope, publisher.performerId, 'performer', ({ course }) =>
        course.session === session);
      return ended ? {} : context.refuse(sessionUnknown);
    }),
  ];

  readonly due = () => ({
    kind: DEADLINE,
    handle: async ({ operatorId, key }: { operatorId: number; key: string }): Promise<void> => {
      const id = Number(key);
      const performerId = await this.#needs.data.tx({ operatorId }, (tx) => performerOf(tx, id));
      if (performerId === null) return;
      await this.#inTurn(operatorId, performerId, { kind: 'deadline' }, (broadcast) => broadcast.id === id);
    },
  });

  /** Ends the open broadcast of a performer and cuts publisher and readers; null if there is none to end. */
  end(
    { operatorId }: OperatorScope, performerId: number, reason: EndReason,
    only?: (broadcast: Broadcast) => boolean,
  ): Promise<{ readonly seconds: number; readonly peakViewers: number } | null> {
    return this.#turns.take(turnOf(operatorId, performerId), async () => {
      const over = await this.#happen(operatorId, performerId, { kind: 'end', reason }, only);
      if (!over) return null;
      const seconds = secondsOf(over.course, over.course.endedAt ?? 0);
      return { seconds, peakViewers: over.peakViewers };
    });
  }

  /** Last health of a stream, while it is fresh. */
  healthOf(stream: string): HealthView | null {
    const health = this.#air.get(stream)?.health;
    return health && this.#nowMs() - health.atMs <= HEALTH_FRESH_MS ? health.view : null;
  }

  /** After a start the engine has no sessions: whoever was live gets the grace to come back. */
  async recover(operatorId: number): Promise<void> {
    const { data } = this.#needs;
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
    const airing = this.#air.get(stream);
    if (!airing) return;
    const { operatorId, performerId } = airing;
    if (report.kind === 'health') return this.#measured(airing, report.health);
    const { kind, session } = report;
    this.#inTurn(operatorId, performerId, { kind, session }).catch(this.#needs.onFault);
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
    const after = await this.#needs.data.tx({ operatorId }, async (tx) => {
      const broadcast = await lockOpen(tx, performerId);
      if (!broadcast || only?.(broadcast) === false) return null;
      const { course, announce } = step(broadcast.course, happening, tx.now.getTime());
      if (course === broadcast.course) return broadcast;
      await saveCourse(tx, broadcast.id, course);
      await watchDeadline(tx, broadcast.id, course);
      if (announce) await this.#announce(tx, broadcast, course, announce);
      return { ...broadcast, course };
    });
    if (!after) return null;
    const airing = this.#air.get(after.stream);
    const peakViewers = Math.max(after.peakViewers, airing?.peakViewers ?? 0);
    if (airing) airing.isOnline = after.course.phase === 'online';
    if (after.course.phase === 'ended') await this.#stop(after.stream);
    return { ...after, peakViewers };
  }

  async #stop(stream: string): Promise<void> {
    this.#air.delete(stream);
    this.onStopped(stream);
    await this.#needs.engine.stop(stream);
  }

  async #announce(tx: Tx, broadcast: Broadcast, course: Course, what: Announcement): Promise<void> {
    const { performerId, stream } = broadcast;
    const person = await this.#needs.accounts.findById(tx, performerId);
    if (!person) throw new Error(`performer ${performerId} of broadcast ${broadcast.id} has no account`);
    const who = { performerId, username: person.username };
    const key = `performer:${performerId}`;
    if (what === 'started') await tx.announce(broadcastStarted, key, { ...who, stream });
    if (what === 'interrupted') await tx.announce(broadcastInterrupted, key, who);
    if (what === 'resumed') await tx.announce(broadcastResumed, key, { ...who, stream });
    if (what === 'ended') {
      const { endReason } = course;
      if (!endReason) throw new Error(`broadcast ${broadcast.id} ended without a reason`);
      const seconds = secondsOf(course, tx.now.getTime());
      await tx.announce(broadcastEnded, key, { ...who, reason: endReason, seconds });
    }
  }

  /** Whether this request may publish now; asked before the engine is, and again when its answer is kept. */
  async #admit(tx: Tx, context: WhipContext): Promise<Admission> {
    const { accounts, compliance, secret } = this.#needs;
    const publisher = await publisherOf(tx, secret, context);
    if (!publisher) return { refused: streamKeyInvalid };
    const person = await accounts.findById(tx, publisher.performerId);
    if (!person || person.suspendedAt !== null) return { refused: suspended };
    const clearanceId = await compliance.clearanceOf(tx, publisher.performerId);
    if (clearanceId === null) return { refused: clearanceMissing };
    return { publisher, clearanceId, open: await lockOpen(tx, publisher.performerId) };
  }

  async #publish(offer: string, context: WhipContext) {
    const { scope, refuse } = context;
    const { data, secret } = this.#needs;
    const first = await data.tx(scope, (tx) => publisherOf(tx, secret, context));
    if (!first) return refuse(streamKeyInvalid);
    return this.#turns.take(turnOf(scope.operatorId, first.performerId), async () => {
      const admission = await data.tx(scope, (tx) => this.#admit(tx, context));
      if ('refused' in admission) return refuse(admission.refused);
      const stream = admission.open?.stream ?? randomId();
      const negotiated = await this.#negotiate(stream, offer, admission.publisher, context);
      if (!('session' in negotiated)) return negotiated;
      const refused = await this.#keep(stream, negotiated.session, context);
      if (refused) return refused;
      return {
        status: 201, body: negotiated.answer,
        headers: { location: `/whip/${negotiated.session}`, etag: `"${negotiated.session}"` },
      };
    });
  }

  /** Asks the engine; its reports are heard from before it answers. */
  async #negotiate(
    stream: string, offer: string, { performerId, kind }: Publisher, { scope, refuse }: WhipContext,
  ): Promise<Negotiated | Refused<RefusalOf<typeof whip>>> {
    const { operatorId } = scope;
    const before = this.#air.get(stream);
    this.#air.set(stream, {
      operatorId, performerId, publishedWith: kind, isOnline: before?.isOnline ?? false, isCatchingUp: false,
      peakViewers: before?.peakViewers ?? 0, health: null,
    });
    try {
      return await this.#needs.engine.publish(stream, offer, { owner: `performer:${performerId}` });
    } catch (error) {
      if (before) this.#air.set(stream, before);
      else this.#air.delete(stream);
      if (!(error instanceof EngineRefused)) throw error;
      switch (error.code) {
        case 'malformed_offer': return refuse(offerMalformed);
        case 'unsupported_codec': return refuse(codecUnsupported);
        case 'stream_taken': return refuse(streamTaken);
        case 'overloaded':
        case 'unavailable': return refuse(overloaded, { retryAfterSeconds: OVERLOAD_RETRY_SECONDS });
        case 'stream_offline': throw error;
      }
    }
  }

  /** Writes whose stream it is now. If key or clearance went while the engine answered, the session ends. */
  async #keep(
    stream: string, session: string, context: WhipContext,
  ): Promise<Refused<RefusalOf<typeof whip>> | null> {
    const refused = await this.#needs.data.tx(context.scope, async (tx) => {
      const admission = await this.#admit(tx, context);
      if ('refused' in admission) return admission.refused;
      const { publisher, clearanceId, open } = admission;
      const id = open
        ? await takeOver(tx, open, stream, session, publisher)
        : await begin(tx, stream, session, clearanceId, publisher);
      if (publisher.kind === 'browser_key') await bindBrowserKey(tx, publisher.keyHash, id);
      return null;
    });
    if (refused === null) return null;
    await this.#needs.engine.end(session);
    return context.refuse(refused);
  }

  /** Tells the performer's own tabs, and nobody else. A report of media on a stream that is not online means
   * that an `up` was missed, so it counts as one. */
  #measured(airing: Airing, health: StreamHealth): void {
    const { operatorId, performerId, publishedWith } = airing;
    const { data, bus, onFault } = this.#needs;
    const { session, ...measured } = health;
    const source = publishedWith === 'browser_key' ? 'browser' : 'encoder';
    const view = { ...measured, advice: adviceFor(health, source) };
    airing.health = { view, atMs: this.#nowMs() };
    const channel = personChannel(performerId);
    bus.publish({ operatorId, channel, name: broadcastHealth.name, payload: view });
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

  #nowMs(): number {
    return this.#needs.data.clock.now().getTime();
  }
}

const turnOf = (operatorId: number, performerId: number): string => `${operatorId}:${performerId}`;

/** Sets the deadline of a course, or takes it away. */
async function watchDeadline(tx: Tx, broadcastId: number, { deadline }: Course): Promise<void> {
  const key = String(broadcastId);
  if (deadline === null) await tx.unschedule(DEADLINE, key);
  else await tx.schedule({ kind: DEADLINE, key, at: new Date(deadline) });
}

async function begin(
  tx: Tx, stream: string, session: string, clearanceId: number, publisher: Publisher,
): Promise<number> {
  const course = openCourse(session, tx.now.getTime());
  const id = await insertBroadcast(tx, stream, clearanceId, publisher, course);
  await watchDeadline(tx, id, course);
  return id;
}

async function takeOver(
  tx: Tx, open: Broadcast, stream: string, session: string, publisher: Publisher,
): Promise<number> {
  if (open.stream !== stream) throw new Error(`broadcast ${open.id} is not on the stream that was offered`);
  const { course } = step(open.course, { kind: 'published', session }, tx.now.getTime());
  await saveTakeover(tx, open.id, publisher, course);
  return open.id;
}
