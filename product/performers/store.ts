import type { Tx } from '#platform/data/data.ts';
import { sql, type Selectable } from 'kysely';
import type { ListingProfileView } from './contract.ts';
import type { PerformersTables } from './store/tables.ts';

type ListingRow = PerformersTables['performers.listings'];

const tables = (tx: Tx): ReturnType<typeof tx.sql<PerformersTables>> => tx.sql<PerformersTables>();

/** The profile of a performer who has filled in nothing. */
export const NOTHING_SAID: ListingProfileView = {
  region: null,
  country: null,
  age_range: null,
  ethnicity: null,
  voyeur_room: null,
  is_independent: false,
  private_price: null,
  exclusive_price: null,
  spy_price: null,
  control_rate: null,
  offers_cam2cam: false,
  time_zone: null,
  schedule: [],
};

const profileOf = (
  { operator_id: _operator, performer_id: _performer, changed_at: _at, ...said }: Selectable<ListingRow>,
): ListingProfileView => said;

/** The profiles of these performers; those without one are absent. */
export async function findListings(
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlyMap<number, ListingProfileView>> {
  if (performerIds.length === 0) return new Map();
  const rows = await tables(tx).selectFrom('performers.listings').selectAll()
    .where('performer_id', '=', sql<number>`any(${[...performerIds]}::bigint[])`).execute();
  return new Map(rows.map((row) => [row.performer_id, profileOf(row)]));
}

/** The performer's profile, locked until the unit of work ends, so that no change undoes another. */
export async function lockListing(tx: Tx, performerId: number): Promise<ListingProfileView> {
  await tables(tx).insertInto('performers.listings')
    .values({ performer_id: performerId, changed_at: tx.now })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doNothing()).execute();
  return profileOf(
    await tables(tx).selectFrom('performers.listings').selectAll()
      .where('performer_id', '=', performerId).forUpdate().executeTakeFirstOrThrow(),
  );
}

/** Stores a locked profile. */
export async function saveListing(
  tx: Tx,
  performerId: number,
  { schedule, ...said }: ListingProfileView,
): Promise<void> {
  await tables(tx).updateTable('performers.listings')
    .set({ ...said, schedule: JSON.stringify(schedule), changed_at: tx.now })
    .where('performer_id', '=', performerId).execute();
}
