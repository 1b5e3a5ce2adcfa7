import { replacesOnlyPaused } from '#platform/streaming/conformance/scenarios/pauses.ts';
import { readerScenarios, type ReadersStage } from '#platform/streaming/conformance/scenarios/readers.ts';
import type { GoneReason, ReaderHealth, StreamReport } from '#platform/streaming/engine.ts';
import { describe, expect, it } from 'vitest';
import { TEST_OFFER, TestEngine } from './engine.ts';

/** Tests of readers on the fake engine: a second only passes on request. */
function stage(): ReadersStage {
  const engine = new TestEngine();
  return {
    engine,
    publish: async (stream) => {
      await engine.publish(stream, TEST_OFFER, { owner: 'anna' });
      engine.arriveAt(stream);
    },
    play: async (stream, isMetered) => {
      const { session } = await engine.play(stream, TEST_OFFER, { isMetered });
      return { session, stopNetwork: async () => engine.sends(session, 0) };
    },
    playUnreported: async (stream, isMetered) => {
      const { session } = await engine.play(stream, TEST_OFFER, { isMetered });
      engine.setReports(session, false);
      let reason: GoneReason | null = null;
      engine.onReport((report) => {
        if (report.kind === 'reader_gone' && report.session === session) reason = report.reason;
      });
      return {
        ended: async () => reason,
        receivesMore: async () => expect(engine.sendsNow(session)).toBe(true),
      };
    },
    stopMedia: async (stream) => engine.drop(stream, 'silent'),
    nextSecond: async (stream) => (engine.isLive(stream) ? secondOf(engine, stream) : null),
  };
}

function secondOf(engine: TestEngine, stream: string): readonly ReaderHealth[] | null {
  const reports: StreamReport[] = [];
  const stop = engine.onReport((report) => void reports.push(report));
  engine.measure(stream);
  stop();
  return reports.flatMap((report) => (report.kind === 'health' ? report.readers : []));
}

describe('the fake of the media engine', () => {
  for (const scenario of readerScenarios) {
    it(scenario.title, async () => {
      await expect(scenario.run(stage())).resolves.toBeUndefined();
    });
  }

  it.each(['peers', 'ingests'] as const)('replaces paused publishers alone if %s ask so', async (kind) => {
    const engine = new TestEngine();
    const asks = async (onlyPaused: boolean): Promise<string> => {
      const options = { owner: 'anna', onlyPaused };
      const { session } = kind === 'peers'
        ? await engine.publish('one', TEST_OFFER, options)
        : await engine.local.feed('one', options);
      return session;
    };
    await expect(replacesOnlyPaused({
      engine,
      sends: async () => {
        const session = await asks(false);
        engine.arriveAt('one');
        return session;
      },
      asks: () => asks(true),
      pauses: async () => engine.pause('one'),
    })).resolves.toBeUndefined();
  });

  it('sends readers nothing while no media comes in', async () => {
    const engine = new TestEngine();
    await engine.publish('one', TEST_OFFER, { owner: 'anna' });
    engine.arrive();
    const { session } = await engine.play('one', TEST_OFFER, { isMetered: true });
    const reports: StreamReport[] = [];
    engine.onReport((report) => void reports.push(report));
    engine.measure('one', { videoBitsPerSecond: 0, audioBitsPerSecond: 0 });
    engine.measure('one');
    expect(reports.map((report) => report.kind === 'health' && report.readers)).toEqual([
      [{ session, isSent: false, received: [], lost: [] }],
      [{ session, isSent: true, received: [0], lost: [] }],
    ]);
  });
});
