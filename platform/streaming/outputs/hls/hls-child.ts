/** The program that makes HLS of one stream: writes segments to files and reports them to its parent. */
import { randomId } from '#platform/data/ids.ts';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSoundCodec, quietCodecs } from '../media/codecs.ts';
import { onParentMessage, sendToParent } from '../media/parent.ts';
import { Tap } from '../media/tap.ts';
import { JoinedTracks } from '../media/tracks/joined-tracks.ts';
import type { TapNews, TapOrder } from '../stream-child.ts';
import type { HlsNews, HlsSettings } from './hls-room.ts';
import { Segmenter } from './segmenter.ts';

const { directory } = JSON.parse(process.argv[2] ?? '') as HlsSettings;
const send = sendToParent<TapNews | HlsNews>;

/** Writes a file under its name only once it is complete. */
function write(name: string, bytes: Buffer): void {
  const path = join(directory, name);
  writeFileSync(`${path}.part`, bytes);
  renameSync(`${path}.part`, path);
}

quietCodecs();
const codec = openSoundCodec();
const segmenter = new Segmenter({
  form: codec.form,
  makeId: randomId,
  write,
  written: (segment) => send({ kind: 'segment', segment }),
});
const tracks = new JoinedTracks({
  codec,
  picture: (picture) => segmenter.picture(picture),
  sound: (frame) => segmenter.sound(frame),
  paused: () => segmenter.close(),
  keyframeWanted: () => tap.requestKeyframe(),
});

const tap = new Tap({
  attached: ({ videoCodec }) => {
    send({ kind: 'attached', codec: videoCodec });
    // A keyframe now, since they only come every 2 s: otherwise the first segment would be the longest.
    tap.requestKeyframe();
  },
  take: (type, packet, nowMs) => tracks.take(type, packet, nowMs),
  tick: (nowMs) => tracks.advance(nowMs),
  detached: () => {
    tracks.pause();
    send({ kind: 'detached' });
  },
});

onParentMessage<TapOrder>(({ ticket }) => tap.attach(ticket));
