import assert from 'node:assert/strict';
import type { Dice } from '../conformance/network/dice.ts';
import { mutate } from '../conformance/network/mutations.ts';
import { joinPicture, writeAvcConfig } from '../wire/codecs/avc-config.ts';
import { AmfMalformed } from '../wire/rtmp/amf.ts';
import { writeSoundTag, writeVideoTag } from '../wire/rtmp/flv.ts';
import { MESSAGE, writeMessage, type RtmpMessage } from '../wire/rtmp/rtmp-chunks.ts';
import {
  amfObject,
  readCommand,
  writeChunkSize,
  writeCommand,
  writePingRequest,
} from '../wire/rtmp/rtmp-commands.ts';
import { beginHandshake, ECHO_BYTES } from '../wire/rtmp/rtmp-handshake.ts';
import { isRtp } from '../wire/rtp.ts';
import { Connection } from './connection.ts';
import { PictureTrack } from './media/tracks/picture-track.ts';
import { RtpTrack, type TimedPayload } from './media/tracks/rtp-track.ts';
import { OPUS_TICKS } from './media/tracks/sound-codec.ts';
import { SoundTrack } from './media/tracks/sound-track.ts';
import { Timeline } from './media/tracks/timeline.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const SEQUENCE_SET = hex('67640028acd940780227e5c044000003000400000300f03c60c658');
const PICTURE_SET = hex('68ebe3cb22c0');
const [IDR, P, B] = [hex('65888402bf'), hex('419a236c42'), hex('019e417884')];
const LONG_PICTURE = Buffer.concat([IDR, Buffer.alloc(3_000, 7)]);
const CHUNK_BYTES = 512;

/** Video and audio tags as encoders send them, of every form that is read. */
const TAGS: readonly (readonly [type: number, body: Buffer])[] = [
  [MESSAGE.video, writeVideoTag(true, 'config', 0, writeAvcConfig(SEQUENCE_SET, PICTURE_SET))],
  [MESSAGE.video, writeVideoTag(true, 'picture', 67, joinPicture([SEQUENCE_SET, PICTURE_SET, LONG_PICTURE]))],
  [MESSAGE.video, writeVideoTag(false, 'picture', 133, joinPicture([hex('0910'), P]))],
  [MESSAGE.video, writeVideoTag(false, 'picture', 33, joinPicture([B, B]))],
  [MESSAGE.video, Buffer.concat([hex('9061766331'), writeAvcConfig(SEQUENCE_SET, PICTURE_SET)])],
  [MESSAGE.video, Buffer.concat([hex('9161766331000043'), joinPicture([IDR])])],
  [MESSAGE.audio, writeSoundTag('config', hex('1190'))],
  [MESSAGE.audio, writeSoundTag('frame', Buffer.alloc(200, 0x21))],
  [MESSAGE.audio, Buffer.concat([hex('906d703461'), hex('1190')])],
];
const TAG_BODIES = TAGS.map(([, body]) => body);
const COMMANDS = [
  writeCommand(
    0,
    'connect',
    1,
    amfObject({
      app: 'live',
      type: 'nonprivate',
      flashVer: 'FMLE/3.0',
      tcUrl: 'rtmp://127.0.0.1/live',
      fourCcList: ['avc1', '*'],
      videoFourCcInfoMap: amfObject({ avc1: 4 }),
    }),
  ),
  writeCommand(0, 'releaseStream', 2, null, 'key'),
  writeCommand(0, 'createStream', 4, null),
  writeCommand(1, 'publish', 5, null, 'key', 'live'),
];
const tagged = (type: number, payload: Buffer, timestamp: number): Buffer =>
  writeMessage({
    chunkStream: type === MESSAGE.video ? 6 : 4,
    type,
    stream: 1,
    timestamp,
    payload,
  }, CHUNK_BYTES);
/** Everything after the handshake: a whole conversation, in the pieces that mutations exchange. */
const PIECES = [
  writeChunkSize(CHUNK_BYTES),
  ...COMMANDS,
  writePingRequest(7),
  ...TAGS.map(([type, body], i) => tagged(type, body, i * 33)),
  tagged(MESSAGE.video, TAG_BODIES[1]!, 0x01020304),
  writeCommand(0, 'deleteStream', 6, null, 1),
];
const CONVERSATION = Buffer.concat(PIECES);
const HELLO = Buffer.concat([beginHandshake('digest'), Buffer.alloc(ECHO_BYTES)]);
const PAYLOADS = COMMANDS.map((command) => command.subarray(12));

