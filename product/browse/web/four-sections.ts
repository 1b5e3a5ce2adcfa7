/** Slugs of the gender sections, in the header's order. */
export const FOUR_SECTIONS = ['girls', 'couples', 'men', 'trans'] as const;
export type FourSection = (typeof FOUR_SECTIONS)[number];

export const sectionNamed = (slug: string | undefined): FourSection | undefined =>
  FOUR_SECTIONS.find((text) => text === slug);
