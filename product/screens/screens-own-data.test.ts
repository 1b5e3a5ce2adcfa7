import { MINUTE_MS } from '#platform/time/units.ts';
import { login } from '#product/accounts/contract.ts';
import { askForCopy, downloadCopy, getCopyState } from '#product/accounts/contract/life/own-data.ts';
import { follow } from '#product/messaging/contract.ts';
import { sendReport } from '#product/moderation/contract.ts';
import { chatMessage } from '#product/rooms/contract.ts';
import { key } from '#product/testkit/payments/wallet.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sendTip } from '#product/tips/contract.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PASSWORD = 'correct horse battery';
let site: TestSite;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  performer = await site.performer({ username: 'copy-star', live: true });
});
afterAll(() => site.close());

interface Copy {
  readonly data: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  readonly more: readonly string[];
}
const fileOf = (who: Visitor, ticket: string) =>
  who.request({ method: 'GET', url: `/api/v1/user/data.json?ticket=${encodeURIComponent(ticket)}` });
async function copyOf(who: Visitor): Promise<{ readonly copy: Copy; readonly text: string }> {
  const { ticket } = await who.call(askForCopy, {});
  const { statusCode, body } = await fileOf(who, ticket);
  expect(statusCode).toBe(200);
  return { copy: JSON.parse(body) as Copy, text: body };
}

describe('a copy of one\'s own data', () => {
  it('has the rows of every slice, with names instead of ids, and nothing of anybody else', async () => {
    const viewer = await site.viewer({ username: 'copy-fan', tokens: 100 });
    const other = await site.viewer({ username: 'copy-other', tokens: 100 });
    for (const [who, words] of [[viewer, 'mine alone'], [other, 'somebody elses']] as const) {
      const socket = await who.joins(performer);
      await site.says(socket, words);
      await who.tips(performer, 25);
      await who.call(follow, { username: performer.username });
    }
    await site.settle();
    const { copy, text } = await copyOf(viewer);
    expect(copy.more).toEqual([]);
    expect(copy.data['accounts.people']).toEqual([expect.objectContaining({
      username: 'copy-fan',
      email: viewer.person.email,
      birth_date: viewer.person.birthDate,
    })]);
    expect(copy.data['rooms.messages']).toContainEqual(
      expect.objectContaining({ performer_id: 'copy-star', body: 'mine alone' }),
    );
    expect(copy.data['tips.tips']).toEqual([
      expect.objectContaining({ receiver_id: 'copy-star', tokens: 25 }),
    ]);
    expect(copy.data['messaging.follows']).toEqual([expect.objectContaining({ performer_id: 'copy-star' })]);
    expect(copy.data['ledger.postings']).toContainEqual(
      expect.objectContaining({ account: 'tokens', tokens: -25, balance: 75 }),
    );
    expect(copy.data['accounts.sessions']).toHaveLength(1);
    expect(text).not.toMatch(/somebody elses|copy-other/u);
    // Rows that a slice leaves out of the copy.
    expect(Object.keys(copy.data)).not.toContain('accounts.passwords');
    // Nothing in the copy can log anybody in.
    const { rows } = await site.tx((tx) =>
      sql<{ secret: string }>`
      select hash as secret from accounts.passwords union all select digest from accounts.sessions`
        .execute(tx.sql())
    );
    for (const { secret } of rows) expect(text).not.toContain(secret);
    const ofPerformer = (await copyOf(performer)).copy.data;
    expect(ofPerformer['broadcast.broadcasts']).toHaveLength(1);
    expect(ofPerformer['compliance.clearances']).toHaveLength(1);
    expect(JSON.stringify(ofPerformer)).not.toContain('mine alone');
  });

  it('has the reports they sent, and does not name who tipped anonymously in one', async () => {
    const [reporter, other] = [await site.viewer(), await site.viewer({ username: 'copy-named' })];
    const giver = await site.viewer({ username: 'copy-secret', tokens: 100 });
    const socket = await reporter.joins(performer);
    const { username } = performer;
    await giver.call(sendTip, { username, amount: 20, comment: 'buy elsewhere', anonymous: true }, key());
    await site.settle();
    const { id } = await socket.waitFor(chatMessage, ({ message }) => message === 'buy elsewhere');
    const said = { reason: 'spam', details: 'an advertisement' } as const;
    await reporter.call(sendReport, { kind: 'message', username, id, ...said });
    await reporter.call(sendReport, { kind: 'person', username: other.username, ...said });
    const { copy, text } = await copyOf(reporter);
    expect(copy.data['moderation.reports']).toEqual([
      expect.objectContaining({
        kind: 'message',
        subject_id: null,
        room_id: 'copy-star',
        target_id: id,
        ...said,
      }),
      expect.objectContaining({ kind: 'person', subject_id: 'copy-named', ...said }),
    ]);
    expect(text).not.toContain('copy-secret');
  });

  it('needs the password unless the log-in is recent, and is reported by email', async () => {
    const viewer = await site.viewer();
    expect(await viewer.call(getCopyState, {})).toEqual({ confirmation: 'none' });
    site.clock.advance(11 * MINUTE_MS);
    expect(await viewer.call(getCopyState, {})).toEqual({ confirmation: 'password' });
    const outcome = async (proof: object) => (await viewer.refused(askForCopy, proof)).errorType;
    expect([await outcome({}), await outcome({ password: 'a guess' })])
      .toEqual(['confirmation_needed', 'bad_credentials']);
    await viewer.call(askForCopy, { password: PASSWORD });
    const { rows } = await site.tx((tx) =>
      sql<{ subject: string }>`select subject from notices.outbox
      where recipient = ${viewer.person.email} order by id desc limit 1`.execute(tx.sql())
    );
    expect(rows[0]?.subject).toBe('Download of your data at Candela');
  });

  it('is of the session that asked, for five minutes', async () => {
    const [viewer, thief] = [await site.viewer(), await site.viewer()];
    const guest = await site.visitor();
    const { ticket } = await viewer.call(askForCopy, {});
    const phone = await site.visitor();
    await phone.call(login, { login: viewer.username, password: PASSWORD });
    for (const [who, status] of [[thief, 403], [phone, 403], [guest, 401]] as const) {
      expect((await fileOf(who, ticket)).statusCode).toBe(status);
    }
    expect((await fileOf(viewer, `${ticket}x`)).statusCode).toBe(403);
    expect((await guest.refused(askForCopy, {})).status).toBe(401);
    expect((await guest.refused(getCopyState, {})).status).toBe(401);
    expect((await fileOf(viewer, ticket)).statusCode).toBe(200);
    site.clock.advance(5 * MINUTE_MS);
    expect((await fileOf(viewer, ticket)).statusCode).toBe(403);
    expect(downloadCopy.access).toBe('member');
  });
});
