import { randomInt } from 'node:crypto';
import { ntpOf, writeSenderReport } from '../../../wire/rtcp.ts';
import { rtpPacket } from '../../../wire/rtp.ts';

/** One payload with its time, before it has a sequence number. */
export interface TimedPayload {
  readonly payload: Buffer;
  /** In ticks of the track's clock since the start of the timeline. */
  readonly ticks: number;
  readonly marker: boolean;
}

/**
 * The first sequence number and timestamp of a track are random (RFC 3550 §5.1), but in the lower half: a
 * sequence number that wraps within the first packets confuses SRTP.
 */
const FIRST_SEQUENCE = 0x8000;
const FIRST_TICKS = 0x7fffffff;
const MAX_SSRC = 0xffffffff;

/** Numbers the packets of one track and writes its sender reports. */
export class RtpTrack {
  readonly #ticksPerMs: number;
  readonly #ssrc = randomInt(1, MAX_SSRC);
  readonly #firstTicks = randomInt(FIRST_TICKS);
  #sequence = randomInt(FIRST_SEQUENCE);
  #packets = 0;
  #octets = 0;

  constructor(ticksPerMs: number) {
    this.#ticksPerMs = ticksPerMs;
  }

  /** Sends the next packet of the track; a packet that was not accepted leaves its number to the next one. */
  send(timed: TimedPayload, payloadType: number, send: (packet: Buffer) => boolean): boolean {
    const { payload, ticks, marker } = timed;
    const header = { payloadType, marker, sequence: this.#sequence, timestamp: this.#timestampOf(ticks) };
    if (!send(rtpPacket({ ...header, ssrc: this.#ssrc }, payload))) return false;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#packets = (this.#packets + 1) >>> 0;
    this.#octets = (this.#octets + payload.length) >>> 0;
    return true;
  }

  /** A sender report: `mediaMs` of the timeline is presented at `wallMs`, milliseconds since 1970. */
  report(mediaMs: number, wallMs: number): Buffer {
    return writeSenderReport({
      ssrc: this.#ssrc,
      ...ntpOf(wallMs),
      timestamp: this.#timestampOf(Math.round(mediaMs * this.#ticksPerMs)),
      packets: this.#packets,
      octets: this.#octets,
    });
  }

  /** 32 bits; may lie before the start of the timeline, since codecs look ahead. */
  #timestampOf(ticks: number): number {
    const sum = (this.#firstTicks + ticks) % 2 ** 32;
    return sum < 0 ? sum + 2 ** 32 : sum;
  }
}
