import { hostileFiles } from '#platform/images/hostile-files.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { updateSettings } from '#product/accounts/contract/settings.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { asksEvidence, goesLiveBy } from '#product/testkit/people/evidence.ts';
import { applies, DOCUMENT, fileForm, pictureForm, reviews, WHO } from '#product/testkit/people/identity.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  confirmProfile,
  getApplication,
  giveDocument,
  giveIdentity,
  givePayoutCountry,
  handInApplication,
  uploadDocument,
  uploadSelfie,
} from './contract.ts';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
beforeEach(() => asksEvidence(site, {}));
afterAll(() => site.close());

const newcomer = () => site.performer({ cleared: false });
const userOf = async (who: Member) => (await who.call(getCurrentUser, {})).user;
const errorOf = (problem: { readonly errorType: string }) => problem.errorType;

describe('an application', () => {
  it('leads from sign-up to the first broadcast by the reviewer’s hand alone', async () => {
    const performer = await newcomer();
    expect(await userOf(performer)).toMatchObject({
      compliance_status: 'incomplete',
      compliance_reject_reason: null,
    });
    expect(await goesLiveBy(site, performer)).toBe('clearance_missing');
    expect(await applies(performer)).toMatchObject({ status: 'pending', state: 'waiting' });
    expect(await userOf(performer)).toMatchObject({ compliance_status: 'pending' });
    expect(await goesLiveBy(site, performer)).toBe('clearance_missing');
    const decided = await reviews(admin, performer);
    expect(decided).toMatchObject({ state: 'accepted' });
    expect(decided.clearance_id).toBeGreaterThan(0);
    expect(await userOf(performer)).toMatchObject({
      compliance_status: 'cleared',
      identity_confirmed: true,
      compliance_reject_reason: null,
    });
    expect(await goesLiveBy(site, performer)).toBe('live');
    const { mails } = await admin.call(listOutbox, {});
    expect(mails.find(({ to }) => to === performer.person.email)?.text).toMatch(/\/go-live$/u);
  });

  it('is left and taken up at any time, and shows states, never what was given', async () => {
    const performer = await newcomer();
    await performer.call(giveIdentity, WHO);
    await performer.call(giveDocument, DOCUMENT);
    await performer.call(uploadDocument, { side: 'front' }, { form: (await pictureForm()).form });
    await site.passes(20 * DAY_MS);
    const back = await site.memberOf(performer.username);
    const shown = await back.call(getApplication, {});
    expect(shown.steps.map(({ step, state }) => [step, state])).toEqual([
      ['who', 'given'],
      ['document', 'missing'],
      ['selfie', 'missing'],
      ['payout', 'missing'],
      ['profile', 'missing'],
      ['test', 'missing'],
    ]);
    expect(shown.document).toEqual({ kind: 'identity_card', has_front: true, has_back: false });
    const text = JSON.stringify(shown);
    for (const secret of [WHO.legal_name, WHO.birth_date, DOCUMENT.number_end, DOCUMENT.expires_on]) {
      expect(text).not.toContain(secret);
    }
    const left = await back.refused(handInApplication, {});
    expect([left.errorType, left['steps']])
      .toEqual(['steps_missing', ['document', 'selfie', 'payout', 'profile', 'test']]);
    await back.call(uploadDocument, { side: 'back' }, { form: (await pictureForm()).form });
    expect((await back.call(getApplication, {})).steps[1]).toMatchObject({ state: 'given' });
  });

  it('with a passport needs no back', async () => {
    const performer = await newcomer();
    await performer.call(giveDocument, { ...DOCUMENT, kind: 'passport' });
    const { form } = await pictureForm();
    expect((await performer.call(uploadDocument, { side: 'front' }, { form })).steps[1])
      .toMatchObject({ step: 'document', state: 'given' });
  });

  it('asks for an age by the exact date of the server: one day short of 18 is refused', async () => {
    const performer = await newcomer();
    const now = site.clock.now();
    const birthday = `${now.getUTCFullYear() - 18}-${now.toISOString().slice(5, 10)}`;
    const dayAfter = new Date(Date.parse(birthday) + DAY_MS).toISOString().slice(0, 10);
    expect(errorOf(await performer.refused(giveIdentity, { ...WHO, birth_date: dayAfter }))).toBe(
      'too_young',
    );
    expect((await performer.call(giveIdentity, { ...WHO, birth_date: birthday })).steps[0])
      .toMatchObject({ state: 'given' });
    await asksEvidence(site, { age: 21 });
    expect(errorOf(await performer.refused(giveIdentity, { ...WHO, birth_date: birthday }))).toBe(
      'too_young',
    );
    for (const birth_date of ['1996-02-30', '1700-01-01']) {
      expect(errorOf(await performer.refused(giveIdentity, { ...WHO, birth_date })))
        .toBe('birth_date_unknown');
    }
  });

  it('refuses wrong facts and what comes too early', async () => {
    const performer = await newcomer();
    const picture = await pictureForm();
    for (const [problem, code] of [
      [await performer.refused(giveIdentity, { ...WHO, country: 'XX' }), 'country_unknown'],
      [await performer.refused(giveIdentity, { ...WHO, legal_name: '\u00AD' }), 'name_empty'],
      [await performer.refused(giveIdentity, { ...WHO, aliases: Array(21).fill('A B') }), 'invalid_input'],
      [await performer.refused(giveIdentity, { ...WHO, passport: '1234' }), 'invalid_input'],
      [await performer.refused(giveDocument, { ...DOCUMENT, expires_on: '2020-01-01' }), 'document_expired'],
      [await performer.refused(giveDocument, { ...DOCUMENT, number_end: 'X1234567' }), 'invalid_input'],
      [await performer.refused(givePayoutCountry, { country: 'EU' }), 'country_unknown'],
      [await performer.refused(confirmProfile, {}), 'profile_incomplete'],
      [
        await performer.refused(uploadDocument, { side: 'front' }, { form: picture.form }),
        'document_unknown',
      ],
    ] as const) {
      expect(errorOf(problem)).toBe(code);
    }
  });

  it('changes no more once it was handed in', async () => {
    const performer = await newcomer();
    await applies(performer);
    for (const problem of [
      await performer.refused(giveIdentity, WHO),
      await performer.refused(giveDocument, DOCUMENT),
      await performer.refused(uploadSelfie, {}, { form: (await pictureForm()).form }),
      await performer.refused(uploadDocument, { side: 'back' }, { form: (await pictureForm()).form }),
      await performer.refused(givePayoutCountry, { country: 'FR' }),
      await performer.refused(handInApplication, {}),
    ]) {
      expect(errorOf(problem)).toBe('under_review');
    }
  });

  it('refuses files that are no pictures, and stores nothing of them', async () => {
    const performer = await newcomer();
    const { hostile } = await hostileFiles();
    const named = (name: string) => hostile.find((file) => file.name === name)!.bytes;
    for (const [name, code] of [
      ['html', 'picture_not_image'],
      ['pdf', 'picture_not_image'],
      ['svg', 'picture_type'],
      ['heic', 'picture_type'],
      ['jpeg of 65500×65500', 'picture_too_large'],
    ] as const) {
      const problem = await performer.refused(uploadSelfie, {}, { form: fileForm(named(name)) });
      expect([name, errorOf(problem)]).toEqual([name, code]);
    }
    expect((await performer.call(getApplication, {})).steps[2]).toMatchObject({ state: 'missing' });
  }, 60_000);
});

