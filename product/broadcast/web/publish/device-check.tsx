import { Button } from '#platform/ui/controls/button.tsx';
import { Select } from '#platform/ui/controls/fields.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Camera as CameraIcon, CameraOff, Gauge } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { CamView } from '../../contract/settings.ts';
import { bitrateFor, linesAt, SHARP, SHARPEST, uploadCarries, VIDEO_FORMATS } from '../../rules/upload.ts';
import { devicesOf, useAudioLevel, type Camera } from './camera.ts';
import type { UploadCheck } from './upload-check.ts';

interface PreviewProps {
  readonly media: MediaStream | null;
  /** Whether it fills its container instead of having the aspect ratio of a video. */
  readonly fills?: boolean;
}

/** The performer's own camera, mirrored and muted. */
export function Preview({ media, fills = false }: PreviewProps) {
  const { t } = useTranslation('broadcast');
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current) video.current.srcObject = media;
  }, [media]);
  return (
    <div className={`relative overflow-hidden rounded-card bg-black ${fills ? 'size-full' : 'aspect-video'}`}>
      <video
        ref={video}
        autoPlay
        muted
        playsInline
        aria-label={t('preview')}
        className="size-full -scale-x-100 object-contain"
      />
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
      <div
        role="meter"
        aria-labelledby="audio-meter"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(level * 100)}
        className="h-2 grow overflow-hidden rounded-full bg-raised"
      >
        <div
          className={`h-full origin-left ${level > 0.95 ? 'bg-danger' : 'bg-online'}`}
          style={{ transform: `scaleX(${level})` }}
        />
      </div>
    </div>
  );
}

const options = (devices: readonly MediaDeviceInfo[], unnamed: (number: number) => string) =>
  devices.map((device, at) => ({ value: device.deviceId, text: device.label || unnamed(at + 1) }));

interface DeviceChoicesProps {
  readonly camera: Camera;
  /** Devices and bit rate of the last session. */
  readonly cam: CamView;
  /** Measured upload in kbit/s; null if it was not measured. */
  readonly uploadKilobits: number | null;
  /** Called when another camera or microphone is opened, or the same camera at another resolution. */
  readonly onChange?: (media: MediaStream) => void;
  readonly onBitrate?: (bitrate: number) => void;
  /** Called with the devices in use, to be saved for the next session. */
  readonly onUsed: (cam: CamView) => void;
}

/** Saves the devices in use if they have changed. */
const savesUsed =
  ({ cam, onUsed }: Pick<DeviceChoicesProps, 'cam' | 'onUsed'>) =>
  (media: MediaStream | null, bitrate: number | null) => {
    const used: CamView = { ...(media ? devicesOf(media) : cam), bitrate };
    if (Object.entries(used).some(([name, value]) => cam[name as keyof CamView] !== value)) onUsed(used);
  };

/** How loud it is, and which camera, microphone and video quality are used. */
export function DeviceChoices(props: DeviceChoicesProps) {
  const { camera, cam, uploadKilobits, onChange, onBitrate } = props;
  const { t } = useTranslation('broadcast');
  const save = savesUsed(props);
  const bitrate = bitrateFor(cam.bitrate, uploadKilobits);
  const reopen = async (choice: { camera: string; microphone: string; bitrate: number }) => {
    const media = await camera.open(choice);
    if (media) onChange?.(media);
    return media;
  };
  // Of two quick choices, the second must include the first, which may not be open or rendered yet.
  const chosen = useRef<{ camera?: string; microphone?: string }>({});
  const inUse = () => ({ camera: camera.cameraId, microphone: camera.microphoneId, ...chosen.current });
  const choose = async (device: { camera?: string; microphone?: string }) => {
    const own = { ...chosen.current, ...device };
    chosen.current = own;
    const media = await reopen({ ...inUse(), bitrate });
    if (media) save(media, cam.bitrate);
    else if (chosen.current === own) chosen.current = {};
  };
  const changeBitrate = async (next: number) => {
    // Another number of lines needs the camera reopened at another resolution.
    if (linesAt(next) !== linesAt(bitrate)) {
      if (!await reopen({ ...inUse(), bitrate: next })) return;
    }
    onBitrate?.(next);
    save(camera.media, next);
  };
  return (
    <>
      <AudioMeter media={camera.media} />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Select
          label={t('cameraChoice')}
          value={camera.cameraId}
          options={options(camera.cameras, (number) => t('unnamedCamera', { number }))}
          onChange={(change) => void choose({ camera: change.target.value })}
        />
        <Select
          label={t('microphoneChoice')}
          value={camera.microphoneId}
          options={options(camera.microphones, (number) => t('unnamedMicrophone', { number }))}
          onChange={(change) => void choose({ microphone: change.target.value })}
        />
        <Select
          label={t('bitrate.label')}
          value={String(bitrate)}
          hint={t(uploadKilobits === null ? 'bitrate.hint' : 'bitrate.measured', {
            megabits: (uploadKilobits ?? 0) / 1_000,
          })}
          options={bitratesFor(cam.bitrate, uploadKilobits).map((kilobits) => ({
            value: String(kilobits),
            text: t('bitrate.option', { kilobits, lines: linesAt(kilobits) }),
          }))}
          onChange={(change) => void changeBitrate(Number(change.target.value))}
        />
      </div>
    </>
  );
}

