import { VirtualClock } from '#platform/data/clock.ts';
import { Delivery } from '#platform/streaming/embedded/tracks/delivery.ts';
import type { StreamHealth } from '#platform/streaming/engine.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MediaMeter } from './server/playback/media-seconds.ts';

const STREAM = { streamName: 'one', personId: 7 };
/** Steps per second: how finely events are timed. */
const PARTS = 4;
const HEALTH: StreamHealth = {
  stream: 'one',
  session: 'p',
  codec: 'H264',
  videoBitsPerSecond: 1,
  audioBitsPerSecond: 0,
  framesPerSecond: 30,
  lossFraction: 0,
  roundTripMs: null,
  keyframeIntervalMs: null,
  viewers: 1,
  trouble: null,
  bFrames: null,
};
const BLOCK = { ssrc: 1, packetsLost: 0, jitter: 0, lastSenderReport: 0, sinceSenderReport: 0 } as const;

/** One player, as the relay sees it. */
interface Player {
  readonly session: string;
  /** The stream or rendition that it plays. */
  readonly stream: string;
  readonly delivery: Delivery;
  sequence: number;
  isSent: boolean;
}

/** What a person does with one of their players in a quarter of a second. */
type Step = 'open' | 'open small' | 'close' | 'report' | 'lie' | 'nothing';

/** When the smaller rendition exists: from second `from` on, except while `away`. */
interface Small {
  readonly from: number;
  readonly away: { readonly from: number; readonly seconds: number };
}

/** A person with up to three players, what they were sent, and what the meter counted. */
class Cheat {
  readonly clock = new VirtualClock();
  readonly meter = new MediaMeter(this.clock);
  readonly #players: (Player | null)[] = [null, null, null];
  readonly #small: Small;
  #sessions = 0;
  #second = 0;
  /** Quarters of a second, and whole seconds, in which any player was sent something. */
  readonly parts = new Set<number>();
  readonly seconds = new Set<number>();

  constructor(small: Small) {
    this.#small = small;
  }

  part(nth: number, at: number, step: Step): void {
    const player = this.#players[at] ?? null;
    this.#second = Math.floor(nth / PARTS);
    if ((step === 'open' || step === 'open small') && !player) {
      this.#players[at] = {
        session: String(this.#sessions += 1),
        stream: step === 'open' ? 'one' : 'one~360',
        delivery: new Delivery(),
        sequence: 0,
        isSent: false,
      };
    }
    if (step === 'close' && player) this.#close(at, player);
    if ((step === 'report' || step === 'lie') && player) this.#report(player, step === 'lie' ? 200 : 0);
    this.#send(nth);
    if (nth % PARTS === PARTS - 1) this.#tick();
  }

  end(): number {
    for (const [at, player] of this.#players.entries()) if (player) this.#close(at, player);
    const { sent } = this.meter.lastOf(STREAM);
    this.meter.close();
    return sent;
  }

  #report({ delivery, sequence }: Player, fractionLost: number): void {
    const nowMs = this.clock.now().getTime();
    delivery.reported('video', { ...BLOCK, fractionLost, highestSequence: sequence }, nowMs);
    delivery.resumes(nowMs);
  }

  #send(nth: number): void {
    for (const player of this.#players) {
      if (!player || player.delivery.isPaused || !this.#isThere(player.stream)) continue;
      player.sequence += 25;
      player.isSent = true;
      this.parts.add(nth);
      this.seconds.add(Math.floor(nth / PARTS));
    }
    this.clock.advance(1_000 / PARTS);
  }

  #isThere(stream: string): boolean {
    const { from, away } = this.#small;
    const isAway = this.#second >= away.from && this.#second < away.from + away.seconds;
    return stream === 'one' || (this.#second >= from && !isAway);
  }

