import { call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { BANNER_IMAGE, BANNER_LINK, MAX_BANNER_ADDRESS, MAX_BANNER_TEXT } from '../rules/banner.ts';
import { Reason } from './seller.ts';

const BannerShape = z.object({
  text: z.string().trim().min(1).max(MAX_BANNER_TEXT),
  /** An image of the site itself, as a path; null for the text alone. */
  image_path: z.string().max(MAX_BANNER_ADDRESS).regex(BANNER_IMAGE).nullable(),
  /** A path of the site, or an address that begins with https. */
  link: z.string().max(MAX_BANNER_ADDRESS).regex(BANNER_LINK),
  from: z.iso.datetime().nullable(),
  until: z.iso.datetime().nullable(),
});
/** A banner as pages show it. */
export const ShownBanner = BannerShape.pick({ text: true, image_path: true, link: true })
  .extend({ id: z.int() });

const Answer = z.object({
  banner: BannerShape.extend({ id: z.int() }).nullable(),
  /** Whether it is on pages now. */
  is_shown: z.boolean(),
});

export const bannerOrder = refusal({
  slice: 'site',
  code: 'banner_order',
  kind: 'invalid',
  description: 'The banner would end before it begins.',
});

export const getBanner = call({
  name: 'site.getBanner',
  method: 'GET',
  path: '/admin/site_banner',
  access: 'admin',
  credential: 'cookie',
  input: z.object({}),
  output: Answer,
  refusals: [],
  summary: 'The banner of this site',
  description: 'Of the site that is asked; null for none.',
  requirements: ['A-312', 'A-313', 'A-314', 'A-315'],
});
const change = {
  method: 'POST',
  access: 'admin',
  credential: 'cookie',
  output: Answer,
  requirements: ['A-312', 'A-313', 'A-314', 'A-315'],
} as const;

export const changeBanner = call({
  ...change,
  name: 'site.changeBanner',
  path: '/admin/site_banner',
  input: BannerShape.extend({ reason: Reason }),
  refusals: [bannerOrder],
  summary: 'Change the banner of this site',
  description: 'Visitors who closed the last banner see the new one. Shown within seconds, from `from` until '
    + '`until`. Audited.',
});
export const removeBanner = call({
  ...change,
  name: 'site.removeBanner',
  path: '/admin/site_banner/remove',
  input: z.object({ reason: Reason }),
  refusals: [],
  summary: 'Remove the banner of this site',
  description: 'Audited.',
});
