import { DAY_MS } from '#platform/time/units.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { rowsOf } from '#product/testkit/store/rows.ts';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getLegalDocument, listLegalDocuments, signLegalDocument } from './contract.ts';
import {
  getDocument,
  issueDocument,
  listDocuments,
  publishTemplate,
  saveTemplate,
  withdrawDocument,
} from './contract/admin.ts';
import type { DocumentKind } from './rules.ts';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
  await publishes('performer_agreement', 'Performer agreement', TEXT);
  await publishes('release', 'Release', TEXT);
});
afterAll(() => site.close());

const TEXT = '1. {username} performs on {site}.\n\n2. <b>No</b> minors & nobody unverified.';

/** Publishes the next version of a kind, in English and in other languages. */
async function publishes(
  kind: DocumentKind,
  title: string,
  text: string,
  more: { readonly de?: string; readonly issueToAll?: boolean } = {},
): Promise<number> {
  const saved = await admin.call(saveTemplate, { kind, language: 'en', title, text });
  if (more.de) {
    await admin.call(saveTemplate, { kind, language: 'de', title: `${title} (de)`, text: more.de });
  }
  const version = saved.draft?.version ?? 0;
  await admin.call(publishTemplate, {
    kind,
    version,
    issue_to_all: more.issueToAll ?? false,
    sign_days: 30,
    reason: 'counsel agreed',
  });
  return version;
}
/** Issues the current version to somebody; its id. */
const issues = async (to: Member, kind: DocumentKind = 'release', days = 30): Promise<string> =>
  (await admin.call(issueDocument, { username: to.username, kind, sign_days: days })).id;
/** The request as it stands on the wire, whatever the contract says. */
const posts = (who: Pick<Member, 'request'>, payload: object) =>
  who.request({ method: 'POST', url: '/api/v1/legal/document/sign', payload });

