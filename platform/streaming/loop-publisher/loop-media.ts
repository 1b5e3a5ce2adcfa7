import { readFile } from 'node:fs/promises';
import { readFrames, type H264Frame } from '../wire/codecs/h264.ts';
import { readOpus, type OpusPacket } from '../wire/files/ogg-opus.ts';

/** A loop in memory, split into RTP payloads. */
export interface LoopMedia {
  readonly frames: readonly H264Frame[];
  readonly sound: readonly OpusPacket[];
}

/** Reads a loop's two files. Throws when one of them cannot be played from its start. */
export async function readLoop(video: string, audio: string): Promise<LoopMedia> {
  const frames = readFrames(await readFile(video));
  const sound = readOpus(await readFile(audio));
  if (!frames[0]?.keyframe) throw new Error(`${video} does not begin with a keyframe`);
  if (sound.length === 0) throw new Error(`${audio} holds no sound`);
  return { frames, sound };
}
