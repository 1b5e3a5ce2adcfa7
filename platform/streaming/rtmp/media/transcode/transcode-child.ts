/** The program that re-encodes one stream so that it has no B-frames. */
import { loadCodecs } from './codecs.ts';
import { Reencoder } from './reencoder.ts';
import type { FromTranscoder, ToTranscoder } from './transcode-protocol.ts';

function send(message: FromTranscoder): void {
  if (process.connected) process.send!(message, undefined, undefined, () => undefined);
}

process.once('disconnect', () => process.exit(0));

/** Pictures that arrive while the library loads wait in the IPC channel. */
const waiting: ToTranscoder[] = [];
let reencoder: Reencoder | null = null;

function take(message: ToTranscoder): void {
  if (!reencoder) return void waiting.push(message);
  if (message.kind === 'keyframe') return reencoder.requestKeyframe();
  for (const picture of reencoder.take(Buffer.from(message.stream), message.decodedMs, message.shownMs)) {
    send({ kind: 'picture', ...picture });
  }
  send({ kind: 'taken' });
}

process.on('message', (message) => take(message as ToTranscoder));
loadCodecs().then((codecs) => {
  reencoder = new Reencoder(codecs);
  for (const message of waiting.splice(0)) take(message);
}, (error: unknown) => {
  console.error('pictures cannot be transcoded:', error instanceof Error ? error.message : error);
  process.exit(1);
});
