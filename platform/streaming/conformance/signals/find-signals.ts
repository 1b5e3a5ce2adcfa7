import { SOUND_RATE } from '../../rtmp/media/tracks/sound-codec.ts';
import { allocated, opened } from '../../rtmp/media/transcode/codec-context.ts';
import { loadCodecs, type Codecs } from '../../rtmp/media/transcode/codecs.ts';
import type { Signals, Timed } from '../processes/media-protocol.ts';

/** Between the black and the white of a flash. */
const BRIGHT = 126;
/** A beep has half the full loudness; codecs smear a little before it. */
const LOUD = 0.15;

/** Decodes video and audio and finds where flashes and beeps begin. */
export async function findSignals(pictures: readonly Timed[], sounds: readonly Timed[]): Promise<Signals> {
  const codecs = await loadCodecs();
  return { ...flashesIn(codecs, pictures), ...beepsIn(codecs, sounds) };
}

function flashesIn(codecs: Codecs, pictures: readonly Timed[]): Pick<Signals, 'flashesMs' | 'pictures'> {
  const { lib, constants } = codecs;
  const decoder = opened(codecs, lib.Codec.findDecoder(constants.AV_CODEC_ID_H264), (context) => {
    context.threadCount = 1;
  });
  const flashesMs: number[] = [];
  let count = 0;
  let wasBright = false;
  const packet = allocated(new lib.Packet());
  const frame = allocated(new lib.Frame());
  for (const picture of [...pictures, null]) {
    if (picture) {
      packet.data = Buffer.from(picture.data);
      packet.pts = BigInt(Math.round(picture.ms));
      packet.dts = packet.pts;
    }
    decoder.sendPacketSync(picture && packet);
    packet.unref();
    while (decoder.receiveFrameSync(frame) >= 0) {
      const light = frame.data![0]!;
      const isBright = light.reduce((sum, number) => sum + number, 0) / light.length > BRIGHT;
      if (isBright && !wasBright) flashesMs.push(Number(frame.pts));
      wasBright = isBright;
      count += 1;
      frame.unref();
    }
  }
  decoder.freeContext();
  return { flashesMs, pictures: count };
}

function beepsIn(codecs: Codecs, sounds: readonly Timed[]): Pick<Signals, 'beepsMs' | 'seconds'> {
  const { lib, constants } = codecs;
  // Decodes to 32-bit floats, one plane for each channel.
  const decoder = opened(codecs, lib.Codec.findDecoder(constants.AV_CODEC_ID_OPUS), (context) => {
    context.sampleRate = SOUND_RATE;
    context.channelLayout = constants.AV_CHANNEL_LAYOUT_STEREO;
  });
  const beepsMs: number[] = [];
  let samples = 0;
  let quietFor = SOUND_RATE;
  const packet = allocated(new lib.Packet());
  const frame = allocated(new lib.Frame());
  for (const { data, ms } of sounds) {
    packet.data = Buffer.from(data);
    decoder.sendPacketSync(packet);
    packet.unref();
    while (decoder.receiveFrameSync(frame) >= 0) {
      const bytes = Uint8Array.from(frame.data![0]!);
      const values = new Float32Array(bytes.buffer, bytes.byteOffset, frame.nbSamples);
      for (let i = 0; i < frame.nbSamples; i++) {
        const isLoud = Math.abs(values[i]!) > LOUD;
        // The beep itself crosses zero; half a second of silence separates two beeps.
        if (isLoud && quietFor > SOUND_RATE / 2) beepsMs.push(ms + (i * 1_000) / SOUND_RATE);
        quietFor = isLoud ? 0 : quietFor + 1;
      }
      samples += frame.nbSamples;
      frame.unref();
    }
  }
  decoder.freeContext();
  return { beepsMs, seconds: samples / SOUND_RATE };
}