describe('a rejection', () => {
  it('says why in the performer’s language, by email too, and leaves the rest as it was', async () => {
    const performer = await newcomer();
    await performer.call(updateSettings, { locale: 'de' });
    await applies(performer);
    await reviews(admin, performer, { document: 'unreadable', selfie: 'other' }, 'Bitte bei Tageslicht.');
    const user = await userOf(performer);
    expect(user.compliance_status).toBe('rejected');
    expect(await goesLiveBy(site, performer)).toBe('clearance_missing');
    const shown = await performer.call(getApplication, {});
    expect(shown.steps.map(({ step, state }) => [step, state])).toEqual([
      ['who', 'accepted'],
      ['document', 'rejected'],
      ['selfie', 'rejected'],
      ['payout', 'accepted'],
      ['profile', 'accepted'],
      ['test', 'accepted'],
    ]);
    const { mails } = await admin.call(listOutbox, {});
    const mail = mails.find(({ to }) => to === performer.person.email);
    expect(mail?.text).toContain('Ausweisdokument: Das Bild ist unscharf oder zu dunkel.');
    expect(mail?.text).toMatch(/\/models\/signup$/u);
    expect(errorOf(await performer.refused(handInApplication, {}))).toBe('steps_missing');
    await performer.call(uploadDocument, { side: 'front' }, { form: (await pictureForm('#123')).form });
    await performer.call(uploadSelfie, {}, { form: (await pictureForm('#321')).form });
    await performer.call(handInApplication, {});
    expect(await userOf(performer)).toMatchObject({
      compliance_status: 'pending',
      compliance_reject_reason: null,
    });
    expect(await reviews(admin, performer)).toMatchObject({ state: 'accepted' });
  });

  it('is compliance_reject_reason of GET /user/current, with the reviewer’s note [A-166]', async () => {
    const performer = await newcomer();
    await applies(performer);
    expect((await userOf(performer)).compliance_reject_reason).toBeNull();
    await reviews(admin, performer, { document: 'cut_off', selfie: 'other' }, 'Hold it beside your face.');
    expect((await userOf(performer)).compliance_reject_reason).toBe(
      'Identity document: A corner of the document is cut off or covered. Hold it beside your face.\n'
        + 'Selfie with your document: See the note. Hold it beside your face.',
    );
    const german = await site.memberOf(performer.username, { language: 'de' });
    expect((await userOf(german)).compliance_reject_reason).toMatch(/^Ausweisdokument: Eine Ecke/u);
  });
});

it('compliance_status of GET /user/current names where a performer stands [A-165]', async () => {
  const statusOf = async (who: Member) => (await userOf(who)).compliance_status;
  expect(await statusOf(await site.viewer())).toBeNull();
  const performer = await newcomer();
  expect(await statusOf(performer)).toBe('incomplete');
  await applies(performer);
  expect(await statusOf(performer)).toBe('pending');
  await reviews(admin, performer, { who: 'alias_missing' });
  expect(await statusOf(performer)).toBe('rejected');
  await performer.call(giveIdentity, WHO);
  await performer.call(handInApplication, {});
  await reviews(admin, performer);
  expect(await statusOf(performer)).toBe('cleared');
  const revoke = { username: performer.username, decision: 'revoke', reason: 'a complaint' } as const;
  await admin.call(decideClearance, revoke);
  expect(await statusOf(performer)).toBe('revoked');
  expect(await goesLiveBy(site, performer)).toBe('clearance_missing');
});
