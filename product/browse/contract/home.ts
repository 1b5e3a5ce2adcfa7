import { call } from '#platform/contract/call.ts';
import { HOME_LAYOUTS } from '#product/accounts/rules/settings.ts';
import { z } from 'zod';
import { ListingEntry, ListingSeo } from '../contract.ts';
import { HOME_SECTIONS, MAX_HOME_SECTIONS } from '../rules/home.ts';

export const HomeSection = z.object({
  id: z.enum(HOME_SECTIONS),
  /** The value of the row, e.g. the language `de` or the tag `music`; null where the id says it all. */
  value: z.string().nullable(),
  title: z.string(),
  userList: z.array(ListingEntry),
  /** Address of the whole list; null with fewer than five performers. */
  seeMore: z.string().nullable(),
  totalCount: z.int(),
});
export type HomeSectionView = z.infer<typeof HomeSection>;

const layout = z.enum(HOME_LAYOUTS);
/** The featured show, chosen by the ranking; null while nobody is live. */
const featured = ListingEntry.nullable();

export const HomeData = z.object({
  layout,
  sections: z.array(HomeSection),
  featured,
  seo: ListingSeo,
});
export type HomeDataView = z.infer<typeof HomeData>;

const input = z.object({ 'gender-hide': z.string().max(16).optional() });

export const Home = z.object({
  layout,
  /** The sections of this viewer's own home page; the default sections where none were saved. */
  sectionList: z.array(z.enum(HOME_SECTIONS)),
  featured,
  /** The first row with a performer, for layouts without rows of their own. */
  section: HomeSection.nullable(),
  /** The top of `for-you`; null for guests, while it is off, and until somebody is followed or watched. */
  forYou: z.object({ userList: z.array(ListingEntry), seeMore: z.string().nullable() }).nullable(),
});
export type HomeView = z.infer<typeof Home>;

export const getHome = call({
  name: 'browse.getHome',
  method: 'GET',
  path: '/browse/react/home',
  access: 'anyone',
  credential: 'cookie',
  input,
  output: Home,
  refusals: [],
  summary: 'How this viewer’s home page is laid out, and what stands on top of it',
  requirements: ['B-019'],
  description: 'A member’s saved layout, else that of the cookie `home_layout`, else `classic`.',
});

export const homeSections = call({
  name: 'browse.homeSections',
  method: 'GET',
  path: '/browse/react/home/section',
  access: 'anyone',
  credential: 'cookie',
  input,
  output: HomeData,
  refusals: [],
  summary: 'The home page by sections',
  requirements: ['C-251'],
  description: 'Every section of the site in its usual order, with up to a row of performers each.',
});

export const homeCustom = call({
  name: 'browse.homeCustom',
  method: 'GET',
  path: '/browse/react/home/custom',
  access: 'anyone',
  credential: 'cookie',
  input,
  output: HomeData,
  refusals: [],
  summary: 'The home page as somebody arranged it',
  requirements: ['C-250'],
  description: 'The sections that were saved, in their order; the usual ones for who saved none.',
});

export const saveHome = call({
  name: 'browse.saveHome',
  method: 'POST',
  path: '/browse/react/home/custom/setting',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    sectionList: z.array(z.enum(HOME_SECTIONS)).max(MAX_HOME_SECTIONS).optional(),
    layout: layout.optional(),
  }),
  output: z.object({
    status: z.literal(1),
    message: z.string(),
    layout,
    sectionList: z.array(z.enum(HOME_SECTIONS)),
  }),
  refusals: [],
  summary: 'Saves the sections of the home page',
  requirements: ['B-326'],
  description: 'Replaces the list; duplicate sections count once. Fields left out keep their value.',
});
