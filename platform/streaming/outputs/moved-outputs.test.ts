import { expect, it } from 'vitest';
import { outputStage } from './trial/analyzer/stage.ts';
import { MovedOutputs } from './trial/moved-outputs.ts';

const staged = outputStage();

/** `moved-outputs.prove.ts` runs the same at full size. */
it('nothing that is made of a public name shows what came under the private one', async () => {
  const { moves, public: seen, private: inside, leaked, late } = await MovedOutputs.run(staged(), 2);
  expect([moves, late]).toEqual([4, 0]);
  expect(leaked).toEqual({ segments: 0, thumbnails: 0, previews: 0, recordings: 0 });
  for (const pictures of Object.values(seen)) expect(pictures).toBeGreaterThan(0);
  expect(inside).toBeGreaterThan(20);
});
