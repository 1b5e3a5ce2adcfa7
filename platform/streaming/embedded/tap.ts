import { randomInt } from 'node:crypto';
import { TAP_BEHIND_BYTES, TAP_STALLED_MS } from '../limits.ts';
import type { LocalDoor, LocalGuest, LocalLine } from '../local/door.ts';
import { FRAME, type LocalReady } from '../local/frames.ts';
import { isRtcp, type VideoCodec } from '../wire/rtp.ts';
import { LOCAL_AUDIO_TYPE, LOCAL_VIDEO_TYPE } from './local-types.ts';
import { randomSsrc } from './peers/peer.ts';
import { Reader, type Downstream } from './relay/reader.ts';
import { OutgoingTrack } from './tracks/outgoing-track.ts';

export interface TapOptions {
  readonly session: string;
  readonly codec: VideoCodec;
  readonly door: LocalDoor;
  readonly nowMs: () => number;
}

/** A reader that is a process of this machine: packets leave through the local socket. */
export class Tap implements Downstream, LocalGuest {
  readonly reader: Reader;
  readonly #options: TapOptions;
  readonly #video: OutgoingTrack;
  #line: LocalLine | null = null;
  #isBehind = false;

  constructor(options: TapOptions) {
    const { session, codec, nowMs, door } = options;
    this.#options = options;
    const made = (kind: 'video' | 'audio', payloadType: number): OutgoingTrack =>
      new OutgoingTrack({
        kind,
        payloadType,
        ssrc: randomSsrc(),
        sink: { send: (packet) => this.#send(kind, packet) },
        // Only the lower half of the number space, so that a receiver never sees the numbers wrap early on.
        firstSequence: randomInt(0x8000),
        firstTimestamp: randomInt(0x80000000),
      });
    this.#video = made('video', LOCAL_VIDEO_TYPE);
    this.reader = new Reader({
      session,
      codec,
      nowMs,
      isViewer: false,
      isMetered: false,
      iceUser: null,
      downstream: this,
      tracks: [this.#video, made('audio', LOCAL_AUDIO_TYPE)],
    });
    door.expect(session, this);
  }

  attach(line: LocalLine): void {
    this.#line = line;
    line.onDrained(() => this.#catchUp());
    line.send(
      FRAME.ready,
      Buffer.from(JSON.stringify(
        {
          videoCodec: this.#options.codec,
          videoPayloadType: LOCAL_VIDEO_TYPE,
          audioPayloadType: LOCAL_AUDIO_TYPE,
        } satisfies LocalReady,
      )),
    );
    // The socket closes when the process ends, so silence means nothing.
    this.reader.noteLife(this.#options.nowMs(), Number.POSITIVE_INFINITY);
    this.reader.join();
  }

  take(type: number): boolean {
    if (type !== FRAME.keyframe) return false;
    this.reader.wantKeyframe(this.#options.nowMs());
    return true;
  }

  gone(): void {
    this.reader.leave();
  }

  close(): void {
    this.#options.door.forget(this.reader.session);
    this.#line?.close();
  }

  #send(kind: 'video' | 'audio', packet: Buffer): boolean {
    const line = this.#line;
    if (!line) return false;
    if (isRtcp(packet)) line.send(kind === 'video' ? FRAME.videoReport : FRAME.audioReport, packet);
    else line.send(FRAME[kind], packet);
    if (!this.#isBehind && line.queuedBytes > TAP_BEHIND_BYTES) this.#fallBehind();
    return true;
  }

  /** Audio goes on, as it is little data; a process that still reads nothing for a while is cut. */
  #fallBehind(): void {
    this.#isBehind = true;
    this.#video.open = false;
    this.reader.noteLife(this.#options.nowMs(), TAP_STALLED_MS);
  }

  #catchUp(): void {
    if (!this.#isBehind) return;
    this.#isBehind = false;
    this.reader.noteLife(this.#options.nowMs(), Number.POSITIVE_INFINITY);
    this.#video.skipToKeyframe();
    this.reader.join();
  }
}
