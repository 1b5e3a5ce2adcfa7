import { SENT_AT_OFFSET, wallClockMs } from '../../platform/streaming/conformance/packet-source.ts';
import { RTP_HEADER_BYTES, sequenceOf } from '../../platform/streaming/wire/rtp.ts';

/** Delays are counted in steps of half a millisecond up to two seconds; slower ones fall into the last. */
const STEP_MS = 0.5;
const STEPS = 4_000;

/** What one process of viewers saw. */
export interface Summary {
  readonly packets: number;
  readonly lost: number;
  /** Packets per delay step. */
  readonly delays: readonly number[];
}

interface Track {
  highest: number;
  from: number;
  packets: number;
}

/** Counts arrivals of many viewers: packets, gaps, and the delay since the sending time in each payload. */
export class Meter {
  readonly #tracks = new Map<string, Track>();
  readonly #delays = new Float64Array(STEPS);

  /** Viewers that got anything at all. */
  get heard(): number {
    return this.#tracks.size;
  }

  note(track: string, packet: Buffer): void {
    const sequence = sequenceOf(packet);
    const known = this.#tracks.get(track);
    if (!known) {
      this.#tracks.set(track, { highest: sequence, from: sequence, packets: 0 });
      return;
    }
    const ahead = (sequence - known.highest) & 0xffff;
    if (ahead < 0x8000) known.highest += ahead;
    known.packets += 1;
    const delayMs = wallClockMs() - packet.readDoubleBE(RTP_HEADER_BYTES + SENT_AT_OFFSET);
    const step = Math.max(0, Math.min(STEPS - 1, Math.floor(delayMs / STEP_MS)));
    this.#delays[step] = this.#delays[step]! + 1;
  }

  /** Forgets everything but where each track stands. */
  restart(): void {
    this.#delays.fill(0);
    for (const track of this.#tracks.values()) {
      track.from = track.highest;
      track.packets = 0;
    }
  }

  summary(): Summary {
    let [packets, lost] = [0, 0];
    for (const track of this.#tracks.values()) {
      packets += track.packets;
      lost += Math.max(0, track.highest - track.from - track.packets);
    }
    return { packets, lost, delays: [...this.#delays] };
  }
}

/** All summaries as one. */
export function addUp(summaries: readonly Summary[]): Summary {
  const sum = (pick: (one: Summary) => number): number =>
    summaries.reduce((total, one) => total + pick(one), 0);
  return {
    packets: sum((one) => one.packets), lost: sum((one) => one.lost),
    delays: Array.from({ length: STEPS }, (_, step) => sum((one) => one.delays[step] ?? 0)),
  };
}

/** The delay in milliseconds that this part (0 to 1) of all packets did not exceed. */
export function quantileMs({ delays }: Summary, part: number): number {
  const total = delays.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  const step = delays.findIndex((count) => (seen += count) >= part * total);
  return (step + 1) * STEP_MS;
}
