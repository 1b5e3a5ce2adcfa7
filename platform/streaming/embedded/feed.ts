import type { Clock } from '#platform/data/clock.ts';
import type { BFrameDelivery, IngestTrouble } from '../engine.ts';
import { MAX_RTP_BYTES } from '../limits.ts';
import type { LocalDoor, LocalGuest, LocalLine } from '../local/door.ts';
import { FRAME, type LocalReady } from '../local/frames.ts';
import { LOCAL_AUDIO_TYPE, LOCAL_VIDEO_TYPE } from './local-types.ts';
import { Publisher, type Upstream } from './relay/publisher.ts';
import { IncomingTrack } from './tracks/incoming-track.ts';

export interface FeedOptions {
  readonly session: string;
  readonly owner: string;
  readonly door: LocalDoor;
  readonly clock: Clock;
  readonly nowMs: () => number;
}

const TROUBLES: Readonly<Record<IngestTrouble, true>> = {
  b_frames: true,
  video_codec: true,
  audio_codec: true,
};
const DELIVERIES: Readonly<Record<BFrameDelivery, true>> = { transcoded: true, copied: true };
const MEDIA: ReadonlySet<number> = new Set([
  FRAME.video,
  FRAME.audio,
  FRAME.videoReport,
  FRAME.audioReport,
]);

/** A publisher that is a process of this machine: H.264 and Opus arrive through the local socket. */
export class Feed implements Upstream, LocalGuest {
  readonly publisher: Publisher;
  readonly #door: LocalDoor;
  #line: LocalLine | null = null;

  constructor({ session, owner, door, clock, nowMs }: FeedOptions) {
    this.#door = door;
    this.publisher = new Publisher({
      session,
      owner,
      clock,
      nowMs,
      codec: 'H264',
      iceUser: null,
      upstream: this,
      tracks: [
        new IncomingTrack({ kind: 'video', payloadType: LOCAL_VIDEO_TYPE, codec: 'H264' }),
        new IncomingTrack({ kind: 'audio', payloadType: LOCAL_AUDIO_TYPE, codec: 'opus' }),
      ],
    });
    door.expect(session, this);
  }

  attach(line: LocalLine): void {
    this.#line = line;
    line.send(
      FRAME.ready,
      Buffer.from(JSON.stringify(
        {
          videoCodec: 'H264',
          videoPayloadType: LOCAL_VIDEO_TYPE,
          audioPayloadType: LOCAL_AUDIO_TYPE,
        } satisfies LocalReady,
      )),
    );
  }

  take(type: number, payload: Buffer): boolean {
    if (MEDIA.has(type)) {
      if (payload.length > MAX_RTP_BYTES) return false;
      this.publisher.receive(payload);
      return true;
    }
    if (type === FRAME.finish) {
      this.publisher.finish();
      return true;
    }
    if (type === FRAME.bFrames) {
      const bFrames = readOneOf(payload, DELIVERIES);
      if (bFrames === undefined) return false;
      this.publisher.noteBFrames(bFrames);
      return true;
    }
    if (type !== FRAME.trouble) return false;
    const trouble = readOneOf(payload, TROUBLES);
    if (trouble === undefined) return false;
    this.publisher.noteTrouble(trouble);
    return true;
  }

  gone(): void {
    this.publisher.leave();
  }

  requestKeyframe(): void {
    this.#line?.send(FRAME.keyframe);
  }

  requestAgain(): void {
    // A local socket loses nothing: a missing packet was never sent.
  }

  report(): void {
    // A local feed has no loss or bandwidth to report.
  }

  close(): void {
    this.#door.forget(this.publisher.session);
    this.#line?.close();
  }
}

/** An ingest's report on its media, or null; undefined when the report is invalid. */
function readOneOf<T extends string>(
  payload: Buffer,
  values: Readonly<Record<T, true>>,
): T | null | undefined {
  try {
    const said: unknown = JSON.parse(payload.toString('utf8'));
    if (said === null) return null;
    return typeof said === 'string' && Object.hasOwn(values, said) ? said as T : undefined;
  } catch {
    return undefined;
  }
}
