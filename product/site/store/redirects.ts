import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { REDIRECT_KEYS_PER_PAGE } from '../rules/redirects.ts';
import type { SiteTables } from './tables.ts';

const tables = (tx: Tx) => tx.sql<SiteTables>();

const keys = (tx: Tx) =>
  tables(tx).selectFrom('site.redirect_keys').select([
    'id',
    'target',
    'note',
    'made_at as madeAt',
    'expires_at as expiresAt',
    'max_uses as maxUses',
    'uses',
    'withdrawn_at as withdrawnAt',
  ]);
export type RedirectRow = Awaited<ReturnType<ReturnType<typeof keys>['execute']>>[number];

export async function findByHash(tx: Tx, hash: string): Promise<RedirectRow | null> {
  return await keys(tx).where('key_hash', '=', hash).executeTakeFirst() ?? null;
}

export async function findRedirect(tx: Tx, id: number): Promise<RedirectRow | null> {
  return await keys(tx).where('id', '=', id).executeTakeFirst() ?? null;
}

/** A page of keys before one, newest first. */
export function selectRedirects(tx: Tx, before: number | null): Promise<RedirectRow[]> {
  return keys(tx).$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc').limit(REDIRECT_KEYS_PER_PAGE).execute();
}

export async function insertRedirect(
  tx: Tx,
  redirect: Pick<RedirectRow, 'target' | 'note' | 'expiresAt' | 'maxUses'> & { readonly hash: string },
): Promise<number> {
  const { hash, target, note, expiresAt, maxUses } = redirect;
  const { id } = await tables(tx).insertInto('site.redirect_keys').values({
    key_hash: hash,
    target,
    note,
    made_at: tx.now,
    expires_at: expiresAt,
    max_uses: maxUses,
    withdrawn_at: null,
  }).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Counts a use; false when somebody else took the last one, or withdrew the key. */
export async function countUse(tx: Tx, id: number): Promise<boolean> {
  const row = await tables(tx).updateTable('site.redirect_keys').set({ uses: sql<number>`uses + 1` })
    .where('id', '=', id).where('withdrawn_at', 'is', null)
    .where((where) => where.or([where('max_uses', 'is', null), where('uses', '<', where.ref('max_uses'))]))
    .returning('id').executeTakeFirst();
  return row !== undefined;
}

export async function markWithdrawn(tx: Tx, id: number): Promise<boolean> {
  const row = await tables(tx).updateTable('site.redirect_keys').set({ withdrawn_at: tx.now })
    .where('id', '=', id).where('withdrawn_at', 'is', null).returning('id').executeTakeFirst();
  return row !== undefined;
}
