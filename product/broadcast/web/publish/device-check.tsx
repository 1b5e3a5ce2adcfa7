import { Camera as CameraIcon, CameraOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { Button } from '../../../../platform/ui/controls/button.tsx';
import { Select } from '../../../../platform/ui/controls/fields.tsx';
import type { CamView } from '../../contract.ts';
import { DEFAULT_VIDEO_BITRATE, VIDEO_BITRATES } from '../../rules.ts';
import { devicesOf, useAudioLevel, type Camera } from './camera.ts';

/** The performer's own camera, mirrored and muted. */
function Preview({ media }: { media: MediaStream | null }) {
  const { t } = useTranslation('broadcast');
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current) video.current.srcObject = media;
  }, [media]);
  return (
    <div className="relative aspect-video overflow-hidden rounded-card bg-black">
      <video ref={video} autoPlay muted playsInline aria-label={t('preview')}
        className="size-full -scale-x-100 object-contain" />
      {media ? null : (
        <span className="absolute inset-0 flex items-center justify-center text-white">
          <CameraOff size={40} aria-hidden />
        </span>
      )}
    </div>
  );
}

/** Level of the microphone. */
function AudioMeter({ media }: { media: MediaStream | null }) {
  const { t } = useTranslation('broadcast');
  const level = useAudioLevel(media);
  return (
    <div className="flex items-center gap-3 text-sm text-muted">
      <span id="audio-meter">{t('soundLevel')}</span>
      <div role="meter" aria-labelledby="audio-meter" aria-valuemin={0} aria-valuemax={100}
        aria-valuenow={Math.round(level * 100)} className="h-2 grow overflow-hidden rounded-full bg-raised">
        <div className={`h-full origin-left ${level > 0.95 ? 'bg-danger' : 'bg-online'}`}
          style={{ transform: `scaleX(${level})` }} />
      </div>
    </div>
  );
}

const options = (devices: readonly MediaDeviceInfo[], unnamed: (number: number) => string) =>
  devices.map((device, at) => ({ value: device.deviceId, text: device.label || unnamed(at + 1) }));

/** The offered bit rates, and the last used one if it is another. */
const bitrates = (own: number | null, text: (kilobits: number) => string) =>
  [...new Set([...VIDEO_BITRATES, ...(own === null ? [] : [own])])].sort((a, b) => a - b)
    .map((kilobits) => ({ value: String(kilobits), text: text(kilobits) }));

interface DeviceCheckProps {
  readonly camera: Camera;
  /** Devices and bit rate of the last session. */
  readonly cam: CamView;
  /** Called when another device is chosen while publishing. */
  readonly onChange?: (media: MediaStream) => void;
  readonly onBitrate?: (bitrate: number) => void;
  /** Called with the devices in use, to be saved for the next session. */
  readonly onUsed: (cam: CamView) => void;
}

/** First step of going live: check camera and microphone, choose devices and bit rate. */
export function DeviceCheck({ camera, cam, onChange, onBitrate, onUsed }: DeviceCheckProps) {
  const { t } = useTranslation('broadcast');
  const save = (media: MediaStream | null, bitrate: number | null) => {
    const used: CamView = { ...(media ? devicesOf(media) : cam), bitrate };
    if (Object.entries(used).some(([name, value]) => cam[name as keyof CamView] !== value)) onUsed(used);
  };
  const open = async () => {
    const { videoTrack, audioTrack, bitrate } = cam;
    save(await camera.open({ camera: videoTrack, microphone: audioTrack, preferred: true }), bitrate);
  };
  const choose = async (cameraId: string, microphoneId: string) => {
    const media = await camera.open({ camera: cameraId, microphone: microphoneId });
    if (!media) return;
    onChange?.(media);
    save(media, cam.bitrate);
  };
  const changeBitrate = (bitrate: number) => {
    onBitrate?.(bitrate);
    save(camera.media, bitrate);
  };
  return (
    <div className="flex flex-col gap-4">
      <Preview media={camera.media} />
      {camera.trouble ? (
        <p role="alert" className="rounded-control border border-danger bg-raised px-3 py-2 text-sm">
          {t(`camera.${camera.trouble}`)}
        </p>
      ) : null}
      {camera.media ? (
        <>
          <AudioMeter media={camera.media} />
          <div className="grid items-start gap-4 sm:grid-cols-2 xl:grid-cols-3">
            <Select label={t('cameraChoice')} value={camera.cameraId}
              options={options(camera.cameras, (number) => t('unnamedCamera', { number }))}
              onChange={(change) => void choose(change.target.value, camera.microphoneId)} />
            <Select label={t('microphoneChoice')} value={camera.microphoneId}
              options={options(camera.microphones, (number) => t('unnamedMicrophone', { number }))}
              onChange={(change) => void choose(camera.cameraId, change.target.value)} />
            <Select label={t('bitrate.label')} value={String(cam.bitrate ?? DEFAULT_VIDEO_BITRATE)}
              hint={t('bitrate.hint')}
              options={bitrates(cam.bitrate, (kilobits) => t('bitrate.option', { kilobits }))}
              onChange={(change) => changeBitrate(Number(change.target.value))} />
          </div>
        </>
      ) : (
        <Button tone="primary" busy={camera.asking} icon={<CameraIcon size={20} aria-hidden />}
          onClick={() => void open()}>
          {t('openCamera')}
        </Button>
      )}
    </div>
  );
}
