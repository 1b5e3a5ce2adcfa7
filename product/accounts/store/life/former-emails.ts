import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { MAX_FORMER_EMAILS } from '../../rules/life/recovery.ts';
import type { AccountsTables } from '../tables.ts';

/** A confirmed address that another one replaced. */
export interface FormerEmail {
  readonly id: number;
  readonly personId: number;
  readonly email: string;
  /** Whether the account's holder was known to read its mail. */
  readonly wasProven: boolean;
  readonly replacedAt: Date;
  /** When its link stopped working. */
  readonly endedAt: Date | null;
}

/**
 * Saves a replaced address, with the digest of its link. Where too many wait, the newest is dropped: an
 * intruder who changes the address again and again cannot end the link of the first change.
 */
export async function saveFormerEmail(
  tx: Tx,
  { personId, ...row }: Pick<FormerEmail, 'personId' | 'email' | 'wasProven'> & { digest: string },
): Promise<void> {
  await sql`delete from accounts.former_emails where id in (
    select id from accounts.former_emails where person_id = ${personId} and ended_at is null
    order by id offset ${MAX_FORMER_EMAILS - 1})`.execute(tx.sql());
  await tx.sql<AccountsTables>().insertInto('accounts.former_emails').values({
    person_id: personId,
    email: row.email,
    was_proven: row.wasProven,
    digest: row.digest,
    replaced_at: tx.now,
  }).execute();
}

/** The address that a link restores, if it was replaced after a time. */
export async function findFormerEmail(tx: Tx, digest: string, after: Date): Promise<FormerEmail | null> {
  const row = await tx.sql<AccountsTables>().selectFrom('accounts.former_emails')
    .select([
      'id',
      'person_id as personId',
      'email',
      'was_proven as wasProven',
      'replaced_at as replacedAt',
      'ended_at as endedAt',
    ])
    .where('digest', '=', digest).where('replaced_at', '>', after).executeTakeFirst();
  return row ?? null;
}

/** Whether somebody has an address that a link can restore, replaced after a time. */
export async function hasFormerEmail(tx: Tx, personId: number, after: Date): Promise<boolean> {
  const row = await tx.sql<AccountsTables>().selectFrom('accounts.former_emails').select('id')
    .where('person_id', '=', personId).where('ended_at', 'is', null).where('replaced_at', '>', after)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Uses up the link of an address and those of all later ones. Links of earlier addresses stay, because their
 * owner may have had the account first. False when another request was faster.
 */
export async function endFormerEmails(tx: Tx, { id, personId }: FormerEmail): Promise<boolean> {
  await sql`delete from accounts.former_emails where id in (
    select id from accounts.former_emails where person_id = ${personId} and ended_at is not null
    order by id desc offset ${MAX_FORMER_EMAILS})`.execute(tx.sql());
  const { rows } = await sql<{ id: number }>`update accounts.former_emails set ended_at = ${tx.now}
    where person_id = ${personId} and id >= ${id} and ended_at is null returning id`.execute(tx.sql());
  return rows.some((row) => row.id === id);
}

/** Deletes somebody's addresses whose links are over. */
export async function deleteFormerEmails(tx: Tx, personId: number, until: Date): Promise<void> {
  await tx.sql<AccountsTables>().deleteFrom('accounts.former_emails').where('person_id', '=', personId)
    .where('replaced_at', '<=', until).execute();
}
