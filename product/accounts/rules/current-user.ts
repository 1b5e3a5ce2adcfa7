/**
 * Paid memberships (spec 1 §1, §3), lowest first; of several, the highest counts. Without one, somebody is
 * not a premium user.
 */
export const MEMBERSHIPS = ['premium', 'vip', 'super_vip'] as const;
export type Membership = (typeof MEMBERSHIPS)[number];

/** Levels of a performer's fan club (spec 1 §3), lowest first: each includes those below it. */
export const FANCLUB_LEVELS = ['supporter', 'insider', 'legend'] as const;
export type FanclubLevel = (typeof FANCLUB_LEVELS)[number];

/** A wish list at Amazon, in any country. */
export const AMAZON_ADDRESS = /^(?:https:\/\/(?:www\.)?amazon\.[a-z.]{2,6}\/[^\s<>"']{1,180})?$/u;
/** A Bluesky handle: a domain name. */
export const BLUESKY_NAME = /^(?:@?[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4})?$/u;
export const INSTAGRAM_NAME = /^(?:@?[A-Za-z0-9_.]{1,30})?$/u;

/** Services that somebody's profile links to, in the order of the links. */
export const SERVICES = ['twitter', 'instagram', 'bluesky', 'amazon'] as const;

/** URL of a person's page at a service; a wish list is a URL already. */
export const addressElsewhere = (service: (typeof SERVICES)[number], name: string): string =>
  ({
    twitter: `https://x.com/${name}`,
    instagram: `https://www.instagram.com/${name}`,
    bluesky: `https://bsky.app/profile/${name}`,
    amazon: name,
  })[service];
