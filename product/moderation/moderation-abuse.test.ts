import type { InputOf } from '#platform/contract/call.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import { getPerson } from '#product/accounts/contract/life/people.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeReport, listReports, sendReport } from './contract.ts';
import { addToCase, decideCase, listCases, upholdCase } from './contract/cases.ts';
import { appealDecision } from './contract/requests.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const moderator = () => site.viewer({ roles: ['site_mod'] });
/** The newest case about somebody. */
const caseAbout = async ({ username }: { readonly username: string }): Promise<number> =>
  (await (await site.admin()).call(listCases, {})).cases
    .findLast((item) => item.username === username)?.id ?? 0;
/** Reports somebody, and returns the id of the case. */
async function reported({ username }: Member, reason: 'spam' | 'illegal' = 'spam'): Promise<number> {
  await (await site.viewer()).call(sendReport, { kind: 'person', username, reason, details: '' });
  return caseAbout({ username });
}
const decision = (id: number, more: Partial<InputOf<typeof decideCase>> = {}) => ({
  id,
  policy: 'terms' as const,
  removes: false,
  warns: false,
  note: 'Looked at it',
  ...more,
});
const isSuspended = async ({ username }: { username: string }): Promise<boolean> =>
  (await (await site.admin()).call(getPerson, { username })).suspended_at !== null;
/** Appeals by the link that somebody was sent. */
async function appeals({ person: { email: to } }: Member): Promise<void> {
  const { mails } = await (await site.admin()).call(listOutbox, {});
  const text = mails.find((mail) => mail.kind === 'moderation:mails.decided' && mail.to === to)?.text ?? '';
  const [, reference = '', key = ''] = /\/report\/([A-Z2-9]{10})\?key=([\w-]{22})/u.exec(text) ?? [];
  await (await site.visitor()).call(appealDecision, {
    reference,
    key,
    ground: 'appeal',
    statement: 'It was not me.',
    name: 'Jo Example',
    accurate: true,
    signature: 'Jo Example',
  });
}

describe('members of staff', () => {
  it('nobody works on a case that they reported', async () => {
    const [mod, subject] = [await moderator(), await site.viewer()];
    await mod.call(sendReport, { kind: 'person', username: subject.username, reason: 'spam', details: '' });
    const id = await caseAbout(subject);
    for (
      const refused of [
        await mod.refused(addToCase, { id, kind: 'claim' }),
        await mod.refused(decideCase, decision(id, { suspends: {} })),
      ]
    ) expect(refused.errorType).toBe('own_report');
    expect(await isSuspended(subject)).toBe(false);
    const [admin, other] = [await site.admin(), await site.viewer()];
    await admin.call(sendReport, { kind: 'person', username: other.username, reason: 'spam', details: '' });
    const report = (await admin.call(listReports, {})).reports[0]?.id ?? 0;
    const closing = { id: report, outcome: 'restricted', note: 'Mine' } as const;
    expect((await admin.refused(closeReport, closing)).errorType).toBe('own_report');
  });

  it('whoever becomes an admin before their suspension begins is not suspended', async () => {
    const subject = await site.viewer();
    const from = new Date(site.clock.now().getTime() + 2 * HOUR_MS).toISOString();
    await (await moderator()).call(
      decideCase,
      decision(await reported(subject), { suspends: { from, hours: 5 } }),
    );
    const { email } = subject.person;
    await site.services.accounts.appoint(site.scope, { email, origin: 'https://localhost' });
    await site.passes(3 * HOUR_MS);
    expect(await isSuspended(subject)).toBe(false);
  });

  it('nobody upholds their own decision while there is another admin', async () => {
    const subject = await site.viewer();
    const id = await reported(subject);
    const [decider, other] = [await site.admin(), await site.admin()];
    await decider.call(decideCase, decision(id, { warns: true }));
    await appeals(subject);
    expect((await decider.refused(upholdCase, { id, note: 'I am right' })).errorType).toBe('own_decision');
    expect(await other.call(upholdCase, { id, note: 'Agreed' })).toMatchObject({ status: 'decided' });
  });
});
