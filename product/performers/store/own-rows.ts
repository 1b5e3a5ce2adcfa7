import { removeStored } from '#platform/data/blobs.ts';
import { ownedRows, type EraseRows, type OwnedRows } from '#platform/data/database/owned-rows.ts';
import { sql } from 'kysely';
import { PICTURE_REMOVAL } from '../rules/pictures.ts';

/** The files are removed after the commit, as when a picture is deleted. */
const erasePictures: EraseRows = async (tx, { id }) => {
  const { rows } = await sql<{ key: string; blobs: string[] }>`
    delete from performers.pictures where performer_id = ${id} returning key, blobs`.execute(tx.sql());
  for (const picture of rows) await removeStored(tx, PICTURE_REMOVAL, picture);
  return 0;
};

/** What this slice stores of a person, as they may read it. */
export const ownRows: readonly OwnedRows[] = [
  ownedRows({
    table: 'performers.listings',
    owner: 'performer_id',
    order: ['performer_id'],
    columns: [
      'region',
      'country',
      'age_range',
      'ethnicity',
      'private_price',
      'exclusive_price',
      'spy_price',
      'control_rate',
      'time_zone',
      'schedule',
      'changed_at',
    ],
    erase: 'rows',
  }),
  ownedRows({
    table: 'performers.pictures',
    owner: 'performer_id',
    order: ['position', 'id'],
    columns: ['key', 'width', 'height', 'caption', 'created_at'],
    erase: { by: erasePictures },
  }),
];
