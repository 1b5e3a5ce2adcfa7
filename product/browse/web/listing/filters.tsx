import { ButtonLink } from '#platform/ui/controls/button.tsx';
import { Menu } from '#platform/ui/controls/popups/menu.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { GenderCode } from '#product/accounts/rules.ts';
import { keep } from '#product/accounts/web/preferences.ts';
import { AGE_RANGES, BROWSE_REGIONS, ETHNICITIES } from '#product/performers/rules.ts';
import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { useNavigate, useRevalidator, useSearchParams } from 'react-router';
import {
  hiddenGenders,
  LANGUAGE_SLUGS,
  RATE_AMOUNTS,
  sectionOfGender,
  type Listing,
} from '../../rules/listing/listings.ts';
import { SORTS } from '../../rules/listing/ranking.ts';
import { nameOf, type Entry } from '../tile.tsx';
import {
  FILTERS,
  GENDER_COOKIE,
  hiddenIn,
  HIDE_COOKIE,
  hideValue,
  takesFilters,
  takesHides,
  withFilter,
  type Choices,
  type FilterName,
} from './choices.ts';

/** Tags offered: the most frequent ones on the page. */
const MAX_TAG_OPTIONS = 20;
/** Upper end of ranges of prices per minute that have none. */
const NO_END = 999;

/** Filters set only by links, such as those of the home page; shown while set. */
const FROM_LINKS: ReadonlySet<FilterName> = new Set(['ethnicity', 'country', 'goal']);

interface FilterRowProps {
  readonly listing: Listing;
  readonly entries: readonly Entry[];
  readonly choices: Choices;
}

/** Filter chips. Filters are in the address, so that they can be shared and survive going back. */
export function FilterRow({ listing, entries, choices }: FilterRowProps) {
  const { t } = useTranslation('browse');
  const [query] = useSearchParams();
  const shown = takesFilters(listing)
    ? FILTERS.filter((name) => !isFixed(name, listing) && (!FROM_LINKS.has(name) || query.has(name)))
    : [];
  const isFiltered = shown.some((name) => query.has(name));
  if (shown.length === 0 && !takesHides(listing)) return null;
  return (
    <div
      role="group"
      aria-label={t('filter.title')}
      className="sticky top-14 z-20 -mx-3 flex items-center overflow-x-auto bg-page/95 px-2 py-1 sm:-mx-6
        sm:px-5"
    >
      <GenderChip listing={listing} />
      {takesHides(listing) ? <HideChip listing={listing} choices={choices} /> : null}
      {shown.map((name) => <FilterChip key={name} name={name} listing={listing} entries={entries} />)}
      {isFiltered
        ? <ButtonLink to={listing.path} tone="quiet" preventScrollReset>{t('filter.clear')}</ButtonLink>
        : null}
    </div>
  );
}

/** Whether the path of the listing fixes this filter. */
function isFixed(name: FilterName, { kind, filter }: Listing): boolean {
  switch (name) {
    case 'language':
      return filter.languages !== undefined;
    case 'region':
      return filter.regions !== undefined || filter.countries !== undefined;
    case 'rate':
      return filter.privateRate !== undefined;
    case 'tag':
      return kind === 'tag' || filter.tags !== undefined;
    case 'age':
    case 'ethnicity':
    case 'country':
    case 'goal':
    case 'sort':
      return false;
  }
}

interface Chip {
  readonly label: string;
  /** The words of the chosen value; null if none is chosen. */
  readonly value: string | null;
  readonly items: Parameters<typeof Menu>[0]['items'];
}

/** One chip: the name of a filter, and the chosen value. */
function ChipMenu({ label, value, items }: Chip) {
  const text = value === null ? label : `${label}: ${value}`;
  const trigger: ReactNode = (
    <span
      aria-hidden
      className={`inline-flex h-9 items-center gap-1 rounded-full border px-3 whitespace-nowrap
        ${value === null ? 'border-line' : 'border-pink bg-raised text-text'}`}
    >
      {text}
      <ChevronDown size={16} />
    </span>
  );
  return (
    <span className="shrink-0">
      <Menu label={text} trigger={trigger} items={items} align="start" />
    </span>
  );
}

/** A random integer of 31 bits. */
const newSeed = (): number => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) >>> 1;

interface Option {
  readonly value: string;
  readonly text: string;
}

