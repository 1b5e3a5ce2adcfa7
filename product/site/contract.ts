import { z } from 'zod';
import { call } from '../../platform/contract/call.ts';
import { slot } from '../../platform/contract/slot.ts';
import { COLOUR, LOCALES } from './rules.ts';

const Colour = z.string().regex(COLOUR);
const Colours = z.object({ pink: Colour, pink_dark: Colour, blue: Colour, blue_dark: Colour });

export const SiteShape = z.object({
  display_name: z.string(),
  domain_name: z.string(),
  main_domain_url: z.string(),
  sitecode: z.string(),
  owner_webmaster_username: z.string().nullable(),
  is_whitelabel: z.boolean(),
  is_non_nude: z.boolean(),
  custom: z.object({
    logo_path: z.string().nullable(),
    logo_width: z.int().nullable(),
    logo_height: z.int().nullable(),
    meta_title: z.string().nullable(),
    meta_description: z.string().nullable(),
    h1_content: z.string().nullable(),
    force_dark_mode: z.boolean(),
    colours: Colours,
    favicon_url: z.string().nullable(),
  }),
});
export type SiteView = z.infer<typeof SiteShape>;
/** What a site may change of its look. */
export type Look = SiteView['custom'];

/** GET /site_config: the site of the request's host, the CSRF token, and what is switched on. */
export const getSiteConfig = call({
  name: 'site.getSiteConfig',
  method: 'GET',
  path: '/site_config',
  access: 'anyone',
  credential: 'cookie',
  startsSession: true,
  input: z.object({
    id: z.string().max(64).optional(),
    ssr: z.string().max(8).optional(),
    custom_promo_test: z.string().max(64).optional(),
  }),
  output: z.object({
    version: z.string(),
    csrf: z.string(),
    site: SiteShape,
    locale: z.enum(LOCALES),
    locales: z.array(z.enum(LOCALES)),
    mode: z.enum(['demo', 'production']),
    oauthAvailable: z.object({ facebook: z.boolean(), google: z.boolean() }),
    recaptchaPublicKey: z.string().nullable(),
    time: z.object({ yearWeek: z.string(), now: z.string() }),
  }),
  refusals: [],
  summary: 'Site configuration',
  description: 'Starts a guest session when there is none and answers its CSRF token '
    + '(send it as x-csrf-token). Never cached.',
  requirements: ['A-002', 'A-337'],
});

/** Kept for later slices that add to the site's look (white-labels). */
export const siteOverrides = slot<(siteId: number) => Promise<Partial<Look>>>({
  name: 'site.overrides',
  description: 'Look settings of a site beyond its defaults.',
  fallback: async () => ({}),
});
