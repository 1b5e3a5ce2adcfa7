import { useAction, useCache } from '#platform/ui/calls/calls.ts';
import { IconButton } from '#platform/ui/controls/button.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { PersonButton } from '#product/rooms/web/person-card.tsx';
import { VolumeX, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { endSharecam } from '../../../client.ts';
import type { RunningSharecamView } from '../../../contract/sharecam.ts';
import { Clock, Cost } from '../../private/amounts.tsx';
import { showWithoutCamera, useListAgain } from '../live.ts';
import { useCameraPlayer } from './camera-player.ts';

/** A viewer's video, its totals, its audio, and the button to stop it. */
export function CameraTile({ running }: { readonly running: RunningSharecamView }) {
  const { t } = useTranslation('shows');
  const cache = useCache();
  const again = useListAgain();
  const video = useRef<HTMLVideoElement>(null);
  const { username: name } = running;
  const state = useCameraPlayer(name, video);
  // Muted at first: the broadcast's microphone would carry the viewer's voice to everybody.
  const [isMuted, setMuted] = useState(true);
  const end = useAction(endSharecam);
  const stop = async () => {
    if (await end.run({ username: name })) showWithoutCamera(cache, name);
    else again();
  };
  return (
    <li className="flex w-40 flex-col gap-1 max-sm:w-full">
      <div className="relative aspect-4/3 overflow-hidden rounded-card bg-black">
        <video
          ref={video}
          autoPlay
          playsInline
          muted={isMuted}
          className="size-full object-cover"
          aria-label={t('sharecam.list.video', { name })}
        />
        {state === 'playing'
          ? null
          : (
            <p className="absolute inset-0 flex items-center justify-center px-2 text-center text-sm
            text-white">
              {t(state === 'connecting' ? 'sharecam.list.connecting' : 'sharecam.list.none')}
            </p>
          )}
      </div>
      <p className="font-bold break-words">
        <PersonButton username={name} />
      </p>
      <p className="flex flex-wrap gap-x-2 text-sm">
        <Clock seconds={running.seconds} />
        {running.cost_per_minute === 0 ? null : <Cost tokens={running.tokens} />}
      </p>
      <div className="flex gap-2">
        <IconButton
          label={t('sharecam.list.mute', { name })}
          pressed={isMuted}
          onClick={() => setMuted(!isMuted)}
        >
          <VolumeX size={20} aria-hidden />
        </IconButton>
        <IconButton label={t('sharecam.list.stop', { name })} onClick={() => void stop()}>
          <X size={20} aria-hidden />
        </IconButton>
      </div>
      <FormError problem={end.problem} />
    </li>
  );
}
