import type { InputOf } from '#platform/contract/call.ts';
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { getPerson } from '#product/accounts/contract/life/people.ts';
import { listNotices, listOutbox } from '#product/notices/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listReports, sendReport } from './contract.ts';
import {
  addToCase,
  decideCase,
  getCase,
  listCases,
  listQueues,
  listStatements,
  reverseCase,
  saveQueues,
  upholdCase,
} from './contract/cases.ts';
import { appealDecision, followRequest, sendRequest } from './contract/requests.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const moderator = () => site.viewer({ roles: ['site_mod'] });
/** Reports somebody, and returns the id of the case. */
async function reported(subject: Member, more: Partial<InputOf<typeof sendReport>> = {}): Promise<number> {
  await (await site.viewer()).call(sendReport, {
    kind: 'person',
    username: subject.username,
    reason: 'spam',
    details: '',
    ...more,
  });
  return caseAbout(subject);
}
type Decision = InputOf<typeof decideCase>;
const decision = (id: number, more: Partial<Decision> = {}): Decision => ({
  id,
  policy: 'terms',
  removes: false,
  warns: false,
  note: 'Looked at it',
  ...more,
});
const request = (more: Partial<InputOf<typeof sendRequest>> = {}): InputOf<typeof sendRequest> => ({
  kind: 'take_down',
  relation: 'self',
  name: 'Jo Example',
  email: 'jo@example.com',
  addresses: ['https://localhost/nobody-here'],
  statement: 'I am shown there, and never agreed to it.',
  good_faith: true,
  accurate: true,
  signature: 'Jo Example',
  ...more,
});
const appealOf = (
  link: { reference: string; key: string },
  statement: string,
  ground: 'appeal' | 'counter_notice',
): InputOf<typeof appealDecision> => ({
  ...link,
  ground,
  statement,
  name: 'Jo Example',
  accurate: true,
  signature: 'Jo Example',
});
const pageOf = ({ username }: { username: string }) => [`https://localhost/${username}`];
const guest = (address?: string): Promise<Visitor> => site.visitor(address === undefined ? {} : { address });
/** The link in the newest email of a kind to an address. */
async function linkIn(kind: string, to: string): Promise<{ reference: string; key: string }> {
  const { mails } = await (await site.admin()).call(listOutbox, {});
  const text = mails.find((mail) => mail.kind === kind && mail.to === to)?.text ?? '';
  const [, reference = '', key = ''] = /\/report\/([A-Z2-9]{10})\?key=([\w-]{22})/u.exec(text) ?? [];
  return { reference, key };
}
const isSuspended = async ({ username }: { username: string }): Promise<boolean> =>
  (await (await site.admin()).call(getPerson, { username })).suspended_at !== null;

/** The newest case about somebody. */
const caseAbout = async ({ username }: { readonly username: string }): Promise<number> =>
  (await (await site.admin()).call(listCases, {})).cases
    .findLast((item) => item.username === username)?.id ?? 0;

