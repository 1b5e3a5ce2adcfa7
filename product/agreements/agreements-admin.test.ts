import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { rowsOf } from '#product/testkit/store/rows.ts';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { downloadLegalDocument, getLegalDocument, signLegalDocument } from './contract.ts';
import {
  discardDraft,
  downloadDocument,
  getDocument,
  getTemplateText,
  issueDocument,
  listTemplates,
  listTemplateVersions,
  publishTemplate,
  saveTemplate,
} from './contract/admin.ts';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
afterAll(() => site.close());

const kind = 'release';
const published = { kind, issue_to_all: false, sign_days: 7, reason: 'counsel agreed' } as const;
const TEXT = 'I agree that {company} shows me on {site}.\n\nSigned on {date}.';

/** Publishes a version of a release, issues it to a new member, and lets them sign it; its id. */
async function signs(name: string): Promise<{ readonly ada: Member; readonly id: string }> {
  const { draft } = await admin.call(saveTemplate, { kind, language: 'en', title: 'Release', text: TEXT });
  await admin.call(publishTemplate, { ...published, version: draft?.version ?? 0 });
  const ada = await site.viewer();
  const { id } = await admin.call(issueDocument, { username: ada.username, kind, sign_days: 7 });
  const { secret } = await ada.call(getLegalDocument, { id });
  await ada.call(signLegalDocument, { secret, signature: name });
  return { ada, id };
}
/** Changes a stored row as somebody who has the database, past what the program may do. */
const tampers = (change: string): Promise<unknown> =>
  site.tx(async (tx) => {
    await rowsOf(tx, 'reset role');
    await rowsOf(tx, 'alter table agreements.documents no force row level security');
    await rowsOf(tx, change);
    await rowsOf(tx, 'alter table agreements.documents force row level security');
  });

describe('templates', () => {
  it('begin as a draft, and are issued once they are published', async () => {
    const ada = await site.viewer();
    const issue = { username: ada.username, kind: 'other', sign_days: 7 } as const;
    const save = {
      kind: 'other',
      language: 'en',
      title: 'House rules',
      text: 'Be kind, {username}.',
    } as const;
    expect((await admin.refused(issueDocument, issue)).errorType).toBe('template_missing');
    const { current, draft } = await admin.call(saveTemplate, save);
    expect([current, draft]).toMatchObject([null, { version: 1, languages: ['en'], published_at: null }]);
    expect((await admin.refused(issueDocument, issue)).errorType).toBe('template_missing');
    await admin.call(saveTemplate, { ...save, text: 'Be very kind, {username}.' });
    await admin.call(publishTemplate, { ...published, kind: 'other', version: 1 });
    const { id, is_new: isNew } = await admin.call(issueDocument, issue);
    expect(isNew).toBe(true);
    expect(await ada.call(getLegalDocument, { id })).toMatchObject({
      title: 'House rules',
      document_text: `Be very kind, ${ada.username}.`,
    });
    expect(await admin.call(issueDocument, issue)).toEqual({ id, is_new: false });
    expect((await admin.refused(issueDocument, { ...issue, username: 'nobody-at-all' })).errorType)
      .toBe('person_unknown');
  });

  it('never change once they are published: an edit begins the next version', async () => {
    const save = { kind: 'studio_agreement', language: 'en', title: 'Studio', text: 'First.' } as const;
    await admin.call(saveTemplate, save);
    await admin.call(publishTemplate, { ...published, kind: 'studio_agreement', version: 1 });
    await admin.call(saveTemplate, { ...save, text: 'Second.' });
    const { versions } = await admin.call(listTemplateVersions, { kind: 'studio_agreement' });
    expect(versions.map(({ version, published_at: at }) => [version, at !== null]))
      .toEqual([[2, false], [1, true]]);
    const asked = { kind: 'studio_agreement', language: 'en' } as const;
    expect(await admin.call(getTemplateText, { ...asked, version: 1 }))
      .toEqual({ title: 'Studio', text: 'First.', version: 1, is_draft: false });
    expect(await admin.call(getTemplateText, asked)).toMatchObject({ text: 'Second.', is_draft: true });
    // The database holds published texts, whatever the program does.
    const write = (statement: string) => site.tx((tx) => rowsOf(tx, statement));
    await write('update agreements.texts set text = \'Changed.\' where version = 1');
    await write('delete from agreements.texts where version = 1');
    await write('delete from agreements.versions where version = 1');
    expect(await admin.call(getTemplateText, { ...asked, version: 1 })).toMatchObject({ text: 'First.' });
    await expect(write(
      'insert into agreements.texts (kind, version, language, title, text) '
        + 'values (\'studio_agreement\', 1, \'de\', \'Neu\', \'Neu\')',
    )).rejects.toThrow(/row-level security/u);
    await admin.call(discardDraft, { kind: 'studio_agreement', version: 2, reason: 'not agreed' });
    expect(await admin.call(getTemplateText, asked)).toMatchObject({ text: 'First.', is_draft: false });
  });

  it('are refused without an English text, with an unknown placeholder, or as another draft', async () => {
    const save = { kind: 'performer_agreement', language: 'de', title: 'Vertrag', text: 'Hallo' } as const;
    const problem = await admin.refused(saveTemplate, { ...save, text: 'Dear {first_name}' });
    expect([problem.errorType, problem.message]).toEqual([
      'placeholder_unknown',
      expect.stringContaining('{first_name}'),
    ]);
    expect((await admin.refused(saveTemplate, { ...save, text: '\u200B\u2060' })).errorType).toBe(
      'text_empty',
    );
    await admin.call(saveTemplate, save);
    const publish = { ...published, kind: 'performer_agreement' } as const;
    expect((await admin.refused(publishTemplate, { ...publish, version: 1 })).errorType).toBe(
      'english_missing',
    );
    expect((await admin.refused(publishTemplate, { ...publish, version: 2 })).errorType).toBe(
      'draft_missing',
    );
    expect((await admin.refused(discardDraft, { kind: publish.kind, version: 2, reason: 'gone' })).errorType)
      .toBe('draft_missing');
  });
});

