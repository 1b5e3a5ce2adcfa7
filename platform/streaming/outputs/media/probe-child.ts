/** The program that finds out whether the media library runs here, with every codec we need. */
import type { ProbeNews } from '../probe.ts';
import { onParentMessage, sendToParent } from './parent.ts';

async function probe(): Promise<ProbeNews> {
  try {
    const library = await import('./codecs.ts');
    const { openSoundCodec, PictureDecoder, PictureEncoder, PictureScaler, quietCodecs } = library;
    quietCodecs();
    openSoundCodec();
    new PictureDecoder().close();
    const size = { width: 320, height: 180 };
    new PictureScaler(size, 'full').close();
    new PictureEncoder({ ...size, bitsPerSecond: 200_000, framesPerSecond: 15 }).close();
    return { trouble: null };
  } catch (error) {
    return { trouble: error instanceof Error ? error.message : String(error) };
  }
}

onParentMessage(() => undefined);
void probe().then(sendToParent);
