import { expect, it } from 'vitest';
import { writeProof } from '../conformance/load/proof-report.ts';
import { outputStage } from './trial/analyzer/stage.ts';
import { MovedOutputs } from './trial/moved-outputs.ts';

const CYCLES = 50;
const staged = outputStage();

it('in a hundred moves nothing made of a public name shows what came under the private one', async () => {
  const { moves, public: seen, private: inside, leaked, late } = await MovedOutputs.run(
    staged(),
    CYCLES,
    (done) => void process.stderr.write(`cycles: ${done}\n`),
  );
  expect(moves).toBeGreaterThanOrEqual(100);
  expect(late).toBe(0);
  expect(leaked).toEqual({ segments: 0, thumbnails: 0, previews: 0, recordings: 0 });
  writeProof({
    name: 'moved-outputs',
    title: 'What is made of streams that move',
    claim: 'A publisher goes into private and back while HLS, thumbnails, previews and a recording are made '
      + 'of its public name, some of them just when it moves. Its picture is bright in public and dark in '
      + 'private: everything those outside got is decoded. From 250 ms after the start of a private show '
      + 'they ask for each segment, thumbnail, preview and rendition of the public name, 50 ms after each '
      + 'answer.',
    facts: [
      ['Moves', moves],
      ['Pictures in segments of the public name', seen.segments],
      ['… in thumbnails', seen.thumbnails],
      ['… in previews', seen.previews],
      ['… in recordings', seen.recordings],
      ['Private pictures that members saw', inside],
      ['Private pictures in anything of the public name', Object.values(leaked).reduce((a, b) => a + b, 0)],
      ['Answers with media, or recordings that went on, after 250 ms', late],
    ],
  });
});
