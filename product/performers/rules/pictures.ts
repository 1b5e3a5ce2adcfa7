/** Pictures on a performer's page: enough for a series, and few enough to load all thumbnails at once. */
export const MAX_PICTURES = 24;
/** One line below a picture. */
export const MAX_CAPTION_LENGTH = 120;
/** Longest side of a picture, and side of its square thumbnail, in pixels. */
export const PICTURE_PX = 1_600;
export const THUMB_PX = 320;
/** 128 random bits in base64url. */
export const PICTURE_KEY = /^[A-Za-z0-9_-]{22}$/u;
/** Kind of the deadline that removes the files of a deleted picture. */
export const PICTURE_REMOVAL = 'performers.pictureRemoval';
