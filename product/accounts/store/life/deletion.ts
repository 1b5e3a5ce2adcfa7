import type { Tx } from '#platform/data/data.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { sql } from 'kysely';
import { RESERVED_NAME_DAYS } from '../../rules/life/usernames.ts';
import { permissions } from '../../rules/permissions.ts';
import type { AccountsTables } from '../tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<AccountsTables>> => tx.sql<AccountsTables>();

/** Marks somebody as leaving at a time; null undoes it. */
export async function saveDeletion(tx: Tx, id: number, deletionAt: Date | null): Promise<void> {
  await tables(tx).updateTable('accounts.people')
    .set({ deletion_at: deletionAt, deletion_requested_at: deletionAt === null ? null : tx.now })
    .where('id', '=', id).execute();
}

/** From now on the account cannot be restored. */
export async function saveErasing(tx: Tx, id: number): Promise<void> {
  await tables(tx).updateTable('accounts.people').set({ erasing_since: tx.now }).where('id', '=', id)
    .execute();
}

/** Whether another admin may act. Until the unit of work ends, no two admins can leave at once. */
export async function hasOtherAdmin(tx: Tx, id: number): Promise<boolean> {
  await tx.lock('accounts.admins');
  const row = await tables(tx).selectFrom('accounts.people').select('id').where('id', '!=', id)
    .where(sql<boolean>`roles && ${[...permissions.admin]}::text[]`).where('suspended_at', 'is', null)
    .where('deletion_requested_at', 'is', null).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Usernames that somebody gave up. */
export async function formerNamesOf(tx: Tx, id: number): Promise<string[]> {
  const rows = await tables(tx).selectFrom('accounts.former_usernames').select('username')
    .where('person_id', '=', id).execute();
  return rows.map(({ username }) => username);
}

/** A username of an erased person, as digests. */
export interface RetiredName {
  readonly digest: string;
  readonly skeletonDigest: string;
  readonly bareDigest: string;
}

export async function insertRetired(
  tx: Tx,
  names: readonly RetiredName[],
  wasPerformer: boolean,
): Promise<void> {
  if (names.length === 0) return;
  await tables(tx).insertInto('accounts.retired_names')
    .values(names.map(({ digest, skeletonDigest, bareDigest }) => ({
      digest,
      skeleton_digest: skeletonDigest,
      bare_digest: bareDigest,
      was_performer: wasPerformer,
      retired_at: tx.now,
    })))
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'digest'])
        .doUpdateSet({ was_performer: wasPerformer, retired_at: tx.now })
    )
    .execute();
}

/** Whether a name, or one that looks the same, belonged to a person erased within the year. */
export async function isRetired(tx: Tx, { skeletonDigest, bareDigest }: RetiredName): Promise<boolean> {
  const row = await tables(tx).selectFrom('accounts.retired_names').select('digest')
    .where((where) =>
      where.or([
        where('skeleton_digest', '=', skeletonDigest),
        where('bare_digest', '=', bareDigest),
      ])
    )
    .where('retired_at', '>', new Date(tx.now.getTime() - RESERVED_NAME_DAYS * DAY_MS))
    .limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Whether an erased performer had exactly this name. */
export async function wasPerformer(tx: Tx, { digest }: RetiredName): Promise<boolean> {
  const row = await tables(tx).selectFrom('accounts.retired_names').select('was_performer')
    .where('digest', '=', digest).executeTakeFirst();
  return row?.was_performer ?? false;
}

/** Leaves only an id, a pseudonym, and the year in which the account was made. */
export async function pseudonymise(tx: Tx, id: number, pseudonym: string): Promise<void> {
  await sql`update accounts.people set
      username = ${pseudonym}, display_name = ${pseudonym}, email = '', email_confirmed_at = null,
      gender = null, birth_date = '1900-01-01', about = '', languages = '{}', avatar_url = null,
      roles = '{}', settings = '{}', social_media = '{}', suspended_at = null, last_login_at = null,
      suspension_cause = null, suspension_message = '',
      last_login_country = null, username_changed_at = null, recovered_at = null,
      ways_in_checked_at = null, ways_in_since = null, address_proven_at = null, erased_at = ${tx.now},
      created_at = date_trunc('year', created_at)
    where id = ${id}`.execute(tables(tx));
}

/** The site where somebody signed up. */
export async function siteOf(tx: Tx, id: number): Promise<number> {
  const row = await tables(tx).selectFrom('accounts.people').select('site_id').where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.site_id;
}
