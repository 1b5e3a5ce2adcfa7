import type { Tx } from '#platform/data/data.ts';
import type { DocumentName } from './rules.ts';
import type { LegalTables } from './store/tables.ts';

/** The reviewed documents of a site, and when they were reviewed; at most one row per document. */
export function listReviews(tx: Tx, siteId: number): Promise<{ document: DocumentName; at: Date }[]> {
  return tx.sql<LegalTables>().selectFrom('legal.reviews')
    .select(['document', 'reviewed_at as at']).where('site_id', '=', siteId).execute();
}

/** Marks a document as reviewed now, which replaces the date of an earlier review. */
export async function saveReview(tx: Tx, siteId: number, document: DocumentName): Promise<void> {
  await tx.sql<LegalTables>().insertInto('legal.reviews')
    .values({ site_id: siteId, document, reviewed_at: tx.now })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'site_id', 'document'])
        .doUpdateSet({ reviewed_at: tx.now })
    )
    .execute();
}

export async function deleteReview(tx: Tx, siteId: number, document: DocumentName): Promise<void> {
  await tx.sql<LegalTables>().deleteFrom('legal.reviews')
    .where('site_id', '=', siteId).where('document', '=', document).execute();
}
