import { VirtualClock } from '#platform/data/clock.ts';
import type { StreamReport } from '../../engine.ts';
import { isRtcp, rtpPacket, type VideoCodec } from '../../wire/rtp.ts';
import { IncomingTrack } from '../tracks/incoming-track.ts';
import { OutgoingTrack } from '../tracks/outgoing-track.ts';
import { Publisher } from './publisher.ts';
import { Reader } from './reader.ts';
import { Stream } from './stream.ts';

export const FRAME_MS = 33;

/** Streams of one relay whose transports are arrays. */
export class Stage {
  readonly clock = new VirtualClock();
  readonly reports: StreamReport[] = [];
  isShedding = false;
  #sessions = 0;

  readonly nowMs = (): number => this.clock.now().getTime();

  stream(name: string): Stream {
    return new Stream({
      name,
      clock: this.clock,
      nowMs: this.nowMs,
      graceMs: 1_000,
      isShedding: () => this.isShedding,
      report: (report) => void this.reports.push(report),
    });
  }

  publisher(codec: VideoCodec = 'H264', owner = 'anna'): TestedPublisher {
    return new TestedPublisher(this, codec, owner, `p${this.#sessions += 1}`);
  }

  reader(
    stream: Stream,
    isViewer = true,
    isMetered = false,
  ): { readonly reader: Reader; readonly got: Buffer[]; readonly goodbyes: () => readonly string[] } {
    const got: Buffer[] = [];
    const goodbyes: string[] = [];
    const track = (kind: 'video' | 'audio', payloadType: number): OutgoingTrack =>
      new OutgoingTrack({
        kind,
        payloadType,
        ssrc: payloadType,
        firstSequence: 0,
        firstTimestamp: 0,
        sink: { send: (packet) => isRtcp(packet) || got.push(Buffer.from(packet)) > 0 },
      });
    const reader = new Reader({
      session: `r${this.#sessions += 1}`,
      codec: stream.codec,
      isViewer,
      isMetered,
      iceUser: null,
      nowMs: this.nowMs,
      tracks: [track('video', 108), track('audio', 109)],
      downstream: { close: (_tracks, reason) => void goodbyes.push(reason) },
    });
    stream.play(reader);
    reader.join();
    return { reader, got, goodbyes: () => goodbyes };
  }
}

/** A publisher that marks its packets and counts the requests it gets. */
export class TestedPublisher {
  readonly publisher: Publisher;
  mark = 0;
  wishes = 0;
  isClosed = false;
  readonly #stage: Stage;
  /** A packet that is held back bears the mark of its time. */
  readonly #heldBack = new Map<number, number>();
  #sequence = 65_500;

  constructor(stage: Stage, codec: VideoCodec, owner: string, session: string) {
    this.#stage = stage;
    this.publisher = new Publisher({
      session,
      owner,
      codec,
      iceUser: null,
      clock: stage.clock,
      nowMs: stage.nowMs,
      tracks: [
        new IncomingTrack({ kind: 'video', payloadType: 96, codec }),
        new IncomingTrack({ kind: 'audio', payloadType: 111, codec: 'opus' }),
      ],
      upstream: {
        requestKeyframe: () => {
          this.wishes += 1;
        },
        requestAgain: () => undefined,
        report: () => undefined,
        close: () => {
          this.isClosed = true;
        },
      },
    });
  }

  /** Packets of one frame with these payloads, in this order. */
  sendPackets(payloads: readonly Buffer[], order: readonly number[]): void {
    for (const at of order) {
      const [sequence, marker] = [(this.#sequence + 1 + at) & 0xffff, at === payloads.length - 1];
      const timestamp = (this.#sequence + 1) * 3_000;
      this.publisher.receive(
        rtpPacket({ payloadType: 96, marker, sequence, timestamp, ssrc: 96 }, payloads[at]!),
      );
    }
    if (!order.includes(payloads.length - 1)) return;
    this.#sequence += payloads.length;
    this.#stage.clock.advance(FRAME_MS);
  }

  /** A video frame of one packet, and one audio packet; `skip` packets are held back before them. */
  sendFrame(key = false, skip = 0): void {
    for (let i = 1; i <= skip; i++) this.#heldBack.set(this.#sequence + i, this.mark);
    this.#sequence += 1 + skip;
    this.publisher.receive(this.#packet(96, this.#sequence, key ? 0x65 : 0x61));
    this.publisher.receive(this.#packet(111, this.#sequence, 1));
    this.#stage.clock.advance(FRAME_MS);
  }

  /** A packet that was held back arrives after all. */
  sendLate(behind: number): void {
    this.publisher.receive(this.#packet(96, this.#sequence - behind, 0x61));
    this.publisher.receive(this.#packet(111, this.#sequence - behind, 1));
  }

  #packet(payloadType: number, sequence: number, first: number): Buffer {
    const header = { payloadType, marker: true, sequence: sequence & 0xffff, ssrc: payloadType };
    const mark = this.#heldBack.get(sequence) ?? this.mark;
    return rtpPacket({ ...header, timestamp: sequence * 3_000 }, Buffer.from([first, mark]));
  }
}
