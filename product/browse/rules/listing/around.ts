import { BROWSE_REGIONS } from '#product/performers/rules.ts';
import { GENDER_SLUGS, LANGUAGE_SLUGS, type Listing } from './listings.ts';

/** Listings below a section. */
const KINDS = [
  'new',
  'top-rated',
  'private-shows',
  'private-shows/top-rated',
  'private-shows/cam2cam',
  'private-shows/cam2cam/top-rated',
  'private-shows/spy-cam-shows',
  'private-shows/ticket-cam-shows',
  'private-shows/exclusive-available-now',
  'control-her',
  'leaders',
  'fanclub/all',
  'fanclub/online',
];
/** Tags that the specification links to (spec 2 §2.2, spec 3 §2); each has a name of its own as a listing. */
const LINKED_TAGS = [
  'canadian-cams',
  'colombian-cams',
  'romanian-cams',
  'ukrainian-cams',
  'south-african-cams',
  'live-sex',
  'live-sex-cams',
  'sexwebcam',
  'sexwebcam-cams',
] as const;
type LinkedTag = (typeof LINKED_TAGS)[number];
export const isLinkedTag = (tag: string): tag is LinkedTag =>
  (LINKED_TAGS as readonly string[]).includes(tag);
/** Listings of everybody. */
const ELSEWHERE = [
  'models',
  'top',
  'voyeur-cams',
  'voyeur-house',
  'reallifecam',
  'casa-salsa',
  'jb-cams',
  'julmodels',
  'independent-romanian',
  'games',
  'esports',
];

/** All listings at the foot of a section's page, grouped by kind. */
export function explored(gender: Listing['gender']) {
  const slug = GENDER_SLUGS[gender ?? 'f'];
  const below = (paths: readonly string[]): readonly string[] => paths.map((path) => `/${slug}/${path}`);
  return [
    ['kinds', below(KINDS)],
    ['languages', below(Object.keys(LANGUAGE_SLUGS).map((name) => `language/${name}`))],
    ['regions', below(BROWSE_REGIONS.map((region) => `region/${region}`))],
    ['tags', slug === 'girls' ? below(LINKED_TAGS.map((tag) => `tag/${tag}`)) : []],
    ['elsewhere', ELSEWHERE.map((path) => `/${path}`)],
  ] as const;
}
