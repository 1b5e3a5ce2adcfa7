import { PICTURE_WIDTH } from '../limits.ts';
import type { PictureSize } from '../media/codecs.ts';

/** A phone held upright sends 9:16; a picture taller than 1:2 is squeezed. */
const MAX_HEIGHT = 2 * PICTURE_WIDTH;

/** The size of a source's thumbnails; sides are even, as 4:2:0 requires. */
export function smallSize(source: PictureSize): PictureSize {
  const height = 2 * Math.round((source.height * PICTURE_WIDTH) / source.width / 2);
  return { width: PICTURE_WIDTH, height: Math.max(2, Math.min(MAX_HEIGHT, height)) };
}