describe('who may do what', () => {
  it('guests, members and performers read nothing and decide nothing', async () => {
    const id = await reported(await site.viewer());
    for (const who of [await guest(), await site.viewer(), await site.performer()]) {
      for (
        const refused of [
          await who.refused(listQueues, {}),
          await who.refused(listCases, {}),
          await who.refused(getCase, { id }),
          await who.refused(addToCase, { id, kind: 'claim' }),
          await who.refused(decideCase, decision(id)),
          await who.refused(reverseCase, { id, note: 'no' }),
          await who.refused(upholdCase, { id, note: 'no' }),
          await who.refused(listStatements, {}),
        ]
      ) expect([401, 403]).toContain(refused.status);
    }
  });

  it('site moderators decide; only admins reverse, uphold, set queues and export', async () => {
    const id = await reported(await site.viewer());
    const mod = await moderator();
    await mod.call(addToCase, { id, kind: 'note', text: 'Seen before' });
    await mod.call(decideCase, decision(id, { warns: true }));
    const queues = [{ name: 'All', kinds: [], reasons: [], hours: 24 }];
    for (
      const refused of [
        await mod.refused(reverseCase, { id, note: 'no' }),
        await mod.refused(upholdCase, { id, note: 'no' }),
        await mod.refused(saveQueues, { queues }),
        await mod.refused(listStatements, {}),
      ]
    ) expect(refused.status).toBe(403);
    const { events } = await mod.call(getCase, { id });
    expect(events.map(({ kind, by, text }) => [kind, by, text])).toEqual([
      ['report', null, ''],
      ['note', mod.username, 'Seen before'],
      ['decide', mod.username, 'Looked at it'],
    ]);
  });

  it('nobody works on a case about themselves, and admins are not suspended by one', async () => {
    const mod = await moderator();
    const own = await reported(mod);
    for (
      const refused of [
        await mod.refused(getCase, { id: own }),
        await mod.refused(addToCase, { id: own, kind: 'claim' }),
        await mod.refused(decideCase, decision(own)),
      ]
    ) expect(refused.errorType).toBe('own_report');
    const admin = await site.admin();
    const theirs = await reported(admin);
    expect((await admin.refused(reverseCase, { id: theirs, note: 'me' })).errorType).toBe('own_report');
    expect((await mod.refused(decideCase, decision(theirs, { suspends: {} }))).errorType)
      .toBe('staff_protected');
  });

  it('a note has words, and a claim has none', async () => {
    const id = await reported(await site.viewer());
    const mod = await moderator();
    expect((await mod.refused(addToCase, { id, kind: 'note' })).errorType).toBe('note_missing');
    expect((await mod.refused(addToCase, { id, kind: 'claim', text: 'mine' })).errorType).toBe(
      'note_missing',
    );
    expect((await mod.refused(addToCase, { id: 999_999, kind: 'claim' })).errorType).toBe('case_unknown');
  });

  it('a claimed case is decided by whoever claimed it, or by an admin, and once', async () => {
    const id = await reported(await site.viewer());
    const [one, two] = [await moderator(), await moderator()];
    await one.call(addToCase, { id, kind: 'claim' });
    expect((await two.refused(decideCase, decision(id))).errorType).toBe('case_refused');
    expect((await two.refused(addToCase, { id, kind: 'release' })).errorType).toBe('case_refused');
    const both = await Promise.allSettled([
      one.call(decideCase, decision(id)),
      (await site.admin()).call(decideCase, decision(id, { warns: true })),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const { events } = await one.call(getCase, { id });
    expect(events.filter(({ kind }) => kind === 'decide')).toHaveLength(1);
  });
});

describe('a decision', () => {
  it('removes a message, and closes the report with its outcome', async () => {
    const [performer, author] = [await site.performer({ live: true }), await site.viewer()];
    const socket = await author.joins(performer);
    const said = await site.says(socket, 'Buy at my shop');
    await (await site.viewer()).call(sendReport, {
      kind: 'message',
      username: performer.username,
      id: said.id,
      reason: 'spam',
      details: '',
    });
    const mod = await moderator();
    const { cases } = await mod.call(listCases, {});
    const id = cases.findLast(({ username }) => username === author.username)?.id ?? 0;
    expect((await mod.call(getCase, { id })).may_remove).toBe(true);
    expect(await mod.call(decideCase, decision(id, { removes: true, policy: 'spam' })))
      .toMatchObject({ status: 'decided', may_remove: true });
    await site.settle();
    const report = { kind: 'message', username: performer.username, id: said.id } as const;
    const again = await (await site.viewer()).refused(sendReport, { ...report, reason: 'spam', details: '' });
    expect(again.errorType).toBe('reported_unknown');
    const { reports } = await (await site.admin()).call(listReports, { closed: true });
    expect(reports[0]).toMatchObject({ username: author.username, outcome: 'removed', note: 'Looked at it' });
  });

  it('of what cannot be removed is refused, and stores nothing', async () => {
    const id = await reported(await site.viewer());
    const mod = await moderator();
    expect((await mod.refused(decideCase, decision(id, { removes: true }))).errorType).toBe('not_removable');
    expect(await mod.call(getCase, { id })).toMatchObject({ status: 'open', may_remove: false });
  });

  it('suspends for hours, from now or later, with a strike that expires', async () => {
    const [now, then] = [await site.viewer(), await site.viewer()];
    const mod = await moderator();
    await mod.call(decideCase, decision(await reported(now), { suspends: { hours: 24 } }));
    expect(await isSuspended(now)).toBe(true);
    const from = new Date(site.clock.now().getTime() + 2 * HOUR_MS).toISOString();
    await mod.call(decideCase, decision(await reported(then), { suspends: { from, hours: 1 } }));
    expect(await isSuspended(then)).toBe(false);
    await site.passes(2 * HOUR_MS + 1_000);
    expect(await isSuspended(then)).toBe(true);
    await site.passes(HOUR_MS);
    expect([await isSuspended(then), await isSuspended(now)]).toEqual([false, true]);
    await site.passes(22 * HOUR_MS);
    expect(await isSuspended(now)).toBe(false);
    const next = await reported(now);
    expect((await (await site.admin()).call(getCase, { id: next })).strikes).toBe(1);
  });

  it('that is reversed leaves nothing: suspension, strike and statement are gone', async () => {
    const subject = await site.viewer();
    const [first, second] = [await reported(subject), await reported(subject, { reason: 'illegal' })];
    const admin = await site.admin();
    await admin.call(decideCase, decision(first, { suspends: {} }));
    await admin.call(decideCase, decision(second, { suspends: { hours: 48 } }));
    // The account stays suspended while the other case asks for it.
    await admin.call(reverseCase, { id: first, note: 'A mistake' });
    expect(await isSuspended(subject)).toBe(true);
    expect(await admin.call(getCase, { id: second })).toMatchObject({ strikes: 0 });
    const { statements: before } = await admin.call(listStatements, {});
    expect(await admin.call(reverseCase, { id: second, note: 'A mistake' })).toMatchObject({
      status: 'reversed',
    });
    expect(await isSuspended(subject)).toBe(false);
    const { statements } = await admin.call(listStatements, {});
    expect(before.length - statements.length).toBe(1);
    expect((await admin.refused(reverseCase, { id: second, note: 'again' })).errorType).toBe('case_refused');
  });

  it('that did nothing is open again after a reversal, and so is its report', async () => {
    const subject = await site.viewer();
    const id = await reported(subject);
    const admin = await site.admin();
    await admin.call(decideCase, decision(id));
    expect(await admin.call(reverseCase, { id, note: 'Look again' })).toMatchObject({ status: 'open' });
    const { reports } = await admin.call(listReports, {});
    expect(reports.filter(({ username }) => username === subject.username)).toHaveLength(1);
    await admin.call(decideCase, decision(id, { warns: true }));
  });
});

describe('a statement of reasons', () => {
  it('is exported without personal data, and reaches whoever is restricted, who may appeal', async () => {
    const subject = await site.viewer();
    const id = await reported(subject, { details: 'zephyr of the reporter' });
    const mod = await moderator();
    await mod.call(decideCase, decision(id, { suspends: { hours: 72 }, note: 'zephyr of the moderator' }));
    const { statements } = await (await site.admin()).call(listStatements, {});
    expect(statements.at(-1)).toMatchObject({
      decision_account: 'DECISION_ACCOUNT_SUSPENDED',
      decision_ground: 'DECISION_GROUND_INCOMPATIBLE_CONTENT',
      category: 'STATEMENT_CATEGORY_OTHER_VIOLATION_TC',
      application_date: site.clock.now().toISOString().slice(0, 10),
    });
    const text = JSON.stringify(statements);
    for (const word of ['zephyr', subject.username, mod.username, String(subject.id)]) {
      expect(text).not.toMatch(new RegExp(`\\b${word}\\b`, 'u'));
    }
    const link = await linkIn('moderation:mails.decided', subject.person.email);
    // They have no session: the link is all they need.
    const reader = await guest();
    expect(await reader.call(followRequest, link)).toMatchObject({
      of: 'statement',
      status: 'decided',
      actions: ['suspended'],
      policy: 'terms',
      appeals: ['appeal'],
    });
    const appeal = appealOf(link, 'It was not me.', 'appeal');
    expect((await reader.refused(appealDecision, { ...appeal, ground: 'counter_notice' })).errorType)
      .toBe('appeal_refused');
    await reader.call(appealDecision, appeal);
    expect((await reader.refused(appealDecision, appeal)).errorType).toBe('appeal_refused');
    const admin = await site.admin();
    expect(await admin.call(getCase, { id })).toMatchObject({ status: 'appealed' });
    await admin.call(upholdCase, { id, note: 'It was' });
    expect(await reader.call(followRequest, link)).toMatchObject({ status: 'upheld', appeals: [] });
  });

  it('can be appealed for six months, and no longer', async () => {
    const subject = await site.viewer();
    const id = await reported(subject);
    await (await moderator()).call(decideCase, decision(id, { warns: true }));
    const link = await linkIn('moderation:mails.decided', subject.person.email);
    await site.passes(180 * DAY_MS);
    expect((await (await guest()).call(followRequest, link)).appeals).toEqual(['appeal']);
    await site.passes(6 * DAY_MS);
    const appeal = appealOf(link, 'It was not me.', 'appeal');
    expect((await (await guest()).refused(appealDecision, appeal)).errorType).toBe('appeal_refused');
  });
});

describe('a request by a public form', () => {
  it('is followed with its number and key, and by nobody who guesses them', async () => {
    const performer = await site.performer();
    const sender = await guest();
    const link = await sender.call(sendRequest, request({ addresses: pageOf(performer) }));
    expect(link.reference).toMatch(/^[2-9A-HJKMNP-TV-Z]{10}$/u);
    expect(await linkIn('moderation:mails.received', 'jo@example.com')).toEqual(link);
    const reader = await guest();
    expect(await reader.call(followRequest, link)).toMatchObject({
      of: 'take_down',
      status: 'open',
      due_at: new Date(site.clock.now().getTime() + 48 * HOUR_MS).toISOString(),
    });
    const other = await sender.call(sendRequest, request());
    for (
      const guess of [
        { ...link, key: 'A'.repeat(22) },
        { ...link, key: other.key },
        { reference: 'ABCDEFGHJK', key: link.key },
      ]
    ) expect((await reader.refused(followRequest, guess)).errorType).toBe('reference_unknown');
    // The person reported does not learn of it.
    expect((await performer.refused(followRequest, { ...link, key: other.key })).errorType)
      .toBe('reference_unknown');
  });

  it('notifies admins after 24 and 44 hours, and hides and suspends nobody whom it names', async () => {
    const [performer, named] = [await site.performer(), await site.admin()];
    const link = await (await guest()).call(sendRequest, request({ addresses: pageOf(performer) }));
    await (await guest()).call(sendRequest, request({ addresses: pageOf(named) }));
    const id = await caseAbout(performer);
    const kinds = async () =>
      (await (await site.admin()).call(getCase, { id })).events.map(({ kind }) => kind);
    const noticesOf = async () =>
      (await (await site.admin()).call(listNotices, {})).notices.map(({ title }) => title);
    await site.passes(24 * HOUR_MS + 1_000);
    expect(await kinds()).toEqual(['report', 'escalate']);
    await site.passes(20 * HOUR_MS);
    expect(await kinds()).toEqual(['report', 'escalate', 'hide_failed']);
    const admin = await site.admin();
    expect(await admin.call(getCase, { id })).toMatchObject({
      is_hidden: false,
      is_escalated: true,
      may_remove: false,
      hides_at: null,
    });
    expect(await noticesOf()).not.toContain(`The site has acted in case ${id}`);
    await site.passes(30 * DAY_MS);
    expect([await isSuspended(performer), await isSuspended(named)]).toEqual([false, false]);
    await (await site.viewer()).call(getRoom, { username: performer.username });
    const reader = await guest();
    expect(await reader.call(followRequest, link)).toMatchObject({ status: 'open', actions: [] });
    const mod = await moderator();
    const removing = await mod.refused(decideCase, decision(id, { removes: true, policy: 'consent' }));
    expect(removing.errorType).toBe('not_removable');
    await mod.call(decideCase, decision(id, { policy: 'consent' }));
    // Whoever is shown may appeal a decision that did nothing.
    expect(await reader.call(followRequest, link)).toMatchObject({ actions: ['none'], appeals: ['appeal'] });
  });

  it('about a page of another site is about nobody here', async () => {
    const performer = await site.performer();
    for (const host of ['elsewhere.example', 'localhost@elsewhere.example', 'localhost.elsewhere.example']) {
      const addresses = [`https://${host}/${performer.username}`];
      await (await guest()).call(sendRequest, request({ addresses }));
    }
    const { cases } = await (await site.admin()).call(listCases, {});
    expect(cases.filter(({ username }) => username === performer.username)).toEqual([]);
    const own = { addresses: [`/${performer.username}`] };
    await (await guest()).call(sendRequest, request(own));
    expect(await caseAbout(performer)).toBeGreaterThan(0);
  });

  it('by a bystander cannot be appealed, and a take-down needs who is shown', async () => {
    const performer = await site.performer();
    const sender = await guest();
    expect((await sender.refused(sendRequest, request({ relation: 'other' }))).errorType).toBe(
      'not_depicted',
    );
    expect((await sender.refused(sendRequest, request({ kind: 'copyright' }))).errorType).toBe(
      'work_missing',
    );
    expect((await sender.refused(sendRequest, request({ addresses: ['the second video'] }))).errorType)
      .toBe('address_unknown');
    for (const field of ['signature', 'name', 'statement', 'email']) {
      expect((await sender.refused(sendRequest, request({ [field]: '' }))).status).toBe(422);
    }
    for (const field of ['good_faith', 'accurate']) {
      expect((await sender.refused(sendRequest, request({ [field]: false }))).status).toBe(422);
    }
    const link = await (await guest()).call(
      sendRequest,
      request({ kind: 'complaint', relation: 'other', addresses: pageOf(performer) }),
    );
    const id = await caseAbout(performer);
    await (await site.admin()).call(decideCase, decision(id));
    const appeal = appealOf(link, 'I want more.', 'appeal');
    expect((await sender.refused(appealDecision, appeal)).errorType).toBe('appeal_refused');
  });

  it('lets an account return 13 business days after a counter-notice, if nobody upholds', async () => {
    const performer = await site.performer();
    await (await guest()).call(
      sendRequest,
      request({ kind: 'copyright', work: 'My film', addresses: pageOf(performer) }),
    );
    const id = await caseAbout(performer);
    await (await site.admin()).call(decideCase, decision(id, { suspends: {}, policy: 'copyright' }));
    expect(await isSuspended(performer)).toBe(true);
    const link = await linkIn('moderation:mails.decided', performer.person.email);
    const counter = appealOf(link, 'I own this film.', 'counter_notice');
    await (await guest()).call(appealDecision, counter);
    const early = await (await site.admin()).refused(reverseCase, { id, note: 'Fine' });
    expect(early.errorType).toBe('case_refused');
    await site.passes(12 * DAY_MS);
    expect(await isSuspended(performer)).toBe(true);
    await site.passes(9 * DAY_MS);
    expect(await isSuspended(performer)).toBe(false);
    const { events, status } = await (await site.admin()).call(getCase, { id });
    expect([status, events.at(-1)]).toMatchObject(['reversed', { kind: 'reverse', by: null }]);
  });

  it('is bounded by address and network, and by no clock of the sender', async () => {
    const flood = await guest('127.77.1.1');
    for (let at = 0; at < 10; at += 1) await flood.call(sendRequest, request());
    expect((await flood.refused(sendRequest, request())).status).toBe(429);
    for (let at = 2; at < 12; at += 1) await (await guest(`127.77.1.${at}`)).call(sendRequest, request());
    expect((await (await guest('127.77.1.99')).refused(sendRequest, request())).errorType)
      .toBe('too_many_requests');
    await (await guest('127.78.1.1')).call(sendRequest, request());
  });
});

describe('queues', () => {
  it('are data: a case is in the first that takes it, with its number, age and handling time', async () => {
    const admin = await site.admin();
    const reset = [
      { name: 'Pictures', kinds: ['picture' as const], reasons: [], hours: 12 },
      { name: 'Danger', kinds: [], reasons: ['underage' as const], hours: 6 },
      { name: 'Rest', kinds: [], reasons: [], hours: 48 },
    ];
    expect((await admin.refused(saveQueues, { queues: reset.slice(0, 2) })).errorType).toBe(
      'queues_incomplete',
    );
    const { queues: before } = await admin.call(saveQueues, { queues: reset });
    expect(before.map(({ name }) => name)).toEqual(['Pictures', 'Danger', 'Rest']);
    const id = await reported(await site.viewer(), { reason: 'underage' });
    const { cases } = await admin.call(listCases, { queue: 1 });
    expect(cases.at(-1)).toMatchObject({
      id,
      due_at: new Date(site.clock.now().getTime() + 6 * HOUR_MS).toISOString(),
    });
    const waiting = (await admin.call(listQueues, {})).queues[1]?.waiting ?? 0;
    await site.passes(2 * HOUR_MS);
    await (await site.admin()).call(decideCase, decision(id));
    const [, danger] = (await (await site.admin()).call(listQueues, {})).queues;
    expect(danger).toMatchObject({ waiting: waiting - 1, handling_hours: 2 });
  });
});
