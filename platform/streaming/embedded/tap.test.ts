import { VirtualClock } from '#platform/data/clock.ts';
import { describe, expect, it } from 'vitest';
import { TAP_BEHIND_BYTES } from '../limits.ts';
import { LocalDoor, type LocalLine } from '../local/door.ts';
import { FRAME, type FrameType } from '../local/frames.ts';
import { rtpPacket } from '../wire/rtp.ts';
import { Tap } from './tap.ts';
import { DROPPED, IncomingTrack } from './tracks/incoming-track.ts';

/** A line whose other end reads as much as the test wants, when it wants. */
class SlowLine implements LocalLine {
  queuedBytes = 0;
  isClosed = false;
  readonly sent: { readonly type: FrameType; readonly bytes: number }[] = [];
  #drained: () => void = () => undefined;

  readonly send = (type: FrameType, payload: Uint8Array = new Uint8Array()): void => {
    this.queuedBytes += payload.length;
    this.sent.push({ type, bytes: payload.length });
  };
  readonly onDrained = (listener: () => void): void => {
    this.#drained = listener;
  };
  readonly close = (): void => {
    this.isClosed = true;
  };

  takeAll(): void {
    this.queuedBytes = 0;
    this.#drained();
  }

  count(type: FrameType): number {
    return this.sent.filter((item) => item.type === type).length;
  }
}

describe('a tap', () => {
  const staged = () => {
    const clock = new VirtualClock();
    const nowMs = (): number => clock.now().getTime();
    const door = new LocalDoor({ socketPath: 'never-opened', clock, nowMs });
    const tap = new Tap({ session: 's', codec: 'H264', door, nowMs });
    const line = new SlowLine();
    let joins = 0;
    tap.reader.attach({
      joined: () => void (joins += 1),
      keyframeWanted: () => undefined,
      gone: () => undefined,
    });
    tap.attach(line);
    const sources = {
      video: new IncomingTrack({ kind: 'video', payloadType: 96, codec: 'H264' }),
      audio: new IncomingTrack({ kind: 'audio', payloadType: 111, codec: 'opus' }),
    };
    let sequence = 0;
    const send = (kind: 'video' | 'audio', first: number): void => {
      sequence += 1;
      const source = sources[kind];
      const { payloadType } = source;
      const header = { payloadType, marker: true, sequence, timestamp: sequence, ssrc: 1 };
      const packet = rtpPacket(header, Buffer.alloc(1_000, first));
      const taken = source.accept(packet, nowMs());
      if (taken !== DROPPED) tap.reader.track(kind)!.forward(source, packet, taken, sequence, nowMs());
    };
    return { clock, nowMs, tap, line, send, joins: () => joins };
  };

  it('that falls behind gets sound but no video, and rejoins at a keyframe when it has caught up', () => {
    const { tap, line, send, joins } = staged();
    expect([line.sent[0]!.type, joins()]).toEqual([FRAME.ready, 1]);
    send('video', 0x65);
    while (line.queuedBytes <= TAP_BEHIND_BYTES) send('video', 0x61);
    const [video, audio] = [line.count(FRAME.video), line.count(FRAME.audio)];
    for (let i = 0; i < 50; i++) {
      send('video', 0x65);
      send('audio', 1);
    }
    expect([line.count(FRAME.video), line.count(FRAME.audio)]).toEqual([video, audio + 50]);
    // It must not make the publisher send keyframes that it could not read anyway.
    expect(tap.reader.wantsKeyframe).toBe(false);
    line.takeAll();
    expect([joins(), tap.reader.wantsKeyframe]).toEqual([2, true]);
    send('video', 0x61);
    expect(line.count(FRAME.video)).toBe(video);
    send('video', 0x65);
    send('video', 0x61);
    expect(line.count(FRAME.video)).toBe(video + 2);
  });

  it('that stays behind is silent after a while, and one that reads never is', () => {
    const { clock, nowMs, tap, line, send } = staged();
    clock.advance(1_000_000);
    expect(tap.reader.isSilent(nowMs())).toBe(false);
    send('video', 0x65);
    while (line.queuedBytes <= TAP_BEHIND_BYTES) send('video', 0x61);
    clock.advance(10_000);
    expect(tap.reader.isSilent(nowMs())).toBe(false);
    clock.advance(1);
    expect(tap.reader.isSilent(nowMs())).toBe(true);
    line.takeAll();
    expect(tap.reader.isSilent(nowMs())).toBe(false);
    tap.reader.close('');
    expect(line.isClosed).toBe(true);
    send('video', 0x65);
    line.takeAll();
    send('video', 0x65);
    expect(tap.reader.wantsKeyframe).toBe(false);
  });
});