/** The bit rates that the upload carries, plus the last used one. */
const bitratesFor = (own: number | null, uploadKilobits: number | null): readonly number[] =>
  [...new Set([...VIDEO_FORMATS.map(({ kilobits }) => kilobits), ...(own === null ? [] : [own])])]
    .filter((kilobits) => uploadCarries(uploadKilobits, kilobits)).sort((a, b) => a - b);

interface DeviceCheckProps extends Omit<DeviceChoicesProps, 'uploadKilobits'> {
  readonly upload: UploadCheck;
}

/** First step of going live: check camera, microphone and upload, choose devices and video quality. */
export function DeviceCheck({ upload, ...props }: DeviceCheckProps) {
  const { camera, cam } = props;
  const { t } = useTranslation('broadcast');
  const save = savesUsed(props);
  const open = async () => {
    const { videoTrack, audioTrack, bitrate } = cam;
    // The last choice was sharper than usual: first measures whether today's line carries it.
    const kilobits = uploadCarries(null, bitrate ?? 0) ? null : await upload.run();
    save(
      await camera.open({
        camera: videoTrack,
        microphone: audioTrack,
        preferred: true,
        bitrate: bitrateFor(bitrate, kilobits),
      }),
      bitrate,
    );
  };
  return (
    <div className="flex flex-col gap-4">
      <Preview media={camera.media} />
      {camera.trouble
        ? (
          <p role="alert" className="rounded-control border border-danger bg-raised px-3 py-2 text-sm">
            {t(`camera.${camera.trouble}`)}
          </p>
        )
        : null}
      {camera.media
        ? (
          <>
            <DeviceChoices {...props} uploadKilobits={upload.kilobits} />
            <UploadLine upload={upload} />
          </>
        )
        : (
          <Button
            tone="primary"
            busy={camera.asking || upload.busy}
            icon={<CameraIcon size={20} aria-hidden />}
            onClick={() => void open()}
          >
            {t('openCamera')}
          </Button>
        )}
    </div>
  );
}

/** Measures the upload, which sharper video requires, and shows the result. */
function UploadLine({ upload }: { upload: UploadCheck }) {
  const { t } = useTranslation('broadcast');
  const { kilobits, busy, failed } = upload;
  const said = failed
    ? t('upload.failed')
    : kilobits === null
    ? t('upload.lead')
    : t(
      uploadCarries(kilobits, SHARPEST) ? 'upload.full' : uploadCarries(kilobits, SHARP)
        ? 'upload.half'
        : 'upload.usual',
    );
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <p role="status" className="min-w-0 grow basis-48 text-sm text-muted">
        {busy ? t('upload.busy') : said}
      </p>
      <Button busy={busy} icon={<Gauge size={20} aria-hidden />} onClick={() => void upload.run()}>
        {t(kilobits === null ? 'upload.check' : 'upload.again')}
      </Button>
    </div>
  );
}
