/**
 * The program of RTMP ingest. Only this process reads what strangers send over RTMP, and it holds no secret
 * but the stream keys of connected publishers.
 */
import { systemClock } from '#platform/data/clock.ts';
import type { RtmpAdmission, RtmpAsked } from '../ingest.ts';
import { ADMIT_TIMEOUT_MS, MAX_ASKED } from '../limits.ts';
import { Publisher } from '../media/publisher.ts';
import { AacDecoder, OpusEncoder } from '../media/tracks/sound-codec.ts';
import type { SoundDecoder } from '../media/tracks/sound-track.ts';
import { CodecUnusable } from '../media/transcode/codec-context.ts';
import { loadCodecs, type Codecs } from '../media/transcode/codecs.ts';
import { Transcoders } from '../media/transcode/picture-transcoder.ts';
import { RtmpServer, type Refuse, type Sink } from '../rtmp-server.ts';
import type { RtmpMessageDown, RtmpMessageUp, RtmpSettings } from './rtmp-protocol.ts';

const APP = 'live';
const BUSY: RtmpAdmission = { admitted: false, reason: 'The server is busy. Try again.' };

const settings = JSON.parse(process.argv[2] ?? '') as RtmpSettings;
const waiting = new Map<number, (admission: RtmpAdmission) => void>();
/** Current publishers, by stream key. */
const publishing = new Map<string, Refuse>();
/** The newest pending admission of each stream key. */
const arriving = new Map<string, Promise<RtmpAdmission>>();
let requests = 0;

/** Sends nothing once the parent is gone. */
function send(message: RtmpMessageUp): void {
  if (process.connected) process.send!(message, undefined, undefined, () => undefined);
}

function admit(asked: RtmpAsked): Promise<RtmpAdmission> {
  if (waiting.size >= MAX_ASKED) return Promise.resolve(BUSY);
  const request = requests += 1;
  return new Promise((resolve) => {
    const cancel = systemClock.after('admission', ADMIT_TIMEOUT_MS, () => answer(request, BUSY));
    waiting.set(request, (admission) => {
      cancel();
      resolve(admission);
    });
    send({ kind: 'asked', request, asked });
  });
}

function answer(request: number, admission: RtmpAdmission): void {
  waiting.get(request)?.(admission);
  waiting.delete(request);
}

/** The message may contain what a stranger sent, so only the error's class and stack location are logged. */
function onError(error: unknown): void {
  const place = error instanceof Error ? error.stack?.split('\n').slice(1, 4).join('\n') : '';
  console.error(`rtmp: ${error instanceof Error ? error.name : 'error'}\n${place}`);
}

function decoderOf(codecs: Codecs, record: Buffer): SoundDecoder | null {
  try {
    return new AacDecoder(codecs, record);
  } catch (error) {
    if (error instanceof CodecUnusable) return null;
    throw error;
  }
}

async function publish(
  codecs: Codecs,
  transcoders: Transcoders,
  asked: RtmpAsked,
  refuse: Refuse,
): Promise<Sink | null> {
  const asking = admit(asked);
  arriving.set(asked.key, asking);
  const admission = await asking;
  if (arriving.get(asked.key) === asking) arriving.delete(asked.key);
  if (!admission.admitted) {
    refuse(admission.reason);
    return null;
  }
  // An encoder whose line broke reconnects before its old connection is known to be dead: the newest counts.
  publishing.get(asked.key)?.('The same key is used by another connection.');
  const publisher = new Publisher({
    clock: systemClock,
    bFrames: admission.bFrames,
    sound: { decoder: (record) => decoderOf(codecs, record), encoder: new OpusEncoder(codecs) },
    transcoder: transcoders.forPublisher(),
    readmit: async (lost) => {
      // A pending admission may replace this publisher: only the newest publisher asks for its stream again.
      await arriving.get(asked.key);
      if (publishing.get(asked.key) !== refuse) return null;
      const again = await admit({ ...asked, lost });
      return again.admitted ? again.feed : null;
    },
    trouble: (session, trouble) => send({ kind: 'trouble', session, trouble }),
    gone: refuse,
    finished: (session) => send({ kind: 'finished', session, key: asked.key }),
  });
  publishing.set(asked.key, refuse);
  const close = (isMeant = false): void => {
    publisher.close(isMeant);
    if (publishing.get(asked.key) === refuse) publishing.delete(asked.key);
  };
  if (await publisher.attach(admission.feed)) return { take: (message) => publisher.take(message), close };
  close();
  refuse('The stream cannot be taken now. Try again.');
  return null;
}

async function run(): Promise<void> {
  const codecs = await loadCodecs();
  new OpusEncoder(codecs).free();
  const transcoders = new Transcoders(settings.transcoder, settings.transcoders);
  const server = new RtmpServer({
    port: settings.port,
    bindAddress: settings.bindAddress,
    app: APP,
    clock: systemClock,
    onError,
    publish: (asked, refuse) => publish(codecs, transcoders, asked, refuse),
  });
  const port = await server.listen();
  send({ kind: 'ready', port });
}

process.on('message', (message) => {
  const { request, admission } = message as RtmpMessageDown;
  answer(request, admission);
});
// Sockets of clients and of relays are closed with the process.
process.once('disconnect', () => process.exit(0));
run().catch((error: unknown) => {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  const detail = isTaken
    ? `TCP port ${settings.port} is taken`
    : error instanceof Error
    ? error.message
    : String(error);
  send({ kind: 'unfit', detail });
});
