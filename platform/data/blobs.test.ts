import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { diskBlobs, memoryBlobs, storeBlobs, storedRemoval, type Blobs, type StoredBlobs } from './blobs.ts';
import { systemClock } from './clock.ts';

const MADE = [{ bytes: new Uint8Array([1]) }, { bytes: new Uint8Array([2]) }];
const storedIn = async (blobs: Blobs, { blobs: ids }: StoredBlobs): Promise<boolean[]> =>
  Promise.all(ids.map(async (id) => (await blobs.get(id)) !== null));

it('bytes whose row was written stay, and are removed at the deadline', async () => {
  const blobs = memoryBlobs();
  const stored = await storeBlobs(blobs, MADE, async (item) => item);
  expect(await storedIn(blobs, stored)).toEqual([true, true]);
  const { handle } = storedRemoval('test.removal', blobs);
  await handle({ operatorId: 1, key: stored.key, at: new Date(0), payload: { blobs: stored.blobs } });
  expect(await storedIn(blobs, stored)).toEqual([false, false]);
});

it('bytes whose row failed, or was refused, are removed', async () => {
  const blobs = memoryBlobs();
  const seen: StoredBlobs[] = [];
  await expect(storeBlobs(blobs, MADE, async (item) => {
    seen.push(item);
    throw new Error('the row failed');
  })).rejects.toThrow('the row failed');
  const refuses = async (item: StoredBlobs) => {
    seen.push(item);
    return 'full';
  };
  expect(await storeBlobs(blobs, MADE, refuses, (outcome) => outcome !== 'full')).toBe('full');
  for (const one of seen) expect(await storedIn(blobs, one)).toEqual([false, false]);
  expect(seen).toHaveLength(2);
});

it('equal bytes stored twice are two, so that the removal of one takes nothing of the other', async () => {
  const blobs = memoryBlobs();
  const [one, other] = [
    await storeBlobs(blobs, MADE, async (it) => it),
    await storeBlobs(blobs, MADE, async (it) => it),
  ];
  for (const id of one.blobs) await blobs.remove(id);
  expect(await storedIn(blobs, other)).toEqual([true, true]);
});

const onDisk = (): Blobs => {
  const folder = mkdtempSync(join(tmpdir(), 'candela-blobs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'no blob'), '');
  return diskBlobs(join(folder));
};
it.each([['disk', onDisk], ['memory', () => memoryBlobs(() => systemClock.now())]] as const)(
  'blobs on %s are listed page by page, each once, with when they were stored',
  async (_title, open) => {
    const blobs = open();
    expect([await blobs.list(null, 10), await blobs.databaseId()]).toEqual([[], null]);
    await blobs.setDatabaseId('one');
    await blobs.setDatabaseId('another');
    expect(await blobs.databaseId()).toBe('another');
    const since = new Date(systemClock.now().getTime() - 5_000);
    const ids = await Promise.all(Array.from({ length: 23 }, (_, at) => blobs.put(new Uint8Array([at]))));
    const listed: string[] = [];
    for (let after: string | null = null;;) {
      const page = await blobs.list(after, 10);
      for (const { storedAt } of page) expect(storedAt.getTime()).toBeGreaterThan(since.getTime());
      listed.push(...page.map(({ id }) => id));
      if (page.length < 10) break;
      after = page.at(-1)?.id ?? null;
    }
    expect(listed).toEqual(ids.toSorted());
    await blobs.remove(ids[0] ?? '');
    expect((await blobs.list(null, 100)).map(({ id }) => id)).toEqual(ids.slice(1).toSorted());
  },
);
