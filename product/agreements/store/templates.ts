import type { Tx } from '#platform/data/data.ts';
import type { Locale } from '#product/site/rules.ts';
import { sql } from 'kysely';
import { VERSIONS_PER_PAGE, type DocumentKind } from '../rules.ts';
import type { AgreementsTables } from './tables.ts';

const tables = (tx: Tx) => tx.sql<AgreementsTables>();

const versions = (tx: Tx) =>
  tables(tx).selectFrom('agreements.versions as v').select([
    'v.kind',
    'v.version',
    'v.made_at as madeAt',
    'v.published_at as publishedAt',
    sql<Locale[]>`array(select t.language from agreements.texts t
      where t.kind = v.kind and t.version = v.version order by t.language)`.as('languages'),
    sql<number>`(select count(*) from agreements.documents d
      where d.kind = v.kind and d.version = v.version)`.as('issued'),
    sql<number>`(select count(*) from agreements.documents d
      where d.kind = v.kind and d.version = v.version and d.status = 'signed')`.as('signed'),
  ]);
export type VersionRow = Awaited<ReturnType<ReturnType<typeof versions>['execute']>>[number];

/** The newest published version of a kind; null for none. */
export async function currentVersion(tx: Tx, kind: DocumentKind): Promise<number | null> {
  const row = await tables(tx).selectFrom('agreements.versions').select('version')
    .where('kind', '=', kind).where('published_at', 'is not', null)
    .orderBy('version', 'desc').limit(1).executeTakeFirst();
  return row?.version ?? null;
}

/** A page of the versions of a kind before one, newest first. */
export function selectVersions(tx: Tx, kind: DocumentKind, before: number | null): Promise<VersionRow[]> {
  return versions(tx).where('v.kind', '=', kind)
    .$if(before !== null, (query) => query.where('v.version', '<', before))
    .orderBy('v.version', 'desc').limit(VERSIONS_PER_PAGE).execute();
}

/** The newest published version of a kind, and its draft. */
export async function templateOf(tx: Tx, kind: DocumentKind) {
  const ofKind = (isDraft: boolean) =>
    versions(tx).where('v.kind', '=', kind).where('v.published_at', isDraft ? 'is' : 'is not', null)
      .orderBy('v.version', 'desc').limit(1).executeTakeFirst();
  return { current: await ofKind(false) ?? null, draft: await ofKind(true) ?? null };
}

/** A text of one version, else of the newest version that has one in this language; null for none. */
export async function textOf(tx: Tx, kind: DocumentKind, language: Locale, version: number | null) {
  return await tables(tx).selectFrom('agreements.texts as t')
    .innerJoin('agreements.versions as v', (join) =>
      join
        .onRef('v.kind', '=', 't.kind').onRef('v.version', '=', 't.version'))
    .select(['t.title', 't.text', 't.language', 't.version', 'v.published_at as publishedAt'])
    .where('t.kind', '=', kind).where('t.language', '=', language)
    .$if(version !== null, (query) => query.where('t.version', '=', version))
    .orderBy('t.version', 'desc').limit(1).executeTakeFirst() ?? null;
}

/** The draft of a kind; begun if there is none. */
export async function draftVersion(tx: Tx, kind: DocumentKind): Promise<number> {
  const newest = await tables(tx).selectFrom('agreements.versions')
    .select(['version', 'published_at as publishedAt']).where('kind', '=', kind)
    .orderBy('version', 'desc').limit(1).executeTakeFirst();
  if (newest && newest.publishedAt === null) return newest.version;
  const version = (newest?.version ?? 0) + 1;
  await tables(tx).insertInto('agreements.versions')
    .values({ kind, version, made_at: tx.now, published_at: null }).execute();
  return version;
}

export async function saveText(
  tx: Tx,
  text: {
    readonly kind: DocumentKind;
    readonly version: number;
    readonly language: Locale;
    readonly title: string;
    readonly text: string;
  },
): Promise<void> {
  await tables(tx).insertInto('agreements.texts').values(text)
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'kind', 'version', 'language'])
        .doUpdateSet({ title: text.title, text: text.text })
    ).execute();
}

/** Publishes a draft; false when this version is no draft. */
export async function publishDraft(tx: Tx, kind: DocumentKind, version: number): Promise<boolean> {
  const row = await tables(tx).updateTable('agreements.versions').set({ published_at: tx.now })
    .where('kind', '=', kind).where('version', '=', version).where('published_at', 'is', null)
    .returning('version').executeTakeFirst();
  return row !== undefined;
}

/** Deletes a draft with its texts; false when this version is no draft. */
export async function deleteDraft(tx: Tx, kind: DocumentKind, version: number): Promise<boolean> {
  const row = await tables(tx).deleteFrom('agreements.versions')
    .where('kind', '=', kind).where('version', '=', version).where('published_at', 'is', null)
    .returning('version').executeTakeFirst();
  return row !== undefined;
}
