/** Sections of the site by gender: id of the text, path of the page. */
export const SECTIONS = [
  { id: 'home', to: '/' },
  { id: 'girls', to: '/girls' },
  { id: 'couples', to: '/couples' },
  { id: 'men', to: '/men' },
  { id: 'trans', to: '/trans' },
  { id: 'voyeur', to: '/voyeur-cams' },
] as const;

/** Other addresses of the voyeur cams, whose links open a new tab (spec 2 §2.1). */
const IN_NEW_TAB: ReadonlySet<string> = new Set(['/voyeur-house', '/reallifecam']);

/** What a link to a page of the site has beside its address. */
export const tabOf = (to: string): { readonly target?: '_blank'; readonly rel?: 'noopener' } =>
  (IN_NEW_TAB.has(to) ? { target: '_blank', rel: 'noopener' } : {});
