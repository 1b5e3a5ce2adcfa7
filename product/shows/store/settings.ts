import type { Tx } from '#platform/data/data.ts';
import type { Selectable } from 'kysely';
import type { ShowsTables } from './tables.ts';

type SettingsTable = ShowsTables['shows.settings'];
export type StoredSettings = Omit<Selectable<SettingsTable>, 'operator_id' | 'performer_id'>;

const NONE: StoredSettings = {
  private_price: null,
  exclusive_price: null,
  is_recording_enabled: false,
  is_pre_tip_enabled: false,
  pre_tip: 0,
  is_watch_together_enabled: false,
  minimum_minutes: 0,
  minimum_tokens: 0,
  discount_percent: 0,
  discount_until: null,
  is_sharecam_in_private: false,
  is_sharecam_in_public: false,
  sharecam_price: null,
  spy_price: null,
  spy_startup_tip: 0,
};
const tables = (tx: Tx): ReturnType<typeof tx.sql<ShowsTables>> => tx.sql<ShowsTables>();

/** A performer's settings for paid shows, besides the prices on offer. */
export async function findShowSettings(tx: Tx, performerId: number): Promise<StoredSettings> {
  const row = await tables(tx).selectFrom('shows.settings').selectAll()
    .where('performer_id', '=', performerId).executeTakeFirst();
  return row ?? NONE;
}

/** Which of these performers take cameras in public only. */
export async function findPublicCameras(
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (performerIds.length === 0) return new Set();
  const rows = await tables(tx).selectFrom('shows.settings').select('performer_id')
    .where('performer_id', 'in', [...performerIds]).where('is_sharecam_in_public', '=', true)
    .where('is_sharecam_in_private', '=', false).execute();
  return new Set(rows.map(({ performer_id: id }) => id));
}

export async function saveShowSettings(
  tx: Tx,
  performerId: number,
  change: Partial<StoredSettings>,
): Promise<void> {
  await tables(tx).insertInto('shows.settings').values({ performer_id: performerId, ...NONE, ...change })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'performer_id']).doUpdateSet({
        performer_id: performerId,
        ...change,
      })
    ).execute();
}
