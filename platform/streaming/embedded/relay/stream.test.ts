import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReaderHealth } from '../../engine.ts';
import { KEYFRAME_SPACING_MS, TAP_KEYFRAME_MS } from '../../limits.ts';
import { writeReceiverReport } from '../../wire/rtcp.ts';
import type { Reader } from './reader.ts';
import { FRAME_MS, Stage } from './testing.ts';

const marks = (packets: readonly Buffer[]): number[] => packets.map((packet) => packet[13]!);

describe('a stream', () => {
  it('leaves out video while the relay is behind, asks for a keyframe after, and keeps the sound', () => {
    const stage = new Stage();
    const [stream, source] = [stage.stream('one'), stage.publisher()];
    stream.publish(source.publisher);
    source.sendFrame(true);
    const { got } = stage.reader(stream);
    stage.isShedding = true;
    for (let i = 0; i < 5; i++) source.sendFrame(i === 3);
    stage.isShedding = false;
    const asked = source.wishes;
    for (let i = 0; i < 5; i++) source.sendFrame();
    expect(source.wishes).toBeGreaterThan(asked);
    const types = (): number[] => got.map((packet) => packet[1]! & 0x7f);
    expect(types().filter((type) => type === 108)).toHaveLength(1);
    expect(types().filter((type) => type === 109)).toHaveLength(10);
    source.sendFrame(true);
    source.sendFrame();
    expect(types().filter((type) => type === 108)).toHaveLength(3);
    expect(got.filter((packet) => (packet[1]! & 0x7f) === 108).map((packet) => packet.readUInt16BE(2)))
      .toEqual([1, 2, 3]);
  });

  it('asks for keyframes every two seconds while a process reads, and not for viewers', () => {
    const stage = new Stage();
    const [stream, source] = [stage.stream('one'), stage.publisher()];
    stream.publish(source.publisher);
    source.sendFrame(true);
    stage.reader(stream);
    const tick = (ms: number): void => {
      for (let passed = 0; passed < ms; passed += 100) {
        stage.clock.advance(100);
        stream.keepKeyframesComing(stage.nowMs());
      }
    };
    tick(10 * TAP_KEYFRAME_MS);
    expect(source.wishes).toBe(0);
    const { reader } = stage.reader(stream, false);
    for (let i = 0; i < 5; i++) {
      source.sendFrame(true);
      const before = source.wishes;
      tick(TAP_KEYFRAME_MS - 200);
      expect(source.wishes).toBe(before);
      tick(200 + 2 * KEYFRAME_SPACING_MS);
      expect(source.wishes).toBeGreaterThan(before);
    }
    expect([stream.viewerCount, stream.tapCount]).toEqual([1, 1]);
    stream.end(reader.session);
    const before = source.wishes;
    tick(10 * TAP_KEYFRAME_MS);
    expect(source.wishes).toBeLessThanOrEqual(before + 1);
  });

  it('lets readers go whose codec the next publisher does not send', () => {
    const stage = new Stage();
    const [stream, source] = [stage.stream('one'), stage.publisher()];
    stream.publish(source.publisher);
    const { reader } = stage.reader(stream);
    stream.makeRoom('anna');
    stream.publish(stage.publisher('VP8').publisher);
    expect(source.isClosed).toBe(true);
    expect(stage.reports.map(({ kind }) => kind)).toEqual(['down', 'reader_gone']);
    expect(stream.find(reader.session)).toBeNull();
  });

  it('says of a publisher that was replaced whether it still sent, and did not pause for a second', () => {
    const stage = new Stage();
    const stream = stage.stream('one');
    const reports: unknown[] = [];
    for (const pauseMs of [null, 0, 900, 1_000]) {
      const source = stage.publisher();
      stream.publish(source.publisher);
      if (pauseMs !== null) source.sendFrame(true);
      stage.clock.advance(Math.max(0, (pauseMs ?? 0) - FRAME_MS));
      stream.makeRoom('anna');
      const last = stage.reports.at(-1);
      if (last?.kind === 'down') reports.push([last.reason, last.wasSending]);
    }
    expect(reports)
      .toEqual([['replaced', false], ['replaced', true], ['replaced', true], ['replaced', false]]);
  });

  it('makes room for one that may replace only a pause: not while another connects, or sends', () => {
    const stage = new Stage();
    const stream = stage.stream('one');
    const source = stage.publisher();
    stream.publish(source.publisher);
    const isLetIn = (): boolean => {
      try {
        stream.makeRoom('anna', true);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'stream_taken' });
        return false;
      }
    };
    const outcomes = [isLetIn()];
    source.sendFrame(true);
    outcomes.push(isLetIn());
    for (const passMs of [900 - FRAME_MS, 100]) {
      stage.clock.advance(passMs);
      outcomes.push(isLetIn());
    }
    expect(outcomes).toEqual([false, false, false, true]);
    expect(stage.reports.at(-1)).toMatchObject({ kind: 'down', reason: 'replaced', wasSending: false });
  });

  it('sends a metered reader nothing of before it came, and says what it had last when it goes', () => {
    const stage = new Stage();
    const [stream, source] = [stage.stream('one'), stage.publisher()];
    stream.publish(source.publisher);
    source.sendFrame(true);
    for (let frame = 0; frame < 25; frame += 1) source.sendFrame();
    // Otherwise a reader that joins for an instant again and again would receive everything.
    const { reader, got } = stage.reader(stream, true, true);
    expect(got).toEqual([]);
    expect(reader.wantsKeyframe).toBe(true);
    source.sendFrame(true);
    expect(stream.takeReaders()[0]).toMatchObject({ isSent: true, received: [], lost: [] });
    source.sendFrame();
    stream.end(reader.session);
    expect(stage.reports.at(-1)).toEqual({
      kind: 'reader_gone',
      stream: 'one',
      session: reader.session,
      reason: 'ended',
      last: { session: reader.session, isSent: true, received: [], lost: [1, 0] },
    });
    const other = stage.reader(stream);
    stream.end(other.reader.session);
    expect(stage.reports.at(-1)).toMatchObject({ session: other.reader.session, last: null });
  });

  it('sends a metered reader nothing while it does not report, and the present picture when it does', () => {
    const stage = new Stage();
    const [stream, source] = [stage.stream('one'), stage.publisher()];
    stream.publish(source.publisher);
    source.sendFrame(true);
    const { reader, got } = stage.reader(stream, true, true);
    source.sendFrame(true);
    const second = (): ReaderHealth | undefined => {
      for (let frame = 0; frame < 25; frame += 1) source.sendFrame();
      return stream.takeReaders()[0];
    };
    const reports = (): void =>
      reader.receive(writeReceiverReport(1, [{
        ssrc: 108,
        fractionLost: 0,
        packetsLost: 0,
        highestSequence: reader.track('video')!.lastSequence,
        jitter: 0,
        lastSenderReport: 0,
        sinceSenderReport: 0,
      }]));
    second();
    reports();
    expect(second()).toMatchObject({ received: [1], lost: [] });
    second();
    expect(second()).toMatchObject({ received: [], lost: [2, 1, 0] });
    const before = got.length;
    expect(second()).toMatchObject({ isSent: false, received: [], lost: [] });
    reader.track('video')!.retransmit([reader.track('video')!.lastSequence], stage.nowMs());
    expect(got).toHaveLength(before);
    expect(reader.wantsKeyframe).toBe(false);
    const last = reader.track('video')!.lastSequence;
    const lastSound = reader.track('audio')!.lastSequence;
    reports();
    source.sendFrame(true);
    second();
    const numbers = (type: number): number[] =>
      got.slice(before)
        .filter((packet) => (packet[1]! & 0x7f) === type).map((packet) => packet.readUInt16BE(2));
    // Its sequence numbers have no gap, so that it does not report unsent packets as lost.
    expect(numbers(108).slice(0, 3)).toEqual([last + 1, last + 2, last + 3]);
    expect(numbers(109).slice(0, 3)).toEqual([lastSound + 1, lastSound + 2, lastSound + 3]);
    reports();
    expect(stream.takeReaders()[0]).toMatchObject({ received: [1], lost: [] });
  });

  it('lets a player without reports watch while its transport lives, and cuts one that is metered', () => {
    const stage = new Stage();
    const [stream, source] = [stage.stream('one'), stage.publisher()];
    stream.publish(source.publisher);
    const [mute, metered, reporting] = [
      stage.reader(stream),
      stage.reader(stream, true, true),
      stage.reader(stream),
    ];
    for (const { reader } of [mute, metered, reporting]) reader.connected();
    const block = {
      ssrc: 108,
      fractionLost: 0,
      packetsLost: 0,
      highestSequence: 0,
      jitter: 0,
      lastSenderReport: 0,
      sinceSenderReport: 0,
    };
    const passes = (seconds: number, reports: readonly Reader[]): void => {
      for (let second = 0; second < seconds; second += 1) {
        for (let frame = 0; frame < 30; frame += 1) source.sendFrame(frame === 0);
        for (const reader of reports) reader.receive(writeReceiverReport(1, [block]));
        stream.takeReaders();
        stream.endSilent(stage.nowMs());
      }
    };
    const gone = () =>
      stage.reports.flatMap((
        report,
      ) => (report.kind === 'reader_gone' ? [[report.session, report.reason]] : []));
    passes(20, [reporting.reader]);
    expect(gone()).toEqual([[metered.reader.session, 'silent']]);
    expect(metered.goodbyes()).toEqual(['no RTCP receiver reports']);
    passes(40, [reporting.reader]);
    expect(mute.got.length).toBeGreaterThan(3_000);
    // A reader that used to report and stopped has left; for one that never did, the transport decides.
    passes(10, []);
    expect(gone().slice(1)).toEqual([[reporting.reader.session, 'silent']]);
    mute.reader.leave();
    expect(gone().slice(2)).toEqual([[mute.reader.session, 'ended']]);
    expect(mute.goodbyes()).toEqual(['']);
  });

  it('gives its publisher away with nothing of what was before: neither at once, nor again, nor late', () => {
    const stage = new Stage();
    const [open, closed, source] = [stage.stream('open'), stage.stream('closed'), stage.publisher()];
    open.publish(source.publisher);
    source.sendFrame(true);
    for (let i = 0; i < 5; i++) source.sendFrame();
    const before = stage.reader(open);
    source.sendFrame(false, 3);
    source.mark = 1;
    closed.publish(open.release()!);
    const cut = before.got.length;
    const after = stage.reader(closed);
    source.sendLate(1);
    source.sendLate(2);
    after.reader.track('video')!.retransmit([0, 1, 2, 65_535, 65_534], stage.nowMs());
    for (let i = 0; i < 5; i++) source.sendFrame(i === 2);
    expect(before.got).toHaveLength(cut);
    expect(marks(after.got).every((mark) => mark === 1)).toBe(true);
    expect(after.got.filter((packet) => (packet[1]! & 0x7f) === 108)).toHaveLength(3);
    expect(open.isEmpty).toBe(true);
    expect(closed.takeHealth(stage.nowMs(), 1_000)).toMatchObject({ stream: 'closed', session: 'p1' });
    source.publisher.leave();
    expect(stage.reports.at(-1)).toMatchObject({ kind: 'down', stream: 'closed', session: 'p1' });
  });

  it('never lets a reader see what was sent under another name, whoever comes and goes', () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('frames' as const),
        count: fc.integer({ min: 1, max: 8 }),
        key: fc.boolean(),
      }),
      fc.record({ kind: fc.constant('move' as const), to: fc.nat(2) }),
      fc.record({ kind: fc.constant('join' as const) }),
      fc.record({ kind: fc.constant('late' as const), behind: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ kind: fc.constant('again' as const), own: fc.integer({ min: 0, max: 0xffff }) }),
    );
    fc.assert(fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const stage = new Stage();
      const streams = [stage.stream('a'), stage.stream('b'), stage.stream('c')];
      const source = stage.publisher();
      let at = 0;
      const readers: { at: number; generation: number; got: Buffer[]; reader: Reader }[] = [];
      streams[0]!.publish(source.publisher);
      source.sendFrame(true);
      for (const one of steps) {
        const mark = source.mark;
        if (one.kind === 'frames') {
          for (let i = 0; i < one.count; i++) source.sendFrame(one.key && i === 0, i % 3);
        } else if (one.kind === 'move' && one.to !== at) {
          streams[one.to]!.publish(streams[at]!.release()!);
          at = one.to;
          // Each period has a mark of its own; a late packet bears the mark of the period before.
          source.mark = (mark + 1) & 0xff;
        } else if (one.kind === 'join') {
          const { reader, got } = stage.reader(streams[at]!);
          readers.push({ at, generation: mark, got, reader });
        } else if (one.kind === 'late') source.sendLate(one.behind);
        else if (one.kind === 'again') {
          for (const { reader } of readers) reader.track('video')!.retransmit([one.own], stage.nowMs());
        }
        for (const reader of readers) {
          expect(marks(reader.got).every((seen) => seen === reader.generation)).toBe(true);
        }
      }
    }));
  });
});
