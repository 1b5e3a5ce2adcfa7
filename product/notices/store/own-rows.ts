import { sql } from 'kysely';
import {
  deleteRows, ownedRows, unreadRows, type EraseRows, type OwnedRows,
} from '../../../platform/data/database/owned-rows.ts';

/** What is sent last, while the address is still known. */
const LAST_MAIL = 'accounts:mails.deletionDone';

/** Their own, and those of others that name them: who went live, who linked an account. */
const eraseNotices: EraseRows = (tx, { id, names }, limit) => deleteRows(tx, 'notices.notices',
  sql`(person_id = ${id} or exists (select from jsonb_each_text("values") v
    where v.value = any(${[...names]})))`, limit);

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'notices.notices', owner: 'person_id', order: ['id'],
    columns: ['kind', 'values', 'link', 'created_at', 'read_at'],
    erase: { by: eraseNotices },
  }),
  ownedRows({
    table: 'notices.preferences', owner: 'person_id', order: ['kind', 'channel'],
    columns: ['kind', 'channel', 'is_on'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'notices.push_subscriptions', owner: 'person_id', order: ['id'],
    columns: ['created_at', 'reported_at'],
    erase: 'rows',
  }),
  ownedRows({
    table: 'notices.people', owner: 'person_id', order: ['person_id'], columns: ['push_discreet'],
    erase: 'rows',
  }),
  unreadRows('they are sent, and stored here only where nothing leaves the site', {
    table: 'notices.outbox', owners: [], erase: {
      by: (tx, { id, email }, limit) => deleteRows(tx, 'notices.outbox',
        sql`(recipient = ${email} or person_id = ${id}) and kind <> ${LAST_MAIL}`, limit),
      keeps: 'the email that says that the account is gone, in the outbox of development',
    },
  }),
  unreadRows('they are on their way out', {
    table: 'notices.deliveries', owners: [], erase: {
      by: (tx, { id, email }, limit) => deleteRows(tx, 'notices.deliveries',
        sql`(payload ->> 'to' = ${email} or payload ->> 'personId' = ${String(id)})
          and payload ->> 'kind' <> ${LAST_MAIL}`, limit),
      keeps: 'the email that says that the account is gone, until it is delivered or given up',
    },
  }),
];
