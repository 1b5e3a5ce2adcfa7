/**
 * What local sockets of a relay carry (see `LocalMedia`): frames of a type byte, a 32-bit length and a
 * payload. The first frame of a process is `hello` with its session id; the relay answers `ready` or closes.
 */
export const FRAME = {
  /** Process to relay: the session id of its ticket, ASCII. */
  hello: 0x01,
  /** Relay to process: it is attached; JSON {@link LocalReady}. */
  ready: 0x02,
  /** One RTP packet of video or audio, either way. */
  video: 0x10,
  audio: 0x11,
  /** One RTCP sender report, either way: ties RTP time to wall-clock time (RFC 3550 §6.4.1). */
  videoReport: 0x12,
  audioReport: 0x13,
  /** Reader to relay, relay to publisher: a keyframe request. */
  keyframe: 0x20,
  /** Publisher to relay: what prevents it from being shown; JSON `IngestTrouble` or null. */
  trouble: 0x21,
  /** Publisher to relay: how its B-frames are on air; JSON `BFrameDelivery` or null. */
  bFrames: 0x22,
  /** Publisher to relay: it stops on purpose, and sends nothing more. */
  finish: 0x23,
} as const;
export type FrameType = (typeof FRAME)[keyof typeof FRAME];

/** Parameters of an attached process. Payload types are those of the packets it gets or must send. */
export interface LocalReady {
  readonly videoCodec: 'H264' | 'VP8';
  readonly videoPayloadType: number;
  readonly audioPayloadType: number;
}

const HEAD_BYTES = 5;
/** RTP packets are below 1.5 kB and control frames are short: a longer frame is not ours. */
export const MAX_FRAME_BYTES = 16 * 1024;
const EMPTY = Buffer.alloc(0);

/** One frame, ready to be written. */
export function writeFrame(type: FrameType, payload: Uint8Array = EMPTY): Buffer {
  const frame = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  frame[0] = type;
  frame.writeUInt32BE(payload.length, 1);
  frame.set(payload, HEAD_BYTES);
  return frame;
}

/** A frame longer than {@link MAX_FRAME_BYTES}: the other end is not a process of ours. */
export class FrameTooLong extends RangeError {}

/** Splits a byte stream into frames. Holds at most one incomplete frame. */
export class FrameReader {
  readonly #onFrame: (type: number, payload: Buffer) => void;
  #rest: Buffer = EMPTY;

  /** @param onFrame may keep the payload it is given */
  constructor(onFrame: (type: number, payload: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  /** Throws {@link FrameTooLong}. */
  push(chunk: Buffer): void {
    const all = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (all.length - at >= HEAD_BYTES) {
      const length = all.readUInt32BE(at + 1);
      if (length > MAX_FRAME_BYTES) throw new FrameTooLong(`a frame of ${length} bytes`);
      const end = at + HEAD_BYTES + length;
      if (all.length < end) break;
      // A copy: publishers rewrite packets in place, and a slice would hold the whole chunk in memory.
      this.#onFrame(all[at]!, Buffer.from(all.subarray(at + HEAD_BYTES, end)));
      at = end;
    }
    this.#rest = at === all.length ? EMPTY : Buffer.from(all.subarray(at));
  }
}
