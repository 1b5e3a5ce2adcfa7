import { Camera as CameraIcon, CameraOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import { Button } from '../../../platform/ui/controls/button.tsx';
import { Select } from '../../../platform/ui/controls/fields.tsx';
import { useAudioLevel, type Camera } from './camera.ts';

/** The own picture, mirrored as in a mirror; never with sound. */
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

/** How loud the microphone is; says so in words when it stays silent. */
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

/** Step one of going live: see oneself, hear the meter move, choose other devices. */
export function DeviceCheck({ camera, onChange }: {
  camera: Camera;
  /** Another device was chosen while publishing. */
  onChange?: (media: MediaStream) => void;
}) {
  const { t } = useTranslation('broadcast');
  const choose = async (cameraId: string, microphoneId: string) => {
    const media = await camera.open(cameraId, microphoneId);
    if (media) onChange?.(media);
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
          <div className="grid gap-4 sm:grid-cols-2">
            <Select label={t('cameraChoice')} value={camera.cameraId}
              options={options(camera.cameras, (number) => t('unnamedCamera', { number }))}
              onChange={(change) => void choose(change.target.value, camera.microphoneId)} />
            <Select label={t('microphoneChoice')} value={camera.microphoneId}
              options={options(camera.microphones, (number) => t('unnamedMicrophone', { number }))}
              onChange={(change) => void choose(camera.cameraId, change.target.value)} />
          </div>
        </>
      ) : (
        <Button tone="primary" busy={camera.asking} icon={<CameraIcon size={20} aria-hidden />}
          onClick={() => void camera.open()}>
          {t('openCamera')}
        </Button>
      )}
    </div>
  );
}
