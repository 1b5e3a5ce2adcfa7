/** The program that makes a lower rendition of one stream and publishes it as a stream of its own. */
import { randomInt } from 'node:crypto';
import { setPriority } from 'node:os';
import { FRAME, type LocalReady } from '../../local/frames.ts';
import { LocalLink } from '../../local/local-link.ts';
import { readFrames } from '../../wire/codecs/h264.ts';
import { RTP_HEADER_BYTES, rtpPacket, writeUint32 } from '../../wire/rtp.ts';
import { JITTER_WAIT_LIVE_MS } from '../limits.ts';
import { quietCodecs } from '../media/codecs.ts';
import { onParentMessage, sendToParent } from '../media/parent.ts';
import { StreamReader } from '../media/stream-reader.ts';
import { Tap } from '../media/tap.ts';
import { OwnReports } from './own-reports.ts';
import type { RenditionNews, RenditionOrder, RenditionSettings } from './renditions.ts';
import { Transcoder } from './transcoder.ts';

/** Priority below the relay, which must never wait for us. */
const PRIORITY = 5;
const { height } = JSON.parse(process.argv[2] ?? '') as RenditionSettings;
const send = sendToParent<RenditionNews>;
const [videoSsrc, soundSsrc] = [randomInt(1, 0x80000000), randomInt(0x80000000, 0xffffffff)];

let feed: LocalLink | null = null;
let types: LocalReady | null = null;
let sequence = randomInt(0x8000);
let received = false;

/** A scaled picture leaves with the timestamp of its original. */
function sendPicture(stream: Buffer, timestamp: number): void {
  for (const { payloads } of readFrames(stream)) {
    for (const [i, payload] of payloads.entries()) {
      feed?.send(
        FRAME.video,
        rtpPacket({
          payloadType: types!.videoPayloadType,
          marker: i === payloads.length - 1,
          sequence: sequence++ & 0xffff,
          timestamp,
          ssrc: videoSsrc,
        }, payload),
      );
    }
  }
  if (!received) send({ kind: 'up' });
  received = true;
}

/** Audio and both clocks are passed on unchanged, so that they stay in sync. */
function pass(type: number, packet: Buffer): void {
  if (type === FRAME.audio && packet.length > RTP_HEADER_BYTES) {
    packet[1] = (packet[1]! & 0x80) | types!.audioPayloadType;
    writeUint32(packet, 8, soundSsrc);
    feed?.send(FRAME.audio, packet);
  } else if (type === FRAME.videoReport || type === FRAME.audioReport) reports.pass(type, packet);
}

const reports = new OwnReports({ videoSsrc, soundSsrc, send: (type, report) => feed?.send(type, report) });

quietCodecs();
setPriority(PRIORITY);
const transcoder = new Transcoder({
  height,
  picture: sendPicture,
  keyframeWanted: () => tap.requestKeyframe(),
  nowMs: () => performance.now(),
});
const reader = new StreamReader({
  waitMs: JITTER_WAIT_LIVE_MS,
  picture: (picture) => {
    reports.picture(picture, received);
    transcoder.take(picture);
  },
  keyframeWanted: () => tap.requestKeyframe(),
});
const tap = new Tap({
  attached: ({ videoCodec }) => {
    if (videoCodec !== 'H264') send({ kind: 'unfit', codec: videoCodec });
  },
  take: (type, packet, nowMs) => {
    reader.take(type, packet, nowMs);
    if (types) pass(type, packet);
  },
  tick: (nowMs) => reader.advance(nowMs),
  detached: () => send({ kind: 'gone' }),
});

onParentMessage<RenditionOrder>(({ source, target }) => {
  feed = new LocalLink(target, {
    ready: (ready) => {
      types = ready;
      tap.attach(source);
    },
    media: () => undefined,
    keyframe: () => transcoder.requestKeyframe(),
    gone: () => send({ kind: 'gone' }),
  });
});
