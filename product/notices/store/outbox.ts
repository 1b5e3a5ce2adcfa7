import type { Tx } from '#platform/data/data.ts';
import { OUTBOX_LIMIT, OUTBOX_PAGE } from '../rules.ts';
import type { NoticesTables } from './tables.ts';

/** A message that would have been sent. */
export interface OutboxMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly kind: string;
  readonly channel: 'email' | 'sms';
  readonly html: string | null;
  readonly unsubscribe: string | null;
}

interface NewMessage extends OutboxMessage {
  /** The account it is for. */
  readonly personId: number | null;
}

export interface StoredMessage extends OutboxMessage {
  readonly id: number;
  readonly at: Date;
}

/** Stores a message and deletes those beyond the limit. */
export async function saveMessage(tx: Tx, message: NewMessage): Promise<void> {
  const { to: recipient, text: body, personId, ...rest } = message;
  const { id } = await tx.sql<NoticesTables>().insertInto('notices.outbox')
    .values({ ...rest, recipient, body, person_id: personId, at: tx.now })
    .returning('id').executeTakeFirstOrThrow();
  await tx.sql<NoticesTables>().deleteFrom('notices.outbox')
    .where('id', 'in', (query) =>
      query.selectFrom('notices.outbox').select('id')
        .where('id', '<=', id).orderBy('id', 'desc').offset(OUTBOX_LIMIT))
    .execute();
}

/** A page of messages older than `before`, newest first. */
export async function listMessages(tx: Tx, before: number | null): Promise<StoredMessage[]> {
  return tx.sql<NoticesTables>().selectFrom('notices.outbox')
    .select([
      'id',
      'recipient as to',
      'subject',
      'body as text',
      'kind',
      'at',
      'channel',
      'html',
      'unsubscribe',
    ])
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc').limit(OUTBOX_PAGE).execute();
}
