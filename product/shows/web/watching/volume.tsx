import { Volume2, VolumeX } from 'lucide-react';
import { useEffect } from 'react';
import { IconButton } from '#platform/ui/controls/button.tsx';
import { Slider } from '#platform/ui/controls/slider.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';

const FULL = 100;
/** One press of an arrow key. */
const STEP = 5;

/** How loud videos are here: it stays when another one begins, for nobody wants a sudden sound. */
export interface Sound {
  /** 0 to 100. */
  readonly volume: number;
  readonly isMuted: boolean;
}
export const LOUD: Sound = { volume: FULL, isMuted: false };
/** A microphone beside it would pick up the sound. */
export const MUTED: Sound = { volume: FULL, isMuted: true };

/** How loud the video is here; the other one has their own. */
export function Volume({ video, sound: { volume, isMuted }, onSound }: {
  readonly video: HTMLVideoElement | null; readonly sound: Sound; readonly onSound: (sound: Sound) => void;
}) {
  const { t } = useTranslation('shows');
  const isSilent = isMuted || volume === 0;
  useEffect(() => {
    if (!video) return;
    video.volume = volume / FULL;
    // Phones take no volume, and are silent all the same.
    video.muted = isSilent;
  }, [isSilent, video, volume]);
  return (
    <>
      <IconButton label={t(isSilent ? 'watch.unmute' : 'watch.mute')}
        onClick={() => onSound({ volume: volume === 0 ? FULL : volume, isMuted: !isSilent })}>
        {isSilent ? <VolumeX size={20} aria-hidden /> : <Volume2 size={20} aria-hidden />}
      </IconButton>
      <div className="flex w-28 px-2">
        <Slider label={t('watch.volume')} value={isSilent ? 0 : volume} min={0} max={FULL} step={STEP}
          onChange={(to) => onSound({ volume: to, isMuted: false })} />
      </div>
    </>
  );
}
