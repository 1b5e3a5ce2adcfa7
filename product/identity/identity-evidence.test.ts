import { DAY_MS } from '#platform/time/units.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { getLegalDocument, signLegalDocument } from '#product/agreements/contract.ts';
import { publishTemplate, saveTemplate } from '#product/agreements/contract/admin.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { asksEvidence, goesLiveBy } from '#product/testkit/people/evidence.ts';
import {
  applies,
  DOCUMENT,
  givesEveryStep,
  pictureForm,
  reviews,
  WHO,
} from '#product/testkit/people/identity.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { rowsOf } from '#product/testkit/store/rows.ts';
import { smugglesBroadcast } from '#product/testkit/store/smuggled.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  confirmAgreement,
  getApplication,
  giveDocument,
  giveIdentity,
  handInApplication,
  uploadDocument,
  uploadSelfie,
} from './contract.ts';
import { inspect, saveIdentityRules } from './contract/review.ts';

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
const evidenceCount = async ({ id }: Member): Promise<number> =>
  (await site.tx((tx) => rowsOf(tx, `select id from identity.evidence where performer_id = ${id}`))).length;

describe('evidence', () => {
  it('is needed for a broadcast and for a clearance by the database itself', async () => {
    await asksEvidence(site, { requires: false });
    const performer = await newcomer();
    const clear = () =>
      site.tx((tx) => site.services.compliance.clear(tx, performer.id, null, 'seen by nobody'));
    const clearanceId = await clear();
    await asksEvidence(site, { requires: true });
    expect(await goesLiveBy(site, performer)).toBe('clearance_missing');
    expect(await userOf(performer)).toMatchObject({ compliance_status: 'incomplete' });
    await expect(site.tx((tx) => smugglesBroadcast(tx, { performerId: performer.id, clearanceId })))
      .rejects.toThrow(/has no evidence/u);
    await expect(clear()).rejects.toThrow(/has no evidence/u);
    await expect(site.tx((tx) =>
      rowsOf(
        tx,
        `insert into identity.evidence (performer_id, clearance_id, basis, made_at)
         values (${performer.id}, ${clearanceId}, 'review', now())`,
      )
    )).rejects.toThrow(/check constraint/u);
    await expect(
      site.tx((tx) => rowsOf(tx, `delete from identity.evidence where performer_id = ${performer.id}`)),
    ).rejects.toThrow(/permission denied/u);
  });

  it('is asked of an admin who clears by hand', async () => {
    const performer = await newcomer();
    const input = { username: performer.username, decision: 'clear', reason: 'looked fine' } as const;
    expect(errorOf(await admin.refused(decideClearance, input))).toBe('evidence_missing');
    expect(await goesLiveBy(site, performer)).toBe('clearance_missing');
  });

  it('is not what a viewer had who becomes a performer', async () => {
    const member = await site.viewer();
    await site.handsInPapers(member);
    await site.tx((tx) => site.services.compliance.clear(tx, member.id, null, 'papers of a buyer'));
    expect(await userOf(member)).toMatchObject({ compliance_status: 'cleared' });
    const { becomePerformer } = await import('#product/accounts/contract/performing.ts');
    await member.call(becomePerformer, { gender: 'f', accept_terms: true });
    await site.settle();
    const performer = await site.memberOf(member.username);
    expect(await userOf(performer)).toMatchObject({ compliance_status: 'incomplete' });
    expect(await goesLiveBy(site, performer)).toBe('clearance_missing');
  });

  it('runs out with its clearance after a year, and asks for document and selfie again', async () => {
    const performer = await newcomer();
    await applies(performer);
    await reviews(await site.memberOf(admin.username), performer);
    await site.passes(366 * DAY_MS);
    const back = await site.memberOf(performer.username);
    expect(await userOf(back)).toMatchObject({ compliance_status: 'incomplete' });
    expect(await goesLiveBy(site, back)).toBe('clearance_missing');
    expect(
      (await back.call(getApplication, {})).steps.filter(({ state }) => state === 'missing')
        .map(({ step }) => step),
    ).toEqual(['document', 'selfie']);
    expect(await evidenceCount(performer)).toBe(1);
    await back.call(giveDocument, { ...DOCUMENT, kind: 'passport' });
    await back.call(uploadDocument, { side: 'front' }, { form: (await pictureForm()).form });
    await back.call(uploadSelfie, {}, { form: (await pictureForm()).form });
    await back.call(handInApplication, {});
    await reviews(await site.memberOf(admin.username), performer);
    expect(await userOf(back)).toMatchObject({ compliance_status: 'cleared' });
    expect(await evidenceCount(performer)).toBe(2);
  });
});

it('an agreement in force is a step, and its signature is part of the evidence', async () => {
  const chief = await site.memberOf(admin.username);
  const agreement = {
    kind: 'performer_agreement',
    language: 'en',
    title: 'Agreement',
    text: 'Be kind.',
  } as const;
  const { draft } = await chief.call(saveTemplate, agreement);
  await chief.call(publishTemplate, {
    kind: 'performer_agreement',
    version: draft?.version ?? 0,
    issue_to_all: false,
    sign_days: 30,
    reason: 'counsel agreed',
  });
  const performer = await newcomer();
  await givesEveryStep(performer);
  expect(errorOf(await performer.refused(confirmAgreement, {}))).toBe('agreement_unsigned');
  expect((await performer.refused(handInApplication, {}))['steps']).toEqual(['agreement']);
  const { agreement_path: path } = await performer.call(getApplication, {});
  const id = /^\/legal\/document\/(\d+)$/u.exec(path ?? '')?.[1] ?? '';
  const { secret } = await performer.call(getLegalDocument, { id });
  await performer.call(signLegalDocument, { secret, signature: WHO.legal_name });
  expect(await performer.call(confirmAgreement, {})).toMatchObject({ agreement_path: null });
  await performer.call(handInApplication, {});
  await reviews(chief, performer);
  const rows = await site.tx((tx) =>
    rowsOf(tx, `select agreement from identity.evidence where performer_id = ${performer.id}`)
  );
  expect(rows).toEqual([{ agreement: id }]);
});

it('the operator’s rules are an admin’s, have limits, and stand in the audit log', async () => {
  const chief = await site.memberOf(admin.username);
  const rules = { requires_evidence: true, reviewers: 2, minimum_age: 21 };
  expect(await chief.call(saveIdentityRules, { ...rules, reason: 'advice of counsel' })).toEqual(rules);
  for (const wrong of [{ reviewers: 3 }, { reviewers: 0 }, { minimum_age: 17 }, { minimum_age: 31 }]) {
    expect((await chief.refused(saveIdentityRules, { ...rules, ...wrong, reason: 'none' })).errorType)
      .toBe('invalid_input');
  }
  expect((await (await site.viewer()).refused(saveIdentityRules, { ...rules, reason: 'none' })).status)
    .toBe(403);
});

it('a performer is found by any of their names, whole and however it is spelled', async () => {
  const chief = await site.memberOf(admin.username);
  const performer = await newcomer();
  await performer.call(giveIdentity, { ...WHO, legal_name: 'Zoë Q. Vandermeer', aliases: ['The Night-Owl'] });
  for (const name of [performer.username, 'zoe q vandermeer', 'the nightowl']) {
    const { matches } = await chief.call(inspect, { name, reason: 'inspection' });
    expect(matches.map(({ username }) => username)).toEqual([performer.username]);
  }
  expect((await chief.call(inspect, { name: 'zoe', reason: 'inspection' })).matches).toEqual([]);
});
