import { FRAME } from '../../local/frames.ts';
import { H264Depacketizer, type AccessUnit } from '../../wire/codecs/depacketize-h264.ts';
import { parametersOf, type ParameterSets } from '../../wire/codecs/h264-parameters.ts';
import { opusTicks } from '../../wire/files/ogg-opus.ts';
import { JitterBuffer } from '../../wire/jitter-buffer.ts';
import { payloadOf } from '../../wire/payload.ts';
import { readRtcp } from '../../wire/rtcp.ts';
import { timestampOf } from '../../wire/rtp.ts';
import { JITTER_PACKETS, JITTER_WAIT_SOUND_MS } from '../limits.ts';
import { Timeline, type SentTime } from './tracks/timeline.ts';

/** A whole picture with its time. */
export interface Picture extends AccessUnit {
  readonly parameters: ParameterSets;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  /** When the last packet it had to wait for arrived. */
  readonly arrivedMs: number;
  /** Whether its time does not continue that of the picture before it. */
  readonly jumped: boolean;
  /** When its publisher sent it; null before a sender report. */
  readonly sent: SentTime | null;
}

export interface StreamReaderOptions {
  /** How long a missing video packet is waited for. */
  readonly waitMs: number;
  readonly picture: (picture: Picture) => void;
  /** One Opus packet (RFC 7587) and when it should be played. */
  readonly sound?: (payload: Buffer, timeMs: number) => void;
  /** No picture can be decoded until the next keyframe. */
  readonly keyframeWanted: () => void;
}

/** An Opus packet holds at most 120 ms (RFC 6716 §3.2.5). */
const MAX_OPUS_TICKS = 5_760;

/** Turns the packets of a local session into video and audio on one timeline. */
export class StreamReader {
  readonly #options: StreamReaderOptions;
  readonly #timeline = new Timeline();
  readonly #video: JitterBuffer;
  readonly #sound: JitterBuffer;
  readonly #pictures: H264Depacketizer;
  #parameters: ParameterSets | null = null;
  #nowMs = 0;
  #jumped = false;

  constructor(options: StreamReaderOptions) {
    this.#options = options;
    this.#pictures = new H264Depacketizer((picture) => this.#takePicture(picture), options.keyframeWanted);
    this.#video = new JitterBuffer({
      maxPackets: JITTER_PACKETS,
      maxWaitMs: options.waitMs,
      deliver: (packet, gap) => this.#pictures.push(packet, gap),
    });
    this.#sound = new JitterBuffer({
      maxPackets: JITTER_PACKETS,
      maxWaitMs: JITTER_WAIT_SOUND_MS,
      deliver: (packet) => this.#takeSound(packet),
    });
  }

  /**
   * Takes one frame of the local session.
   *
   * @param nowMs milliseconds since 1970, of a clock that never goes back
   */
  take(type: number, packet: Buffer, nowMs: number): void {
    this.#nowMs = nowMs;
    if (type === FRAME.video) this.#video.put(packet, nowMs);
    else if (type === FRAME.audio) this.#sound.put(packet, nowMs);
    else if (type === FRAME.videoReport || type === FRAME.audioReport) this.#takeReport(type, packet);
  }

  /** Gives up on packets that were waited for too long. */
  advance(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#video.advance(nowMs);
    this.#sound.advance(nowMs);
  }

  #takePicture(unit: AccessUnit): void {
    // Every picture moves the clock, even one that cannot be shown.
    const { timeMs, jumped, sent } = this.#timeline.picture(unit.timestamp, this.#nowMs);
    this.#jumped ||= jumped;
    if (unit.keyframe) this.#parameters = parametersOf(unit.units, this.#parameters);
    if (!this.#parameters) return this.#options.keyframeWanted();
    const picture = { ...unit, parameters: this.#parameters, timeMs, sent, arrivedMs: this.#nowMs };
    const sinceJump = this.#jumped;
    this.#jumped = false;
    this.#options.picture({ ...picture, jumped: sinceJump });
  }

  #takeSound(packet: Buffer): void {
    const payload = payloadOf(packet);
    if (!payload || !this.#options.sound) return;
    const ticks = opusTicks(payload);
    if (ticks === 0 || ticks > MAX_OPUS_TICKS) return;
    this.#options.sound(payload, this.#timeline.sound(timestampOf(packet), this.#nowMs));
  }

  #takeReport(type: number, packet: Buffer): void {
    for (const item of readRtcp(packet)) {
      if (item.kind !== 'sender_report') continue;
      if (type === FRAME.videoReport) this.#timeline.noteVideoReport(item, this.#nowMs);
      else this.#timeline.noteSoundReport(item, this.#nowMs);
    }
  }
}
