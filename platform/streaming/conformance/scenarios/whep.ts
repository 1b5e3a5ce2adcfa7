import assert from 'node:assert/strict';
import { assertRefused, assertWatchable, plays, type Scenario } from '../world.ts';

/** Scenarios of engines that take offers and give answers (WHIP, WHEP). */
export const whepScenarios: readonly Scenario[] = [
  {
    title: 'VP8 is relayed too',
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one', 'anna', { codec: 'VP8' });
      const reader = await peers.reader({ codec: 'VP8' });
      await reader.accept(await world.admit('one', reader.offer));
      assertWatchable(await plays(reader));
    },
  },
  {
    title: 'a malformed offer is refused, and a live publisher of the same stream does not notice',
    run: async (world) => {
      const peers = world.peers();
      await world.publish(peers, 'one');
      const { offer } = await peers.publisher();
      const broken = [
        '',
        'v=0',
        'hello',
        offer.replace('v=0', 'v=1'),
        offer.replaceAll(/a=fingerprint.*\r\n/g, ''),
        offer.replaceAll(/a=ice-pwd.*\r\n/g, ''),
        offer.replaceAll('m=', 'm=\0'),
        offer + offer,
        `${offer}${'a=x\r\n'.repeat(30_000)}`,
        offer.replaceAll('a=mid:v', 'a=mid:a'),
      ];
      for (const one of broken) {
        await assertRefused(world.engine.publish('one', one, { owner: 'anna' }), 'malformed_offer');
        await assertRefused(world.engine.play('one', one), 'malformed_offer');
      }
      const wrongWay = offer.replaceAll('sendonly', 'recvonly');
      await assertRefused(world.engine.publish('one', wrongWay, { owner: 'anna' }), 'malformed_offer');
      await assertRefused(world.engine.play('one', offer), 'malformed_offer');
      assert.ok(!world.reports.all.some((report) => report.kind === 'down'));
    },
  },
  {
    title: 'an offer without a common codec is refused as unsupported',
    run: async (world) => {
      const peers = world.peers();
      const modern = await peers.publisher({ codec: 'H265' });
      await assertRefused(world.engine.publish('one', modern.offer, { owner: 'anna' }), 'unsupported_codec');
      await world.publish(peers, 'two');
      const reader = await peers.reader({ codec: 'VP8' });
      await assertRefused(world.engine.play('two', reader.offer), 'unsupported_codec');
    },
  },
  {
    title: 'junk on the media path of publisher and reader harms nobody',
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'one');
      const reader = await world.play(peers, 'one');
      const before = await plays(reader);
      const heads = [0x80, 0x9f, 0x8f, 0xb0, 0xbf];
      const types = [96, 0xe0, 200, 201, 205, 206, 0xff];
      const lying = heads.flatMap((head) =>
        types.map((type) => Buffer.concat([Buffer.from([head, type, 0xff, 0xff]), Buffer.alloc(24, 0xff)]))
      );
      const junk = [
        ...lying,
        // A source description with a truncated chunk, which once hung the native RTCP parser.
        Buffer.from([0x81, 202, 0, 3, 0, 0, 0, 1, 1, 200, 65, 65, 65, 65, 65, 65]),
        Buffer.from([0x81, 205, 0, 200, ...Buffer.alloc(8)]),
      ];
      await publisher.sendRaw(junk);
      await reader.sendRaw(junk);
      const after = await reader.seen.until('more', (view) => view.videoPackets > before.videoPackets + 60);
      assert.equal(after.timeWentBack, 0);
      assert.ok(!world.reports.all.some((report) => report.kind === 'down' || report.kind === 'reader_gone'));
    },
  },
];
