import assert from 'node:assert/strict';
import { assertRefused, plays, type Scenario } from '../world.ts';

/** Who is admitted. */
export const admissionScenarios: readonly Scenario[] = [
  {
    title: 'readers beyond the limit are refused as overloaded, and let in again when one has left',
    requires: { maxReaders: 2 },
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one');
      const first = await world.play(peers, 'one');
      await world.play(peers, 'one');
      const third = await peers.reader();
      await assertRefused(world.engine.play('one', third.offer), 'overloaded');
      await world.engine.end(first.session());
      await third.accept(await world.admit('one', third.offer));
      await plays(third);
    },
  },
  {
    title: 'a stream nobody publishes is refused as offline',
    run: async (world) => {
      const reader = await world.peers().reader();
      await assertRefused(world.engine.play('nobody', reader.offer), 'stream_offline');
      assert.equal(await world.engine.end('no-such-session'), false);
    },
  },
];
