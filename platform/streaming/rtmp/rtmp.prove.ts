import { systemClock } from '#platform/data/clock.ts';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { heldBytes } from '../conformance/load/heap.ts';
import { writeProof } from '../conformance/load/proof-report.ts';
import { residentBytes } from '../conformance/load/resident.ts';
import { Dice } from '../conformance/network/dice.ts';
import { MediaProcess } from '../conformance/processes/media-process.ts';
import { RtmpClient } from '../conformance/rtmp/rtmp-client.ts';
import { readSoundTag } from '../wire/rtmp/flv.ts';
import { MESSAGE } from '../wire/rtmp/rtmp-chunks.ts';
import {
  feedHostileStreams,
  hostileConversation,
  hostileSound,
  type HostileStream,
} from './hostile-streams.ts';
import { AacDecoder, OpusEncoder } from './media/tracks/sound-codec.ts';
import { SoundTrack } from './media/tracks/sound-track.ts';
import { loadCodecs } from './media/transcode/codecs.ts';
import { createRtmpIngest } from './rtmp-ingest.ts';

const INPUTS: Readonly<Record<HostileStream, number>> = {
  conversations: 600_000,
  commands: 250_000,
  tags: 250_000,
};
const SOUND_FRAMES = 100_000;
const CONNECTIONS = 5_000;
/** Concurrent connections; new ones are opened as fast as others are refused. */
const BESIDE = 8;
const MEGABYTE = 1_024 * 1_024;
const MOST_GROWTH = 16 * MEGABYTE;
/** Memory that a program's allocator may retain after its peak. */
const MOST_RESIDENT_GROWTH = 48 * MEGABYTE;
const FACTS = 14;
const facts: [string, string | number][] = [];
const media = new MediaProcess();
let sounds: Buffer[] = [];

const inMegabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`;

beforeAll(async () => {
  const tags = await media.source({ seconds: 2 });
  sounds = tags.flatMap(({ type, payload }) => {
    const tag = type === MESSAGE.audio ? readSoundTag(payload) : null;
    return tag?.kind === 'frame' ? [tag.aac] : [];
  });
});
afterAll(() => media.close());

it.each(['conversations', 'commands', 'tags'] as const)('%s', (kind) => {
  const dice = new Dice(2_026);
  feedHostileStreams(kind, 1_000, dice);
  const before = heldBytes();
  const { inputs, taken } = feedHostileStreams(kind, INPUTS[kind], dice);
  const growth = heldBytes() - before;
  expect(growth).toBeLessThan(MOST_GROWTH);
  facts.push([`mutated ${kind}`, inputs], [`of them taken, in whole or in part`, taken], [
    'memory held after them',
    inMegabytes(growth),
  ]);
});

it('sound that is decoded in earnest', async () => {
  const codecs = await loadCodecs();
  const dice = new Dice(7);
  let packets = 0;
  const track = new SoundTrack({
    decoder: (record) => new AacDecoder(codecs, record),
    encoder: new OpusEncoder(codecs),
    send: () => void (packets += 1),
  });
  track.take(Buffer.from('af001210', 'hex'), 0);
  for (let i = 0; i < SOUND_FRAMES; i++) {
    track.take(Buffer.concat([Buffer.from([0xaf, 1]), hostileSound(dice, sounds)]), i * 23);
  }
  track.close();
  expect(packets).toBeGreaterThan(SOUND_FRAMES / 4);
  facts.push(['mutated frames of AAC, decoded', SOUND_FRAMES], ['packets of Opus made of them', packets]);
});

/** One mutated connection to the running program; resolves when the program has ended it. */
function attack(port: number, bytes: readonly Buffer[]): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of bytes) socket.write(part);
      socket.end();
    });
    socket.resume();
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
  });
}

it('the running program', async () => {
  const ingest = createRtmpIngest({ port: 0, bindAddress: '127.0.0.1', clock: systemClock });
  let asked = 0;
  await ingest.start(() => {
    asked += 1;
    return Promise.resolve({ admitted: false, reason: 'No.' });
  });
  const [port, pid] = [ingest.port()!, ingest.pid()!];
  const dice = new Dice(11);
  const rounds = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += BESIDE) {
      await Promise.all(Array.from({ length: BESIDE }, () => attack(port, hostileConversation(dice))));
    }
  };
  await rounds(CONNECTIONS / 2);
  const before = residentBytes(pid);
  asked = 0;
  await rounds(CONNECTIONS);
  const growth = residentBytes(pid) - before;
  const cameFar = asked;
  const client = new RtmpClient(port);
  const { statuses } = await client.publish('a-key');
  expect(statuses.at(-1)).toEqual({ code: 'NetStream.Publish.BadName', description: 'No.' });
  expect(ingest.pid()).toBe(pid);
  expect(cameFar).toBeGreaterThan(CONNECTIONS / 10);
  expect(growth).toBeLessThan(MOST_RESIDENT_GROWTH);
  client.close();
  await ingest.close();
  facts.push(['mutated connections to the running program', CONNECTIONS], [
    'of them came as far as asking to publish',
    cameFar,
  ], ['growth of its memory', inMegabytes(growth)]);
});

it('the report', () => {
  // A test that failed above added none of its facts.
  expect(facts).toHaveLength(FACTS);
  const inputs = Object.values(INPUTS).reduce((sum, number) => sum + number, SOUND_FRAMES + CONNECTIONS);
  expect(inputs).toBeGreaterThanOrEqual(1_000_000);
  writeProof({
    name: 'rtmp-inputs',
    title: 'Hostile RTMP',
    claim: 'Mutated connections, commands and media of RTMP are taken or refused. No input throws, nothing '
      + 'is kept of them, what goes on to a relay is always whole, and the program that listens stays up.',
    facts: [['inputs in all', inputs], ...facts],
  });
});
