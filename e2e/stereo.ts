import type { Page } from 'playwright-core';

/** A channel this much quieter than the other has none of its tone; in mono both channels are equal. */
export const QUIETER = 10;

/** Runs in a performer's page before it loads: their microphone is a tone on the left channel alone. */
export function toneOnLeft(): void {
  const { mediaDevices } = navigator;
  const getUserMedia = mediaDevices.getUserMedia.bind(mediaDevices);
  mediaDevices.getUserMedia = async (constraints) => {
    const found = await getUserMedia(constraints);
    const context = new AudioContext();
    const [tone, sides] = [context.createOscillator(), context.createChannelMerger(2)];
    const microphone = context.createMediaStreamDestination();
    microphone.channelCount = 2;
    tone.connect(sides, 0, 0);
    sides.connect(microphone);
    tone.start();
    await context.resume();
    return new MediaStream([...found.getVideoTracks(), ...microphone.stream.getAudioTracks()]);
  };
}

/** Loudness of each channel of a room's audio, 0 to 1, once there is any. */
export function loudness(page: Page): Promise<readonly [left: number, right: number]> {
  return page.evaluate(async () => {
    const stream = document.querySelector('video')!.srcObject as MediaStream;
    const context = new AudioContext();
    await context.resume();
    const splitter = context.createChannelSplitter(2);
    context.createMediaStreamSource(new MediaStream(stream.getAudioTracks())).connect(splitter);
    const ears = [0, 1].map((channel) => {
      const analyser = context.createAnalyser();
      splitter.connect(analyser, channel);
      return analyser;
    });
    const measure = (analyser: AnalyserNode): number => {
      const samples = new Float32Array(analyser.fftSize);
      analyser.getFloatTimeDomainData(samples);
      return Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);
    };
    const SILENT = 0.01;
    return new Promise<readonly [number, number]>((resolve) => {
      const look = (): void => {
        const [left, right] = [measure(ears[0]!), measure(ears[1]!)];
        if (Math.max(left, right) > SILENT) resolve([left, right]);
        else requestAnimationFrame(look);
      };
      look();
    });
  });
}