describe('a signed document', () => {
  it('has its proof and its history, and a copy for its person and for admins', async () => {
    const { ada, id } = await signs('Ada Lovelace');
    const { document_text: text } = await ada.call(getLegalDocument, { id });
    const hash = createHash('sha256').update(text).digest('hex');
    const detail = await admin.call(getDocument, { id: Number(id) });
    expect(detail).toMatchObject({
      username: ada.username,
      signature: 'Ada Lovelace',
      text_sha256: hash,
      is_intact: true,
      is_current: true,
      proof: { region: 'demo' },
    });
    expect(detail.events.map(({ event, by }) => [event, by])).toEqual([
      ['issued', admin.username],
      ['opened', ada.username],
      ['signed', ada.username],
    ]);
    // No address of the network is stored, whole or in part.
    const rows = await site.tx((tx) =>
      rowsOf<{ proof: string }>(tx, `select proof::text as proof from agreements.documents where id = ${id}`)
    );
    expect(rows[0]?.proof).not.toMatch(/127\.|\d+\.\d+\.\d+/u);
    for (const [who, { path }] of [[ada, downloadLegalDocument], [admin, downloadDocument]] as const) {
      const { statusCode, headers, body } = await who.request({ url: `/api/v1${path.replace(':id', id)}` });
      expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
      expect(headers['content-disposition']).toBe(`attachment; filename="agreement-${id}.txt"`);
      for (const part of [text, hash, 'Ada Lovelace', `@${ada.username}`, site.clock.now().toISOString()]) {
        expect(body).toContain(part);
      }
    }
    const audited = await site.tx((tx) =>
      rowsOf<{ action: string }>(
        tx,
        `select action from platform.audit where subject = 'agreement:${id}' and actor_id = ${admin.id}`,
      )
    );
    expect(audited).toEqual([{ action: 'agreements.downloadDocument' }]);
  });

  it('that somebody changed in the database is shown to nobody as signed', async () => {
    const { ada, id } = await signs('Ada Lovelace');
    await tampers(`update agreements.documents set text = text || ' And more.' where id = ${id}`);
    const answers = await Promise.all(
      ['', '/copy'].map((part) => ada.request({ url: `/api/v1/legal/document/${id}${part}` })),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([500, 500]);
    expect(await admin.call(getDocument, { id: Number(id) })).toMatchObject({ is_intact: false });
    // The hash of the changed text does not help: the seal has the first one.
    await tampers(
      `update agreements.documents set text_sha256 = encode(sha256(convert_to(text, 'UTF8')), 'hex') `
        + `where id = ${id}`,
    );
    expect(await admin.call(getDocument, { id: Number(id) })).toMatchObject({ is_intact: false });
  });

  it('with another name than the one that was typed is not intact', async () => {
    const { ada, id } = await signs('Ada Lovelace');
    await tampers(`update agreements.documents set signature = 'Eve Moneypenny' where id = ${id}`);
    expect(await admin.call(getDocument, { id: Number(id) })).toMatchObject({ is_intact: false });
    expect((await ada.request({ url: `/api/v1/legal/document/${id}` })).statusCode).toBe(500);
  });

  it('that nobody signed has no copy', async () => {
    const ada = await site.viewer();
    await admin.call(saveTemplate, { kind, language: 'en', title: 'Release', text: TEXT });
    const { draft } = (await admin.call(listTemplates, {})).templates.find((one) => one.kind === kind) ?? {};
    await admin.call(publishTemplate, { ...published, version: draft?.version ?? 0 });
    const { id } = await admin.call(issueDocument, { username: ada.username, kind, sign_days: 7 });
    for (const [who, path] of [[ada, 'legal/document'], [admin, 'admin/agreements/documents']] as const) {
      const { statusCode, body } = await who.request({ url: `/api/v1/${path}/${id}/copy` });
      expect([statusCode, body.includes('not_signed')]).toEqual([409, true]);
    }
  });
});

describe('the back office of agreements', () => {
  it('is closed to everybody but admins', async () => {
    const { id } = await signs('Ada Lovelace');
    const people = [
      await site.visitor({ ofAge: true }),
      await site.viewer(),
      await site.performer(),
      await site.viewer({ roles: ['site_mod'] }),
    ];
    const base = '/api/v1/admin/agreements';
    for (const person of people) {
      for (const path of [
        'templates',
        `templates/${kind}`,
        `templates/${kind}/en`,
        'documents',
        `documents/${id}`,
        `documents/${id}/copy`,
      ]) {
        expect([path, (await person.request({ url: `${base}/${path}` })).statusCode])
          .toEqual([path, expect.toBeOneOf([401, 403])]);
      }
      const writes = {
        'templates': { kind, language: 'en', title: 'Mine', text: 'All of it' },
        'templates/publish': { ...published, version: 1 },
        'templates/discard': { kind, version: 1, reason: 'because' },
        'documents': { username: 'somebody', kind, sign_days: 7 },
        [`documents/${id}/withdraw`]: { reason: 'because' },
      };
      for (const [path, payload] of Object.entries(writes)) {
        const { statusCode } = await person.request({ method: 'POST', url: `${base}/${path}`, payload });
        expect([path, statusCode]).toEqual([path, expect.toBeOneOf([401, 403])]);
      }
    }
  });

  it('notifies whoever is to sign, on the site and by email, in their language', async () => {
    const ada = await site.viewer();
    await ada.request({ method: 'POST', url: '/api/v1/user/settings', payload: { locale: 'de' } });
    const { id } = await admin.call(issueDocument, { username: ada.username, kind, sign_days: 7 });
    const { body } = await ada.request({ url: '/api/v1/notifications' });
    expect(JSON.parse(body)).toMatchObject({
      notices: [{ title: 'Ein Dokument wartet auf deine Unterschrift', link: `/legal/document/${id}` }],
    });
    const mails = await site.tx((tx) =>
      rowsOf<{ subject: string; body: string }>(
        tx,
        `select subject, body from notices.outbox where recipient = '${ada.person.email}' order by id desc`,
      )
    );
    expect(mails[0]?.subject).toBe('Ein Dokument wartet auf deine Unterschrift');
    expect(mails[0]?.body).toContain(`/legal/document/${id}`);
  });
});
