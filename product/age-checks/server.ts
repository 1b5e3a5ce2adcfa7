import { handleCall, type Slice } from '#platform/contract/bind.ts';
import { implement } from '#platform/contract/extension-point.ts';
import type { Data } from '#platform/data/data.ts';
import { personalData } from '#product/accounts/extension-points.ts';
import { addAgeChecksEntry, listAgeChecksEntries, tooManyEntries } from './contract.ts';
import { ENTRIES_PER_PAGE, mayAdd } from './rules.ts';
import { countEntries, insertEntry, selectEntries, type EntryRow } from './store.ts';
import { ownRows } from './store/own-rows.ts';

/** What later slices may ask: nothing yet. */
export type AgeChecksService = Readonly<Record<string, never>>;

const shapeOf = ({ id, text, at }: EntryRow): { id: number; text: string; at: string } => ({
  id,
  text,
  at: at.toISOString(),
});

/** Age checks: how visitors prove their age, by which provider, and what is stored of it. */
export function ageChecksSlice({ data }: { data: Data }): Slice<AgeChecksService> {
  const callHandlers = [
    handleCall(addAgeChecksEntry)(async ({ text }, { scope, personId, refuse }) => {
      const entry = await data.tx(
        scope,
        async (tx) => (mayAdd(await countEntries(tx, personId)) ? insertEntry(tx, personId, text) : null),
      );
      return entry === null ? refuse(tooManyEntries) : shapeOf(entry);
    }),
    handleCall(listAgeChecksEntries)(async ({ before }, { scope, personId }) => {
      const rows = await data.read(scope, (tx) => selectEntries(tx, personId, before ?? null));
      const next = rows.length === ENTRIES_PER_PAGE ? (rows.at(-1)?.id ?? null) : null;
      return { entries: rows.map(shapeOf), next };
    }),
  ];
  return { name: 'age-checks', service: {}, callHandlers, extensions: [implement(personalData, ownRows)] };
}
