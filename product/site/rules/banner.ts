/** What fits one line of a wide window, or two of a phone. */
export const MAX_BANNER_TEXT = 120;
export const MAX_BANNER_ADDRESS = 500;

/** A file of the site itself: the content policy of its pages allows no other pictures. */
export const BANNER_IMAGE = /^\/(?![/\\])[^\s\\?#]+\.(?:avif|gif|jpe?g|png|svg|webp)$/u;
/** A path of the site, or a page elsewhere. */
export const BANNER_LINK = /^(?:\/(?![/\\])|https:\/\/[a-z0-9])[^\s\\]*$/iu;

/** The cookie of who closed a banner: its number. The page writes it, the server reads it. */
export const BANNER_COOKIE = 'banner';

/** What an operator shows below the header of a site's home page, listings and rooms. */
export interface Banner {
  /** Another with every change: whoever closed one sees the next. */
  readonly id: number;
  readonly text: string;
  /** Shown in place of the text, which names it then. */
  readonly image_path: string | null;
  readonly link: string;
  /** ISO 8601; null for at once, and for as long as nobody removes it. */
  readonly from: string | null;
  readonly until: string | null;
}

/** Whether a banner is shown at a moment, in ms since 1970; from its first moment on, not at its last. */
export const isBannerOn = ({ from, until }: Pick<Banner, 'from' | 'until'>, now: number): boolean =>
  (from === null || now >= Date.parse(from)) && (until === null || now < Date.parse(until));
