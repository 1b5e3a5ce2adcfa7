/** A listing that is data of the site. */
export interface NamedListing {
  readonly slug: string;
  readonly title: string;
  readonly tags?: readonly string[];
  readonly voyeur?: 'any';
}

/** Listings by name: what a site wants to have besides those of the specification's grammar. */
export const NAMED_LISTINGS: readonly NamedListing[] = [
  { slug: 'casa-salsa', title: 'Casa Salsa', tags: ['casa-salsa'] },
  { slug: 'jb-cams', title: 'JB Cams', tags: ['jb-cams'] },
  { slug: 'julmodels', title: 'Julmodels', tags: ['julmodels'] },
  { slug: 'games', title: 'Games', tags: ['games'] },
  { slug: 'esports', title: 'Esports', tags: ['esports'] },
  { slug: 'wifeaway', title: 'Wife Away', tags: ['wifeaway'] },
  { slug: 'irishcurse', title: 'Irish Curse', tags: ['irishcurse'] },
  { slug: 'dickometrics', title: 'Dickometrics', tags: ['dickometrics'] },
];
