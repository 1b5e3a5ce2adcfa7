import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { asksEvidence, goesLiveBy } from '#product/testkit/people/evidence.ts';
import {
  applies,
  decisionOf,
  DOCUMENT,
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
import { giveDocument, giveIdentity, handInApplication, uploadDocument } from './contract.ts';
import {
  decideApplication,
  getIdentityPicture,
  holdRecords,
  inspect,
  listApplications,
  openApplication,
} from './contract/review.ts';

let site: TestSite;
let admin: Member;
let second: Member;
beforeAll(async () => {
  site = await createSite();
  [admin, second] = [await site.admin(), await site.admin()];
});
beforeEach(() => asksEvidence(site, {}));
afterAll(() => site.close());

const newcomer = () => site.performer({ cleared: false });
const userOf = async (who: Member) => (await who.call(getCurrentUser, {})).user;
const errorOf = (problem: { readonly errorType: string }) => problem.errorType;
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
    await asksEvidence(site, { reviewers: 2 });
    const performer = await newcomer();
    await applies(performer);
    const opened = await opens(admin, performer);
    expect(await admin.call(decideApplication, decisionOf(opened)))
      .toEqual({ state: 'second', clearance_id: null });
    expect(errorOf(await admin.refused(decideApplication, decisionOf(opened)))).toBe('decided_before');
    const again = await opens(admin, performer);
    expect(errorOf(await admin.refused(decideApplication, decisionOf(again)))).toBe('decided_before');
    expect(await goesLiveBy(site, performer)).toBe('clearance_missing');
    expect(await lineOf(second, performer)).toMatchObject({ state: 'second', is_decided_by_me: false });
    expect(await lineOf(admin, performer)).toMatchObject({ is_decided_by_me: true });
    expect(await reviews(second, performer)).toMatchObject({ state: 'accepted' });
    expect(await goesLiveBy(site, performer)).toBe('live');
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
    expect(await goesLiveBy(site, performer)).toBe('clearance_missing');
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
    await asksEvidence(site, { age: 30 });
    await site.passes(0);
    const young = await newcomer();
    await asksEvidence(site, { age: 18 });
    await givesEveryStep(young);
    await young.call(giveIdentity, { ...WHO, birth_date: '2004-01-01' });
    await young.call(handInApplication, {});
    await asksEvidence(site, { age: 25 });
    expect(errorOf(await chief.refused(decideApplication, decisionOf(await opens(chief, young)))))
      .toBe('accepts_too_young');
    await asksEvidence(site, {});
    await reviews(chief, young);
    await reviews(chief, performer, { document: 'expired' });
  });
});
