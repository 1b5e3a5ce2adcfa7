import { MINUTE_MS } from '#platform/time/units.ts';
import { askForCopy } from '#product/accounts/contract/life/own-data.ts';
import { applies, decisionOf, DOCUMENT, opens, pictureForm, WHO } from '#product/testkit/people/identity.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { rowsOf } from '#product/testkit/store/rows.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  getApplication,
  giveDocument,
  giveIdentity,
  handInApplication,
  uploadDocument,
  uploadSelfie,
} from './contract.ts';
import { decideApplication, holdRecords } from './contract/review.ts';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
afterAll(() => site.close());

interface StoredPart {
  readonly kind: string;
  readonly part: string;
  readonly stored: string;
  readonly replaced: boolean;
}
/** Everything that the vault has of somebody: typed facts and names of pictures. */
const partsOf = ({ id }: Member): Promise<StoredPart[]> =>
  site.tx((tx) =>
    rowsOf<StoredPart>(
      tx,
      `select kind, part, stored, replaced_at is not null as replaced from identity.records,
         lateral (values ('facts', facts), ('front', front_blob), ('back', back_blob)) as one (part, stored)
       where performer_id = ${id} and stored is not null order by kind, part, id`,
    )
  );
const replacedOf = async (who: Member): Promise<string[]> =>
  (await partsOf(who)).filter(({ replaced }) => replaced).map(({ kind, part }) => `${kind} ${part}`);
const isThere = async (pictures: readonly StoredPart[]): Promise<boolean[]> =>
  Promise.all(pictures.map(async ({ stored }) => (await site.blobs.get(stored)) !== null));
const picturesIn = (parts: readonly StoredPart[]) => parts.filter(({ part }) => part !== 'facts');

const REJECTED = { who: 'name_differs', document: 'unreadable', selfie: 'not_live' } as const;
/** Somebody whose application was rejected; `hold` puts their records on hold before. */
async function rejected({ hold }: { readonly hold: boolean }): Promise<{ who: Member; id: number }> {
  const who = await site.performer({ cleared: false });
  await applies(who);
  const opened = await opens(admin, who);
  if (hold) await admin.call(holdRecords, { id: opened.id, hold, reason: 'order of a court' });
  await admin.call(decideApplication, decisionOf(opened, REJECTED));
  return { who, id: opened.id };
}
/** Gives again what a review rejected: first the pictures of the document, then all of it. */
async function givesAgain(who: Member): Promise<void> {
  await who.call(giveIdentity, { ...WHO, legal_name: 'Somebody Else' });
  for (const side of ['front', 'back'] as const) {
    await who.call(uploadDocument, { side }, { form: (await pictureForm('#f0f')).form });
  }
  await who.call(uploadSelfie, {}, { form: (await pictureForm('#0ff')).form });
  await who.call(giveDocument, { ...DOCUMENT, number_end: 'Q1Q1' });
  await site.passes(1_000);
}

