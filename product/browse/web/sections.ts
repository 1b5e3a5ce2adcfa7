/** Sections of the site by gender: text id and path. */
export const SECTIONS = [
  { id: 'home', to: '/' },
  { id: 'girls', to: '/girls' },
  { id: 'couples', to: '/couples' },
  { id: 'men', to: '/men' },
  { id: 'trans', to: '/trans' },
  { id: 'voyeur', to: '/voyeur-cams' },
] as const;

/** Aliases of the voyeur cams; their links open a new tab (spec 2 §2.1). */
const IN_NEW_TAB: ReadonlySet<string> = new Set(['/voyeur-house', '/reallifecam']);

/** Attributes of a link to a page of the site, besides its address. */
export const tabOf = (
  to: string,
): {
  readonly target?: '_blank';
  readonly rel?: 'noopener';
} => (IN_NEW_TAB.has(to) ? { target: '_blank', rel: 'noopener' } : {});
