import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { confirmEmail, register, updateProfile } from '#product/accounts/contract.ts';
import { uploadAvatar } from '#product/accounts/contract/avatar.ts';
import { getDeletion, requestDeletion } from '#product/accounts/contract/life/deletion.ts';
import { changeEmail } from '#product/accounts/contract/life/email.ts';
import { linkAccount } from '#product/accounts/contract/life/linked.ts';
import { askForCopy } from '#product/accounts/contract/life/own-data.ts';
import { changeUsername } from '#product/accounts/contract/life/username.ts';
import { personalData } from '#product/accounts/extension-points.ts';
import { getMembership } from '#product/billing/contract/orders.ts';
import { refundPayment } from '#product/billing/contract/payments.ts';
import { saveSearch } from '#product/browse/contract/search.ts';
import { uploadPostPicture } from '#product/fanclubs/contract/posts.ts';
import { reverseOperation } from '#product/ledger/contract.ts';
import { findOperations } from '#product/ledger/contract/explorer.ts';
import { getSpendingState, setSpendingState } from '#product/ledger/contract/limits.ts';
import { follow } from '#product/messaging/contract.ts';
import { saveNote } from '#product/messaging/contract/notes.ts';
import { setNoticeOptions } from '#product/notices/contract/preferences.ts';
import { uploadPicture } from '#product/performers/contract/pictures.ts';
import { moderate } from '#product/room-moderation/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { giveToGroupGoal, startGroupGoal } from '#product/shows/contract/group-goal.ts';
import { cancelTicketShow } from '#product/shows/contract/ticket-show.ts';
import { contactSupport } from '#product/support/contract.ts';
import { posts, setsClub } from '#product/testkit/fan-club.ts';
import { TestMailServer } from '#product/testkit/outside/mail-server.ts';
import { createShop, type Shop } from '#product/testkit/payments/payments.ts';
import { NOT_TYPED } from '#product/testkit/people/not-typed.ts';
import { offersTickets, sellsTickets } from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sendTip } from '#product/tips/contract.ts';
import { sql } from 'kysely';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PASSWORD = 'correct horse battery';
/** A word in everything that somebody writes. */
const WORDS = 'quixotic-zephyr';
let shop: Shop;
let site: TestSite;
beforeAll(async () => {
  shop = await createShop();
  ({ site } = shop);
});
afterAll(() => shop.close());

interface Found {
  readonly place: string;
  readonly row: string;
}
/** Every row of every table that contains one of these texts, whatever its operator. */
async function rowsWith(texts: readonly string[], at: TestSite = site): Promise<Found[]> {
  const { rows: tables } = await at.tx((tx) =>
    sql<{ name: string }>`
    select t.table_schema || '.' || t.table_name as name from information_schema.tables t
    join information_schema.role_table_grants g using (table_schema, table_name)
    where t.table_type = 'BASE TABLE' and g.grantee = 'candela_app' and g.privilege_type = 'SELECT'
    order by 1`.execute(tx.sql())
  );
  const found: Found[] = [];
  for (const { name } of tables) {
    const { rows } = await at.tx((tx) =>
      sql<{ row: string }>`
      select to_jsonb(t)::text as row from ${sql.table(name)} t
      where to_jsonb(t)::text ilike any(${texts.map((text) => `%${text}%`)}::text[])`.execute(tx.sql())
    );
    found.push(...rows.map(({ row }) => ({ place: name, row })));
  }
  return found;
}
/** Recipients of the development emails that contain one of these texts. */
const recipientsOf = async (texts: readonly string[]): Promise<string[]> => [
  ...new Set(
    (await rowsWith(texts)).filter(({ place }) => place === 'notices.outbox')
      .map(({ row }) => (JSON.parse(row) as { recipient: string }).recipient),
  ),
];
const placesOf = (found: readonly Found[]): string[] => [...new Set(found.map(({ place }) => place))];

