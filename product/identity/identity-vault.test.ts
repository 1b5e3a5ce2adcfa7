import { diskBlobs } from '#platform/data/blobs.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import { openData } from '#platform/data/open.ts';
import { readSchema } from '#platform/data/schema/migrations.ts';
import { shared } from '#platform/data/testing.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { requestDeletion } from '#product/accounts/contract/life/deletion.ts';
import { askForCopy } from '#product/accounts/contract/life/own-data.ts';
import { order } from '#product/order.ts';
import { applies, DOCUMENT, opens, pictureForm, reviews, WHO } from '#product/testkit/people/identity.ts';
import { SECRET } from '#product/testkit/site-options.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { rowsOf } from '#product/testkit/store/rows.ts';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uploadDocument } from './contract.ts';
import { getIdentityPicture, holdRecords, inspect } from './contract/review.ts';
import { Vault } from './server/vault.ts';
import { performersNamed } from './store.ts';

const NEXT_SECRET = 'the second secret of a site that only tests ever see';
const PASSWORD = 'correct horse battery';
const YEAR_MS = 366 * DAY_MS;

/** Every byte below a folder, in one buffer. */
async function bytesBelow(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  return Buffer.concat(await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name)))));
}

it('nothing of a document is readable in the folder of the data', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'candela-vault-'));
  const clock = new VirtualClock();
  const slices = order.map(([name]) => name);
  const data = await openData({
    at: { dataDir: join(folder, 'database') },
    clock,
    schema: readSchema(process.cwd(), slices),
    development: true,
    workerUrl: (await shared).workerUrl,
  });
  const blobs = diskBlobs(join(folder, 'blobs'));
  const site = await createSite({ clock, blobs, data: Object.assign(data, { databaseUrl: null }) });
  try {
    const [performer, admin] = [await site.performer({ cleared: false }), await site.admin()];
    await applies(performer);
    const { id, look } = await opens(admin, performer);
    const seen = await admin.request({
      method: 'GET',
      url: `/api/v1/admin/identity/${id}/pictures/front?look=${look}`,
    });
    expect(await sharp(seen.rawPayload).metadata()).toMatchObject({ format: 'webp' });
    await reviews(admin, performer);
    await site.close();
    const stored = await bytesBelow(folder);
    // What the reviewer saw is what must not be there, nor any picture at all.
    expect(stored.includes(seen.rawPayload.subarray(20, 60))).toBe(false);
    const blobBytes = await bytesBelow(join(folder, 'blobs'));
    expect(blobBytes.length).toBeGreaterThan(500);
    for (const start of ['WEBP', 'JFIF', 'Exif', '\xFF\xD8\xFF', '\x89PNG']) {
      expect(blobBytes.includes(Buffer.from(start, 'latin1'))).toBe(false);
    }
    for (const secret of [WHO.legal_name, ...WHO.aliases, DOCUMENT.number_end, DOCUMENT.expires_on]) {
      expect(stored.includes(secret)).toBe(false);
      expect(stored.includes(Buffer.from(secret).toString('base64').slice(0, -3))).toBe(false);
    }
    // The search finds what is stored openly: the text of the profile.
    expect(stored.includes('I play the harp.')).toBe(true);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);

describe('keys of the vault', () => {
  it('are wrapped again by a new secret, and read as before', async () => {
    const site = await createSite();
    const [performer, admin] = [await site.performer({ cleared: false }), await site.admin()];
    await applies(performer);
    const before = await opens(admin, performer);
    const vaultOf = (secret: string, formerSecrets: readonly string[]) =>
      new Vault({ data: site.data, blobs: site.blobs, secret, formerSecrets });
    const reader = { actorId: admin.id, reason: 'review' };
    const read = (vault: Vault) => site.tx((tx) => vault.readFacts(tx, performer.id, 'who', reader));
    await expect(read(vaultOf(NEXT_SECRET, []))).rejects.toThrow(/no secret of this installation/u);
    const between = vaultOf(NEXT_SECRET, [SECRET]);
    expect(await read(between)).toMatchObject({ legalName: before.who!.legal_name });
    expect([await between.wrapAgain(site.scope), await between.wrapAgain(site.scope)]).toEqual([1, 0]);
    const after = vaultOf(NEXT_SECRET, []);
    expect(await read(after)).toMatchObject({ legalName: before.who!.legal_name });
    const picture = await after.readPicture(site.scope, performer.id, 'selfie', reader);
    expect(await sharp(picture!).metadata()).toMatchObject({ format: 'webp' });
    const found = await site.tx((tx) => performersNamed(tx, after.digestOf(tx, 'milla sparrowhawk'), 9));
    expect(found).toEqual([performer.id]);
    await expect(read(vaultOf(SECRET, []))).rejects.toThrow(/no secret of this installation/u);
    await site.close();
  });

  it('decrypt nothing that stands in the place of somebody else’s', async () => {
    const site = await createSite();
    const [one, other, admin] = [
      await site.performer({ cleared: false }),
      await site.performer({ cleared: false }),
      await site.admin(),
    ];
    await applies(one);
    await applies(other);
    await site.tx((tx) =>
      rowsOf(
        tx,
        `update identity.records as mine set front_blob = theirs.front_blob
         from identity.records as theirs
         where mine.performer_id = ${one.id} and theirs.performer_id = ${other.id}
           and mine.kind = 'selfie' and theirs.kind = 'selfie'`,
      )
    );
    const { id, look } = await opens(admin, one);
    const problem = await admin.refused(getIdentityPicture, { id, picture: 'selfie', look });
    expect(problem.status).toBe(500);
    await site.close();
  });
});

