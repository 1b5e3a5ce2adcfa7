import type { Generated } from 'kysely';
import type { Tx } from '../../../platform/data/data.ts';
import { isHomeSection, type HomeSectionId, type Layout } from '../rules/home.ts';

interface HomeTables {
  'browse.home_choices': {
    operator_id: Generated<number>; person_id: number; layout: Layout | null; sections: string[] | null;
  };
}

/** How a member wants the home page; null is what they did not choose. */
export interface HomeChoice {
  readonly layout: Layout | null;
  readonly sections: readonly HomeSectionId[] | null;
}

const choiceOf = (row: { layout: Layout | null; sections: string[] | null } | undefined): HomeChoice => ({
  layout: row?.layout ?? null, sections: row?.sections?.filter(isHomeSection) ?? null,
});

export async function findHomeChoice(tx: Tx, personId: number): Promise<HomeChoice> {
  return choiceOf(await tx.sql<HomeTables>().selectFrom('browse.home_choices')
    .select(['layout', 'sections']).where('person_id', '=', personId).executeTakeFirst());
}

/** Saves what is given; the rest stays as it was. */
export async function saveHomeChoice(
  tx: Tx, personId: number, { layout, sections }: Partial<HomeChoice>,
): Promise<HomeChoice> {
  const chosen = {
    person_id: personId, ...(layout === undefined ? {} : { layout }),
    ...(sections === undefined ? {} : { sections: sections === null ? null : [...sections] }),
  };
  return choiceOf(await tx.sql<HomeTables>().insertInto('browse.home_choices').values(chosen)
    .onConflict((conflict) => conflict.columns(['operator_id', 'person_id']).doUpdateSet(chosen))
    .returning(['layout', 'sections']).executeTakeFirst());
}
