import type { Problem } from '#platform/contract/client.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { FileButton } from '#platform/ui/controls/file-button.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { choiceFault, IMAGE_TYPES } from '#product/accounts/rules/avatar-choice.ts';
import { troubleOf, type CameraTrouble } from '#product/broadcast/web/publish/camera.ts';
import { Camera, Check, ImageUp } from 'lucide-react';
import { useCallback, useEffect, useId, useRef, useState } from 'react';

/** Enough to read a card; the server makes it smaller. */
const WANTED = { width: { ideal: 2_560 }, height: { ideal: 1_440 } } as const;
const JPEG_QUALITY = 0.92;

interface PictureFieldProps {
  readonly label: string;
  readonly hint: string;
  /** `environment` is the camera at the back of a phone. */
  readonly facing: 'environment' | 'user';
  readonly isThere: boolean;
  readonly busy: boolean;
  readonly problem: Problem | null;
  readonly onPicture: (file: File) => void;
}

/** One picture, by the camera of this device or from a file. */
export function PictureField({ label, hint, facing, isThere, busy, problem, onPicture }: PictureFieldProps) {
  const { t } = useTranslation('identity');
  const id = useId();
  const [isFilming, setFilming] = useState(false);
  const [fault, setFault] = useState<ReturnType<typeof choiceFault>>(null);
  const choose = (files: readonly File[]) => {
    const wrong = choiceFault(files);
    setFault(wrong);
    const [file] = files;
    if (wrong === null && file) onPicture(file);
  };
  return (
    <div
      role="group"
      aria-labelledby={id}
      className="flex flex-col gap-3 rounded-control border border-line p-3"
    >
      <p id={id} className="flex items-center gap-2 text-sm font-medium">
        {label}
        {isThere ? <Check size={18} aria-hidden className="text-success-text" /> : null}
      </p>
      <p id={`${id}-hint`} className="text-sm text-muted">{isThere ? t('picture.there') : hint}</p>
      {fault === null
        ? null
        : <p role="alert" className="text-sm text-danger-text">{t(`accounts:avatar.faults.${fault}`)}</p>}
      <FormError problem={problem} />
      {isFilming
        ? (
          <Capture
            facing={facing}
            busy={busy}
            onClose={() => setFilming(false)}
            onPicture={(file) => {
              setFilming(false);
              onPicture(file);
            }}
          />
        )
        : (
          <div className="flex flex-col gap-3 sm:flex-row">
            <Button
              icon={<Camera size={20} aria-hidden />}
              aria-describedby={`${id} ${id}-hint`}
              disabled={busy}
              onClick={() => setFilming(true)}
            >
              {t('picture.camera')}
            </Button>
            <FileButton
              accept={IMAGE_TYPES}
              busy={busy}
              icon={<ImageUp size={20} aria-hidden />}
              describedBy={`${id} ${id}-hint`}
              onChoose={choose}
            >
              {t(isThere ? 'picture.replace' : 'picture.file')}
            </FileButton>
          </div>
        )}
      <p role="status" className="text-sm text-muted">{busy ? t('picture.sending') : ''}</p>
    </div>
  );
}

/** Opens a camera while it is shown. */
function useVideo(facing: PictureFieldProps['facing']) {
  const [media, setMedia] = useState<MediaStream | null>(null);
  const [trouble, setTrouble] = useState<CameraTrouble | null>(null);
  useEffect(() => {
    let isLeft = false;
    let opened: MediaStream | null = null;
    const stop = () => opened?.getTracks().forEach((track) => track.stop());
    const open = async () => {
      try {
        opened = await navigator.mediaDevices.getUserMedia({ video: { facingMode: facing, ...WANTED } });
        if (isLeft) stop();
        else setMedia(opened);
      } catch (error) {
        setTrouble(navigator.mediaDevices ? troubleOf(error) : 'unsupported');
      }
    };
    void open();
    return () => {
      isLeft = true;
      stop();
    };
  }, [facing]);
  return { media, trouble };
}

/** The camera, then the picture that was taken, which is sent only after a look at it. */
function Capture({ facing, busy, onClose, onPicture }: {
  readonly facing: PictureFieldProps['facing'];
  readonly busy: boolean;
  readonly onClose: () => void;
  readonly onPicture: (file: File) => void;
}) {
  const { t } = useTranslation('identity');
  const { media, trouble } = useVideo(facing);
  const video = useRef<HTMLVideoElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isTaken, setTaken] = useState(false);
  useEffect(() => {
    if (video.current && media) video.current.srcObject = media;
  }, [media, isTaken]);
  const take = () => {
    const [from, to] = [video.current, canvas.current];
    if (!from || !to || from.videoWidth === 0) return;
    to.width = from.videoWidth;
    to.height = from.videoHeight;
    to.getContext('2d')?.drawImage(from, 0, 0);
    setTaken(true);
  };
  const send = useCallback(() => {
    canvas.current?.toBlob(
      (blob) => {
        if (blob) onPicture(new File([blob], 'picture.jpg', { type: 'image/jpeg' }));
      },
      'image/jpeg',
      JPEG_QUALITY,
    );
  }, [onPicture]);
  if (trouble !== null) {
    return (
      <div className="flex flex-col items-start gap-3">
        <p role="alert" className="text-sm text-danger-text">{t(`picture.trouble.${trouble}`)}</p>
        <Button onClick={onClose}>{t('picture.close')}</Button>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <video
        ref={video}
        autoPlay
        playsInline
        muted
        hidden={isTaken}
        aria-label={t('picture.preview')}
        className={`w-full rounded-control bg-raised ${facing === 'user' ? '-scale-x-100' : ''}`}
      />
      <canvas
        ref={canvas}
        hidden={!isTaken}
        role="img"
        aria-label={t('picture.taken')}
        className="w-full rounded-control"
      />
      <div className="flex flex-col gap-3 sm:flex-row">
        {isTaken
          ? (
            <>
              <Button tone="primary" busy={busy} onClick={send}>{t('picture.use')}</Button>
              <Button onClick={() => setTaken(false)}>{t('picture.again')}</Button>
            </>
          )
          : (
            <>
              <Button tone="primary" disabled={!media} onClick={take}>{t('picture.take')}</Button>
              <Button onClick={onClose}>{t('picture.close')}</Button>
            </>
          )}
      </div>
    </div>
  );
}
