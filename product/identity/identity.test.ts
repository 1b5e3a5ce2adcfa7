import { hostileFiles } from '#platform/images/hostile-files.ts';
import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { updateSettings } from '#product/accounts/contract/settings.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { TEST_OFFER } from '#product/testkit/media/engine.ts';
import {
  applies,
  decisionOf,
  DOCUMENT,
  fileForm,
  givesEveryStep,
  opens,
  pictureForm,
  reviews,
  WHO,
} from '#product/testkit/people/identity.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { rowsOf } from '#product/testkit/store/rows.ts';
import sharp from 'sharp';
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
import {
  decideApplication,
  getIdentityPicture,
  holdRecords,
  inspect,
  listApplications,
  openApplication,
  saveIdentityRules,
} from './contract/review.ts';

let site: TestSite;
let admin: Member;
let second: Member;
beforeAll(async () => {
  site = await createSite();
  [admin, second] = [await site.admin(), await site.admin()];
});
beforeEach(() => asks({}));
afterAll(() => site.close());

/** What the operator asks of performers in this test. */
const asks = (rules: { requires?: boolean; reviewers?: number; age?: number }) =>
  site.tx((tx) =>
    site.services.identity.setRules(tx, {
      requiresEvidence: rules.requires ?? true,
      reviewers: rules.reviewers ?? 1,
      minimumAge: rules.age ?? 18,
    })
  );
const newcomer = () => site.performer({ cleared: false });
const userOf = async (who: Member) => (await who.call(getCurrentUser, {})).user;
const errorOf = (problem: { readonly errorType: string }) => problem.errorType;
/** What an encoder reads that tries to go live with a key of this performer. */
async function publishes(performer: Member): Promise<string> {
  const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));
  const answer = await performer.request({
    method: 'POST',
    url: '/whip',
    payload: TEST_OFFER,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/sdp' },
  });
  return answer.statusCode === 201 ? 'live' : String((answer.json() as { errorType: string }).errorType);
}
const evidenceCount = async ({ id }: Member): Promise<number> =>
  (await site.tx((tx) => rowsOf(tx, `select id from identity.evidence where performer_id = ${id}`))).length;
/** The line of the queue that is somebody’s. */
async function lineOf(reviewer: Member, { username }: Member) {
  const { lines } = await reviewer.call(listApplications, {});
  return lines.find((line) => line.username === username)!;
}
const auditOf = ({ id }: Member, action: string) =>
  site.tx((tx) =>
    rowsOf<{ actor_id: number; reason: string | null }>(
      tx,
      `select actor_id, reason from platform.audit where subject = 'person:${id}' and action = '${action}'
       order by id`,
    )
  );