const picture = async (): Promise<{ form: FormData }> => {
  const form = new FormData();
  const bytes = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#05b0fa' } })
    .png().toBuffer();
  form.set('file', new Blob([new Uint8Array(bytes)]));
  return { form };
};
/** The ledger's own proofs. */
const ledgerOf = () =>
  site.tx(async (tx) => {
    const { rows } = await sql<
      { sum: number; money: string; faults: number; broken: number; entries: number }
    >`
    select (select coalesce(sum(tokens), 0)::int from ledger.postings) as sum,
      (select coalesce(sum(minor), 0)::text from ledger.money_postings) as money,
      (select count(*)::int from ledger.faults()) as faults,
      (select count(*)::int from ledger.broken_seals()) as broken,
      (select count(*)::int from ledger.seals) as entries`.execute(tx.sql());
    return rows[0];
  });
const leaves = async (who: Member) => {
  await who.call(requestDeletion, { username: who.username, password: PASSWORD });
  await shop.passes(31 * DAY_MS);
};

/** The token of the link that was sent to an address. */
const tokenTo = async (address: string): Promise<string> => {
  const { rows } = await site.tx((tx) =>
    sql<{ token: string | null }>`
    select substring(body from 'confirm-email\\?token=(\\S+)') as token from notices.outbox
    where recipient = ${address} order by id desc limit 1`.execute(tx.sql())
  );
  return rows[0]?.token ?? 'no link';
};
/**
 * Links an account, moves to another address, asks for a third one, and writes to support as a guest.
 * @returns the old address, the current one, and the unconfirmed one
 */
async function moves(who: Member, linked: Member): Promise<readonly string[]> {
  await who.call(linkAccount, { login: linked.username, password: PASSWORD });
  const at = (name: string): string => `${name}-${who.id}@moved.example`;
  await who.call(changeEmail, { email: at('present'), password: PASSWORD });
  await who.call(confirmEmail, { token: await tokenTo(at('present')) });
  await who.call(changeEmail, { email: at('pending'), password: PASSWORD });
  const guest = await site.visitor();
  await guest.call(contactSupport, {
    topic: 'other',
    message: 'Please help me, I cannot log in',
    email: at('present').toUpperCase(),
  });
  return [who.person.email, at('present'), at('pending')];
}

/** A fan follows and searches, and the performer writes a note about them. */
async function isInTouch(fan: Member, performer: Member): Promise<void> {
  const { username } = fan.person;
  await fan.call(follow, { username: performer.username });
  await performer.call(saveNote, { username, note: `knows ${WORDS}` });
  await fan.call(saveSearch, { name: WORDS, query: `q=${WORDS}`, notify: true });
  await fan.call(contactSupport, { topic: 'other', message: `Please help me with ${WORDS} today` });
}

const LONG = { timeout: 180_000 };

/** Staff refund a payment, reverse a tip and close somebody's spending, each with a reason. */
async function isPutRight(viewer: Member, orderId: string): Promise<void> {
  const admin = await site.admin();
  const { operations } = await admin.call(findOperations, { username: viewer.username });
  const tip = operations.find(({ kind }) => kind === 'tip');
  await admin.call(reverseOperation, {
    operation: tip?.operation ?? '',
    mode: 'refund',
    reason: `sorry ${WORDS}`,
  }, { idempotencyKey: crypto.randomUUID() });
  await admin.call(refundPayment, { id: orderId, reason: `asked by ${WORDS}` });
  await admin.call(setSpendingState, { username: viewer.username, blocked: true, reason: `said ${WORDS}` });
}

const blockOf = async (username: string) =>
  (await (await site.admin()).call(getSpendingState, { username })).blocked;

const REASON_PLACES = ['platform.audit', 'room_moderation.actions', 'room_moderation.restrictions'];
/** A performer silences somebody in their room, with a reason. */
const silences = (performer: Member, subject: string, reason: string) =>
  performer.call(moderate, { username: performer.username, subject, action: 'silence', reason });
