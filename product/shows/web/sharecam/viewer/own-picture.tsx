import { IconButton } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { CameraOff, MicOff } from 'lucide-react';
import { useEffect, useRef } from 'react';

/** The viewer's own camera, mirrored and muted, filling its container. */
export function OwnPicture({ media }: { readonly media: MediaStream | null }) {
  const { t } = useTranslation('broadcast');
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (video.current) video.current.srcObject = media;
  }, [media]);
  return (
    <div className="relative aspect-4/3 max-h-[22dvh] w-full overflow-hidden rounded-card bg-black">
      <video
        ref={video}
        autoPlay
        muted
        playsInline
        aria-label={t('preview')}
        className="size-full -scale-x-100 object-cover"
      />
      {media ? null : (
        <span className="absolute inset-0 flex items-center justify-center text-white">
          <CameraOff size={32} aria-hidden />
        </span>
      )}
    </div>
  );
}

/** Why the camera does not work, in the same words as for going live. */
export function CameraTroubleText({ trouble }: {
  readonly trouble: 'denied' | 'missing' | 'busy' | 'unsupported' | 'failed' | null;
}) {
  const { t } = useTranslation('broadcast');
  return trouble === null
    ? null
    : (
      <p role="alert" className="rounded-control border border-danger bg-raised px-3 py-2 text-sm">
        {t(`camera.${trouble}`)}
      </p>
    );
}

/** Mutes and unmutes the viewer's own microphone. */
export function MuteButton({ isMuted, onMute }: {
  readonly isMuted: boolean;
  readonly onMute: (isMuted: boolean) => void;
}) {
  const { t } = useTranslation('shows');
  return (
    <IconButton label={t('sharecam.mute')} pressed={isMuted} onClick={() => onMute(!isMuted)}>
      <MicOff size={20} aria-hidden />
    </IconButton>
  );
}