function FilterChip({ name, listing, entries }: Pick<FilterRowProps, 'listing' | 'entries'> & {
  readonly name: FilterName;
}) {
  const { t } = useTranslation('browse');
  const [query, setQuery] = useSearchParams();
  const current = query.get(name);
  const options = useOptions(name, entries, current);
  const choose = (value: string | null) => {
    const next = withFilter(query, name, value);
    // A new seed for each choice, the same for all pages of it.
    if (value === 'random') next.set('seed', String(newSeed()));
    setQuery(next, { preventScrollReset: true });
  };
  const isOrder = name === 'sort';
  const chosen = current ?? (isOrder ? listing.sort : null);
  const words = options.find(({ value }) => value === current)?.text ?? current;
  const items = options.map(({ value, text }) => ({
    key: value,
    text,
    chosen: value === chosen,
    onChoose: () => choose(isOrder && value === listing.sort ? null : value),
  }));
  const any = { key: '', text: t('filter.any'), chosen: current === null, onChoose: () => choose(null) };
  return <ChipMenu label={t(`filter.${name}`)} value={words} items={isOrder ? items : [any, ...items]} />;
}

/** The values offered for a filter, with their words. */
function useOptions(name: FilterName, entries: readonly Entry[], current: string | null): readonly Option[] {
  const { t, i18n } = useTranslation('browse');
  switch (name) {
    case 'language': {
      const names = new Intl.DisplayNames(i18n.language, { type: 'language', fallback: 'code' });
      return Object.values(LANGUAGE_SLUGS).map((code) => ({ value: code, text: nameOf(names, code) }))
        .toSorted((a, b) => a.text.localeCompare(b.text, i18n.language));
    }
    case 'region':
      return BROWSE_REGIONS.map((value) => ({ value, text: t(`filter.regions.${value}`) }));
    case 'rate':
      return [
        ...RATE_AMOUNTS.map((amount) => ({ value: `1-${amount}`, text: t('filter.rateTo', { amount }) })),
        { value: `120-${NO_END}`, text: t('filter.rateFrom', { amount: 120 }) },
      ];
    case 'age':
      return AGE_RANGES.map((value) => ({ value, text: value.replace('-', '–') }));
    case 'tag':
      return tagOptions(entries, current);
    case 'ethnicity':
      return ETHNICITIES.map((value) => ({ value, text: t(`home.ethnicity.${value}`) }));
    case 'country':
      return countryOptions(current, i18n.language);
    case 'goal':
      return [{ value: '1', text: t('filter.withGoal') }];
    case 'sort':
      return SORTS.map((value) => ({ value, text: t(`filter.sorts.${value}`) }));
  }
}

/** The country that a link set. */
function countryOptions(current: string | null, locale: string): readonly Option[] {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' });
  return current === null ? [] : [{ value: current, text: nameOf(names, current.toUpperCase()) }];
}

/** The most frequent tags of the page's performers, and the chosen one. */
function tagOptions(entries: readonly Entry[], current: string | null): readonly Option[] {
  const counts = new Map<string, number>();
  for (const tag of entries.flatMap(({ tagList }) => tagList)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const frequent = [...counts].sort(([a, of], [b, more]) => more - of || a.localeCompare(b))
    .slice(0, MAX_TAG_OPTIONS).map(([tag]) => tag);
  const tags = current === null || frequent.includes(current) ? frequent : [current, ...frequent];
  return tags.map((value) => ({ value, text: `#${value}` }));
}

/** Chooses the section that the home page leads to from now on. */
function GenderChip({ listing }: Pick<FilterRowProps, 'listing'>) {
  const { t } = useTranslation('browse');
  const navigate = useNavigate();
  const choose = (gender: GenderCode) => {
    keep(GENDER_COOKIE, gender);
    void navigate(sectionOfGender(gender));
  };
  const items = SHOWN_GENDERS.map((gender) => ({
    key: gender,
    text: t(`filter.genders.${gender}`),
    chosen: gender === listing.gender,
    onChoose: () => choose(gender),
  }));
  return (
    <ChipMenu
      label={t('filter.showMe')}
      items={items}
      value={listing.gender === null ? null : t(`filter.genders.${listing.gender}`)}
    />
  );
}

/** In the order of the specification (spec 1 §2). */
const SHOWN_GENDERS = ['f', 'c', 't', 'm'] as const satisfies readonly GenderCode[];

/** Hides genders in listings of everybody, for this browser. */
function HideChip({ listing, choices }: Omit<FilterRowProps, 'entries'>) {
  const { t } = useTranslation('browse');
  const { revalidate } = useRevalidator();
  const hidden = hiddenIn(choices, hiddenGenders(listing.path));
  const toggle = (gender: GenderCode) => {
    const next = hidden.includes(gender) ? hidden.filter((text) => text !== gender) : [...hidden, gender];
    keep(HIDE_COOKIE, hideValue(next));
    void revalidate();
  };
  const items = SHOWN_GENDERS.map((gender) => ({
    key: gender,
    onChoose: () => toggle(gender),
    text: t(hidden.includes(gender) ? 'filter.unhideOne' : 'filter.hideOne', {
      gender: t(`filter.genders.${gender}`),
    }),
  }));
  const names = SHOWN_GENDERS.filter((code) => hidden.includes(code))
    .map((code) => t(`filter.genders.${code}`));
  return <ChipMenu label={t('filter.hide')} value={names.join(', ') || null} items={items} />;
}
