import { personChannel } from '#platform/contract/event.ts';
import type { IngestTrouble, StreamHealth } from '#platform/streaming/engine.ts';
import type { Turns } from '#platform/streaming/turns.ts';
import { broadcastHealth, type HealthView } from '../../contract.ts';
import { adviceFor, HEALTH_FRESH_MS } from '../../rules.ts';
import { raisePeak } from '../../store.ts';
import type { BroadcastDependencies } from '../dependencies.ts';
import { turnOf, type Airing } from './airing.ts';
import type { Replaced } from './replaced.ts';

/** Health of a stream that cannot be played, with the reason from its ingest. */
function troubledHealth(stream: string, trouble: IngestTrouble): HealthView {
  const nothing = {
    videoBitsPerSecond: 0,
    audioBitsPerSecond: 0,
    framesPerSecond: 0,
    lossFraction: 0,
    roundTripMs: null,
    keyframeIntervalMs: null,
    trouble,
    bFrames: null,
  };
  return { ...nothing, stream, codec: null, viewers: 0, advice: adviceFor(nothing, 'encoder') };
}

/** The health of streams on air: their last measurement, sent to the performer's own tabs. */
export class HealthReports {
  readonly #deps: BroadcastDependencies;
  readonly #turns: Turns;
  readonly #replaced: Replaced;
  readonly #viewersOf: (stream: string) => number;

  /** @param viewersOf how many people watch a stream; the engine counts the sessions of one size alone */
  constructor(
    deps: BroadcastDependencies,
    turns: Turns,
    replaced: Replaced,
    viewersOf: (stream: string) => number,
  ) {
    this.#deps = deps;
    this.#turns = turns;
    this.#replaced = replaced;
    this.#viewersOf = viewersOf;
  }

  /** Last health of a stream while fresh; of an unplayable stream as long as that lasts. */
  of(stream: string, { health, trouble }: Airing): HealthView | null {
    if (health && this.#nowMs() - health.atMs <= HEALTH_FRESH_MS) return health.view;
    return trouble === null ? null : troubledHealth(stream, trouble);
  }

  /** Notes and sends what the engine measured, and raises the peak of viewers. */
  measured(airing: Airing, health: StreamHealth): void {
    const { operatorId, performerId, publishedWith } = airing;
    const { session: _session, ...measured } = health;
    const source = publishedWith === 'browser_key' ? 'browser' : 'encoder';
    const hasRival = this.#replaced.hasRival(turnOf(operatorId, performerId), this.#nowMs());
    const viewers = this.#viewersOf(health.stream);
    const view = { ...measured, viewers, advice: adviceFor({ ...health, hasRival }, source) };
    airing.health = { view, atMs: this.#nowMs() };
    airing.codec = health.codec ?? airing.codec;
    this.#send(airing, view);
    if (viewers <= airing.peakViewers) return;
    airing.peakViewers = viewers;
    const raise = (): Promise<void> =>
      this.#deps.data.tx({ operatorId }, (tx) => raisePeak(tx, health.stream, viewers));
    this.#turns.take(turnOf(operatorId, performerId), raise).catch(this.#deps.onError);
  }

  /** Notes and sends why a stream cannot be played. */
  troubled(airing: Airing, stream: string, trouble: IngestTrouble): void {
    airing.trouble = trouble;
    this.#send(airing, troubledHealth(stream, trouble));
  }

  #send({ operatorId, performerId }: Airing, payload: HealthView): void {
    const channel = personChannel(performerId);
    this.#deps.bus.publish({ operatorId, channel, name: broadcastHealth.name, payload });
  }

  #nowMs(): number {
    return this.#deps.data.clock.now().getTime();
  }
}