describe('erasure', () => {
  let site: TestSite;
  beforeAll(async () => {
    site = await createSite();
  });
  afterAll(() => site.close());

  const recordsOf = async ({ id }: Member) => {
    const [row] = await site.tx((tx) =>
      rowsOf<{ readable: number; keys: number; names: number }>(
        tx,
        `select (select count(*) from identity.records where performer_id = ${id}
             and (facts is not null or front_blob is not null))::int as readable,
           (select count(*) from identity.keys where performer_id = ${id})::int as keys,
           (select count(*) from identity.names where performer_id = ${id})::int as names`,
      )
    );
    return row;
  };
  const blobsOf = async ({ id }: Member): Promise<string[]> => {
    const rows = await site.tx((tx) =>
      rowsOf<{ blob: string }>(
        tx,
        `select unnest(array_remove(array[front_blob, back_blob], null)) as blob from identity.records
         where performer_id = ${id}`,
      )
    );
    return rows.map(({ blob }) => blob);
  };
  const leaves = async (performer: Member) => {
    await performer.call(requestDeletion, { username: performer.username, password: PASSWORD });
    await site.passes(31 * DAY_MS);
  };
  const GONE = { readable: 0, keys: 0, names: 0 };
  const THERE = { readable: 3, keys: 1, names: 3 };

  it('takes everything of somebody who was never cleared, with the pictures', async () => {
    const performer = await site.performer({ cleared: false });
    await applies(performer);
    const blobs = await site.blobs.list(null, 100);
    await leaves(performer);
    await site.passes(1_000);
    expect(await recordsOf(performer)).toEqual(GONE);
    const left = await Promise.all(blobs.map(({ id }) => site.blobs.get(id)));
    expect(left.filter((bytes) => bytes !== null)).toEqual([]);
  });

  it('waits for a legal hold on somebody who was never cleared, and follows its end', async () => {
    const admin = await site.admin();
    const performer = await site.performer({ cleared: false });
    await applies(performer);
    const blobs = await blobsOf(performer);
    const { id } = await opens(admin, performer);
    await admin.call(holdRecords, { id, hold: true, reason: 'order of a court' });
    await leaves(performer);
    expect(await recordsOf(performer)).toEqual(THERE);
    await site.passes(8 * YEAR_MS);
    expect(await recordsOf(performer)).toEqual(THERE);
    const pictures = () => Promise.all(blobs.map((blob) => site.blobs.get(blob)));
    expect(await pictures()).not.toContain(null);
    await (await site.memberOf(admin.username)).call(holdRecords, { id, hold: false, reason: 'it ended' });
    await site.passes(1_000);
    expect(await recordsOf(performer)).toEqual(GONE);
    expect(await pictures()).toEqual([null, null, null]);
  }, 180_000);

  it('waits seven years for the records of a cleared performer, and for a legal hold', async () => {
    const admin = await site.admin();
    const performer = await site.performer({ cleared: false });
    await applies(performer);
    await reviews(admin, performer);
    await leaves(performer);
    expect(await recordsOf(performer)).toEqual(THERE);
    await site.passes(6 * YEAR_MS);
    expect(await recordsOf(performer)).toEqual(THERE);
    const chief = await site.memberOf(admin.username);
    const { matches: [match] } = await chief.call(inspect, { name: WHO.legal_name, reason: 'inspection' });
    const id = match!.id!;
    await chief.call(holdRecords, { id, hold: true, reason: 'order of a court' });
    await site.passes(YEAR_MS);
    await site.passes(YEAR_MS);
    expect(await recordsOf(performer)).toEqual(THERE);
    await (await site.memberOf(admin.username)).call(holdRecords, { id, hold: false, reason: 'it ended' });
    await site.passes(1_000);
    expect(await recordsOf(performer)).toEqual(GONE);
  }, 180_000);

  it('says in the copy of one’s data what is there, until when, and shows none of it', async () => {
    const performer = await site.performer({ cleared: false });
    await applies(performer);
    const { ticket } = await performer.call(askForCopy, { password: PASSWORD });
    const url = `/api/v1/user/data.json?ticket=${encodeURIComponent(ticket)}`;
    const copy = (await performer.request({ method: 'GET', url })).body;
    expect(copy).toContain('identity.records');
    expect(copy).toContain('until seven years after you stop performing');
    expect(copy).toContain('retain_until');
    for (const secret of [WHO.legal_name, DOCUMENT.number_end]) expect(copy).not.toContain(secret);
  });
});

it('a picture that is replaced before a review is removed', async () => {
  const site = await createSite();
  const performer = await site.performer({ cleared: false });
  await applies(performer).catch(() => null);
  const admin = await site.admin();
  await reviews(admin, performer, { document: 'unreadable' });
  const [before] = await site.tx((tx) =>
    rowsOf<{ blob: string }>(
      tx,
      `select front_blob as blob from identity.records where performer_id = ${performer.id}
       and kind = 'document'`,
    )
  );
  await performer.call(uploadDocument, { side: 'front' }, { form: (await pictureForm('#f0f')).form });
  await site.passes(1_000);
  expect(await site.blobs.get(before!.blob)).toBeNull();
  await site.close();
});
