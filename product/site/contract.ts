import { call } from '#platform/contract/call.ts';
import { z } from 'zod';
import { ShownBanner } from './contract/banner.ts';
import { COLOUR, LOCALES, MAX_SERVER_LENGTH, SERVER } from './rules.ts';

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
    /** The site's own names of listings, by the last part of their address. */
    listing_names: z.record(z.string(), z.string()),
  }),
});
export type SiteView = z.infer<typeof SiteShape>;
/** What a site may change of its design. */
export type Look = SiteView['custom'];

/** GET /site_config: the site of the request's host, the CSRF token, and which features are on. */
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
    /** Identity providers for logging in at this site, as configured for its host. */
    oauthAvailable: z.object({ facebook: z.boolean(), google: z.boolean() }),
    recaptchaPublicKey: z.string().nullable(),
    time: z.object({ yearWeek: z.string(), now: z.string() }),
    /** The operator's promotions, each by its switch. */
    arePromoProductsEnabled: z.object({ freeTokensProduct: z.boolean(), wheelProduct: z.boolean() }),
    /** Image of the offer for the advert `id`; null for none. */
    promo_offer_img: z.string().nullable(),
    /** Whether `/join` has an offer. */
    has_join_offer: z.boolean(),
    /** The banner below the header of the home page, listings and rooms; null for none. */
    banner: ShownBanner.nullable(),
  }),
  refusals: [],
  summary: 'Site configuration',
  description: 'Starts a guest session when there is none and returns its CSRF token '
    + '(send it as x-csrf-token). Never cached.',
  requirements: ['A-002', 'A-151', 'A-337'],
});

/** POST /log/frontend-ws-fail: a page reports that its lobby socket failed for 10 s, once per outage. */
export const reportSocketFailure = call({
  name: 'site.reportSocketFailure',
  method: 'POST',
  path: '/log/frontend-ws-fail',
  access: 'anyone',
  credential: 'none',
  input: z.object({ server: z.string().min(1).max(MAX_SERVER_LENGTH).regex(SERVER) }),
  output: z.object({ success: z.literal(true) }),
  refusals: [],
  limit: { points: 6, seconds: 60, per: 'address' },
  bodyLimitBytes: 1024,
  summary: 'Report a failing socket',
  description: 'Sent once the lobby socket has stayed disconnected for 10 s. `server` is the host it could '
    + 'not reach. Counted, and logged without anything of the caller; a host that is no site here is not '
    + 'named.',
  requirements: ['A-369', 'A-370', 'C-177', 'C-323'],
});
