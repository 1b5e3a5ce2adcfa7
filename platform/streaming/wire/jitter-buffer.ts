import { isRtp, sequenceOf, ssrcOf } from './rtp.ts';

export interface JitterBufferOptions {
  /** Packets held while an earlier one is missing; with one more, the missing ones are given up. */
  readonly maxPackets: number;
  /** How long a missing packet is waited for, in milliseconds. */
  readonly maxWaitMs: number;
  /** One packet in order; `gap` when packets before it never came, or its source is new. */
  readonly deliver: (packet: Buffer, gap: boolean) => void;
}

interface Held {
  readonly packet: Buffer;
  readonly atMs: number;
}

const HALF_SPACE = 0x8000;

/**
 * Puts the packets of one RTP source in order (RFC 3550 §5.1). It waits for late packets, within limits of
 * number and time; duplicates and junk are dropped. Times are milliseconds of a monotonic clock.
 */
export class JitterBuffer {
  readonly #options: JitterBufferOptions;
  readonly #held = new Map<number, Held>();
  #ssrc = -1;
  /** The 16-bit number that is delivered next. */
  #next = 0;
  #gap = true;
  #restartAt = -1;

  constructor(options: JitterBufferOptions) {
    this.#options = options;
  }

  /** Packets that wait for an earlier one. */
  get heldCount(): number {
    return this.#held.size;
  }

  put(packet: Buffer, nowMs: number): void {
    if (!isRtp(packet)) return;
    const sequence = sequenceOf(packet);
    if (ssrcOf(packet) !== this.#ssrc) this.#beginAt(ssrcOf(packet), sequence);
    const ahead = (sequence - this.#next) & 0xffff;
    const isBehind = ahead >= HALF_SPACE;
    if (isBehind && !this.#isRestart(sequence)) return;
    if (isBehind || ahead === 0) return this.#deliverFrom(packet);
    if (this.#held.has(sequence)) return;
    this.#held.set(sequence, { packet, atMs: nowMs });
    if (this.#held.size > this.#options.maxPackets) this.#skip();
  }

  /** Gives up on packets that were waited for too long. Called every few hundredths of a second. */
  advance(nowMs: number): void {
    for (;;) {
      // A map keeps the order of insertion: its first entry has waited longest.
      const [oldest] = this.#held.values();
      if (!oldest || nowMs - oldest.atMs < this.#options.maxWaitMs) return;
      this.#skip();
    }
  }

  #beginAt(ssrc: number, sequence: number): void {
    this.#ssrc = ssrc;
    this.#next = sequence;
    this.#gap = true;
    this.#restartAt = -1;
    this.#held.clear();
  }

  /** A number far behind is a stray, or a restarted sender: believed at its second packet (RFC 3550 A.1). */
  #isRestart(sequence: number): boolean {
    const behind = (this.#next - sequence) & 0xffff;
    if (behind <= this.#options.maxPackets) return false;
    const restarted = sequence === this.#restartAt;
    this.#restartAt = (sequence + 1) & 0xffff;
    if (restarted) this.#beginAt(this.#ssrc, sequence);
    return restarted;
  }

  #deliverFrom(first: Buffer): void {
    for (let packet: Buffer | undefined = first; packet; packet = this.#held.get(this.#next)?.packet) {
      this.#held.delete(this.#next);
      this.#next = (this.#next + 1) & 0xffff;
      const gap = this.#gap;
      this.#gap = false;
      this.#options.deliver(packet, gap);
    }
  }

  /** Continues with the first packet that is held. */
  #skip(): void {
    let nearest = HALF_SPACE;
    for (const sequence of this.#held.keys()) {
      nearest = Math.min(nearest, (sequence - this.#next) & 0xffff);
    }
    this.#next = (this.#next + nearest) & 0xffff;
    this.#gap = true;
    this.#deliverFrom(this.#held.get(this.#next)!.packet);
  }
}
