import { SENT_AT_OFFSET, wallClockMs } from '#platform/streaming/conformance/network/packet-source.ts';
import { payloadStart } from '#platform/streaming/wire/rtp.ts';
import type { Counts, Kind, Summary } from '../messages.ts';

/** Delays are counted in steps of half a millisecond up to two seconds; slower ones fall into the last. */
const STEP_MS = 0.5;
const STEPS = 4_000;

/** Packets of one track received by one viewer, by extended sequence number. */
export class TrackMeter {
  readonly kind: Kind;
  readonly #delays: Float64Array | null;
  #highest = -1;
  #from = -1;
  #packets = 0;
  /** Packets requested again. */
  asked = 0;

  /** @param delays where delays are counted; null for none */
  constructor(kind: Kind, delays: Float64Array | null) {
    this.kind = kind;
    this.#delays = delays;
  }

  /** Counts a packet that hasn't arrived before. */
  note(sequence: number, packet: Buffer): void {
    if (this.#highest < 0) this.#from = sequence - 1;
    this.#highest = Math.max(this.#highest, sequence);
    // A packet sent before the beginning isn't counted.
    if (sequence <= this.#from) return;
    this.#packets += 1;
    if (!this.#delays) return;
    const delayMs = wallClockMs() - packet.readDoubleBE(payloadStart(packet) + SENT_AT_OFFSET);
    const step = Math.max(0, Math.min(STEPS - 1, Math.floor(delayMs / STEP_MS)));
    this.#delays[step] = this.#delays[step]! + 1;
  }

  restart(): void {
    this.#from = this.#highest;
    this.#packets = 0;
    this.asked = 0;
  }

  get counts(): Counts {
    return { packets: this.#packets, lost: this.#highest - this.#from - this.#packets, asked: this.asked };
  }
}

/** Counts the arrivals of many viewers: packets, gaps, and the delay since the sending time in each. */
export class Meter {
  readonly #tracks: TrackMeter[] = [];
  readonly #delays = new Float64Array(STEPS);
  #sinceMs = performance.now();

  track(kind: Kind, hasDelays: boolean): TrackMeter {
    const made = new TrackMeter(kind, hasDelays ? this.#delays : null);
    this.#tracks.push(made);
    return made;
  }

  /** Resets everything except each track's position. */
  restart(): void {
    this.#delays.fill(0);
    this.#sinceMs = performance.now();
    for (const track of this.#tracks) track.restart();
  }

  summary(): Summary {
    const of = (kind: Kind): Counts =>
      addCounts(this.#tracks.filter((track) => track.kind === kind).map((track) => track.counts));
    const [video, audio] = [of('video'), of('audio')];
    const seconds = (performance.now() - this.#sinceMs) / 1_000;
    return {
      video,
      audio,
      packetsPerSecond: (video.packets + audio.packets) / seconds,
      delays: [...this.#delays],
    };
  }
}

function addCounts(all: readonly Counts[]): Counts {
  const sum = (pick: (one: Counts) => number): number => all.reduce((total, item) => total + pick(item), 0);
  return { packets: sum((one) => one.packets), lost: sum((one) => one.lost), asked: sum((one) => one.asked) };
}

/** All summaries as one. */
export function addUp(summaries: readonly Summary[]): Summary {
  return {
    video: addCounts(summaries.map((summary) => summary.video)),
    audio: addCounts(summaries.map((summary) => summary.audio)),
    packetsPerSecond: summaries.reduce((total, summary) => total + summary.packetsPerSecond, 0),
    delays: Array.from(
      { length: STEPS },
      (_, step) => summaries.reduce((total, summary) => total + (summary.delays[step] ?? 0), 0),
    ),
  };
}

/** The delay in milliseconds at this quantile (0 to 1). */
export function quantileMs({ delays }: Summary, part: number): number {
  const total = delays.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  const step = delays.findIndex((count) => (seen += count) >= part * total);
  return (step + 1) * STEP_MS;
}
