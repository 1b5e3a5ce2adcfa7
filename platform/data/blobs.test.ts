import { expect, it } from 'vitest';
import { memoryBlobs, storeBlobs, storedRemoval, type Blobs, type StoredBlobs } from './blobs.ts';

const MADE = [{ bytes: new Uint8Array([1]) }, { bytes: new Uint8Array([2]) }];
const storedIn = async (blobs: Blobs, { blobs: ids }: StoredBlobs): Promise<boolean[]> =>
  Promise.all(ids.map(async (id) => (await blobs.get(id)) !== null));

it('bytes whose row was written stay, and are removed at the deadline', async () => {
  const blobs = memoryBlobs();
  const stored = await storeBlobs(blobs, MADE, async (one) => one);
  expect(await storedIn(blobs, stored)).toEqual([true, true]);
  const { handle } = storedRemoval('test.removal', blobs);
  await handle({ operatorId: 1, key: stored.key, at: new Date(0), payload: { blobs: stored.blobs } });
  expect(await storedIn(blobs, stored)).toEqual([false, false]);
});

it('bytes whose row failed, or was refused, are removed', async () => {
  const blobs = memoryBlobs();
  const seen: StoredBlobs[] = [];
  await expect(storeBlobs(blobs, MADE, async (one) => {
    seen.push(one);
    throw new Error('the row failed');
  })).rejects.toThrow('the row failed');
  const refuses = async (one: StoredBlobs) => {
    seen.push(one);
    return 'full';
  };
  expect(await storeBlobs(blobs, MADE, refuses, (outcome) => outcome !== 'full')).toBe('full');
  for (const one of seen) expect(await storedIn(blobs, one)).toEqual([false, false]);
  expect(seen).toHaveLength(2);
});

it('equal bytes stored twice are two, so that the removal of one takes nothing of the other', async () => {
  const blobs = memoryBlobs();
  const [one, other] = [await storeBlobs(blobs, MADE, async (it) => it),
    await storeBlobs(blobs, MADE, async (it) => it)];
  for (const id of one.blobs) await blobs.remove(id);
  expect(await storedIn(blobs, other)).toEqual([true, true]);
});
