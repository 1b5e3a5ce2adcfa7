const LOCALES = ['en', 'de', 'es', 'fr', 'it', 'nl'] as const;
const REFUSAL: Readonly<Record<(typeof LOCALES)[number], string>> = {
  en: 'You have as many entries as anyone may keep. Delete one first.',
  de: 'Mehr Einträge kann niemand behalten. Lösche zuerst einen.',
  es: 'Ya tienes tantas entradas como se puede guardar. Borra una primero.',
  fr: 'Vous avez déjà autant d’entrées que possible. Supprimez-en une d’abord.',
  it: 'Hai già tutte le voci che si possono tenere. Eliminane prima una.',
  nl: 'Je hebt al zoveel items als iemand mag bewaren. Verwijder er eerst een.',
};

const pascal = (slice: string): string =>
  slice.split('-').map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
export const camel = (slice: string): string => slice.charAt(0).toLowerCase() + pascal(slice).slice(1);
/** Schemas are written without hyphens. */
const schemaOf = (slice: string): string => slice.replaceAll('-', '_');

const readme = (slice: string, sentence: string): string => `# ${slice}

${sentence}

## Rules in words
- A member keeps short entries of their own: at most 100, each up to 500 characters.
- Nobody else reads them.

Facts: none. Extension points: none.
`;

const contract = (slice: string): string => `import { z } from 'zod';
import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { MAX_TEXT_LENGTH } from './rules.ts';

const slice = '${slice}';
export const tooManyEntries = refusal({
  slice, code: 'too_many_entries', kind: 'conflict',
  description: 'The person keeps as many entries as anyone may.',
});

const Entry = z.object({ id: z.int(), text: z.string(), at: z.string() });

export const addEntry = call({
  name: '${slice}.addEntry', method: 'POST', path: '/${slice}', access: 'member', credential: 'cookie',
  input: z.object({ text: z.string().trim().min(1).max(MAX_TEXT_LENGTH) }),
  output: Entry, refusals: [tooManyEntries],
  summary: 'Keep an entry', description: 'Keeps a text of the caller\\'s own.',
});

export const listEntries = call({
  name: '${slice}.listEntries', method: 'GET', path: '/${slice}', access: 'member', credential: 'cookie',
  input: z.object({ before: z.int().positive().optional() }),
  output: z.object({ entries: z.array(Entry), next: z.int().nullable() }), refusals: [],
  summary: 'The own entries',
  description: 'Newest first, 50 a page; \`next\` is \`before\` of the page after this.',
});
`;

const rules = (): string => `/** A note, not an essay: it fits on a phone's screen. */
export const MAX_TEXT_LENGTH = 500;
/** More than anybody writes by hand, and few enough to count in one query. */
export const MAX_ENTRIES_PER_PERSON = 100;
/** Two screens of a phone. */
export const ENTRIES_PER_PAGE = 50;

/** Whether somebody who keeps \`count\` entries may keep one more. */
export const mayAdd = (count: number): boolean => count < MAX_ENTRIES_PER_PERSON;
`;

const store = (slice: string): string => {
  const [name, table] = [pascal(slice), `${schemaOf(slice)}.entries`];
  return `import type { Generated } from 'kysely';
import type { Tx } from '#platform/data/data.ts';
import { ENTRIES_PER_PAGE } from './rules.ts';

interface ${name}Tables {
  '${table}': {
    operator_id: Generated<number>;
    id: Generated<number>;
    person_id: number;
    text: string;
    at: Date;
  };
}

export interface EntryRow {
  readonly id: number;
  readonly text: string;
  readonly at: Date;
}

/** How many entries a person keeps. */
export async function countEntries(tx: Tx, personId: number): Promise<number> {
  const { count } = await tx.sql<${name}Tables>().selectFrom('${table}')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('person_id', '=', personId).executeTakeFirstOrThrow();
  return count;
}

/** Keeps an entry; the row it became. */
export function insertEntry(tx: Tx, personId: number, text: string): Promise<EntryRow> {
  return tx.sql<${name}Tables>().insertInto('${table}')
    .values({ person_id: personId, text, at: tx.now })
    .returning(['id', 'text', 'at']).executeTakeFirstOrThrow();
}

/** A person's entries, newest first, at most a page, those older than \`before\`. */
export function selectEntries(tx: Tx, personId: number, before: number | null): Promise<EntryRow[]> {
  return tx.sql<${name}Tables>().selectFrom('${table}')
    .select(['id', 'text', 'at']).where('person_id', '=', personId)
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc').limit(ENTRIES_PER_PAGE).execute();
}
`;
};

