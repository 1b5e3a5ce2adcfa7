/**
 * Sends a tone on the left channel through the audio codecs of ingest and outputs, in a process of its own.
 * Reports how loud each channel is after each of them.
 */
import { AacDecoder, OPUS_TICKS, OpusEncoder, SOUND_RATE } from '../../rtmp/media/tracks/sound-codec.ts';
import { loadCodecs } from '../../rtmp/media/transcode/codecs.ts';
import { SOUND_FRAME } from '../media/tracks/sound-track.ts';

type Sides = readonly [left: number, right: number];

/** Its report: the audio of an RTMP encoder as viewers get it over WebRTC, and over HLS. */
export interface ToneNews {
  readonly webrtc: Sides;
  readonly hls: Sides;
  /** Whether every Opus packet says that it is stereo (RFC 6716 §3.1). */
  readonly isStereo: boolean;
}

const TONE_HZ = 440;
const FRAMES = 100;
const STEREO_BIT = 0x04;

const loudness = (samples: readonly number[]): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);

/** Loudness of each channel of interleaved samples, once codecs have started up. */
function sidesOf(samples: readonly number[]): Sides {
  const settled = samples.slice(samples.length / 2 - ((samples.length / 2) % 2));
  return [loudness(settled.filter((_, i) => i % 2 === 0)), loudness(settled.filter((_, i) => i % 2 === 1))];
}

/** Samples of a frame with a tone on the left: one plane after the other. */
const tone = (frame: number): Float32Array =>
  Float32Array.from(
    { length: 2 * SOUND_FRAME },
    (_, i) => (i < SOUND_FRAME
      ? 0.5 * Math.sin((2 * Math.PI * TONE_HZ * (frame * SOUND_FRAME + i)) / SOUND_RATE)
      : 0),
  );

async function play(): Promise<ToneNews> {
  const codecs = await loadCodecs();
  const { openSoundCodec } = await import('../media/codecs.ts');
  const [outputs, opus] = [openSoundCodec(), new OpusEncoder(codecs)];
  const encoder = new AacDecoder(codecs, Buffer.from(outputs.form.config));
  const player = new AacDecoder(codecs, Buffer.from(outputs.form.config));
  const ingested: number[] = [];
  for (let frame = 0; frame < FRAMES; frame += 1) {
    for (const aac of outputs.encode(tone(frame))) ingested.push(...encoder.decode(aac));
  }
  const packets: Buffer[] = [];
  const step = 2 * OPUS_TICKS;
  for (let at = 0; at + step <= ingested.length; at += step) {
    const samples = Float32Array.from(ingested.slice(at, at + step));
    packets.push(...opus.encode(samples, at / 2).map(({ payload }) => payload));
  }
  const [webrtc, played]: [number[], number[]] = [[], []];
  const planes: [number[], number[]] = [[], []];
  const hls = openSoundCodec();
  for (const packet of packets) {
    const samples = hls.decode(packet);
    if (!samples) continue;
    for (let i = 0; i < samples.length; i += 1) {
      for (const side of [0, 1] as const) {
        webrtc.push(samples.planes[side][i]!);
        planes[side].push(samples.planes[side][i]!);
      }
    }
  }
  for (let at = 0; at + SOUND_FRAME <= planes[0].length; at += SOUND_FRAME) {
    const frame = Float32Array.from(planes.flatMap((plane) => plane.slice(at, at + SOUND_FRAME)));
    for (const aac of hls.encode(frame)) played.push(...player.decode(aac));
  }
  return {
    webrtc: sidesOf(webrtc),
    hls: sidesOf(played),
    isStereo: packets.every((packet) => (packet[0]! & STEREO_BIT) !== 0),
  };
}

process.send!(await play());
