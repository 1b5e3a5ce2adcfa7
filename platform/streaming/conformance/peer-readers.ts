import assert from 'node:assert/strict';
import type { PeerProcess } from './processes/peers.ts';
import { readerScenarios, type ReadersStage } from './scenarios/readers.ts';
import { plays, type Scenario, type World } from './world.ts';

/** Time in which a live stream is reported twice. */
const NO_REPORT_MS = 2_000;

/** The stage with real peers and packets. Each publisher has a process of its own, to end it with. */
function stageOf(world: World): ReadersStage {
  const readers = world.peers();
  const publishers = new Map<string, PeerProcess>();
  return {
    engine: world.engine,
    publish: async (stream) => {
      const peers = world.peers();
      publishers.set(stream, peers);
      await world.publish(peers, stream);
    },
    play: async (stream, isMetered) => {
      const reader = await world.play(readers, stream, 0, undefined, { isMetered });
      await plays(reader);
      return { session: reader.session(), stopNetwork: () => reader.do('silence') };
    },
    playUnreported: async (stream, isMetered) => {
      const reader = await readers.reader({ reports: false });
      const session = await reader.accept(await world.admit(stream, reader.offer, { isMetered }));
      await plays(reader);
      return {
        ended: async () => {
          const gone = world.reports.all.find((report) =>
            report.kind === 'reader_gone' && report.session === session
          );
          if (gone?.kind !== 'reader_gone') return null;
          const { endReason } = await reader.seen.until('a goodbye', (view) => view.ended);
          assert.equal(endReason, gone.reason === 'silent' ? 'no RTCP receiver reports' : '');
          return gone.reason;
        },
        receivesMore: async () => {
          const { videoPackets, audioPackets } = await reader.seen.until('anything', () => true);
          await reader.seen.until(
            'more of both',
            (view) => view.videoPackets > videoPackets + 20 && view.audioPackets > audioPackets + 10,
          );
        },
      };
    },
    stopMedia: async (stream) => publishers.get(stream)?.kill(),
    nextSecond: async (stream) => {
      const report = await world.reports.within(
        NO_REPORT_MS,
        'health',
        ({ health }) => health.stream === stream,
      );
      return report?.readers ?? null;
    },
  };
}

/** The scenarios of metered readers, with peers. */
export const peerReaderScenarios: readonly Scenario[] = readerScenarios.map(({ title, run }) => ({
  title,
  run: (world) => run(stageOf(world)),
}));