/** The name of a guest who comes to a room. */
async function guestIn(performer: Member): Promise<string> {
  await (await site.visitor({ ofAge: true })).call(getRoom, { username: performer.username });
  const traces = (await rowsWith(['guest_'])).filter(({ place }) => place === 'room_moderation.traces');
  return (JSON.parse(traces.at(-1)?.row ?? '{}') as { guest_name: string }).guest_name;
}
/** The performer offers a ticket show and withdraws it, and sets a goal that is not reached. */
async function offersInWords(performer: Member, viewer: Member): Promise<void> {
  await offersTickets(performer, { message: `see ${WORDS}`, ticket_price: 20 });
  await sellsTickets(performer, viewer);
  await performer.call(cancelTicketShow, {});
  await performer.call(startGroupGoal, { title: `sing ${WORDS}`, tokens: 100, minutes: 30 });
  await viewer.call(giveToGroupGoal, { username: performer.username, tokens: 10 }, {
    idempotencyKey: crypto.randomUUID(),
  });
  await shop.passes(31 * MINUTE_MS);
}

describe('after somebody was erased', () => {
  // Every table is read in full, which takes a busy machine more than a minute.
  it('no table names a viewer or has what they wrote, and the ledger is as sound', LONG, async () => {
    const performer = await site.performer({ username: 'stays-star', live: true });
    const fan = await site.viewer({ username: 'vanish-fan', tokens: 300 });
    const other = await site.viewer({ username: 'stays-fan', tokens: 300 });
    await fan.call(updateProfile, { about: `I like ${WORDS}`, display_name: `Fan ${WORDS}` });
    await fan.call(uploadAvatar, {}, await picture());
    await fan.call(changeUsername, { username: 'vanished-fan', password: PASSWORD });
    const leaver = await site.memberOf('vanished-fan');
    const { orderId } = await shop.buys(leaver, '1_100');
    await shop.keeps(leaver);
    const socket = await leaver.joins(performer);
    await site.says(socket, `hello ${WORDS}`);
    const tips = (amount: number, more: object) =>
      leaver.call(
        sendTip,
        { username: performer.username, amount, comment: `for you ${WORDS}`, ...more },
        { idempotencyKey: crypto.randomUUID() },
      );
    await tips(25, {});
    await tips(5, { anonymous: true });
    await isInTouch(leaver, performer);
    const addresses = await moves(leaver, other);
    const seen = await other.joins(performer);
    await site.says(seen, 'I stay here');
    await silences(performer, 'vanished-fan', `said ${WORDS}`);
    for (const suspended of [true, false]) {
      await site.tx((tx) =>
        site.services.accounts.suspend(tx, leaver.id, {
          suspended,
          actorId: null,
          reason: `wrote ${WORDS}`,
        })
      );
    }
    await isPutRight(leaver, orderId);
    await shop.passes(2 * DAY_MS);
    const texts = ['vanish-fan', 'vanished-fan', ...addresses, WORDS];
    const before = await rowsWith(texts);
    expect(await recipientsOf(texts)).toEqual(expect.arrayContaining([...addresses, other.person.email]));
    // Without stored words beforehand the test would prove nothing.
    expect(placesOf(before)).toEqual(expect.arrayContaining([
      'accounts.people',
      'accounts.former_usernames',
      'browse.searches',
      'ledger.journal',
      'ledger.standings',
      'messaging.notes',
      'notices.outbox',
      'platform.audit',
      'room_moderation.actions',
      'room_moderation.restrictions',
      'rooms.log',
      'rooms.messages',
      'support.requests',
      'tips.tips',
    ]));
    const back = await site.memberOf('vanished-fan');
    const { tokens } = await back.call(getDeletion, {});
    expect(tokens).toBeGreaterThan(0);
    await leaves(back);
    expect(await rowsWith(texts)).toEqual([]);
    // One email reports the erasure: in development the outbox retains it, without name and address.
    const said = await site.tx((tx) =>
      sql<{ kind: string }>`select kind from notices.outbox
      where recipient = ${`deleted-${leaver.id}`}`.execute(tx.sql())
    );
    expect(said.rows).toEqual([{ kind: 'accounts:mails.deletionDone' }]);
    // The audit log still says who did what to the person, and when.
    const audited = await site.tx((tx) =>
      sql<{ action: string; reason: string | null }>`
      select action, reason from platform.audit where subject = ${`person:${leaver.id}`} order by id`
        .execute(tx.sql())
    );
    expect(await blockOf(`deleted-${leaver.id}`)).toMatchObject({ cause: 'staff', reason: '' });
    expect(audited.rows).toEqual(expect.arrayContaining([
      { action: 'room-moderation.silence', reason: null },
      { action: 'accounts.suspend', reason: null },
    ]));
    expect(await ledgerOf()).toMatchObject({ sum: 0, money: '0', faults: 0, broken: 0 });
    expect((await ledgerOf())?.entries).toBeGreaterThan(0);
    // Rows of other people are untouched.
    expect(placesOf(await rowsWith(['I stay here']))).toEqual(expect.arrayContaining(['rooms.messages']));
    const { rows } = await site.tx((tx) =>
      sql<{ tokens: number }>`select sum(tokens)::int as tokens
      from tips.tips where receiver_id = ${performer.id}`.execute(tx.sql())
    );
    expect(rows).toEqual([{ tokens: 30 }]);
    const { rows: fees } = await site.tx((tx) =>
      sql<{ tokens: number }>`select sum(p.tokens)::int as tokens
      from ledger.postings p join ledger.journal j on j.operator_id = p.operator_id and j.id = p.journal_id
      where j.kind = 'forfeit' and p.account = 'fees'`.execute(tx.sql())
    );
    expect(fees).toEqual([{ tokens }]);
  });

  it('no table names a performer either; records of age and clearance stay under the id', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    const performer = await site.performer({ username: 'vanish-star' });
    await viewer.call(follow, { username: 'vanish-star' });
    await viewer.call(setNoticeOptions, { featured_show_notification: 'email' });
    await performer.goesLive();
    await site.settle();
    expect(await recipientsOf(['vanish-star is live', '/vanish-star'])).toEqual([viewer.person.email]);
    await performer.call(updateProfile, { about: `me and ${WORDS}`, display_name: `Star ${WORDS}` });
    await performer.call(uploadPicture, {}, await picture());
    await setsClub(performer, true);
    const { id } = await posts(performer, `for my fans: ${WORDS}`, 'supporter');
    await performer.call(uploadPostPicture, { id }, await picture());
    const { ticket } = await performer.call(askForCopy, { password: PASSWORD });
    const copy = await performer.request({ method: 'GET', url: `/api/v1/user/data.json?ticket=${ticket}` });
    expect(copy.body).toContain(`for my fans: ${WORDS}`);
    await viewer.tips(performer, 25);
    const socket = await performer.joins(performer);
    await site.says(socket, `welcome ${WORDS}`);
    await offersInWords(performer, viewer);
    // What they typed about others goes too; what others typed stays.
    const guest = await guestIn(performer);
    for (const subject of [viewer.username, guest]) await silences(performer, subject, `said ${WORDS}`);
    await silences(await site.performer(), viewer.username, 'somebody else says so');
    await site.settle();
    expect(placesOf(await rowsWith([WORDS]))).toEqual(expect.arrayContaining([
      ...REASON_PLACES,
      'shows.group_goals',
      'shows.ticket_shows',
    ]));
    const blobs = await site.tx((tx) =>
      sql<{ blob: string }>`
      select unnest(blobs) as blob from performers.pictures where performer_id = ${performer.id}
      union all select picture_blob from fanclubs.posts where performer_id = ${performer.id}`
        .execute(tx.sql())
    );
    expect(blobs.rows).toHaveLength(3);
    const { earned } = await performer.call(getDeletion, {});
    expect(earned).toBeGreaterThan(0);
    await site.tx((tx) =>
      site.services.ledger.post(tx, [{
        id: crypto.randomUUID(),
        kind: 'payout',
        memo: {},
        facts: [],
        parameterHash: '',
        spends: false,
        legs: [
          { account: { kind: 'person', personId: performer.id, book: 'earnings' }, tokens: -earned },
          { account: { kind: 'operator', name: 'float' }, tokens: earned },
        ],
      }])
    );
    await leaves(performer);
    expect(await rowsWith(['vanish-star', performer.person.email, WORDS])).toEqual([]);
    expect(placesOf(await rowsWith(['somebody else says so']))).toEqual(REASON_PLACES);
    for (const { blob } of blobs.rows) expect(await site.blobs.get(blob)).toBeNull();
    const offers = await site.tx((tx) =>
      sql<{ text: string; tokens: number; ended: string }>`
      select message as text, ticket_price as tokens, end_reason as ended from shows.ticket_shows
      where performer_id = ${performer.id}
      union all select title, tokens, end_reason from shows.group_goals where performer_id = ${performer.id}
      order by tokens`.execute(tx.sql())
    );
    expect(offers.rows).toEqual([
      { text: '', tokens: 20, ended: 'performer' },
      { text: '', tokens: 100, ended: 'time_over' },
    ]);
    const { rows } = await site.tx((tx) =>
      sql<{ cleared: number }>`
      select count(*)::int as cleared from compliance.clearances where performer_id = ${performer.id}`
        .execute(tx.sql())
    );
    expect(rows).toEqual([{ cleared: 1 }]);
    expect(await ledgerOf()).toMatchObject({ sum: 0, faults: 0, broken: 0 });
  });

  it('no email that a mail server refused names a former address or a name', LONG, async () => {
    const server = new TestMailServer();
    const mailed = await createSite({
      settings: { smtp: { url: await server.start(), from: 'mail@cam.example' } },
    });
    try {
      const performer = await mailed.performer({ username: 'vanish-mail' });
      const fan = await mailed.viewer();
      await fan.call(follow, { username: 'vanish-mail' });
      await fan.call(setNoticeOptions, { featured_show_notification: 'email' });
      server.refusals.push('550 full');
      await performer.goesLive();
      await mailed.settle();
      await performer.call(changeEmail, { email: 'moved-on@people.example', password: PASSWORD });
      await mailed.settle();
      const [, token = ''] = /confirm-email\?token=(\S+)/u.exec(
        server.received.map(({ raw }) => raw.replaceAll('=\r\n', '').replaceAll('=3D', '=')).join('\n'),
      ) ?? [];
      server.refusals.push('550 nobody of that name');
      await performer.call(confirmEmail, { token });
      await mailed.settle();
      expect(server.refusals).toEqual([]);
      const texts = ['vanish-mail', performer.person.email, 'moved-on@people.example'];
      const failed = (await rowsWith(texts, mailed)).filter(({ place }) => place === 'notices.deliveries');
      expect(failed.map(({ row }) => (JSON.parse(row) as { payload: { to: string } }).payload.to).toSorted())
        .toEqual([performer.person.email, fan.person.email].toSorted());
      await performer.call(requestDeletion, { username: 'vanish-mail', password: PASSWORD });
      await mailed.passes(31 * DAY_MS);
      expect(await rowsWith(texts, mailed)).toEqual([]);
    } finally {
      await mailed.close();
      await server.close();
    }
  });

  it('what a guest wrote to support stays where no account confirmed their address', LONG, async () => {
    const email = 'not-confirmed@people.example';
    const visitor = await site.visitor();
    await visitor.call(register, {
      username: 'not-confirmed',
      email,
      password: PASSWORD,
      birth_date: '1990-01-01',
      type: 'user',
      accept_terms: true,
    });
    await visitor.opens();
    const guest = await site.visitor();
    await guest.call(contactSupport, { topic: 'other', message: 'Please help me, I cannot log in', email });
    await visitor.call(requestDeletion, { username: 'not-confirmed', password: PASSWORD });
    await shop.passes(31 * DAY_MS);
    expect(placesOf(await rowsWith([email]))).toEqual(['support.requests']);
  });

  it('somebody else who signs up with the same address is a stranger', async () => {
    const viewer = await site.viewer();
    await leaves(viewer);
    const again = await site.visitor();
    const { user } = await again.call(register, {
      username: 'same-address',
      email: viewer.person.email,
      password: PASSWORD,
      birth_date: '1990-01-01',
      type: 'user',
      accept_terms: true,
    });
    expect(user.id).not.toBe(viewer.id);
    expect((await again.call(getMembership, {})).membership).toBeNull();
  });
});

