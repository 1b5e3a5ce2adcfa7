import type { Consent } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { CONSENT_VERSION, isInForce, type ChosenIn } from './rules.ts';
import type { ConsentTables } from './store/tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<ConsentTables>> => tx.sql<ConsentTables>();

/** Somebody's last choice, and when they made it; null where they have to be asked. */
export async function findChoice(
  tx: Tx,
  personId: number,
): Promise<{ readonly consent: Consent; readonly at: Date } | null> {
  const row = await tables(tx).selectFrom('consent.choices')
    .select(['preferences', 'statistics', 'marketing', 'version', 'chosen_at'])
    .where('person_id', '=', personId).orderBy('id', 'desc').limit(1).executeTakeFirst();
  if (!row || !isInForce(row.version, row.chosen_at.getTime(), tx.now.getTime())) return null;
  const { preferences, statistics, marketing, chosen_at: at } = row;
  return { consent: { preferences, statistics, marketing }, at };
}

/** Stores a choice, as evidence. */
export async function insertChoice(
  tx: Tx,
  personId: number,
  consent: Consent,
  made: { readonly chosenIn: ChosenIn; readonly region: string; readonly at?: Date },
): Promise<void> {
  const { preferences, statistics, marketing } = consent;
  await tables(tx).insertInto('consent.choices').values({
    person_id: personId,
    preferences,
    statistics,
    marketing,
    version: CONSENT_VERSION,
    chosen_in: made.chosenIn,
    region: made.region,
    chosen_at: made.at ?? tx.now,
  }).execute();
}
