import { blobColumns } from '#platform/data/database/named-blobs.ts';
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { blobNames } from '#product/site/extension-points.ts';
import { SWEEP_PAGE, SWEEP_PAUSE_MS, unspokenFor } from '#product/site/rules/blobs.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { uploadAvatar } from './contract/avatar.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const has = async (id: string): Promise<boolean> => (await site.blobs.get(id)) !== null;
const idsOf = async () => (await site.blobs.list(null, 10 * SWEEP_PAGE)).map(({ id }) => id);
/** Bytes without a row, as a crash between storing the two leaves them. */
const leaves = (text: string) => site.blobs.put(new TextEncoder().encode(text), text);
async function uploads(): Promise<readonly string[]> {
  const before = new Set(await idsOf());
  const form = new FormData();
  const bytes = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#f841b5' } })
    .png().toBuffer();
  form.set('file', new Blob([new Uint8Array(bytes)]));
  await (await site.viewer()).call(uploadAvatar, {}, { form });
  return (await idsOf()).filter((id) => !before.has(id));
}

it('bytes that no row names go after a day; named ones, portraits too, and young ones stay', async () => {
  const named = await uploads();
  expect(named).toHaveLength(3);
  const performer = await site.performer();
  const portrait = await site.blobs.put(new TextEncoder().encode('portrait'));
  await site.tx((tx) => site.services.broadcast.setPortrait(tx, performer.id, portrait));
  // More orphans than fit one page.
  const texts = Array.from({ length: SWEEP_PAGE + 20 }, (_, at) => `orphan ${at}`);
  const orphans = await Promise.all(texts.map(leaves));
  // The first sweep takes two pages: all orphans are young.
  await site.passes(HOUR_MS);
  await site.passes(SWEEP_PAUSE_MS);
  await site.passes(22 * HOUR_MS);
  for (const id of orphans.slice(0, 3)) expect(await has(id)).toBe(true);
  const young = await leaves('young');
  // A day after the first sweep's first page, and a moment later for its second page.
  await site.passes(2 * HOUR_MS);
  await site.passes(SWEEP_PAUSE_MS);
  expect(site.log).toEqual([]);
  expect(await Promise.all(orphans.map(has))).not.toContain(true);
  expect(await Promise.all([...named, portrait, young].map(has))).not.toContain(false);
  await site.passes(DAY_MS);
  expect(await has(young)).toBe(false);
  expect(await Promise.all([...named, portrait].map(has))).not.toContain(false);
});

it('what an operator without a host name has stays', async () => {
  const { services, data, blobs } = site;
  const brand = { displayName: 'Quiet', sitecode: 'quiet', hosts: [] };
  const theirs = await services.site.addOperator('Quiet', brand);
  const person = await services.accounts.create(theirs, {
    username: 'quiet',
    email: 'quiet@people.example',
    password: 'correct horse battery',
    birthDate: '1996-01-15',
    type: 'model',
  });
  const portrait = await blobs.put(new TextEncoder().encode('quiet'));
  await data.tx(theirs, (tx) => services.broadcast.setPortrait(tx, person.id, portrait));
  const orphan = await leaves('beside it');
  for (let day = 0; day < 3; day += 1) await site.passes(DAY_MS);
  expect([await has(orphan), await has(portrait)]).toEqual([false, true]);
});

it('every column that names blobs has a slice that speaks for it', async () => {
  const columns = await site.tx(blobColumns);
  const parts = site.extensions.all(blobNames).flatMap((of) => of());
  expect(columns.map(({ table }) => table)).toEqual([
    'accounts.avatars',
    'broadcast.portraits',
    'fanclubs.posts',
    'identity.records',
    'identity.records',
    'moderation.reports',
    'performers.pictures',
  ]);
  expect(unspokenFor(columns, parts)).toEqual([]);
  expect(unspokenFor(columns, parts.slice(1))).toEqual(['accounts.avatars.blobs']);
});
