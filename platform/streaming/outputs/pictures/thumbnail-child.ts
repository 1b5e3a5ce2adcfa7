/** The program that makes the thumbnails of all watched streams. */
import { setPriority } from 'node:os';
import { THUMBNAIL_JOB_MS } from '../limits.ts';
import { encodeJpeg, PictureDecoder, PictureScaler, quietCodecs } from '../media/codecs.ts';
import { onParentMessage, sendToParent } from '../media/parent.ts';
import type { Picture } from '../media/stream-reader.ts';
import { look } from './look.ts';
import type { PictureNews, PictureOrder } from './picture-messages.ts';
import { smallSize } from './sizes.ts';

/** Priority below everything that is watched live. */
const PRIORITY = 10;

/** A keyframe as JPEG; null when it cannot be decoded. Each stream gets a fresh decoder. */
function stillOf({ units }: Picture): Buffer | null {
  const decoder = new PictureDecoder();
  let still: Buffer | null = null;
  const draw: Parameters<PictureDecoder['finish']>[0] = (frame) => {
    if (still) return;
    const scaler = new PictureScaler(smallSize(frame), 'full');
    const scaled = scaler.scale(frame);
    if (scaled) still = encodeJpeg(scaled);
    scaled?.free();
    scaler.close();
  };
  decoder.decode(units, 0, draw);
  decoder.finish(draw);
  decoder.close();
  return still;
}

quietCodecs();
setPriority(PRIORITY);
onParentMessage<PictureOrder>((order) => {
  let picture: Buffer | null = null;
  look(order, {
    limitMs: THUMBNAIL_JOB_MS,
    picture: (taken) => {
      if (taken.keyframe) picture = stillOf(taken);
      return picture === null;
    },
    over: () => sendToParent<PictureNews>({ job: order.job, picture }),
  });
});
