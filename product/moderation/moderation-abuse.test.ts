import type { InputOf } from '#platform/contract/call.ts';
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { getPerson, suspendPerson } from '#product/accounts/contract/life/people.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeReport, listReports, sendReport } from './contract.ts';
import { addToCase, decideCase, getCase, listCases, reverseCase, upholdCase } from './contract/cases.ts';
import { appealDecision, followRequest, sendRequest } from './contract/requests.ts';

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

const sends = async (addresses: string[]) =>
  (await site.visitor()).call(sendRequest, {
    kind: 'complaint',
    relation: 'other',
    name: 'Jo Example',
    email: 'jo@example.com',
    addresses,
    statement: 'It breaks the law there.',
    good_faith: true,
    accurate: true,
    signature: 'Jo Example',
  });

describe('a suspension', () => {
  it('begins within 30 days, or is refused', async () => {
    const id = await reported(await site.viewer());
    const mod = await moderator();
    const later = (days: number) => new Date(site.clock.now().getTime() + days * DAY_MS).toISOString();
    const refused = await mod.refused(decideCase, decision(id, { suspends: { from: later(31) } }));
    expect(refused.errorType).toBe('suspension_too_late');
    expect(await mod.call(getCase, { id })).toMatchObject({ status: 'open' });
    await mod.call(decideCase, decision(id, { suspends: { from: later(29) } }));
  });

  it('by an admin goes on when a case ends its own, whichever began first', async () => {
    const [first, second] = [await site.viewer(), await site.viewer()];
    const byHand = async ({ username }: Member, suspended: boolean) =>
      (await site.admin()).call(suspendPerson, { username, suspended, reason: 'By hand' });
    await byHand(first, true);
    const id = await reported(first);
    await (await site.admin()).call(decideCase, decision(id, { suspends: {} }));
    await (await site.admin()).call(reverseCase, { id, note: 'A mistake' });
    expect(await isSuspended(first)).toBe(true);
    await (await moderator()).call(
      decideCase,
      decision(await reported(second), { suspends: { hours: 24 } }),
    );
    await site.passes(HOUR_MS);
    await byHand(second, false);
    await site.passes(HOUR_MS);
    await byHand(second, true);
    await site.passes(25 * HOUR_MS);
    expect(await isSuspended(second)).toBe(true);
  });

  it('of several cases ends with the last of them, in any order', async () => {
    const subject = await site.viewer();
    const [one, two] = [await reported(subject), await reported(subject, 'illegal')];
    await sends([`/${subject.username}`]);
    const three = await caseAbout(subject);
    const mod = await moderator();
    await mod.call(decideCase, decision(one, { suspends: { hours: 24 } }));
    await mod.call(decideCase, decision(two, { suspends: { hours: 72 } }));
    await mod.call(decideCase, decision(three, { suspends: { hours: 48 } }));
    await site.passes(25 * HOUR_MS);
    expect(await isSuspended(subject)).toBe(true);
    await site.passes(24 * HOUR_MS);
    expect(await isSuspended(subject)).toBe(true);
    await site.passes(24 * HOUR_MS);
    expect(await isSuspended(subject)).toBe(false);
  });

  it('without end is reversed after years, though what its request said is gone', async () => {
    const [named, person] = [await site.viewer(), await site.viewer()];
    const link = await sends([`/${named.username}`]);
    const cases = [await caseAbout(named), await reported(person)];
    for (const id of cases) await (await moderator()).call(decideCase, decision(id, { suspends: {} }));
    const over = await reported(await site.viewer());
    await (await moderator()).call(decideCase, decision(over));
    await site.passes(800 * DAY_MS);
    // Both clean up.
    await sends(['/nobody-here']);
    await reported(await site.viewer());
    expect((await (await site.visitor()).refused(followRequest, link)).errorType).toBe('reference_unknown');
    const admin = await site.admin();
    expect((await admin.refused(getCase, { id: over })).errorType).toBe('case_unknown');
    for (const id of cases) await admin.call(reverseCase, { id, note: 'A mistake' });
    expect([await isSuspended(named), await isSuspended(person)]).toEqual([false, false]);
  });
});