  /**
   * Reports as the relay does: the stream before its rendition, and nothing for a stream that does not exist.
   */
  #tick(): void {
    for (const stream of ['one', 'one~360'].filter((name) => this.#isThere(name))) {
      const readers = this.#players.flatMap((
        player,
      ) => (player?.stream === stream ? [this.#health(player)] : []));
      this.meter.measured({ ...HEALTH, stream }, readers, () => STREAM.personId);
    }
  }

  #health(player: Player) {
    player.delivery.endSecond(player.isSent ? { video: player.sequence } : {}, this.clock.now().getTime());
    player.isSent = false;
    return { session: player.session, ...player.delivery.take() };
  }

  #close(at: number, player: Player): void {
    this.#players[at] = null;
    player.delivery.endSecond(player.isSent ? { video: player.sequence } : {}, this.clock.now().getTime());
    player.delivery.settle();
    const last = { session: player.session, ...player.delivery.take() };
    this.meter.gone(player.stream, last, () => STREAM.personId);
  }
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>('nothing') },
  { weight: 2, arbitrary: fc.constantFrom<Step>('open', 'open small') },
  fc.constantFrom<Step>('close', 'report', 'lie'),
);
/** A habit: the steps of one player, repeated for a number of seconds. */
const habit = fc.record({
  player: fc.nat(2),
  steps: fc.array(step, { minLength: 1, maxLength: 14 }),
  seconds: fc.integer({ min: 1, max: 40 }),
});

const small = fc.record({
  from: fc.integer({ min: 1, max: 5 }),
  away: fc.record({ from: fc.integer({ min: 6, max: 90 }), seconds: fc.integer({ min: 1, max: 3 }) }),
});

describe('whoever churns, is silent, lies, sleeps, plays twice or changes sizes', () => {
  it('sees no more than is forgiven for nothing, and pays for no second without a picture', () => {
    let mostSeen = 0;
    fc.assert(
      fc.property(small, fc.array(habit, { minLength: 1, maxLength: 8 }), (size, habits) => {
        const cheat = new Cheat(size);
        let nth = 0;
        for (const { player, steps, seconds } of habits) {
          for (let part = 0; part < seconds * PARTS; part += 1) {
            cheat.part(nth, player, steps[part % steps.length] ?? 'nothing');
            nth += 1;
          }
        }
        const counted = cheat.end();
        const seen = cheat.parts.size / PARTS;
        expect(seen - counted).toBeLessThanOrEqual(10 + counted / 30);
        expect(counted).toBeLessThanOrEqual(cheat.seconds.size);
        mostSeen = Math.max(mostSeen, seen);
      }),
      { numRuns: 500 },
    );
    // Some of them watched a lot; otherwise nothing would have been tested.
    expect(mostSeen).toBeGreaterThan(60);
  });

  it('of new sessions that never report, and last 1.7 seconds each, pays all but ten', () => {
    const cheat = new Cheat({ from: 0, away: { from: 0, seconds: 0 } });
    for (let nth = 0; nth < 133 * PARTS; nth += 1) {
      cheat.part(nth, 0, nth % 7 === 6 ? 'close' : 'open');
    }
    const seen = cheat.parts.size / PARTS;
    expect(seen).toBeGreaterThan(110);
    expect(seen - cheat.end()).toBeLessThanOrEqual(10);
  });

  for (const from of [1, 2, 3, 4, 5]) {
    it(`of turns of three seconds in two sizes pays, where the smaller one begins in second ${from}`, () => {
      const cheat = new Cheat({ from, away: { from: 50, seconds: 3 } });
      for (let nth = 0; nth < 120 * PARTS; nth += 1) {
        const turn = 3 * PARTS;
        if (nth % turn === turn - 1) cheat.part(nth, 0, 'close');
        else if (nth % turn > 0) cheat.part(nth, 0, 'report');
        else cheat.part(nth, 0, nth % (2 * turn) === 0 ? 'open' : 'open small');
      }
      const seen = cheat.seconds.size;
      expect(seen).toBeGreaterThan(100);
      const counted = cheat.end();
      // The last second of each turn has no report.
      expect(seen - counted).toBeLessThanOrEqual(10 + counted / 30);
    });
  }
});
