import type { Tx } from '#platform/data/data.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listOutbox } from './contract.ts';
import { OUTBOX_LIMIT, OUTBOX_PAGE } from './rules.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const KIND = 'accounts:mails.passwordChanged';
const values = { site: 'Candela' };
const to = 'ada@people.example';
const ada = { personId: 1, address: null, username: 'ada', isConfirmed: true } as const;

describe('emails', () => {
  it('are written in the language of the recipient', async () => {
    const { notices } = site.services;
    await site.tx((tx) => notices.send(tx, { ...ada, to, kind: KIND, locale: 'fr', values }));
    const [mail] = (await (await site.admin()).call(listOutbox, {})).mails;
    expect(mail).toMatchObject({ to, kind: KIND, subject: 'Votre mot de passe sur Candela a été modifié' });
    expect(mail?.text).toContain('Bonjour ada');
    expect(mail?.at).toBe(site.clock.now().toISOString());
  });

  it('are not sent by a unit of work that fails', async () => {
    const admin = await site.admin();
    const before = await admin.call(listOutbox, {});
    const failing = site.tx(async (tx) => {
      await site.services.notices.send(tx, { ...ada, to, kind: KIND, locale: 'en', values });
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await admin.call(listOutbox, {})).toEqual(before);
  });

  it('take no header and no second recipient from a value', async () => {
    const { notices } = site.services;
    const smuggled = { ...values, site: 'X\r\nBcc: all@people.example' };
    await site.tx((tx) => notices.send(tx, { ...ada, to, kind: KIND, locale: 'en', values: smuggled }));
    const [mail] = (await (await site.admin()).call(listOutbox, {})).mails;
    expect(mail?.subject).toBe('Your password at X Bcc: all@people.example was changed');
    for (const bad of ['a@b.example,c@d.example', 'a@b.example\r\nBcc: c@d.example', 'nobody']) {
      const sending = site.tx(async (tx) =>
        notices.send(tx, {
          ...ada,
          to: bad,
          kind: KIND,
          locale: 'en',
          values,
        })
      );
      await expect(sending).rejects.toThrow('not one plain address');
    }
  });
});

describe('the development outbox', () => {
  it('is for admins', async () => {
    const visitor = await site.visitor();
    expect(await visitor.refused(listOutbox, {})).toMatchObject({ status: 401 });
    const moderator = await site.viewer({ roles: ['site_mod'] });
    expect(await moderator.refused(listOutbox, {})).toMatchObject({ status: 403 });
  });

  it('is paged, newest first, and forgets the oldest', async () => {
    const { notices } = site.services;
    const extra = 3;
    const send = (tx: Tx, count: number): Promise<void> =>
      notices.send(tx, { ...ada, to: `n${count}@people.example`, kind: KIND, locale: 'en', values });
    await site.tx(async (tx) => {
      await send(tx, 0);
      // Adds hundreds of copies, without sending each.
      await sql`insert into notices.outbox (recipient, subject, body, kind, at, html)
        select 'n' || n || '@people.example', subject, body, kind, at, html
        from notices.outbox, generate_series(1, ${OUTBOX_LIMIT - 1}::int) as n
        where recipient = 'n0@people.example' order by n`.execute(tx.sql());
      for (let count = OUTBOX_LIMIT; count < OUTBOX_LIMIT + extra; count += 1) await send(tx, count);
    });
    const admin = await site.admin();
    const seen: string[] = [];
    for (let before: number | null | undefined; before !== null;) {
      const page = await admin.call(listOutbox, before === undefined ? {} : { before });
      expect(page.mails.length).toBeLessThanOrEqual(OUTBOX_PAGE);
      seen.push(...page.mails.map((mail) => mail.to));
      before = page.next;
    }
    expect(seen).toHaveLength(OUTBOX_LIMIT);
    expect([seen[0], seen.at(-1)])
      .toEqual([`n${OUTBOX_LIMIT + extra - 1}@people.example`, `n${extra}@people.example`]);
  });
});
