import { MadeOnce } from '#platform/ui/made-once.tsx';
import { VisuallyHidden } from '#platform/ui/surfaces/card.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Fragment } from 'react';
import { Link, NavLink } from 'react-router';
import type { BrowseDataView } from '../../contract.ts';
import { explored } from '../../rules/listing/around.ts';
import { listingOf, type Listing } from '../../rules/listing/listings.ts';
import { isOwnNamed, ownName, type ListingNames } from '../../rules/listing/named-listings.ts';
import { headingOf, type SeoLink } from '../../rules/seo.ts';
import { SECTIONS, tabOf } from '../sections.ts';

type Links = readonly SeoLink[];

const CHIP = 'inline-flex min-h-11 shrink-0 items-center rounded-full border border-line px-4 text-sm '
  + 'font-medium text-muted aria-[current=page]:border-pink aria-[current=page]:bg-raised '
  + 'aria-[current=page]:text-text';

/** Links to the sections, on phones; the header has them in wider windows. */
export function Sections() {
  const { t } = useTranslation('browse');
  return (
    <nav aria-label={t('sections')} className="-mx-3 flex gap-2 overflow-x-auto px-3 pt-2 md:hidden">
      {SECTIONS.map(({ id, to }) => (
        <NavLink key={id} to={to} end={to === '/'} className={CHIP}>{t(`section.${id}`)}</NavLink>
      ))}
    </nav>
  );
}

/** Breadcrumbs; the last one is the current page. */
export function Breadcrumbs({ links }: { links: Links }) {
  const { t } = useTranslation('browse');
  if (links.length < 2) return null;
  return (
    <nav aria-label={t('list.breadcrumb')} className="pt-3 text-xs text-muted">
      <ol className="flex flex-wrap gap-x-2">
        {links.map(({ name, path }, at) => (
          <li key={path} className="flex gap-2">
            {at === 0 ? null : <span aria-hidden>/</span>}
            {at === links.length - 1
              ? <span aria-current="page">{name}</span>
              : <Link to={path} className="hover:text-text">{name}</Link>}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Tabs of related pages, such as the rooms of the voyeur cams. */
export function Tabs({ tabs }: { tabs: BrowseDataView['tabList'] }) {
  const { t } = useTranslation('browse');
  if (tabs.length === 0) return null;
  return (
    <nav aria-label={t('list.tabs')} className="-mx-3 flex gap-2 overflow-x-auto px-3 py-2 sm:-mx-6 sm:px-6">
      {tabs.map(({ name, path, isCurrent }) => (
        <Link
          key={path}
          to={path}
          aria-current={isCurrent ? 'page' : undefined}
          className={CHIP}
          {...tabOf(path)}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}

function LinkList({ links }: { links: Links }) {
  const { t } = useTranslation('browse');
  return (
    <ul className="flex flex-wrap gap-x-4 text-sm text-muted">
      {links.map(({ name, path }) => (
        <li key={path}>
          <Link to={path} className="inline-flex min-h-11 items-center hover:text-text" {...tabOf(path)}>
            {name}
            {tabOf(path).target ? <VisuallyHidden>{t('list.newTab')}</VisuallyHidden> : null}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Related listings. */
export function Related({ links }: { links: Links }) {
  const { t } = useTranslation('browse');
  if (links.length === 0) return null;
  return (
    <nav aria-label={t('list.related')} className="mt-8 border-t border-line pt-4">
      <h2 className="text-base font-bold">{t('list.related')}</h2>
      <LinkList links={links} />
    </nav>
  );
}

interface ExploreProps extends Pick<Listing, 'gender'> {
  readonly paths: readonly string[];
  /** Names that the site gives some listings. */
  readonly names: ListingNames;
}

/** The listings of a section that have performers, at the foot of its page. */
export function Explore({ gender, paths, names }: ExploreProps) {
  const { t } = useTranslation('browse');
  if (paths.length === 0) return null;
  return (
    <MadeOnce
      as="nav"
      aria-label={t('list.explore')}
      className="mt-8 border-t border-line pt-4"
      of={() => `explore ${gender ?? ''} ${paths.join(' ')} ${JSON.stringify(names)}`}
    >
      <ExploreLinks gender={gender} paths={paths} names={names} />
    </MadeOnce>
  );
}

function ExploreLinks({ gender, paths, names }: ExploreProps) {
  const { t, i18n } = useTranslation('browse');
  // Some of these addresses show the voyeur cams, but have names of their own.
  const nameOf = (listing: Listing): string => {
    const slug = listing.path.slice(1);
    return isOwnNamed(slug) ? ownName(slug, t, names) : headingOf(listing, t, i18n.language, names);
  };
  const linksTo = (all: readonly string[]): Links =>
    all.filter((path) => paths.includes(path)).map((path) => listingOf(path)).filter((item) => item !== null)
      .map((listing) => ({ name: nameOf(listing), path: listing.path }));
  return explored(gender).map(([name, all]) => [name, linksTo(all)] as const)
    .filter(([, links]) => links.length > 0)
    .map(([name, links]) => (
      <Fragment key={name}>
        <h2 className="pt-2 text-base font-bold">{t(`list.${name}`)}</h2>
        <LinkList links={links} />
      </Fragment>
    ));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': '\'',
};

/** The closing text of a listing. It arrives as HTML, but the page shows only its text. */
export function FooterText({ html }: { html: string }) {
  const text = html.replaceAll(/<[^>]*>/gu, ' ').replaceAll(
    /&(?:amp|lt|gt|quot|#39);/gu,
    (entity) => ENTITIES[entity] ?? entity,
  ).trim();
  return text === '' ? null : <p className="mt-6 text-xs text-muted">{text}</p>;
}
