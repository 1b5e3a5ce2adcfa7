import type { Tx } from '#platform/data/data.ts';
import { sql } from 'kysely';
import { HISTORY_MS, MAX_HISTORY } from '../rules/history.ts';
import { isHomeSection, type HomeSectionId, type Layout } from '../rules/home.ts';
import { LEARNED_MS, type Learned } from '../rules/learning.ts';
import type { AllLearned, LearningChoice } from './learning.ts';
import type { BrowseTables } from './tables.ts';

/** How a member wants the home page; null means not chosen. */
export interface HomeChoice {
  readonly layout: Layout | null;
  readonly sections: readonly HomeSectionId[] | null;
}

const choiceOf = (row: { layout: Layout | null; sections: string[] | null } | undefined): HomeChoice => ({
  layout: row?.layout ?? null,
  sections: row?.sections?.filter(isHomeSection) ?? null,
});

export async function findHomeChoice(tx: Tx, personId: number): Promise<HomeChoice> {
  return choiceOf(
    await tx.sql<BrowseTables>().selectFrom('browse.home_choices')
      .select(['layout', 'sections']).where('person_id', '=', personId).executeTakeFirst(),
  );
}

/** A member's data for their home page, besides the directory. */
export interface OwnHome {
  readonly choice: HomeChoice;
  /** Ids of performers whose rooms they entered, latest first. */
  readonly viewed: readonly number[];
  readonly learning: Omit<LearningChoice, 'countsFrom'>;
  readonly isHistoryOn: boolean;
  readonly learned: AllLearned;
}

interface OwnHomeRow {
  readonly choice: { readonly layout: Layout | null; readonly sections: string[] | null } | null;
  readonly viewed: readonly number[];
  readonly learning: { readonly learns: boolean | null; readonly is_shown: boolean } | null;
  readonly isHistoryOn: boolean | null;
  readonly performers: readonly LearnedRow<number>[];
  readonly tags: readonly LearnedRow<string>[];
}
/** Performer or tag, seconds, and as of when in milliseconds since 1970. */
type LearnedRow<Of> = readonly [of: Of, seconds: number, countedUntil: number];

const learnedOf = <Of>(rows: readonly LearnedRow<Of>[]): ReadonlyMap<Of, Learned> =>
  new Map(rows.map(([of, seconds, until]) => [of, { seconds, countedUntil: new Date(until) }]));

/** One query, because every member's home page reads it. */
export async function findOwnHome(tx: Tx, personId: number): Promise<OwnHome> {
  const since = (ms: number): Date => new Date(tx.now.getTime() - ms);
  const { rows: [row] } = await sql<OwnHomeRow>`select
    (select json_build_object('layout', layout, 'sections', sections)
      from browse.home_choices where person_id = ${personId}) as choice,
    (select coalesce(json_agg(performer_id), '[]') from (
      select performer_id from browse.views where viewer_id = ${personId} and last_at > ${since(HISTORY_MS)}
      order by last_at desc, performer_id desc limit ${MAX_HISTORY}) as views) as viewed,
    (select json_build_object('learns', learns, 'is_shown', is_shown)
      from browse.learning_settings where viewer_id = ${personId}) as learning,
    (select is_on from browse.history_settings where viewer_id = ${personId}) as "isHistoryOn",
    (select coalesce(json_agg(json_build_array(performer_id, seconds, ${msOf('counted_until')})), '[]')
      from browse.learned_performers
      where viewer_id = ${personId} and counted_until > ${since(LEARNED_MS)}) as performers,
    (select coalesce(json_agg(json_build_array(tag, seconds, ${msOf('counted_until')})), '[]')
      from browse.learned_tags
      where viewer_id = ${personId} and counted_until > ${since(LEARNED_MS)}) as tags`
    .execute(tx.sql());
  if (!row) throw new Error('a query without a condition has a row');
  return {
    choice: choiceOf(row.choice ?? undefined),
    viewed: row.viewed,
    isHistoryOn: row.isHistoryOn ?? true,
    learning: { learns: row.learning?.learns ?? null, isShown: row.learning?.is_shown ?? true },
    learned: { performers: learnedOf(row.performers), tags: learnedOf(row.tags) },
  };
}

const msOf = (column: string) => sql`extract(epoch from ${sql.ref(column)}) * 1000`;

/** Saves the given values; the rest stays unchanged. */
export async function saveHomeChoice(
  tx: Tx,
  personId: number,
  { layout, sections }: Partial<HomeChoice>,
): Promise<HomeChoice> {
  const chosen = {
    person_id: personId,
    ...(layout === undefined ? {} : { layout }),
    ...(sections === undefined ? {} : { sections: sections === null ? null : [...sections] }),
  };
  return choiceOf(
    await tx.sql<BrowseTables>().insertInto('browse.home_choices').values(chosen)
      .onConflict((conflict) => conflict.columns(['operator_id', 'person_id']).doUpdateSet(chosen))
      .returning(['layout', 'sections']).executeTakeFirst(),
  );
}
