/** The program that makes preview clips, one at a time. */
import { setPriority } from 'node:os';
import { PREVIEW_JOB_MS } from '../limits.ts';
import { quietCodecs } from '../media/codecs.ts';
import { onParentMessage, sendToParent } from '../media/parent.ts';
import { Clip } from './clip.ts';
import { look } from './look.ts';
import type { PictureNews, PictureOrder } from './picture-messages.ts';

/** Priority below everything that is watched live. */
const PRIORITY = 10;

quietCodecs();
setPriority(PRIORITY);
onParentMessage<PictureOrder>((order) => {
  const clip = new Clip();
  look(order, {
    limitMs: PREVIEW_JOB_MS,
    picture: (picture) => clip.take(picture),
    over: () => sendToParent<PictureNews>({ job: order.job, picture: clip.finish() }),
  });
});
