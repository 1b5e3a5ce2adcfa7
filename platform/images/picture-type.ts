/** Types of pictures that are decoded. */
export type PictureType = 'png' | 'jpeg' | 'webp' | 'gif';

/** The beginning of a file in hexadecimal; dots match any digits. */
type Beginning = readonly [PictureType | 'other', RegExp];

const BEGINNINGS: readonly Beginning[] = [
  ['png', /^89504e470d0a1a0a/u],
  ['jpeg', /^ffd8ff/u],
  ['webp', /^52494646.{8}57454250/u],
  // `GIF87a`, `GIF89a`
  ['gif', /^4749463(?:837|839)61/u],
  // BMP with its two reserved numbers, TIFF in both orders, ICO and CUR, PSD
  ['other', /^424d.{8}00000000/u],
  ['other', /^(?:49492a00|4d4d002a)/u],
  ['other', /^0000(?:01|02)00/u],
  ['other', /^38425053/u],
  // AVIF, HEIC and HEIF: `ftyp`, then one of their brands
  ['other', /^.{8}66747970(?:617669(?:66|73)|6865(?:69|76).{2}|6d69.{4}|6d736631)/u],
  // JPEG XL and JPEG 2000, bare and boxed
  ['other', /^(?:ff0a|0000000c4a584c20|0000000c6a502020|ff4fff51)/u],
];

/** An SVG begins with its element, or with what XML allows before the first one. */
const XML = /^\uFEFF?\s*<(?:svg[\s>/]|\?xml|!--|!DOCTYPE svg)/iu;
const SVG = /<svg[\s>/]/iu;
/** The number of bytes that suffice to detect the type. */
const HEAD_BYTES = 1_024;

/**
 * The type of a picture by its content alone; `other` for a type that is not decoded, null for a file that is
 * not a picture.
 */
export function pictureType(bytes: Uint8Array): PictureType | 'other' | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES));
  const begin = head.toString('hex', 0, 16);
  const found = BEGINNINGS.find(([, beginning]) => beginning.test(begin));
  const text = head.toString();
  return found?.[0] ?? (XML.test(text) && SVG.test(text) ? 'other' : null);
}
