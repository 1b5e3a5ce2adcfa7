/** Side of an avatar beside a name, in CSS pixels (spec 1 §9). */
export const AVATAR_PX = 50;
/** Sizes of an avatar: large for a tile, beside a name on screens of double density, and beside a name. */
export const AVATAR_SIZES = [512, 2 * AVATAR_PX, AVATAR_PX] as const;

/** The key in an avatar's URL: 128 random bits in base64url. A new avatar has a new key. */
export const AVATAR_KEY = /^[A-Za-z0-9_-]{22}$/u;
const AVATARS = '/avatars/';

/** URL of an avatar, in the size beside a name on screens of double density: {@link USUAL_PX}. */
export const avatarAddress = (key: string): string => AVATARS + key;
/** The key in such a URL; null for another picture, and for none. */
export const avatarKey = (
  url: string | null,
): string | null => (url?.startsWith(AVATARS) ? url.slice(AVATARS.length) : null);
export const USUAL_PX = 2 * AVATAR_PX;

/** URL of an avatar in another size; any other picture has only one size. */
const sized = (
  url: string,
  px: (typeof AVATAR_SIZES)[number],
): string => (url.startsWith(AVATARS) ? `${url}?px=${px}` : url);
/** A performer's picture where it is large: in a tile, or in a room without video. */
export const largeAvatar = (url: string | null): string | null => url && sized(url, AVATAR_SIZES[0]);
/** A picture for screens whose pixels are CSS pixels. */
export const smallAvatar = (url: string): string => sized(url, AVATAR_PX);
