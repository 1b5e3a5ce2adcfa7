import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import type { Channel, Chosen } from '../rules.ts';
import type { NoticesTables } from './tables.ts';

const tables = (tx: Tx): ReturnType<typeof tx.sql<NoticesTables>> => tx.sql<NoticesTables>();

/** Choices of these people for a kind; people who chose nothing are left out. */
export async function findChosen(
  tx: Tx,
  personIds: readonly number[],
  kind: string,
): Promise<ReadonlyMap<number, Chosen>> {
  const rows = await tables(tx).selectFrom('notices.preferences').select(['person_id', 'channel', 'is_on'])
    .where(sql<boolean>`person_id = any(${[...personIds]}::bigint[])`).where('kind', '=', kind).execute();
  const found = new Map<number, Map<Channel, boolean>>();
  for (const { person_id: id, channel, is_on: isOn } of rows) {
    found.set(id, (found.get(id) ?? new Map<Channel, boolean>()).set(channel, isOn));
  }
  return found;
}

/** A person's choices, by kind. */
export async function findChosenOf(tx: Tx, personId: number): Promise<ReadonlyMap<string, Chosen>> {
  const rows = await tables(tx).selectFrom('notices.preferences').select(['kind', 'channel', 'is_on'])
    .where('person_id', '=', personId).execute();
  const found = new Map<string, Map<Channel, boolean>>();
  for (const { kind, channel, is_on: isOn } of rows) {
    found.set(kind, (found.get(kind) ?? new Map<Channel, boolean>()).set(channel, isOn));
  }
  return found;
}

export async function savePreference(
  tx: Tx,
  personId: number,
  { kind, channel, isOn }: {
    readonly kind: string;
    readonly channel: Channel;
    readonly isOn: boolean;
  },
): Promise<void> {
  await tables(tx).insertInto('notices.preferences')
    .values({ person_id: personId, kind, channel, is_on: isOn })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'person_id', 'kind', 'channel'])
        .doUpdateSet({ is_on: isOn })
    )
    .execute();
}

/** Ends text messages to this person until they choose them again. */
export async function endSms(tx: Tx, personId: number): Promise<void> {
  await tables(tx).deleteFrom('notices.preferences').where('person_id', '=', personId)
    .where('channel', '=', 'sms').execute();
}

/** For people who chose nothing: a screen must not reveal what kind of site this is. */
const USUAL: PersonOptions = { isDiscreet: true };

export interface PersonOptions {
  /** Push messages reveal nothing about the site's nature. */
  readonly isDiscreet: boolean;
}

/** Options of these people; `optionsOf` reads the map. */
export async function findOptions(
  tx: Tx,
  personIds: readonly number[],
): Promise<ReadonlyMap<number, PersonOptions>> {
  const rows = await tables(tx).selectFrom('notices.people').select(['person_id', 'push_discreet'])
    .where(sql<boolean>`person_id = any(${[...personIds]}::bigint[])`).execute();
  return new Map(rows.map(({ person_id: id, push_discreet: isDiscreet }) => [id, { isDiscreet }]));
}
export const optionsOf = (found: ReadonlyMap<number, PersonOptions>, personId: number): PersonOptions =>
  found.get(personId) ?? USUAL;

export async function saveDiscreet(tx: Tx, personId: number, isDiscreet: boolean): Promise<void> {
  await tables(tx).insertInto('notices.people').values({ person_id: personId, push_discreet: isDiscreet })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'person_id'])
        .doUpdateSet({ push_discreet: isDiscreet })
    )
    .execute();
}