const server = (slice: string, sentence: string): string => {
  const name = pascal(slice);
  return `import { handleCall, type Slice } from '#platform/contract/bind.ts';
import type { Caller } from '#platform/contract/context.ts';
import type { Data } from '#platform/data/data.ts';
import { addEntry, listEntries, tooManyEntries } from './contract.ts';
import { ENTRIES_PER_PAGE, mayAdd } from './rules.ts';
import { countEntries, insertEntry, selectEntries, type EntryRow } from './store.ts';

/** What later slices may ask: nothing yet. */
export type ${name}Service = Readonly<Record<string, never>>;

const shapeOf = ({ id, text, at }: EntryRow): { id: number; text: string; at: string } =>
  ({ id, text, at: at.toISOString() });

/** \`access: member\` lets nobody else through; a breach of that stops here. */
function personOf({ personId }: Caller): number {
  if (personId === null) throw new Error('a member without a person');
  return personId;
}

/** ${sentence} */
export function ${camel(slice)}Slice({ data }: { data: Data }): Slice<${name}Service> {
  const callHandlers = [
    handleCall(addEntry)(async ({ text }, { scope, caller, refuse }) => {
      const personId = personOf(caller);
      const entry = await data.tx(scope, async (tx) =>
        (mayAdd(await countEntries(tx, personId)) ? insertEntry(tx, personId, text) : null));
      return entry === null ? refuse(tooManyEntries) : shapeOf(entry);
    }),
    handleCall(listEntries)(async ({ before }, { scope, caller }) => {
      const rows = await data.tx(scope, (tx) => selectEntries(tx, personOf(caller), before ?? null));
      const next = rows.length === ENTRIES_PER_PAGE ? (rows.at(-1)?.id ?? null) : null;
      return { entries: rows.map(shapeOf), next };
    }),
  ];
  return { name: '${slice}', service: {}, callHandlers };
}
`;
};

const table = (slice: string, sentence: string): string => `-- ${sentence}
create schema ${schemaOf(slice)};

create table ${schemaOf(slice)}.entries (
  operator_id bigint not null,
  id bigint not null generated always as identity,
  person_id bigint not null,
  text text not null,
  at timestamptz not null,
  primary key (operator_id, id),
  foreign key (operator_id, person_id) references accounts.people (operator_id, id)
);
create index entries_of_person on ${schemaOf(slice)}.entries (operator_id, person_id, id desc);
select platform.own_table('${schemaOf(slice)}.entries');
`;

const rulesTest = (): string => `import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ENTRIES_PER_PERSON, mayAdd } from './rules.ts';

describe('how many entries a person keeps', () => {
  it('is never more than the limit, however often they try', () => {
    fc.assert(fc.property(fc.nat({ max: 3 * MAX_ENTRIES_PER_PERSON }), (tries) => {
      let count = 0;
      for (let at = 0; at < tries; at += 1) if (mayAdd(count)) count += 1;
      expect(count).toBe(Math.min(tries, MAX_ENTRIES_PER_PERSON));
    }));
  });
});
`;

const sliceTest = (): string => `import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { addEntry, listEntries } from './contract.ts';
import { MAX_ENTRIES_PER_PERSON } from './rules.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('entries', () => {
  it('are their author\\'s alone, newest first', async () => {
    const [author, other] = [await site.viewer(), await site.viewer()];
    await author.call(addEntry, { text: 'one' });
    const second = await author.call(addEntry, { text: 'two' });
    expect(second.at).toBe(site.clock.now().toISOString());
    const { entries } = await author.call(listEntries, {});
    expect(entries.map((entry) => entry.text)).toEqual(['two', 'one']);
    expect((await other.call(listEntries, {})).entries).toEqual([]);
  });

  it('are for members, have a text, and end at the limit', async () => {
    const guest = await site.visitor();
    expect(await guest.refused(addEntry, { text: 'one' })).toMatchObject({ status: 401 });
    const author = await site.viewer();
    expect(await author.refused(addEntry, { text: '  ' })).toMatchObject({ errorType: 'invalid_input' });
    for (let at = 0; at < MAX_ENTRIES_PER_PERSON; at += 1) await author.call(addEntry, { text: \`\${at}\` });
    const { errorType } = await author.refused(addEntry, { text: 'one more' });
    expect(errorType).toBe('too_many_entries');
  });
});
`;

/** The files of a new slice, by path: small, complete, compiling, tested. */
export function skeleton(slice: string, sentence: string): Map<string, string> {
  const folder = `product/${slice}`;
  return new Map([
    [`${folder}/README.md`, readme(slice, sentence)],
    [`${folder}/contract.ts`, contract(slice)],
    [`${folder}/rules.ts`, rules()],
    [`${folder}/store.ts`, store(slice)],
    [`${folder}/server.ts`, server(slice, sentence)],
    [`${folder}/tables/0001-${slice}.sql`, table(slice, sentence)],
    [`${folder}/rules.test.ts`, rulesTest()],
    [`${folder}/${slice}.test.ts`, sliceTest()],
    ...LOCALES.map((locale) => [
      `${folder}/messages/${locale}.json`,
      `${JSON.stringify({ refusals: { too_many_entries: REFUSAL[locale] } }, null, 2)}\n`,
    ] as const),
  ]);
}
