import type { Generated } from 'kysely';
import type { Tx } from '../../platform/data/data.ts';
import { OUTBOX_LIMIT, OUTBOX_PAGE } from './rules.ts';

interface NoticesTables {
  'notices.outbox': {
    operator_id: Generated<number>;
    id: Generated<number>;
    recipient: string;
    subject: string;
    body: string;
    kind: string;
    at: Date;
  };
}

/** An email, in the recipient's language. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly kind: string;
}

export interface StoredMail extends Mail {
  readonly id: number;
  readonly at: Date;
}

/** Stores an email and deletes those beyond the limit. */
export async function saveMail(tx: Tx, mail: Mail): Promise<void> {
  const { id } = await tx.sql<NoticesTables>().insertInto('notices.outbox')
    .values({ recipient: mail.to, subject: mail.subject, body: mail.text, kind: mail.kind, at: tx.now })
    .returning('id').executeTakeFirstOrThrow();
  await tx.sql<NoticesTables>().deleteFrom('notices.outbox')
    .where('id', 'in', (query) => query.selectFrom('notices.outbox').select('id')
      .where('id', '<=', id).orderBy('id', 'desc').offset(OUTBOX_LIMIT))
    .execute();
}

/** A page of emails older than `before`, newest first. */
export async function listMails(tx: Tx, before: number | null): Promise<StoredMail[]> {
  const rows = await tx.sql<NoticesTables>().selectFrom('notices.outbox')
    .select(['id', 'recipient as to', 'subject', 'body as text', 'kind', 'at'])
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc').limit(OUTBOX_PAGE).execute();
  return rows;
}