describe('what is given again', () => {
  it('leaves nothing of before, unless a legal hold is on it', async () => {
    const { who } = await rejected({ hold: false });
    const before = await partsOf(who);
    await givesAgain(who);
    expect(await replacedOf(who)).toEqual([]);
    expect(await isThere(picturesIn(before))).toEqual([false, false, false]);
  });

  it('leaves all of before as replaced under a legal hold, until it ends', async () => {
    const { who, id } = await rejected({ hold: true });
    const before = await partsOf(who);
    expect(before.map(({ kind, part }) => `${kind} ${part}`))
      .toEqual(['document back', 'document facts', 'document front', 'selfie front', 'who facts']);
    await givesAgain(who);
    const after = await partsOf(who);
    for (const { kind, part, stored } of before) {
      expect(after).toContainEqual({ kind, part, stored, replaced: true });
    }
    // The pictures of both documents, of which the second was replaced whole.
    expect(await replacedOf(who)).toEqual([
      'document back',
      'document back',
      'document facts',
      'document front',
      'document front',
      'selfie front',
      'who facts',
    ]);
    expect(await isThere(picturesIn(after))).not.toContain(false);

    await admin.call(holdRecords, { id, hold: false, reason: 'it ended' });
    await site.passes(1_000);
    expect((await partsOf(who)).map(({ kind, part }) => `${kind} ${part}`))
      .toEqual(['document facts', 'selfie front', 'who facts']);
    expect(await replacedOf(who)).toEqual([]);
    const there = await isThere(picturesIn(after));
    expect(there.filter(Boolean)).toHaveLength(1);
  });

  it.each([true, false])('is limited to 20 times a step between two hand-ins (on hold: %s)', async (hold) => {
    const { who } = await rejected({ hold });
    for (let count = 0; count < 20; count++) await who.call(giveIdentity, WHO);
    const problem = await who.refused(giveIdentity, WHO);
    expect(problem).toMatchObject({
      errorType: 'replaced_too_often',
      message:
        'You’ve replaced parts of your application too often. Finish what’s missing and send it for review.',
    });
    expect(await replacedOf(who)).toEqual(hold ? Array<string>(20).fill('who facts') : []);
    // The other steps can be mended still, so the application is never stuck.
    const picture = async () => ({ form: (await pictureForm()).form });
    for (let count = 0; count < 19; count++) await who.call(giveDocument, DOCUMENT);
    await who.call(uploadDocument, { side: 'front' }, await picture());
    await who.call(uploadDocument, { side: 'front' }, await picture());
    expect((await who.refused(giveDocument, DOCUMENT)).errorType).toBe('replaced_too_often');
    expect((await who.refused(uploadDocument, { side: 'front' }, await picture())).errorType)
      .toBe('replaced_too_often');
    await who.call(uploadDocument, { side: 'back' }, await picture());
    await site.passes(6 * MINUTE_MS);
    for (let count = 0; count < 20; count++) await who.call(uploadSelfie, {}, await picture());
    await site.passes(6 * MINUTE_MS);
    expect((await who.refused(uploadSelfie, {}, await picture())).errorType).toBe('replaced_too_often');
    expect(await who.call(handInApplication, {})).toMatchObject({ state: 'waiting' });
    await admin.call(decideApplication, decisionOf(await opens(admin, who), REJECTED));
    await givesAgain(who);
  });
});

describe('a legal hold', () => {
  type Row = Readonly<Record<string, unknown>>;
  /** What the copy of their data has of this slice, without times and digests. */
  const copyOf = async (who: Member): Promise<Record<string, unknown[]>> => {
    const { ticket } = await who.call(askForCopy, { password: 'correct horse battery' });
    const url = `/api/v1/user/data.json?ticket=${encodeURIComponent(ticket)}`;
    const { data } = (await who.request({ method: 'GET', url })).json<{ data: Record<string, Row[]> }>();
    const bare = (row: Row) =>
      Object.fromEntries(
        Object.entries(row).map(([key, value]) => [
          key,
          key.endsWith('_at') || key === 'digest' ? value !== null : value,
        ]),
      );
    return Object.fromEntries(
      Object.entries(data).filter(([table]) => table.startsWith('identity.'))
        .map(([table, rows]) => [table, rows.map(bare)]),
    );
  };
  const timeless = (view: unknown): unknown =>
    JSON.parse(JSON.stringify(view, (key, value: unknown) => (key.endsWith('_at') ? value !== null : value)));

  it('is learned by its performer from no answer and no copy of their data', async () => {
    const [{ who: held }, { who: free }] = [await rejected({ hold: true }), await rejected({ hold: false })];
    for (const who of [held, free]) await givesAgain(who);
    expect(await replacedOf(held)).not.toEqual([]);
    const copies = [await copyOf(held), await copyOf(free)];
    expect(copies[0]!['identity.records']).toHaveLength(3);
    expect(copies[0]).toEqual(copies[1]);
    expect(JSON.stringify(copies[0])).not.toContain('legal_hold');
    expect(timeless(await held.call(getApplication, {}))).toEqual(
      timeless(await free.call(getApplication, {})),
    );
  });

  it('is neither placed nor ended by a reviewer on their own records', async () => {
    const both = await site.performer({ cleared: false, roles: ['admin'] });
    await applies(both);
    const { id } = await opens(admin, both);
    await admin.call(holdRecords, { id, hold: true, reason: 'order of a court' });
    for (const hold of [false, true]) {
      const problem = await both.refused(holdRecords, { id, hold, reason: 'nothing to see' });
      expect(problem.errorType).toBe('own_application');
    }
    expect((await opens(admin, both)).legal_hold).toBe(true);
  });
});
