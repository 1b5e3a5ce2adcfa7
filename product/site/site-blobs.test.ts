import { memoryBlobs, type Blobs } from '#platform/data/blobs.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import { openTestData } from '#platform/data/testing.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#platform/time/units.ts';
import { order } from '#product/order.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { expect, it, onTestFinished } from 'vitest';
import { BlobSweep } from './server/blob-sweep.ts';

/** Stores bytes older than those whose row may still be written. */
const put = (blobs: Blobs, text: string) => blobs.put(new TextEncoder().encode(text));
const stay = (blobs: Blobs, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await blobs.get(id)) !== null));
type Options = NonNullable<Parameters<typeof createSite>[0]>;
async function opens(options: Options = {}): Promise<TestSite & { readonly blobs: Blobs }> {
  const site = await createSite({ blobs: memoryBlobs(), ...options });
  onTestFinished(() => site.close());
  return site;
}
async function names(site: TestSite, blob: string): Promise<void> {
  const { id } = await site.performer();
  await site.tx((tx) => site.services.broadcast.setPortrait(tx, id, blob));
}
async function daysPass(site: TestSite, days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) await site.passes(DAY_MS);
}
const sweepOf = ({ data, extensions, blobs }: TestSite, operators: readonly number[]) =>
  new BlobSweep({
    data,
    extensions,
    blobs,
    operators: async () => operators,
    onForeignBlobs: () => {},
  });

it('the blobs of another database stay, and the log says so once', async () => {
  const site = await opens();
  const [named, orphan] = [await put(site.blobs, 'named'), await put(site.blobs, 'orphan')];
  await names(site, named);
  const other = await opens({ blobs: site.blobs });
  await daysPass(other, 4);
  expect(await stay(site.blobs, [named, orphan])).toEqual([true, true]);
  expect(other.log).toEqual([expect.stringContaining('not of this database: none is removed')]);
  // The blobs do belong to the first site's database.
  await daysPass(site, 1);
  expect(await stay(site.blobs, [named, orphan])).toEqual([true, false]);
  expect(site.log).toEqual([]);
});

it('blobs that no database has claimed are of the one whose rows name most of a page', async () => {
  const blobs = memoryBlobs();
  const [one, other, orphan] = [await put(blobs, 'one'), await put(blobs, 'other'), await put(blobs, 'none')];
  const site = await opens({ blobs });
  await names(site, one);
  await daysPass(site, 3);
  expect(await stay(blobs, [one, other, orphan])).toEqual([true, true, true]);
  expect([await blobs.databaseId(), site.log.length]).toEqual([null, 1]);
  await names(site, other);
  await daysPass(site, 1);
  expect(await stay(blobs, [one, other, orphan])).toEqual([true, true, false]);
  expect(await blobs.databaseId()).toMatch(/^[\w-]{22}$/u);
});

it('a column that no slice speaks for stops the sweep, which a start tries again', async () => {
  const clock = new VirtualClock();
  let errors = 0;
  const count = () => {
    errors += 1;
  };
  const log = { warn: count, error: count };
  const data = await openTestData({
    clock,
    slices: order.map(([slice]) => slice),
    log,
    migrations: [{
      name: 'product/later/tables/0001-later.sql',
      sql: `create schema later;
        create table later.films (operator_id bigint not null, poster_blob text, primary key (operator_id));
        select platform.own_table('later.films');`,
    }],
  });
  const site = await opens({ clock, data });
  const orphan = await put(site.blobs, 'orphan');
  await daysPass(site, 2);
  expect(await stay(site.blobs, [orphan])).toEqual([true]);
  const { start, deadlineHandlers: [sweep] } = sweepOf(site, [1]).parts();
  const step = () => sweep?.handle({ operatorId: 1, key: 'all', at: clock.now(), payload: { after: null } });
  // The sweep has given up until the site starts again.
  for (let tries = 0; tries < 10; tries += 1) await site.passes(5 * MINUTE_MS);
  const before = errors;
  await site.passes(DAY_MS);
  expect([before > 0, errors]).toEqual([true, before]);
  await start();
  await site.passes(HOUR_MS);
  expect([errors > before, await stay(site.blobs, [orphan])]).toEqual([true, [true]]);
  await expect(step()).rejects.toThrow('no slice speaks for the blobs of later.films.poster_blob');
});

it('a list without operators removes nothing', async () => {
  const site = await opens();
  const orphan = await put(site.blobs, 'orphan');
  const handlersOf = (operators: readonly number[]) => sweepOf(site, operators).parts().deadlineHandlers;
  const step = (operators: readonly number[]) =>
    handlersOf(operators)[0]?.handle({
      operatorId: 1,
      key: 'all',
      at: site.data.clock.now(),
      payload: { after: null },
    });
  await expect(step([])).rejects.toThrow('the list of them is wrong');
  expect(await stay(site.blobs, [orphan])).toEqual([true]);
  await step([1]);
  expect(await stay(site.blobs, [orphan])).toEqual([false]);
});

it('operators are listed from their rows, whatever the operator of the unit of work', async () => {
  const site = await opens();
  const brand = { displayName: 'Quiet', sitecode: 'quiet', hosts: [] };
  const theirs = await site.services.site.addOperator('Quiet', brand);
  const orphan = await put(site.blobs, 'orphan');
  const person = await site.services.accounts.create(theirs, {
    username: 'quiet',
    email: 'quiet@people.example',
    password: 'correct horse battery',
    birthDate: '1996-01-15',
    type: 'model',
  });
  const portrait = await put(site.blobs, 'quiet');
  await site.data.tx(theirs, (tx) => site.services.broadcast.setPortrait(tx, person.id, portrait));
  await daysPass(site, 1);
  expect(await stay(site.blobs, [orphan, portrait])).toEqual([false, true]);
});

it('a start puts off no sweep that waits', async () => {
  const site = await opens();
  const orphan = await put(site.blobs, 'orphan');
  await site.passes(HOUR_MS - MINUTE_MS);
  await sweepOf(site, [1]).parts().start();
  await site.passes(MINUTE_MS);
  expect(await stay(site.blobs, [orphan])).toEqual([false]);
});
