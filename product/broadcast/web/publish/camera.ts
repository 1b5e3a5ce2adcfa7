import { useCallback, useEffect, useRef, useState } from 'react';
import { DEFAULT_VIDEO_BITRATE } from '../../rules.ts';
import { videoConstraints } from '../../rules/upload.ts';

/**
 * Why the camera does not work, grouped by what a person can do about it; texts under `broadcast:camera.*`.
 */
export type CameraTrouble = 'denied' | 'missing' | 'busy' | 'unsupported' | 'failed';

/** Devices by id; a missing id means the system default. */
export interface DeviceChoice {
  readonly camera?: string | null;
  readonly microphone?: string | null;
  /** Falls back to other devices when these are gone; for devices saved in the last session. */
  readonly preferred?: boolean;
  /** Video bit rate in kbit/s; a higher one has more lines. If missing, the usual one. */
  readonly bitrate?: number;
}

export interface Camera {
  readonly media: MediaStream | null;
  readonly trouble: CameraTrouble | null;
  readonly asking: boolean;
  readonly cameras: readonly MediaDeviceInfo[];
  readonly microphones: readonly MediaDeviceInfo[];
  readonly cameraId: string;
  readonly microphoneId: string;
  /** Opens the devices; the browser asks for permission the first time. */
  readonly open: (choice?: DeviceChoice) => Promise<MediaStream | null>;
  readonly close: () => void;
}

/** DOM exceptions of getUserMedia (W3C Media Capture §10.2) by what a person can do about them. */
export function troubleOf(error: unknown): CameraTrouble {
  const name = error instanceof Error ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'denied';
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'missing';
  if (name === 'NotReadableError' || name === 'AbortError') return 'busy';
  return name === 'TypeError' ? 'unsupported' : 'failed';
}

const wanted = (
  id: string | null | undefined,
  preferred = false,
) => (id ? { deviceId: preferred ? { ideal: id } : { exact: id } } : {});
/** Longest device name and id that are saved. */
const MAX_NAME_LENGTH = 120;

/** The devices of a stream, as saved in the streamer settings (spec 2 §3.1). */
export function devicesOf(media: MediaStream): {
  audioName: string | null;
  videoName: string | null;
  audioTrack: string | null;
  videoTrack: string | null;
} {
  const of = (kind: 'audio' | 'video') => {
    const track = media.getTracks().find((item) => item.kind === kind);
    const id = track?.getSettings().deviceId ?? '';
    // A device with a longer id is not saved, and must be chosen again.
    return {
      name: track?.label.slice(0, MAX_NAME_LENGTH) || null,
      id: id.length <= MAX_NAME_LENGTH ? id || null : null,
    };
  };
  const [audio, video] = [of('audio'), of('video')];
  return { audioName: audio.name, videoName: video.name, audioTrack: audio.id, videoTrack: video.id };
}
const settingOf = (media: MediaStream, kind: 'audio' | 'video'): string =>
  media.getTracks().find((track) => track.kind === kind)?.getSettings().deviceId ?? '';

/** Opens camera and microphone, lists the devices, and closes them when the page is left. */
export function useCamera(): Camera {
  const [media, setMedia] = useState<MediaStream | null>(null);
  const [trouble, setTrouble] = useState<CameraTrouble | null>(null);
  const [asking, setAsking] = useState(false);
  const [devices, setDevices] = useState<readonly MediaDeviceInfo[]>([]);
  const current = useRef<MediaStream | null>(null);
  /** Number of the last request: of two quick choices the first may open last. */
  const asked = useRef(0);

  const close = useCallback(() => {
    for (const track of current.current?.getTracks() ?? []) track.stop();
    current.current = null;
    setMedia(null);
  }, []);
  const open = useCallback(async (choice: DeviceChoice = {}) => {
    const { camera, microphone, preferred, bitrate = DEFAULT_VIDEO_BITRATE } = choice;
    setAsking(true);
    setTrouble(null);
    asked.current += 1;
    const own = asked.current;
    try {
      const opened = await navigator.mediaDevices.getUserMedia({
        video: { ...videoConstraints(bitrate), ...wanted(camera, preferred) },
        audio: {
          echoCancellation: true,
          noiseSuppression: true,
          channelCount: 2,
          ...wanted(microphone, preferred),
        },
      });
      if (own !== asked.current) {
        for (const track of opened.getTracks()) track.stop();
        return null;
      }
      for (const track of current.current?.getTracks() ?? []) track.stop();
      current.current = opened;
      setMedia(opened);
      setDevices(await navigator.mediaDevices.enumerateDevices());
      return opened;
    } catch (error) {
      setTrouble(navigator.mediaDevices ? troubleOf(error) : 'unsupported');
      return null;
    } finally {
      setAsking(false);
    }
  }, []);
  useEffect(() => close, [close]);

  return {
    media,
    trouble,
    asking,
    open,
    close,
    cameras: devices.filter((device) => device.kind === 'videoinput'),
    microphones: devices.filter((device) => device.kind === 'audioinput'),
    cameraId: media ? settingOf(media, 'video') : '',
    microphoneId: media ? settingOf(media, 'audio') : '',
  };
}

/** Microphone level, 0 to 1, ten times a second; 0 without a microphone. */
export function useAudioLevel(media: MediaStream | null): number {
  const [level, setLevel] = useState(0);
  useEffect(() => {
    if (!media?.getAudioTracks().length) return undefined;
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    analyser.fftSize = 512;
    context.createMediaStreamSource(media).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    const timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      setLevel(levelOf(samples));
    }, 100);
    return () => {
      clearInterval(timer);
      void context.close();
      setLevel(0);
    };
  }, [media]);
  return level;
}

/** Meter reading of samples in -1…1: −60 dBFS is 0, full scale is 1. */
export function levelOf(samples: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < samples.length; at += 1) sum += (samples[at] ?? 0) ** 2;
  const loudness = 20 * Math.log10(Math.sqrt(sum / Math.max(samples.length, 1)) || 1e-9);
  return Math.min(1, Math.max(0, (loudness + 60) / 60));
}
