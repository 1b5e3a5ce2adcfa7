import {
  deleteRows,
  ownedRows,
  unreadRows,
  type ErasedPerson,
  type EraseRows,
  type OwnedRows,
} from '#platform/data/database/owned-rows.ts';
import { sql, type RawBuilder } from 'kysely';
import { LAST_MAIL } from '../rules/email.ts';

/**
 * The person's notices, and those of others that name them or link to them: a performer went live, somebody
 * linked an account. A notice with a display name also has the username, because two people may share one
 * display name.
 */
const eraseNotices: EraseRows = (tx, { id, names }, limit) =>
  deleteRows(
    tx,
    'notices.notices',
    sql`(person_id = ${id} or lower(split_part(link, '/', 2)) = any(${[...names]})
    or exists (select from jsonb_each_text("values") v where lower(v.value) = any(${[...names]})))`,
    limit,
  );

/** Matches a name as a word of its own, in any case. */
const wordOf = (name: string): RegExp =>
  new RegExp(`(?<![\\w-])${name.replaceAll(/[^\w-]/gu, String.raw`\$&`)}(?![\\w-])`, 'gi');

/** Whether one of these texts names the person, whoever its recipient was. */
const namesOneOf = (names: readonly string[], texts: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  sql`concat_ws(' ', ${sql.join(texts)}) ~* any(${names.map((name) => wordOf(name).source)}::text[])`;

/**
 * A message for somebody, whatever address it went to: by their id, or by their address where no account is
 * recorded. One for another account stays, even if both accounts gave the same address.
 */
const isFor = (
  { id, email }: ErasedPerson,
  person: RawBuilder<unknown>,
  address: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`(${person} = ${String(id)}
  or (${person} is null and ${address} = ${email}))`;

/** The last email stays in the outbox as it would have been sent, but without address and name. */
const eraseOutbox: EraseRows = async (tx, person, limit) => {
  const { email, names, pseudonym } = person;
  const namesThem = namesOneOf(names, [sql`subject`, sql`body`, sql`html`]);
  const deleted = await deleteRows(
    tx,
    'notices.outbox',
    sql`(${isFor(person, sql`person_id::text`, sql`recipient`)} or ${namesThem}) and kind <> ${LAST_MAIL}`,
    limit,
  );
  if (deleted > 0) return deleted;
  const { rows } = await sql<{ id: number; subject: string; body: string; html: string | null }>`
    select id, subject, body, html from notices.outbox where recipient = ${email} and kind = ${LAST_MAIL}
    limit ${limit}`.execute(tx.sql());
  const without = (text: string): string =>
    [email, ...names].reduce(
      (left, name) => left.replaceAll(wordOf(name), pseudonym),
      text,
    );
  for (const { id: mail, subject, body, html } of rows) {
    await sql`update notices.outbox set recipient = ${pseudonym}, subject = ${without(subject)},
      body = ${without(body)}, html = ${html && without(html)} where id = ${mail}`.execute(tx.sql());
  }
  return rows.length;
};

/**
 * Messages that wait for the person, or were given up. Of messages to others, only those given up are deleted
 * where they name the person: a name may be a common word, and nobody should lose an email for it.
 */
const eraseDeliveries: EraseRows = (tx, person, limit) => {
  const namesThem = namesOneOf(person.names, [
    sql`(select string_agg(value, ' ') from jsonb_each_text(payload))`,
  ]);
  return deleteRows(
    tx,
    'notices.deliveries',
    sql`(${isFor(person, sql`payload ->> 'personId'`, sql`payload ->> 'to'`)}
      or (state = 'failed' and ${namesThem})) and payload ->> 'kind' is distinct from ${LAST_MAIL}`,
    limit,
  );
};

/** What this slice stores about a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'notices.notices',
    owner: 'person_id',
    order: ['id'],
    columns: ['kind', 'values', 'link', 'created_at', 'read_at'],
    erase: { by: eraseNotices },
  }),
  ownedRows({
    table: 'notices.preferences',
    owner: 'person_id',
    order: ['kind', 'channel'],
    columns: ['kind', 'channel', 'is_on'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'notices.push_subscriptions',
    owner: 'person_id',
    order: ['id'],
    columns: ['created_at', 'reported_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'notices.people',
    owner: 'person_id',
    order: ['person_id'],
    columns: ['push_discreet'],
    erase: 'rows',
  }),
  unreadRows('they are sent, and stored here only where nothing leaves the site', {
    table: 'notices.outbox',
    owners: [],
    erase: {
      by: eraseOutbox,
      keeps: 'that the account is gone, without its address and name, in the outbox of development',
    },
  }),
  unreadRows('they are on their way out', {
    table: 'notices.deliveries',
    owners: [],
    erase: {
      by: eraseDeliveries,
      keeps: 'the email that says that the account is gone, until it has left or was given up',
    },
  }),
];
