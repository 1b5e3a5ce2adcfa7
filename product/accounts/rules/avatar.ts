/** Side of an avatar beside a name, in CSS pixels (spec 1 §9). */
export const AVATAR_PX = 50;
/** What an avatar is made in: beside names, there on screens of twice the pixels, and large for a tile. */
export const AVATAR_SIZES = [512, 2 * AVATAR_PX, AVATAR_PX] as const;

/** The key of an avatar in its address: 128 random bits in base64url. A new avatar has a new one. */
export const AVATAR_KEY = /^[A-Za-z0-9_-]{22}$/u;
const AVATARS = '/avatars/';

/** Where an avatar is, as large as beside a name on a screen of twice the pixels: {@link USUAL_PX}. */
export const avatarAddress = (key: string): string => AVATARS + key;
/** The key in such an address; null for another picture, and for none. */
export const avatarKey = (url: string | null): string | null =>
  (url?.startsWith(AVATARS) ? url.slice(AVATARS.length) : null);
export const USUAL_PX = 2 * AVATAR_PX;

/** An address of an avatar in another size; another picture has one size alone. */
const sized = (url: string, px: (typeof AVATAR_SIZES)[number]): string =>
  (url.startsWith(AVATARS) ? `${url}?px=${px}` : url);
/** The picture of a performer where it is large: a tile, a room without video. */
export const largeAvatar = (url: string | null): string | null => url && sized(url, AVATAR_SIZES[0]);
/** The picture of somebody for screens whose pixels are CSS pixels. */
export const smallAvatar = (url: string): string => sized(url, AVATAR_PX);
