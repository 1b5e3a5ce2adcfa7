import { IconButton } from '#platform/ui/controls/button.tsx';
import { Slider } from '#platform/ui/controls/slider.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Volume2, VolumeX } from 'lucide-react';
import { useEffect } from 'react';

const FULL = 100;
/** Step of an arrow key. */
const STEP = 5;

/**
 * The volume of videos on this page. It stays for the next video, because a sudden loud one would startle.
 */
export interface Sound {
  /** 0 to 100. */
  readonly volume: number;
  readonly isMuted: boolean;
}
export const LOUD: Sound = { volume: FULL, isMuted: false };
/** Muted at first on the performer's page: the microphone would pick up the audio. */
export const MUTED: Sound = { volume: FULL, isMuted: true };

/** The volume on this page; the other person has their own. */
export function Volume({ video, sound: { volume, isMuted }, onSound }: {
  readonly video: HTMLVideoElement | null;
  readonly sound: Sound;
  readonly onSound: (sound: Sound) => void;
}) {
  const { t } = useTranslation('shows');
  const isSilent = isMuted || volume === 0;
  useEffect(() => {
    if (!video) return;
    video.volume = volume / FULL;
    // Phones ignore the volume, but can be muted.
    video.muted = isSilent;
  }, [isSilent, video, volume]);
  return (
    <>
      <IconButton
        label={t(isSilent ? 'watch.unmute' : 'watch.mute')}
        onClick={() => onSound({ volume: volume === 0 ? FULL : volume, isMuted: !isSilent })}
      >
        {isSilent ? <VolumeX size={20} aria-hidden /> : <Volume2 size={20} aria-hidden />}
      </IconButton>
      <div className="flex w-28 px-2">
        <Slider
          label={t('watch.volume')}
          value={isSilent ? 0 : volume}
          min={0}
          max={FULL}
          step={STEP}
          onChange={(to) => onSound({ volume: to, isMuted: false })}
        />
      </div>
    </>
  );
}