describe('a document to sign', () => {
  it('is read by its person, with text, secret, expired and status [C-096] [C-283]', async () => {
    const ada = await site.viewer();
    const id = await issues(ada);
    const { statusCode, body } = await ada.request({ url: `/api/v1/legal/document/${id}` });
    const text = `1. ${ada.username} performs on Candela.\n\n2. <b>No</b> minors & nobody unverified.`;
    expect(statusCode).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      document_text: text,
      secret: expect.stringMatching(new RegExp(`^${id}\\.[\\w-]{43}$`, 'u')),
      expired: false,
      status: 'open',
      text_sha256: createHash('sha256').update(text).digest('hex'),
    });
    expect(await ada.call(listLegalDocuments, { open: true })).toMatchObject({ documents: [{ id }] });
  });

  it('is signed with its secret and a name, once and for all [C-019] [C-284]', async () => {
    const ada = await site.viewer();
    const id = await issues(ada, 'release', 1);
    const { secret } = await ada.call(getLegalDocument, { id });
    const first = await posts(ada, { secret, signature: '  Ada   Lovelace ' });
    expect([first.statusCode, JSON.parse(first.body)]).toEqual([200, { success: true }]);
    const signedAt = site.clock.now().toISOString();
    await site.passes(60_000);
    // A repeated request succeeds, and the first signature stays.
    expect(await ada.call(signLegalDocument, { secret, signature: 'Grace Hopper' })).toEqual({
      success: true,
    });
    expect(await ada.call(getLegalDocument, { id })).toMatchObject({
      status: 'signed',
      expired: false,
      signature: 'Ada Lovelace',
      signed_at: signedAt,
    });
    expect(await ada.call(listLegalDocuments, { open: true })).toMatchObject({ documents: [] });
    // Long after its time it is still signed.
    await site.passes(2 * DAY_MS);
    expect(await ada.call(getLegalDocument, { id })).toMatchObject({ status: 'signed', expired: false });
  });

  it('that does not exist, or is somebody else’s, is NOT_FOUND alike [C-372]', async () => {
    const [ada, eve] = [await site.viewer(), await site.viewer()];
    const id = await issues(ada);
    const bodies = [];
    for (const asked of [id, '999999999', '0', '-1', 'abc', '1e3', `${id}.0`, ' ']) {
      const { statusCode, body } = await eve.request({
        url: `/api/v1/legal/document/${encodeURIComponent(asked)}`,
      });
      const { error_type: code, message } = JSON.parse(body) as Record<string, unknown>;
      bodies.push(JSON.stringify([statusCode, code, message]));
    }
    expect(new Set(bodies).size).toBe(1);
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject([404, 'NOT_FOUND', expect.stringMatching(/document/u)]);
    const copy = await eve.request({ url: `/api/v1/legal/document/${id}/copy` });
    expect([copy.statusCode, copy.body.includes('NOT_FOUND')]).toEqual([404, true]);
  });

  it('is signed by nobody else, with no wrong secret and no empty name: SIGN_FAILED [C-373]', async () => {
    const [ada, eve] = [await site.viewer(), await site.viewer()];
    const id = await issues(ada);
    const other = await issues(eve);
    const { secret } = await ada.call(getLegalDocument, { id });
    const wrong = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`;
    const refused: readonly [Member, string, string][] = [
      [eve, secret, 'Ada Lovelace'],
      [ada, wrong, 'Ada Lovelace'],
      [ada, `${other}.${secret.split('.')[1] ?? ''}`, 'Ada Lovelace'],
      [ada, `${id}.`, 'Ada Lovelace'],
      [ada, 'nonsense', 'Ada Lovelace'],
      [ada, secret, '12 34'],
    ];
    for (const [who, given, signature] of refused) {
      const { statusCode, body } = await posts(who, { secret: given, signature });
      expect([statusCode, JSON.parse(body)]).toMatchObject([409, { error_type: 'SIGN_FAILED' }]);
    }
    expect(await ada.call(getLegalDocument, { id })).toMatchObject({ status: 'open', signature: null });
  });

  it('is out of reach of guests, and its secret is never in the log', async () => {
    const ada = await site.viewer();
    const id = await issues(ada);
    const { secret } = await ada.call(getLegalDocument, { id });
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.request({ url: `/api/v1/legal/document/${id}` })).statusCode).toBe(401);
    expect((await posts(guest, { secret, signature: 'Ada Lovelace' })).statusCode).toBe(401);
    expect((await guest.request({ url: '/api/v1/legal/documents' })).statusCode).toBe(401);
    expect(site.log.some((line) => line.includes(secret) || line.includes('Lovelace'))).toBe(false);
  });

  it('is not signed after its time, whether or not its deadline was handled', async () => {
    const ada = await site.viewer();
    const id = await issues(ada, 'release', 1);
    const { secret } = await ada.call(getLegalDocument, { id });
    // The clock alone moves: nothing was delivered.
    site.clock.advance(DAY_MS);
    expect(await ada.call(getLegalDocument, { id })).toMatchObject({ expired: true, status: 'expired' });
    expect((await ada.refused(signLegalDocument, { secret, signature: 'Ada Lovelace' })).errorType)
      .toBe('SIGN_FAILED');
    expect(await ada.call(listLegalDocuments, { open: true })).toMatchObject({ documents: [] });
    await site.settle();
    const { events, status } = await admin.call(getDocument, { id: Number(id) });
    expect([status, events.map(({ event }) => event)]).toEqual(['expired', ['issued', 'opened', 'expired']]);
    // Somebody can be given another one.
    expect(await issues(ada)).not.toBe(id);
  });

  it('has one signature when it is signed twice at once', async () => {
    const ada = await site.viewer();
    const id = await issues(ada);
    const { secret } = await ada.call(getLegalDocument, { id });
    const tab = await site.anotherTabOf(ada);
    const answers = await Promise.all(
      [ada, tab, ada, tab].map((who, nth) => posts(who, { secret, signature: `Ada Number ${nth}` })),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    const { events, signature } = await admin.call(getDocument, { id: Number(id) });
    expect(events.filter(({ event }) => event === 'signed')).toHaveLength(1);
    expect(signature).toMatch(/^Ada Number \d$/u);
    const { rows } = await site.tx(async (tx) => ({
      rows: await rowsOf<{ count: number }>(
        tx,
        `select count(*)::int as count from agreements.events where event = 'signed' and document_id = ${id}`,
      ),
    }));
    expect(rows).toEqual([{ count: 1 }]);
  });

  it('is not signed once it was withdrawn, and a signed one is not withdrawn', async () => {
    const [ada, bo] = [await site.viewer(), await site.viewer()];
    const [withdrawn, done] = [await issues(ada), await issues(bo)];
    const { secret } = await ada.call(getLegalDocument, { id: withdrawn });
    const answer = await admin.call(withdrawDocument, { id: Number(withdrawn), reason: 'wrong person' });
    expect(answer).toMatchObject({ status: 'withdrawn', events: [{}, {}, { reason: 'wrong person' }] });
    expect((await posts(ada, { secret, signature: 'Ada Lovelace' })).statusCode).toBe(409);
    const second = await bo.call(getLegalDocument, { id: done });
    await bo.call(signLegalDocument, { secret: second.secret, signature: 'Bo Diddley' });
    expect((await admin.refused(withdrawDocument, { id: Number(done), reason: 'changed my mind' })).errorType)
      .toBe('document_closed');
    expect(await bo.call(getLegalDocument, { id: done })).toMatchObject({ status: 'signed' });
  });

  it('is limited to ten attempts to sign a minute', async () => {
    const ada = await site.viewer();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect((await posts(ada, { secret: `7.${attempt}`, signature: 'Ada Lovelace' })).statusCode).toBe(409);
    }
    expect((await posts(ada, { secret: '7.10', signature: 'Ada Lovelace' })).statusCode).toBe(429);
  });
});

describe('the text of an issued document', () => {
  it('cannot be changed by the program, nor a signature once it is there', async () => {
    const ada = await site.viewer();
    const id = await issues(ada);
    const changes = (statement: string) => site.tx((tx) => rowsOf(tx, `${statement} where id = ${id}`));
    for (const column of ['text', 'title', 'text_sha256', 'secret', 'person_id']) {
      await expect(changes(`update agreements.documents set ${column} = ${column}`))
        .rejects.toThrow(/permission denied/u);
    }
    const { secret } = await ada.call(getLegalDocument, { id });
    await ada.call(signLegalDocument, { secret, signature: 'Ada Lovelace' });
    // Row security lets the program see no signed document that it could change or delete.
    await changes('update agreements.documents set signature = \'Eve\'');
    await changes('delete from agreements.documents');
    expect(await ada.call(getLegalDocument, { id })).toMatchObject({ signature: 'Ada Lovelace' });
    await expect(site.tx((tx) => rowsOf(tx, 'update agreements.events set at = now()')))
      .rejects.toThrow(/permission denied/u);
    await expect(site.tx((tx) => rowsOf(tx, 'delete from agreements.events')))
      .rejects.toThrow(/permission denied/u);
  });

  it('stays when a new version is published; the open one of before is replaced', async () => {
    const [ada, bo] = [await site.performer(), await site.performer()];
    const before = await issues(ada, 'performer_agreement');
    const { secret, document_text: text } = await ada.call(getLegalDocument, { id: before });
    await ada.call(signLegalDocument, { secret, signature: 'Ada Lovelace' });
    const open = await issues(bo, 'performer_agreement');
    await publishes('performer_agreement', 'Performer agreement', 'Another text for {username}.', {
      de: 'Ein anderer Text für {username}.',
      issueToAll: true,
    });
    await site.settle();
    expect(await ada.call(getLegalDocument, { id: before })).toMatchObject({
      document_text: text,
      status: 'signed',
    });
    expect(await bo.call(getLegalDocument, { id: open })).toMatchObject({ status: 'withdrawn' });
    const [next] = (await ada.call(listLegalDocuments, { open: true })).documents;
    expect(await ada.call(getLegalDocument, { id: next?.id ?? '' }))
      .toMatchObject({ document_text: `Another text for ${ada.username}.`, status: 'open' });
  });
});

describe('who must sign', () => {
  it('gets a new version by the page, each person once, in their language; nobody else does', async () => {
    const made = await createSite();
    try {
      const chief = await made.admin();
      const kind = 'performer_agreement';
      const performers: Member[] = [];
      for (let nth = 0; nth < 53; nth += 1) performers.push(await made.performer({ cleared: false }));
      const viewer = await made.viewer();
      await performers[0]?.request({
        method: 'POST',
        url: '/api/v1/user/settings',
        payload: { locale: 'de' },
      });
      for (const [language, text] of [['en', 'Hello {username}'], ['de', 'Hallo {username}']] as const) {
        await chief.call(saveTemplate, { kind, language, title: text, text });
      }
      await chief.call(publishTemplate, {
        kind,
        version: 1,
        issue_to_all: true,
        sign_days: 7,
        reason: 'counsel agreed',
      });
      await made.passes(1_000);
      await made.passes(1_000);
      for (const performer of performers) {
        expect((await performer.call(listLegalDocuments, {})).documents).toHaveLength(1);
      }
      expect((await viewer.call(listLegalDocuments, {})).documents).toEqual([]);
      const rows = await made.tx((tx) =>
        rowsOf<{ language: string; count: number }>(
          tx,
          'select language, count(*)::int as count from agreements.documents group by 1 order by 1',
        )
      );
      expect(rows).toEqual([{ language: 'de', count: 1 }, { language: 'en', count: 52 }]);
      // Whoever becomes a performer later gets it too.
      const late = await made.performer();
      await made.settle();
      expect((await late.call(listLegalDocuments, { open: true })).documents).toHaveLength(1);
    } finally {
      await made.close();
    }
  }, 120_000);

  it('is known to later slices: what waits, and what was signed last', async () => {
    const ada = await site.performer();
    const { agreements } = site.services;
    const id = await site.tx((tx) => agreements.issue(tx, ada.id, 'performer_agreement'));
    expect(await site.tx((tx) => agreements.issue(tx, ada.id, 'performer_agreement'))).toBe(id);
    expect(await site.tx((tx) => agreements.issue(tx, ada.id, 'studio_agreement'))).toBeNull();
    expect(await site.tx((tx) => agreements.mustSign(tx, ada.id)))
      .toMatchObject([{ documentId: id, kind: 'performer_agreement' }]);
    expect(await site.tx((tx) => agreements.signedOf(tx, ada.id, 'performer_agreement'))).toBeNull();
    const { secret, version } = await ada.call(getLegalDocument, { id: String(id) });
    await ada.call(signLegalDocument, { secret, signature: 'Ada Lovelace' });
    expect(await site.tx((tx) => agreements.mustSign(tx, ada.id))).toEqual([]);
    expect(await site.tx((tx) => agreements.signedOf(tx, ada.id, 'performer_agreement')))
      .toMatchObject({ documentId: id, version, isCurrent: true });
    await publishes('performer_agreement', 'Performer agreement', 'The newest text.');
    expect(await site.tx((tx) => agreements.signedOf(tx, ada.id, 'performer_agreement')))
      .toMatchObject({ documentId: id, version, isCurrent: false });
  });

  it('is listed for admins by person, kind and status', async () => {
    const ada = await site.viewer();
    const id = await issues(ada);
    const asked = { username: ada.username.toUpperCase(), kind: 'release' } as const;
    expect(await admin.call(listDocuments, { ...asked, status: 'open' })).toMatchObject({
      documents: [{ id, username: ada.username, title: 'Release', status: 'open' }],
      next: null,
    });
    expect((await admin.call(listDocuments, { ...asked, status: 'signed' })).documents).toEqual([]);
    expect((await admin.call(listDocuments, { username: 'nobody-at-all' })).documents).toEqual([]);
  });
});