it('every table with a column of a person says what becomes of its rows', async () => {
  // The tables of `accounts` are checked in its own tests.
  const described = [
    ...site.services.notices.ownRows,
    ...site.extensions.all(personalData).flat(),
  ];
  const { rows } = await site.tx((tx) =>
    sql<{ name: string }>`
    select distinct c.table_schema || '.' || c.table_name as name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where t.table_type = 'BASE TABLE' and c.table_schema not in ('platform', 'accounts')
    and c.column_name in ('person_id', 'viewer_id', 'sender_id', 'liker_id', 'author_id', 'performer_id',
      'receiver_id', 'subject_id', 'other_id', 'proposer_id') order by 1`.execute(tx.sql())
  );
  const known = new Set(described.map(({ table }) => table));
  expect(rows.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
  expect(known.size).toBe(described.length);
  for (const { table, erase, keeps, read, leftOut } of described) {
    expect([table, erase !== null || (keeps ?? '').length > 20]).toEqual([table, true]);
    expect([table, read !== null || (leftOut ?? '').length > 10]).toEqual([table, true]);
  }
});

it('no table that an erasure leaves whole has a column for what people write', async () => {
  const whole = [...site.services.notices.ownRows, ...site.extensions.all(personalData).flat()]
    .filter(({ erase }) => erase === null).map(({ table }) => table);
  // A column limited to listed values by a check cannot hold typed text.
  const { rows } = await site.tx((tx) =>
    sql<{ name: string }>`
    select c.table_schema || '.' || c.table_name || '.' || c.column_name as name
    from information_schema.columns c
    where c.table_schema || '.' || c.table_name = any(${whole}::text[])
      and c.udt_name in ('text', 'varchar', 'bpchar', 'name', 'json', 'jsonb', '_text', '_varchar', '_jsonb')
      and not exists (select from pg_constraint k
        join pg_attribute a on a.attrelid = k.conrelid and a.attname = c.column_name
        where k.contype = 'c' and k.conrelid = format('%I.%I', c.table_schema, c.table_name)::regclass
        and k.conkey = array[a.attnum] and pg_get_constraintdef(k.oid) ~ '= ANY')
    order by 1`.execute(tx.sql())
  );
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(NOT_TYPED));
});

it('whoever asks for deletion is renewed no more', async () => {
  const member = await site.viewer();
  await shop.buys(member, 'membership_vip');
  await shop.settle();
  expect((await member.call(getDeletion, {})).membership).toMatchObject({ renews: true });
  await member.call(requestDeletion, { username: member.username, password: PASSWORD });
  await shop.settle();
  const { rows } = await site.tx((tx) =>
    sql<{ renews: boolean }>`
    select renews from billing.memberships where person_id = ${member.id}`.execute(tx.sql())
  );
  expect(rows).toEqual([{ renews: false }]);
});
