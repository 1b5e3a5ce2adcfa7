import { Checkbox } from '#platform/ui/controls/fields.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import {
  rangeOf,
  RATE_RANGES,
  SEARCH_CATEGORIES,
  type SearchCategory,
} from '../../../rules/search/facets.ts';
import { nameOf } from '../../tile.tsx';
import { chosenIn, toggled, type SearchInput } from '../query.ts';
import type { SearchAnswer } from './results.tsx';

interface FacetsProps {
  readonly counts: SearchAnswer['counts'] | undefined;
  readonly input: SearchInput;
  readonly onChange: (next: SearchInput) => void;
}

/** Filters by category; each value shows how many performers it would leave. */
export function Facets({ counts, input, onChange }: FacetsProps) {
  const { t } = useTranslation('browse');
  return (
    <div className="flex flex-col gap-5">
      {SEARCH_CATEGORIES.map((category) => (
        <Facet
          key={category}
          category={category}
          counts={counts?.[category] ?? {}}
          title={t(`search.category.${category}`)}
          chosen={chosenIn(input, category)}
          onToggle={(value) => onChange(toggled(input, category, value))}
        />
      ))}
    </div>
  );
}

interface FacetProps {
  readonly category: SearchCategory;
  readonly title: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly chosen: readonly string[];
  readonly onToggle: (value: string) => void;
}

function Facet({ category, title, counts, chosen, onToggle }: FacetProps) {
  const { i18n } = useTranslation('browse');
  const textOf = useValueText(category);
  const values = valuesOf(category, counts, chosen);
  if (values.length === 0) return null;
  return (
    <fieldset>
      <legend className="pb-1 text-sm font-bold">{title}</legend>
      <div className="max-h-64 overflow-y-auto">
        {values.map((value) => (
          <Checkbox
            key={value}
            checked={chosen.includes(value)}
            onChange={() => onToggle(value)}
            label={
              <>
                {textOf(value)}{' '}
                <span className="tabular text-muted">{formatCount(counts[value] ?? 0, i18n.language)}</span>
              </>
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

/** Values that would leave somebody, and chosen ones; ranges in order, others by count. */
function valuesOf(
  category: SearchCategory,
  counts: Readonly<Record<string, number>>,
  chosen: readonly string[],
): readonly string[] {
  const all = [...new Set([...Object.keys(counts), ...chosen])];
  if (category !== 'privateRate' && category !== 'controlHerRate') {
    return all.toSorted((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0) || a.localeCompare(b));
  }
  const ranges: readonly string[] = RATE_RANGES;
  return [...ranges.filter((range) => all.includes(range)), ...all.filter((text) => !ranges.includes(text))];
}

/** The words of a value. */
function useValueText(category: SearchCategory): (value: string) => string {
  const { t, i18n } = useTranslation('browse');
  return (value) => {
    switch (category) {
      case 'gender':
        return t(`search.gender.${value as 'girls'}`);
      case 'language':
        return nameOf(new Intl.DisplayNames(i18n.language, { type: 'language', fallback: 'code' }), value);
      case 'location':
        return t(`search.region.${value as 'europe'}`);
      case 'privateRate':
      case 'controlHerRate': {
        const { from, to } = rangeOf(value) ?? { from: value, to: value };
        return t('search.range', { from, to });
      }
      case 'tag':
        return value.replaceAll('-', ' ');
    }
  };
}
