/**
 * Makes and measures test media with FFmpeg's library, which cannot be loaded in the threads tests run in.
 */
import { flashAndBeep } from '../signals/flash-and-beep.ts';
import type { MediaReply, MediaRequest } from './media-protocol.ts';
import { findSignals } from '../signals/find-signals.ts';

async function serve(request: MediaRequest): Promise<MediaReply> {
  if (request.kind === 'source') return flashAndBeep(request.options);
  return findSignals(request.pictures, request.sounds);
}

process.on('message', (message) => {
  void serve(message as MediaRequest).then((reply) => process.send!(reply));
});
process.once('disconnect', () => process.exit(0));
