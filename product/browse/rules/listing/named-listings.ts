import type { Say } from '../say.ts';

/**
 * Listings and contests with proper names as paths. Their default names are no company's brand; a site may
 * rename them (`listing_names` of its look).
 */
const OWN_NAMED = [
  'casa-salsa',
  'jb-cams',
  'julmodels',
  'reallifecam',
  'voyeur-house',
  'sodastars',
] as const;
export type OwnNamed = (typeof OWN_NAMED)[number];
export const isOwnNamed = (slug: string): slug is OwnNamed => (OWN_NAMED as readonly string[]).includes(slug);

/** Names that a site gives its listings, by the last part of their address. */
export type ListingNames = Readonly<Record<string, string>>;

/** The name of a listing on a site. */
export const ownName = (slug: OwnNamed, say: Say, names: ListingNames): string =>
  (Object.hasOwn(names, slug) ? names[slug] : undefined) ?? say(`listing.own.${slug}`);

/** A listing defined by the site's data. */
interface NamedListing {
  readonly slug: string;
  /** Absent where a site may choose it: see {@link ownName}. */
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly voyeur?: 'any';
}

/** Listings by name that a site has besides those of the specification's grammar. */
export const NAMED_LISTINGS: readonly NamedListing[] = [
  { slug: 'casa-salsa', tags: ['casa-salsa'] },
  { slug: 'jb-cams', tags: ['jb-cams'] },
  { slug: 'julmodels', tags: ['julmodels'] },
  { slug: 'games', title: 'Games', tags: ['games'] },
  { slug: 'esports', title: 'Esports', tags: ['esports'] },
  { slug: 'wifeaway', title: 'Wife Away', tags: ['wifeaway'] },
  { slug: 'irishcurse', title: 'Irish Curse', tags: ['irishcurse'] },
  { slug: 'dickometrics', title: 'Dickometrics', tags: ['dickometrics'] },
];
