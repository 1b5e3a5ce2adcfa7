import { Film } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../../platform/ui/controls/button.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import type { WatchTogetherView } from '../../contract/private-show.ts';
import { useCheckAgain } from '../private/live.ts';
import { useWhereNow } from './live.ts';
import { WatchedVideo } from './watched-video.tsx';

interface ViewerWatchingProps {
  readonly watched: WatchTogetherView;
  /** The performer, and how she is called. */
  readonly broadcaster: string;
  readonly name: string;
}

/** The video that the performer shows this viewer, who follows it, or hides it. */
export default function ViewerWatching({ watched, broadcaster, name }: ViewerWatchingProps) {
  const { t } = useTranslation('shows');
  const again = useCheckAgain(broadcaster);
  const whereNow = useWhereNow(watched);
  const [isHidden, setHidden] = useState(false);
  return (
    <section aria-label={t('watch.title')} className="flex flex-col gap-2 pt-3">
      <div className="flex max-w-md flex-wrap items-center justify-between gap-2">
        <p className="flex min-w-0 items-center gap-2 text-sm">
          <Film size={20} aria-hidden className="shrink-0" />
          <span className="min-w-0 break-words">{t('watch.with', { name })}</span>
        </p>
        <Button onClick={() => setHidden(!isHidden)}>{t(isHidden ? 'watch.show' : 'watch.hide')}</Button>
      </div>
      {isHidden ? null : (
        <WatchedVideo key={watched.id} watched={watched} whereNow={whereNow} broadcaster={broadcaster}
          isMuted={false} onLost={again} />
      )}
    </section>
  );
}
