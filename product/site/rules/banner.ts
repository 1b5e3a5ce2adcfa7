/** What fits one line of a wide window, or two of a phone. */
export const MAX_BANNER_TEXT = 120;
export const MAX_BANNER_ADDRESS = 500;

/** A file of the site itself: its content policy allows no other images. */
export const BANNER_IMAGE = /^\/(?![/\\])[^\s\\?#]+\.(?:avif|gif|jpe?g|png|svg|webp)$/u;
/** A path of the site, or a page elsewhere. */
export const BANNER_LINK = /^(?:\/(?![/\\])|https:\/\/[a-z0-9])[^\s\\]*$/iu;

/** The cookie with the id of the closed banner. The page writes it, the server reads it. */
export const BANNER_COOKIE = 'banner';

/** A banner below the header of a site's home page, listings and rooms. */
export interface Banner {
  /** Changes with every edit: people who closed one banner see the next. */
  readonly id: number;
  readonly text: string;
  /** Shown in place of the text, which then is its alternative text. */
  readonly image_path: string | null;
  readonly link: string;
  /** ISO 8601; null for at once (`from`), or until somebody removes it (`until`). */
  readonly from: string | null;
  readonly until: string | null;
}

/** Whether a banner is shown at a moment, in ms since 1970; the start is included, the end is not. */
export const isBannerOn = ({ from, until }: Pick<Banner, 'from' | 'until'>, now: number): boolean =>
  (from === null || now >= Date.parse(from)) && (until === null || now < Date.parse(until));