describe('an application', () => {
  it('leads from sign-up to the first broadcast by the reviewer’s hand alone', async () => {
    const performer = await newcomer();
    expect(await userOf(performer)).toMatchObject({
      compliance_status: 'incomplete',
      compliance_reject_reason: null,
    });
    expect(await publishes(performer)).toBe('clearance_missing');
    expect(await applies(performer)).toMatchObject({ status: 'pending', state: 'waiting' });
    expect(await userOf(performer)).toMatchObject({ compliance_status: 'pending' });
    expect(await publishes(performer)).toBe('clearance_missing');
    const decided = await reviews(admin, performer);
    expect(decided).toMatchObject({ state: 'accepted' });
    expect(decided.clearance_id).toBeGreaterThan(0);
    expect(await userOf(performer)).toMatchObject({
      compliance_status: 'cleared',
      identity_confirmed: true,
      compliance_reject_reason: null,
    });
    expect(await publishes(performer)).toBe('live');
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
    await asks({ age: 21 });
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
    expect(await publishes(performer)).toBe('clearance_missing');
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

  it('is in GET /user/current as compliance_reject_reason, with the note of the reviewer [A-166]', async () => {
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
  expect(await publishes(performer)).toBe('clearance_missing');
});

describe('the vault', () => {
  it('is read by reviewers alone', async () => {
    const performer = await newcomer();
    await applies(performer);
    const { id, look } = await opens(admin, performer);
    const others = [
      await site.viewer(),
      await newcomer(),
      await site.viewer({ roles: ['site_mod'] }),
      performer,
    ];
    for (const who of others) {
      for (const problem of [
        await who.refused(listApplications, {}),
        await who.refused(openApplication, { id, reason: 'review', note: '' }),
        await who.refused(getIdentityPicture, { id, picture: 'front', look }),
        await who.refused(inspect, { name: WHO.legal_name, reason: 'inspection' }),
        await who.refused(holdRecords, { id, hold: true, reason: 'a ticket' }),
      ]) {
        expect(problem.status).toBe(403);
      }
    }
    const guest = await site.visitor();
    expect((await guest.refused(getIdentityPicture, { id, picture: 'front', look })).status).toBe(401);
  });

  it('opens with a reason that the audit log has, for every single read', async () => {
    const performer = await newcomer();
    await applies(performer);
    const id = await lineOf(admin, performer).then((line) => line.id);
    expect((await admin.refused(openApplication, { id, note: '' })).errorType).toBe('invalid_input');
    expect((await admin.refused(getIdentityPicture, { id, picture: 'front' })).errorType)
      .toBe('invalid_input');
    expect((await admin.refused(getIdentityPicture, { id, picture: 'front', look: 'x.y' })).errorType)
      .toBe('look_missing');
    expect(await auditOf(performer, 'identity.read')).toEqual([]);
    const { look, who, document } = await admin.call(openApplication, { id, reason: 'review', note: '' });
    expect(who).toMatchObject({
      legal_name: 'Ludmilla Fernsby-Ott',
      birth_date: '1996-01-15',
      is_of_age: true,
      aliases: ['Milla Sparrowhawk', 'Ludmilla Ott'],
    });
    expect(document).toMatchObject({
      number_end: 'X7K2',
      is_expired: false,
      has_front: true,
      has_back: true,
    });
    const url = `/api/v1/admin/identity/${id}/pictures/selfie?look=${look}`;
    const picture = await admin.request({ method: 'GET', url });
    expect(picture.headers['cache-control']).toBe('private, no-store');
    expect(await sharp(picture.rawPayload).metadata()).toMatchObject({ format: 'webp', width: 320 });
    expect(await auditOf(performer, 'identity.open')).toEqual([{ actor_id: admin.id, reason: 'review' }]);
    expect(await auditOf(performer, 'identity.read')).toEqual([
      { actor_id: admin.id, reason: 'review' },
      { actor_id: admin.id, reason: 'review' },
      { actor_id: admin.id, reason: 'review' },
    ]);
    await reviews(admin, performer);
  });

  it('gives nothing for the look of somebody else, of another application, or of an hour ago', async () => {
    const [one, other] = [await newcomer(), await newcomer()];
    await applies(one);
    await applies(other);
    const [mine, swapped] = [await opens(admin, one), await opens(admin, other)];
    const picture = 'front' as const;
    const code = async (who: Member, id: number, look: string) =>
      errorOf(await who.refused(getIdentityPicture, { id, picture, look }));
    expect(await code(second, mine.id, mine.look)).toBe('look_missing');
    expect(await code(admin, swapped.id, mine.look)).toBe('look_missing');
    expect(errorOf(await admin.refused(decideApplication, { ...decisionOf(mine), id: swapped.id })))
      .toBe('look_missing');
    expect(errorOf(await second.refused(decideApplication, decisionOf(mine)))).toBe('look_missing');
    await site.passes(31 * MINUTE_MS);
    expect(await code(admin, mine.id, mine.look)).toBe('look_missing');
    expect(errorOf(await admin.refused(decideApplication, decisionOf(mine)))).toBe('look_missing');
    expect(await userOf(one)).toMatchObject({ compliance_status: 'pending' });
    await reviews(admin, one);
    await reviews(admin, other);
  });
});

describe('a review', () => {
  it('shows those who wait, the oldest first, and nobody twice', async () => {
    for (const line of (await admin.call(listApplications, {})).lines) {
      await reviews(admin, line, { who: 'name_differs' });
    }
    const crowd: Member[] = [];
    for (let nth = 0; nth < 3; nth += 1) {
      crowd.push(await newcomer());
      await applies(crowd[nth]!);
      await site.passes(MINUTE_MS);
    }
    const { lines, waiting, next } = await admin.call(listApplications, {});
    expect(lines.map(({ username }) => username)).toEqual(crowd.map(({ username }) => username));
    expect([waiting, next]).toEqual([3, null]);
    const [first] = lines;
    const after = `${Date.parse(first!.handed_in_at)}.${first!.id}`;
    expect((await admin.call(listApplications, { after })).lines.map(({ username }) => username))
      .toEqual(crowd.slice(1).map(({ username }) => username));
    for (const who of crowd) await reviews(admin, who);
    expect((await admin.call(listApplications, {})).lines).toEqual([]);
  });

  it('by two people is never that of one person twice', async () => {
    await asks({ reviewers: 2 });
    const performer = await newcomer();
    await applies(performer);
    const opened = await opens(admin, performer);
    expect(await admin.call(decideApplication, decisionOf(opened)))
      .toEqual({ state: 'second', clearance_id: null });
    expect(errorOf(await admin.refused(decideApplication, decisionOf(opened)))).toBe('decided_before');
    const again = await opens(admin, performer);
    expect(errorOf(await admin.refused(decideApplication, decisionOf(again)))).toBe('decided_before');
    expect(await publishes(performer)).toBe('clearance_missing');
    expect(await lineOf(second, performer)).toMatchObject({ state: 'second', is_decided_by_me: false });
    expect(await lineOf(admin, performer)).toMatchObject({ is_decided_by_me: true });
    expect(await reviews(second, performer)).toMatchObject({ state: 'accepted' });
    expect(await publishes(performer)).toBe('live');
  });

  it('is never of oneself', async () => {
    const both = await site.performer({ cleared: false, roles: ['admin'] });
    await applies(both);
    const { id, is_own: isOwn } = await lineOf(both, both);
    expect(isOwn).toBe(true);
    expect(errorOf(await both.refused(openApplication, { id, reason: 'review', note: '' })))
      .toBe('own_application');
    const { look, ...opened } = await opens(admin, both);
    expect(errorOf(await both.refused(decideApplication, decisionOf({ ...opened, look }))))
      .toBe('own_application');
    await expect(site.tx((tx) =>
      rowsOf(
        tx,
        `insert into identity.decisions
           (application_id, performer_id, hand_in, reviewer_id, verdict, steps, at)
         values (${id}, ${both.id}, 1, ${both.id}, 'accept', '[]', now())`,
      )
    )).rejects.toThrow(/decisions_check|check constraint/u);
    await reviews(admin, both);
  });

  it('that was asked to be looked at by a second person waits for one', async () => {
    const performer = await newcomer();
    await applies(performer);
    const { id, look } = await opens(admin, performer);
    const ask = { id, look, second_look: true, steps: [], note: 'The face looks younger.' };
    expect(await admin.call(decideApplication, ask)).toMatchObject({ state: 'second' });
    const opened = await opens(second, performer);
    expect(opened.decisions).toMatchObject([
      { reviewer: admin.username, verdict: 'second_look', note: 'The face looks younger.' },
    ]);
    expect(await second.call(decideApplication, decisionOf(opened))).toMatchObject({ state: 'accepted' });
  });

  it('counts once, however often it is sent, and however many send it at once', async () => {
    const performer = await newcomer();
    await applies(performer);
    const [mine, theirs] = [await opens(admin, performer), await opens(second, performer)];
    const answers = await Promise.all([
      admin.request({
        method: 'POST',
        url: `/api/v1/admin/identity/${mine.id}/decision`,
        payload: { ...decisionOf(mine), id: undefined },
      }),
      second.request({
        method: 'POST',
        url: `/api/v1/admin/identity/${theirs.id}/decision`,
        payload: { ...decisionOf(theirs), id: undefined },
      }),
    ]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
    for (const [who, opened] of [[admin, mine], [second, theirs]] as const) {
      expect(['decided_before', 'application_changed'])
        .toContain(errorOf(await who.refused(decideApplication, decisionOf(opened))));
    }
    expect(await evidenceCount(performer)).toBe(1);
  });

  it('of a hand-in of before decides nothing about the present one', async () => {
    const performer = await newcomer();
    await applies(performer);
    const [mine, old] = [await opens(admin, performer), await opens(second, performer)];
    await admin.call(decideApplication, decisionOf(mine, { who: 'name_differs' }));
    await performer.call(giveIdentity, { ...WHO, legal_name: 'Somebody Else' });
    await performer.call(handInApplication, {});
    expect(errorOf(await second.refused(decideApplication, decisionOf(old)))).toBe('application_changed');
    expect(await publishes(performer)).toBe('clearance_missing');
    await reviews(admin, performer);
  });

  it('accepts nobody whose document ran out, or who is too young by a rule of today', async () => {
    const performer = await newcomer();
    const end = new Date(site.clock.now().getTime() + DAY_MS).toISOString().slice(0, 10);
    await givesEveryStep(performer);
    await performer.call(giveDocument, { ...DOCUMENT, kind: 'passport', expires_on: end });
    await performer.call(uploadDocument, { side: 'front' }, { form: (await pictureForm()).form });
    await performer.call(handInApplication, {});
    await site.passes(2 * DAY_MS);
    const [chief] = [await site.memberOf(admin.username)];
    const opened = await opens(chief, performer);
    expect(opened.document).toMatchObject({ is_expired: true });
    expect(errorOf(await chief.refused(decideApplication, decisionOf(opened)))).toBe('accepts_expired');
    await asks({ age: 30 });
    await site.passes(0);
    const young = await newcomer();
    await asks({ age: 18 });
    await givesEveryStep(young);
    await young.call(giveIdentity, { ...WHO, birth_date: '2004-01-01' });
    await young.call(handInApplication, {});
    await asks({ age: 25 });
    expect(errorOf(await chief.refused(decideApplication, decisionOf(await opens(chief, young)))))
      .toBe('accepts_too_young');
    await asks({});
    await reviews(chief, young);
    await reviews(chief, performer, { document: 'expired' });
  });
});

describe('evidence', () => {
  it('is needed for a broadcast and for a clearance by the database itself', async () => {
    await asks({ requires: false });
    const performer = await newcomer();
    const clear = () =>
      site.tx((tx) => site.services.compliance.clear(tx, performer.id, null, 'seen by nobody'));
    const clearanceId = await clear();
    await asks({ requires: true });
    expect(await publishes(performer)).toBe('clearance_missing');
    expect(await userOf(performer)).toMatchObject({ compliance_status: 'incomplete' });
    await expect(site.tx((tx) =>
      rowsOf(
        tx,
        `insert into broadcast.broadcasts
           (performer_id, clearance_id, stream, phase, publish_session, published_with, protocol, made_at,
            started_at)
         values (${performer.id}, ${clearanceId}, 'smuggled', 'online', 'x', 'stream_key', 'whip', now(),
            now())`,
      )
    )).rejects.toThrow(/has no evidence/u);
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
    expect(await publishes(performer)).toBe('clearance_missing');
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
    expect(await publishes(performer)).toBe('clearance_missing');
  });

  it('runs out with its clearance after a year, and asks for document and selfie again', async () => {
    const performer = await newcomer();
    await applies(performer);
    await reviews(await site.memberOf(admin.username), performer);
    await site.passes(366 * DAY_MS);
    const back = await site.memberOf(performer.username);
    expect(await userOf(back)).toMatchObject({ compliance_status: 'incomplete' });
    expect(await publishes(back)).toBe('clearance_missing');
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
