import type { DeadlineHandler } from '#platform/contract/bind.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import type { ErasedPerson, OwnedRows } from '#platform/data/database/owned-rows.ts';
import { closingPart, personalData } from '../../extension-points.ts';
import {
  ERASE_BATCH_ROWS,
  MAX_ERASE_BATCHES,
  pseudonymOf,
  SETTLEMENT_WAIT_MS,
  waitsForSettlement,
} from '../../rules/life/deletion.ts';
import { findById, lockPerson, type Account } from '../../store.ts';
import { formerNamesOf, insertRetired, pseudonymise, saveErasing } from '../../store/life/deletion.ts';
import { ownRows } from '../../store/life/own-rows.ts';
import { publishChange } from '../person-changes.ts';
import { sendDeletionEmail } from './deletion-emails.ts';
import { consequencesOf, ERASURE, REMINDER, type DeletionParts } from './deletion.ts';

export interface ErasureParts extends DeletionParts {
  /** Rows about a person in slices before this one. */
  readonly earlierRows: readonly OwnedRows[];
}

/** Deadlines of an account in deletion. */
export const erasureDeadlines = (parts: ErasureParts): DeadlineHandler[] => [
  {
    kind: REMINDER,
    handle: ({ operatorId, key }) =>
      parts.data.tx({ operatorId }, async (tx) => {
        const person = await findById(tx, Number(key));
        if (person?.deletionAt && person.erasingSince === null) {
          await sendDeletionEmail(parts, tx, person, 'deletionSoon');
        }
      }),
  },
  { kind: ERASURE, handle: ({ operatorId, key }) => erase(parts, { operatorId }, Number(key)) },
];

/**
 * Erases somebody whose time is up: settles their holdings, then goes through the tables of every slice in
 * units of work with a limited number of rows; the account comes last. Each step can be repeated, so that a
 * crash in the middle does no harm: the deadline is delivered again.
 */
async function erase(parts: ErasureParts, scope: OperatorScope, personId: number): Promise<void> {
  const { data, extensions, earlierRows } = parts;
  const person = await data.tx(scope, (tx) => begin(parts, tx, personId));
  if (person === null) return;
  for (const rows of [...extensions.all(personalData).flat(), ...earlierRows]) {
    await eraseRows(rows, (item) => data.tx(scope, (tx) => item(tx, person)));
  }
  await data.tx(scope, (tx) => finish(parts, tx, person));
}

/** The person to erase now; null when they stayed, are gone, or something is to be settled first. */
async function begin(parts: ErasureParts, tx: Tx, personId: number): Promise<ErasedPerson | null> {
  const person = await findById(tx, personId) && await lockPerson(tx, personId);
  if (!person?.deletionAt || person.erasedAt !== null || person.deletionAt > tx.now) return null;
  if (person.erasingSince === null && !(await settle(parts, tx, person))) return null;
  return {
    id: person.id,
    displayName: person.displayName,
    email: person.email,
    pseudonym: pseudonymOf(person.id),
    isEmailConfirmed: person.emailConfirmedAt !== null,
    names: [...new Set([person.username, ...await formerNamesOf(tx, person.id)])],
  };
}

/** Settles somebody's holdings once, and confirms the deletion by email; false while it has to wait. */
async function settle(parts: ErasureParts, tx: Tx, person: Account): Promise<boolean> {
  if (waitsForSettlement(await consequencesOf(parts, tx, person.id))) {
    const at = new Date(tx.now.getTime() + SETTLEMENT_WAIT_MS);
    await tx.schedule({ kind: ERASURE, key: String(person.id), at });
    return false;
  }
  for (const { settled } of parts.extensions.all(closingPart)) await settled?.(tx, person.id);
  await saveErasing(tx, person.id);
  await tx.audit({ action: 'accounts.erase', actorId: null, subject: `person:${person.id}` });
  await sendDeletionEmail(parts, tx, person, 'deletionDone');
  return true;
}

/** Erases all rows of a table, batch by batch. */
async function eraseRows(
  { table, erase: one }: OwnedRows,
  run: (one: (tx: Tx, person: ErasedPerson) => Promise<number>) => Promise<number>,
): Promise<void> {
  if (one === null) return;
  for (let batch = 0; batch < MAX_ERASE_BATCHES; batch += 1) {
    if (await run((tx, person) => one(tx, person, ERASE_BATCH_ROWS)) === 0) return;
  }
  throw new Error(`the rows of somebody in ${table} do not come to an end`);
}

/** Erases the account itself in one unit of work, at the end, because other rows are found by its names. */
async function finish({ retiredNames }: ErasureParts, tx: Tx, person: ErasedPerson): Promise<void> {
  const before = await lockPerson(tx, person.id);
  if (before.erasedAt !== null) return;
  await insertRetired(tx, person.names.map((name) => retiredNames.of(tx, name)), before.type === 'model');
  for (const rows of ownRows) await eraseRows(rows, (item) => item(tx, person));
  await pseudonymise(tx, person.id, person.pseudonym);
  await publishChange(tx, await lockPerson(tx, person.id));
}
