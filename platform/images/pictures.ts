import sharp, { type Sharp } from 'sharp';
import { pictureType, type PictureType } from './picture-type.ts';

/** Largest file of a picture: what phones make of 12 to 50 megapixels as JPEG. */
const MAX_PICTURE_BYTES = 12 * 1024 * 1024;
/** Pixels of a picture, before they are decoded: 160 MB as it is held then. */
const MAX_PIXELS = 40_000_000;
/** Pictures decoded at once, so that memory stays below some 320 MB. */
const MAX_AT_ONCE = 2;
/** Pictures that wait for their turn; more are refused. */
const MAX_WAITING = 16;
/** A picture within the limits takes less than two seconds on one core. */
const MAX_SECONDS = 20;
/** WebP: no difference to see at the sizes of pages. */
const QUALITY = 82;

/** One size a picture is made in. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
  /** `cover` cuts to exactly this size; `inside` keeps all of the picture and makes nothing larger. */
  readonly fit: 'cover' | 'inside';
}

/** A picture as WebP, without anything but its pixels. */
export interface MadePicture {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Why a file becomes no picture. `busy` is for now alone. */
export type PictureFault = 'not_picture' | 'other_type' | 'too_large' | 'unreadable' | 'busy';

/**
 * Makes pictures of what strangers send. The type is judged by content, and the first frame is decoded and
 * encoded again, upright: nothing of the file but pixels is in what comes out.
 */
export class Pictures {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /**
   * One picture for each size.
   * @param sizes the first the largest: the others are made of it
   */
  async make(
    file: Uint8Array, sizes: readonly PictureSize[],
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

/** What the decoder calls each type. A JPEG with a map of its brightness has a name of its own there. */
const DECODED_AS: Readonly<Record<PictureType, readonly string[]>> = {
  png: ['png'], jpeg: ['jpeg', 'uhdr'], webp: ['webp'], gif: ['gif'],
};

async function made(
  file: Uint8Array, type: PictureType, sizes: readonly PictureSize[],
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

/** Whatever the decoder says of a file is about the file. Running out of pixels is the one fault it names. */
const faultOf = (error: unknown): PictureFault =>
  (error instanceof Error && /pixel limit|too large|exceeds/iu.test(error.message) ? 'too_large'
    : 'unreadable');
