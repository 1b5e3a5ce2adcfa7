import { Fragment } from 'react';
import { Link, NavLink } from 'react-router';
import { MadeOnce } from '../../../../platform/ui/markup/made-once.tsx';
import { VisuallyHidden } from '../../../../platform/ui/surfaces/card.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import type { BrowseDataView } from '../../contract.ts';
import { BROWSE_REGIONS } from '../../../performers/rules.ts';
import { GENDER_SLUGS, LANGUAGE_SLUGS, listingOf, type Listing } from '../../rules/listing/listings.ts';
import { headingOf, type SeoLink } from '../../rules/seo.ts';
import { SECTIONS, tabOf } from '../sections.ts';

type Links = readonly SeoLink[];

const CHIP = 'inline-flex min-h-11 shrink-0 items-center rounded-full border border-line px-4 text-sm '
  + 'font-medium text-muted aria-[current=page]:border-pink aria-[current=page]:bg-raised '
  + 'aria-[current=page]:text-text';

/** Chips of the sections, on phones; wider windows have them in the header. */
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

/** Where this page is: the last one is the page itself. */
export function Breadcrumbs({ links }: { links: Links }) {
  const { t } = useTranslation('browse');
  if (links.length < 2) return null;
  return (
    <nav aria-label={t('list.breadcrumb')} className="pt-3 text-xs text-muted">
      <ol className="flex flex-wrap gap-x-2">
        {links.map(({ name, path }, at) => (
          <li key={path} className="flex gap-2">
            {at === 0 ? null : <span aria-hidden>/</span>}
            {at === links.length - 1 ? <span aria-current="page">{name}</span>
              : <Link to={path} className="hover:text-text">{name}</Link>}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Pages that belong together, such as the rooms of the voyeur cams. */
export function Tabs({ tabs }: { tabs: BrowseDataView['tabList'] }) {
  const { t } = useTranslation('browse');
  if (tabs.length === 0) return null;
  return (
    <nav aria-label={t('list.tabs')} className="-mx-3 flex gap-2 overflow-x-auto px-3 py-2 sm:-mx-6 sm:px-6">
      {tabs.map(({ name, path, isCurrent }) => (
        <Link key={path} to={path} aria-current={isCurrent ? 'page' : undefined} className={CHIP}
          {...tabOf(path)}>
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

/** Listings near this one. */
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

/** Listings below a section. */
const KINDS = [
  'new', 'top-rated', 'private-shows', 'private-shows/top-rated', 'private-shows/cam2cam',
  'private-shows/cam2cam/top-rated', 'private-shows/spy-cam-shows', 'private-shows/ticket-cam-shows',
  'private-shows/exclusive-available-now', 'control-her', 'leaders', 'fanclub/all', 'fanclub/online',
];
/** Tags that the specification links to (spec 2 §2.2, spec 3 §2). */
const LINKED_TAGS = [
  'canadian-cams', 'colombian-cams', 'romanian-cams', 'ukrainian-cams', 'south-african-cams', 'live-sex',
  'live-sex-cams', 'sexwebcam', 'sexwebcam-cams',
];
/** Listings of everybody. */
const ELSEWHERE = [
  'models', 'top', 'voyeur-cams', 'voyeur-house', 'reallifecam', 'casa-salsa', 'jb-cams',
  'julmodels', 'independent-romanian',
];
/** Names of their own: as listings they are the voyeur cams. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  '/voyeur-house': 'Voyeur House', '/reallifecam': 'RealLifeCam',
};

/** All listings of a section, at its foot. */
export function Explore({ gender }: Pick<Listing, 'gender'>) {
  const { t } = useTranslation('browse');
  const slug = GENDER_SLUGS[gender ?? 'f'];
  return (
    <MadeOnce as="nav" aria-label={t('list.explore')} className="mt-8 border-t border-line pt-4"
      of={() => `explore ${slug}`}>
      <ExploreLinks slug={slug} />
    </MadeOnce>
  );
}

function ExploreLinks({ slug }: { readonly slug: string }) {
  const { t, i18n } = useTranslation('browse');
  const linksTo = (paths: readonly string[]): Links =>
    paths.map((path) => listingOf(path)).filter((one) => one !== null).map((one) =>
      ({ name: OWN_NAMES[one.path] ?? headingOf(one, t, i18n.language), path: one.path }));
  const below = (paths: readonly string[]): Links => linksTo(paths.map((path) => `${slug}/${path}`));
  const groups = [
    ['kinds', below(KINDS)],
    ['languages', below(Object.keys(LANGUAGE_SLUGS).map((name) => `language/${name}`))],
    ['regions', below(BROWSE_REGIONS.map((region) => `region/${region}`))],
    ...(slug === 'girls' ? [['tags', below(LINKED_TAGS.map((tag) => `tag/${tag}`))] as const] : []),
    ['elsewhere', linksTo(ELSEWHERE)],
  ] as const;
  return groups.map(([name, links]) => (
    <Fragment key={name}>
      <h2 className="pt-2 text-base font-bold">{t(`list.${name}`)}</h2>
      <LinkList links={links} />
    </Fragment>
  ));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'",
};

/** The closing text of a listing. It comes as HTML; a page shows its text and no markup of it. */
export function FooterText({ html }: { html: string }) {
  const text = html.replaceAll(/<[^>]*>/gu, ' ').replaceAll(/&(?:amp|lt|gt|quot|#39);/gu,
    (entity) => ENTITIES[entity] ?? entity).trim();
  return text === '' ? null : <p className="mt-6 text-xs text-muted">{text}</p>;
}
