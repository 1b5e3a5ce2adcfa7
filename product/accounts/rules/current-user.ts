/**
 * Paid memberships (spec 1 §1, §3), lowest first: the highest of several counts. Whoever has none is no
 * premium user.
 */
export const MEMBERSHIPS = ['premium', 'vip', 'super_vip'] as const;
export type Membership = (typeof MEMBERSHIPS)[number];

/** Levels of a performer's fan club (spec 1 §3), lowest first: a higher one has all that a lower one has. */
export const FANCLUB_LEVELS = ['supporter', 'insider', 'legend'] as const;
export type FanclubLevel = (typeof FANCLUB_LEVELS)[number];

/** A wish list of Amazon, in any country. */
export const AMAZON_ADDRESS = /^(?:https:\/\/(?:www\.)?amazon\.[a-z.]{2,6}\/[^\s<>"']{1,180})?$/u;
/** A handle of Bluesky: a domain name. */
export const BLUESKY_NAME = /^(?:@?[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4})?$/u;
export const INSTAGRAM_NAME = /^(?:@?[A-Za-z0-9_.]{1,30})?$/u;

/** Services that somebody's profile links to, in the order of the links. */
export const SERVICES = ['twitter', 'instagram', 'bluesky', 'amazon'] as const;

/** Where the name of a person at a service leads; a wish list is an address already. */
export const addressElsewhere = (service: (typeof SERVICES)[number], name: string): string => ({
  twitter: `https://x.com/${name}`, instagram: `https://www.instagram.com/${name}`,
  bluesky: `https://bsky.app/profile/${name}`, amazon: name,
})[service];
