/** The program that records one stream into one file. */
import { systemClock } from '#platform/data/clock.ts';
import { closeSync, fdatasync, fsyncSync, openSync, writeSync } from 'node:fs';
import { RECORDING_SYNC_MS } from '../limits.ts';
import { openSoundCodec, quietCodecs } from '../media/codecs.ts';
import { onParentMessage, sendToParent } from '../media/parent.ts';
import { Tap } from '../media/tap.ts';
import { JoinedTracks } from '../media/tracks/joined-tracks.ts';
import type { TapNews, TapOrder } from '../stream-child.ts';
import { Recorder } from './recorder.ts';
import type { RecordingNews, RecordingOrder, RecordingSettings } from './recordings.ts';

const { file, maxBytes, maxMs } = JSON.parse(process.argv[2] ?? '') as RecordingSettings;
const send = sendToParent<TapNews | RecordingNews>;

quietCodecs();
const codec = openSoundCodec();
/** The open file; null until there is something to record, and again once it is complete. */
let handle: number | null = null;
let finished = false;

/** Writes all bytes, at the end or at an offset. A full disk throws; earlier bytes stay. */
function put(to: number, bytes: Buffer, at: number | null): void {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(to, bytes, done, bytes.length - done, at === null ? null : at + done);
  }
}

const recorder = new Recorder({
  form: codec.form,
  maxBytes,
  maxMs,
  append: (bytes, recorded) => {
    if (handle !== null) put(handle, bytes, null);
    send({ kind: 'recorded', recorded });
  },
  full: () => finish('full'),
});
const tracks = new JoinedTracks({
  codec,
  picture: (picture) => recorder.picture(picture),
  sound: (frame) => recorder.sound(frame),
  paused: () => recorder.flush(),
  keyframeWanted: () => tap.requestKeyframe(),
});
const tap = new Tap({
  attached: ({ videoCodec }) => {
    try {
      // Never overwrites an existing file.
      if (videoCodec === 'H264') handle ??= openSync(file, 'wx', 0o600);
      send({ kind: 'attached', codec: videoCodec });
    } catch (error) {
      send({ kind: 'failed', detail: error instanceof Error ? error.message : String(error) });
    }
  },
  take: (type, packet, nowMs) => tracks.take(type, packet, nowMs),
  tick: (nowMs) => tracks.advance(nowMs),
  detached: () => {
    tracks.pause();
    send({ kind: 'detached' });
  },
});

/** Overwrites the start of the file with the final header, which has the duration, and syncs it to disk. */
function finish(reason: 'full' | 'stopped'): void {
  if (finished) return;
  finished = true;
  tap.close();
  tracks.pause();
  if (handle !== null) {
    if (recorder.finalInit) put(handle, recorder.finalInit, 0);
    fsyncSync(handle);
    closeSync(handle);
    handle = null;
  }
  send({ kind: 'finished', reason, recorded: recorder.recorded });
}

systemClock.every('sync', RECORDING_SYNC_MS, () => {
  if (handle !== null) fdatasync(handle, () => undefined);
});
onParentMessage<TapOrder | RecordingOrder>((order) => {
  if (order.kind === 'attach') tap.attach(order.ticket);
  else finish('stopped');
}, () => finish('stopped'));
