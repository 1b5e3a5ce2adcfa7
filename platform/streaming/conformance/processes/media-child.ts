/** Makes and measures test media with FFmpeg's library, which cannot be loaded in test threads. */
import { FfmpegPublisher } from '../rtmp/ffmpeg-publisher.ts';
import { findSignals } from '../signals/find-signals.ts';
import { flashAndBeep } from '../signals/flash-and-beep.ts';
import type { MediaReply, MediaRequest } from './media-protocol.ts';

let publisher: FfmpegPublisher | undefined;

async function serve(request: MediaRequest): Promise<MediaReply> {
  if (request.kind === 'source') return flashAndBeep(request.options);
  if (request.kind === 'publish') {
    publisher = await FfmpegPublisher.publish(request.url, request.options);
    return { packets: 0 };
  }
  if (request.kind === 'finish') return { packets: await publisher!.finish() };
  return findSignals(request.pictures, request.sounds);
}

process.on('message', (message) => {
  void serve(message as MediaRequest).then((reply) => process.send!(reply));
});
process.once('disconnect', () => process.exit(0));
