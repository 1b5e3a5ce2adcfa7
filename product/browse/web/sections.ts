/** The sections of the listing: id of the route, path of the call, gender code of the spec (1 §2). */
export const SECTIONS = [
  { id: 'home', to: '/', path: '' },
  { id: 'girls', to: '/girls', path: 'girls' },
  { id: 'couples', to: '/couples', path: 'couples' },
  { id: 'men', to: '/men', path: 'men' },
  { id: 'trans', to: '/trans', path: 'trans' },
] as const;
export type Section = (typeof SECTIONS)[number];

/** Section of an address; everything else is the home listing. */
export const sectionOf = (pathname: string): Section =>
  SECTIONS.find(({ to }) => to === pathname.replace(/(?<=.)\/+$/u, '')) ?? SECTIONS[0];
