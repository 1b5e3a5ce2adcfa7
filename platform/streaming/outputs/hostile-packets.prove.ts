import { expect, it } from 'vitest';
import { heldBytes } from '../conformance/load/heap.ts';
import { writeProof } from '../conformance/load/proof-report.ts';
import { feedHostilePackets } from './trial/hostile-packets.ts';

const INPUTS = 1_000_000;
const MEGABYTE = 1024 * 1024;

it('a million mutated packets become whole segments and recordings or nothing', () => {
  const held: number[] = [];
  const { inputs, pictures, segments, fragments } = feedHostilePackets(INPUTS, 3, (done) => {
    held.push(heldBytes());
    process.stderr.write(`packets: ${done}\n`);
  });
  const growth = held.at(-1)! - held[1]!;
  expect(growth).toBeLessThan(8 * MEGABYTE);
  expect(pictures).toBeGreaterThan(INPUTS / 100);
  writeProof({
    name: 'hostile-packets-of-outputs',
    title: 'Hostile packets where streams become files',
    claim: 'Mutated RTP and RTCP go through the jitter buffers, the H.264 depacketizer, the timeline, the '
      + 'segmenter and the recorder. Nothing throws or grows, no time runs away from the clock, and every '
      + 'segment and fragment that is written is whole to the byte.',
    facts: [
      ['Mutated packets', inputs],
      ['… pictures taken for whole', pictures],
      ['Segments written', segments],
      ['Fragments recorded', fragments],
      ['Held more after the last than after the first tenth', `${(growth / MEGABYTE).toFixed(1)} MB`],
    ],
  });
});
