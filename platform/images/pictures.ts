import sharp, { type Sharp } from 'sharp';
import { pictureType, type PictureType } from './picture-type.ts';

/** Largest file of a picture: that of a phone with 12 to 50 megapixels, as JPEG. */
const MAX_PICTURE_BYTES = 12 * 1024 * 1024;
/** Most pixels of a picture, checked before decoding: 160 MB when decoded. */
const MAX_PIXELS = 40_000_000;
/** Pictures decoded at once, so that memory stays below some 320 MB. */
const MAX_AT_ONCE = 2;
/** Pictures that wait for their turn; more are refused. */
const MAX_WAITING = 16;
/** A picture within the limits takes less than two seconds on one core. */
const MAX_SECONDS = 20;
/** WebP quality without a visible difference at the sizes of pages. */
const QUALITY = 82;

/** A size in which a picture is made. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
  /** `cover` crops to exactly this size; `inside` shows the whole picture and never enlarges it. */
  readonly fit: 'cover' | 'inside';
}

/** A picture as WebP, without anything but its pixels. */
export interface MadePicture {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Why no picture was made from a file. `busy` is temporary. */
export type PictureFault = 'not_picture' | 'other_type' | 'too_large' | 'unreadable' | 'busy';

/**
 * Makes pictures from files that people send. The type is detected by content, and the first frame is decoded
 * and encoded again, upright: nothing of the file but pixels is in the result.
 */
export class Pictures {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Makes one picture for each size. @param sizes the largest first: the others are made from it */
  async make(
    file: Uint8Array,
    sizes: readonly PictureSize[],
  ): Promise<readonly MadePicture[] | PictureFault> {
    const type = pictureType(file);
    if (type === null) return 'not_picture';
    if (type === 'other') return 'other_type';
    if (file.length > MAX_PICTURE_BYTES) return 'too_large';
    if (this.#running >= MAX_AT_ONCE && this.#waiting.length >= MAX_WAITING) return 'busy';
    await this.#turn();
    try {
      return await made(file, type, sizes);
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    if (this.#running >= MAX_AT_ONCE) await new Promise<void>((go) => this.#waiting.push(go));
    this.#running += 1;
  }
}

/** The decoder's names of the types. A JPEG with a gain map has a name of its own there. */
const DECODED_AS: Readonly<Record<PictureType, readonly string[]>> = {
  png: ['png'],
  jpeg: ['jpeg', 'uhdr'],
  webp: ['webp'],
  gif: ['gif'],
};

async function made(
  file: Uint8Array,
  type: PictureType,
  sizes: readonly PictureSize[],
): Promise<readonly MadePicture[] | PictureFault> {
  const [largest, ...smaller] = sizes;
  if (!largest) throw new Error('a picture has at least one size');
  const read = (): Sharp => sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'error', pages: 1 });
  try {
    const { format, width, height } = await read().metadata();
    if (!DECODED_AS[type].includes(format)) return 'unreadable';
    if (width * height > MAX_PIXELS) return 'too_large';
    const { data, info } = await sized(read().autoOrient(), largest).timeout({ seconds: MAX_SECONDS })
      .raw().toBuffer({ resolveWithObject: true });
    const { channels } = info;
    const pixels = (): Sharp => sharp(data, { raw: { width: info.width, height: info.height, channels } });
    return [
      await webp(pixels()),
      ...(await Promise.all(smaller.map((size) => webp(sized(pixels(), size))))),
    ];
  } catch (error) {
    return faultOf(error);
  }
}

const sized = (image: Sharp, { width, height, fit }: PictureSize): Sharp =>
  image.toColourspace('srgb').resize({ width, height, fit, withoutEnlargement: fit === 'inside' });

async function webp(image: Sharp): Promise<MadePicture> {
  const { data, info } = await image.webp({ quality: QUALITY }).toBuffer({ resolveWithObject: true });
  return { bytes: data, width: info.width, height: info.height };
}

/** Any error of the decoder is about the file. The only fault it names is too many pixels. */
const faultOf = (
  error: unknown,
): PictureFault => (error instanceof Error && /pixel limit|too large|exceeds/iu.test(error.message)
  ? 'too_large'
  : 'unreadable');