/** The path of media from tags to packets, with codecs that only count. */
class Media {
  packets = 0;
  readonly #video = new RtpTrack(90);
  readonly #audio = new RtpTrack(48);
  readonly #line = new Timeline();
  readonly pictures = new PictureTrack({
    bFrames: 'transcode',
    transcoder: () => ({ push: () => undefined, requestKeyframe: () => undefined, close: () => undefined }),
    send: ({ payloads }) => {
      for (const payload of payloads) this.#check(this.#video, payload);
    },
  });
  readonly sound = new SoundTrack({
    decoder: () => ({ decode: () => SAMPLES, stretch: () => undefined, free: () => undefined }),
    encoder: { encode: (_samples, ticks) => [{ payload: FRAME, ticks }], free: () => undefined },
    send: (payload) => this.#check(this.#audio, payload),
  });

  take({ type, timestamp, payload }: Pick<RtmpMessage, 'type' | 'timestamp' | 'payload'>): void {
    const isVideo = type === MESSAGE.video;
    const ms = this.#line.place(isVideo ? 'video' : 'audio', timestamp, 0);
    (isVideo ? this.pictures : this.sound).take(payload, ms);
  }

  /** Checks that only packets a relay accepts leave, whatever came in. */
  #check(track: RtpTrack, payload: TimedPayload): void {
    track.send(payload, 96, (packet) => {
      assert.ok(isRtp(packet) && packet.length > 12 && packet.length <= 1_500);
      this.packets += 1;
      return true;
    });
  }
}

const SAMPLES = new Float32Array(2 * 1_024);
const FRAME = Buffer.from([0xfc]);

export type HostileStream = 'conversations' | 'commands' | 'tags';

/** Each kind makes one input and feeds it to the code that reads it; true when it was accepted. */
const KINDS: Readonly<Record<HostileStream, (dice: Dice) => boolean>> = {
  conversations: converse,
  commands: (dice) => {
    const payload = mutate(dice, dice.pick(PAYLOADS), PAYLOADS);
    const type = dice.below(2) === 0 ? MESSAGE.command : MESSAGE.command3;
    try {
      readCommand({ type, stream: 0, timestamp: 0, payload });
      return true;
    } catch (error) {
      if (error instanceof AmfMalformed) return false;
      throw error;
    }
  },
  tags: (dice) => {
    const media = new Media();
    media.take({ type: MESSAGE.video, timestamp: 0, payload: TAG_BODIES[0]! });
    media.take({ type: MESSAGE.audio, timestamp: 0, payload: TAG_BODIES[6]! });
    for (let i = 1; i <= 4; i++) {
      const [type, body] = dice.pick(TAGS);
      const timestamp = dice.below(8) === 0 ? dice.below(2 ** 32) : i * 33;
      media.take({ type, timestamp, payload: mutate(dice, body, TAG_BODIES) });
    }
    return media.packets > 0;
  },
};

/** A whole connection: mostly its conversation is mutated, sometimes its handshake. */
function converse(dice: Dice): boolean {
  const media = new Media();
  let isOver = false;
  const connection: Connection = new Connection('live', {
    write: (bytes) => assert.ok(bytes.length < 64 * 1_024),
    publish: () => connection.admit(),
    media: (message) => {
      assert.ok(!isOver, 'no media after the end');
      media.take(message);
    },
    end: () => {
      assert.ok(!isOver, 'it ends once');
      isOver = true;
    },
  });
  for (const bytes of hostileConversation(dice)) connection.push(bytes);
  connection.close();
  assert.ok(isOver);
  return media.packets > 0;
}

/** The bytes of one mutated connection, in the pieces they arrive in. */
export function hostileConversation(dice: Dice): Buffer[] {
  const hello = dice.below(20) === 0 ? mutate(dice, HELLO, PIECES) : HELLO;
  const rest = mutate(dice, CONVERSATION, PIECES);
  const cut = dice.below(rest.length + 1);
  return [hello, rest.subarray(0, cut), rest.subarray(cut)];
}

/** Outcome of a number of inputs. */
export interface HostileStreamCounts {
  readonly inputs: number;
  /** Inputs of which something was accepted: media left, or a command was understood. */
  readonly taken: number;
}

/**
 * Feeds mutated inputs of one kind to the code that reads them. Throws at the first input that is neither
 * accepted nor refused.
 *
 * @param onProgress called now and then with the number done
 */
export function feedHostileStreams(
  kind: HostileStream,
  inputs: number,
  dice: Dice,
  onProgress: (done: number) => void = () => undefined,
): HostileStreamCounts {
  const work = KINDS[kind];
  const tenth = Math.ceil(inputs / 10);
  let taken = 0;
  for (let i = 1; i <= inputs; i++) {
    if (work(dice)) taken += 1;
    if (i % tenth === 0) onProgress(i);
  }
  return { inputs, taken };
}

/** Mutated AAC frames, most of them with one byte changed, for the real decoder. */
export function hostileSound(dice: Dice, frames: readonly Buffer[]): Buffer {
  return mutate(dice, dice.pick(frames), frames).subarray(0, OPUS_TICKS);
}
