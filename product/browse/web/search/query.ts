import type { InputOf } from '#platform/contract/call.ts';
import type { Paging } from '#platform/ui/calls/pages.ts';
import type { multiFilter } from '../../client.ts';
import {
  PARAMETER_OF,
  SEARCH_CATEGORIES,
  SEARCH_STEP,
  type SearchCategory,
} from '../../rules/search/facets.ts';

export type SearchInput = InputOf<typeof multiFilter>;

/** Parameters of the search's address. */
export const SEARCH_QUERY = [
  'q',
  'lang',
  'source',
  'tag',
  'rate',
  'region',
  'chRate',
  'newSort',
] as const satisfies readonly (keyof SearchInput)[];

/** The page's input, from its address. Empty values are not sent (spec 3 §5). */
export function inputOf(query: URLSearchParams): SearchInput {
  return Object.fromEntries(SEARCH_QUERY.flatMap((name) => {
    const value = query.get(name)?.trim() ?? '';
    return value === '' ? [] : [[name, value]];
  }));
}

/** The query of an equivalent address, without empty values; '' for none. */
export const queryOf = (input: SearchInput): string =>
  new URLSearchParams(Object.entries(input).map(([name, value]) => [name, String(value)])).toString();

/** The first page has 60, and the page loads 30 more near its end (spec 3 §9). */
export const SEARCHING: Paging<typeof multiFilter> = {
  cursor: 'p',
  after: { perPage: SEARCH_STEP },
  next: ({ page, perPageCount, totalCount }) => {
    const shown = page * perPageCount;
    return shown < totalCount ? Math.ceil(shown / SEARCH_STEP) + 1 : null;
  },
};

/** Categories that allow one value at a time: ranges. */
const isSingle = (category: SearchCategory): boolean =>
  category === 'privateRate' || category === 'controlHerRate';

export const chosenIn = (input: SearchInput, category: SearchCategory): readonly string[] =>
  (input[PARAMETER_OF[category]] ?? '').split(',').filter(Boolean);

/** The search with a value of a category toggled. */
export function toggled(input: SearchInput, category: SearchCategory, value: string): SearchInput {
  const chosen = chosenIn(input, category);
  const next = chosen.includes(value)
    ? chosen.filter((text) => text !== value)
    : isSingle(category)
    ? [value]
    : [...chosen, value];
  return withValue(input, PARAMETER_OF[category], next.join(','));
}

/** The search with a parameter changed; without it where the value is empty. */
export function withValue(
  input: SearchInput,
  name: (typeof SEARCH_QUERY)[number],
  value: string,
): SearchInput {
  const { [name]: _before, ...rest } = input;
  return value === '' ? rest : { ...rest, [name]: value };
}

export const isFiltered = (input: SearchInput): boolean =>
  SEARCH_CATEGORIES.some((category) => chosenIn(input, category).length > 0);
