import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { listNotices } from '#product/notices/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeReport, listReports, sendReport } from './contract.ts';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
afterAll(() => site.close());

/** Cases about somebody, as stored, with the kinds of their events. */
const casesOf = async ({ id }: { readonly id: number }) =>
  (await site.tx((tx) =>
    sql<{ id: number; status: string; is_escalated: boolean; kinds: string[] }>`
  select c.id, c.status, c.is_escalated, array_agg(e.kind order by e.id) as kinds
  from moderation.cases c join moderation.events e on e.case_id = c.id
  where c.subject_id = ${id} group by c.id, c.status, c.is_escalated order by c.id`.execute(tx.sql())
  )).rows;
const reported = async (more: object = {}): Promise<Member> => {
  const subject = await site.viewer();
  await (await site.viewer()).call(sendReport, {
    kind: 'person',
    username: subject.username,
    reason: 'spam',
    details: '',
    ...more,
  });
  return subject;
};

describe('a case', () => {
  it('is opened by a report, and decided when an admin closes it', async () => {
    const subject = await reported();
    expect(await casesOf(subject)).toMatchObject([{ status: 'open', kinds: ['report'] }]);
    const [report] = (await admin.call(listReports, {})).reports;
    await admin.call(closeReport, { id: report?.id ?? 0, outcome: 'no_violation', note: 'Nothing there' });
    expect(await casesOf(subject)).toMatchObject([{ status: 'decided', kinds: ['report', 'decide'] }]);
  });

  it('that two admins close at the same moment is decided once', async () => {
    const subject = await reported();
    const [report] = (await admin.call(listReports, {})).reports;
    const other = await site.admin();
    const closing = { id: report?.id ?? 0, outcome: 'warned', note: 'Asked them to stop' } as const;
    const outcomes = await Promise.allSettled([admin, other].map((who) => who.call(closeReport, closing)));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect((await casesOf(subject))[0]?.kinds).toEqual(['report', 'decide']);
  });

  it('has a history that nobody changes or deletes', async () => {
    await reported();
    for (
      const change of [
        sql`update moderation.events set kind = 'note'`,
        sql`delete from moderation.events`,
        sql`truncate moderation.events`,
      ]
    ) {
      await expect(site.tx((tx) => change.execute(tx.sql()))).rejects.toThrow(/permission denied/u);
    }
  });

  it('that nobody decides is escalated to admins half-way through its time, once', async () => {
    const subject = await reported({ reason: 'underage' });
    const noticesOf = async () =>
      (await admin.call(listNotices, {})).notices
        .filter(({ title }) => title.startsWith('Case ')).length;
    const before = await noticesOf();
    await site.passes(12 * HOUR_MS - 1_000);
    expect((await casesOf(subject))[0]).toMatchObject({ is_escalated: false });
    await site.passes(2_000);
    expect((await casesOf(subject))[0]).toMatchObject({ is_escalated: true, kinds: ['report', 'escalate'] });
    const after = await noticesOf();
    expect(after).toBeGreaterThan(before);
    await site.passes(DAY_MS);
    expect((await casesOf(subject))[0]?.kinds).toEqual(['report', 'escalate']);
  });
});
