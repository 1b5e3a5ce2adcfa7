import type { OutputOf } from '#platform/contract/call.ts';
import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { useFocusPlace } from '#platform/ui/focus-place.ts';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import type { getOwnBroadcast } from '#product/broadcast/client.ts';
import type { HealthView } from '#product/broadcast/contract.ts';
import type { Settings } from '#product/broadcast/web/live.ts';
import { EncoderStatus } from '#product/broadcast/web/player/encoder-status.tsx';
import { Player } from '#product/broadcast/web/player/player.tsx';
import type { Camera } from '#product/broadcast/web/publish/camera.ts';
import { Preview } from '#product/broadcast/web/publish/device-check.tsx';
import type { Publishing } from '#product/broadcast/web/publish/publisher.ts';
import { lazy, Suspense, useRef, useState } from 'react';
import { OwnRoom } from '../room/panels/own-room.tsx';
import { Elapsed, StateOf, Viewers } from './console/console-strip.tsx';
import { ConsoleTabs, shownPart, type ConsolePart } from './console/console-tabs.tsx';
import { EndDialog, type Ended } from './console/end-dialog.tsx';
import { StreamTools } from './console/stream-tools.tsx';
import { HideButton } from './hiding/hide-button.tsx';

/** Tools of a show; the video beside them is loaded first. */
const TipTools = lazy(() => import('#product/tips/web/tools/tip-tools.tsx'));
const CameraList = lazy(() => import('#product/shows/web/sharecam/performer/camera-list.tsx'));
const OwnTicketShow = lazy(() => import('#product/shows/web/tickets/performer/own-ticket-show.tsx'));
const OwnGroupGoal = lazy(() => import('#product/shows/web/goals/own-goal.tsx'));
const StartShows = lazy(() => import('#product/shows/web/tickets/performer/start-shows.tsx'));
const ShowQueue = lazy(() => import('#product/shows/web/private/performer/show-queue.tsx'));

/**
 * Exactly as high as the window. On a phone, from the top: status, requests and running shows, the video, one
 * part, the tabs; in landscape the video is beside the part. In a wide window three columns: the video with
 * tips and orders under it; the chat; requests and running shows, which take their height only from what can
 * be started and from the stream.
 */
const FRAME = 'group/console min-h-0 grow max-lg:flex max-lg:flex-col max-lg:overflow-hidden '
  + 'max-lg:phone-landscape:grid max-lg:phone-landscape:grid-cols-2 '
  + 'max-lg:phone-landscape:grid-rows-[auto_auto_minmax(0,1fr)_auto] '
  + 'lg:grid lg:grid-cols-[minmax(0,5fr)_minmax(280px,3fr)_minmax(280px,3fr)] '
  + 'lg:grid-rows-[auto_auto_minmax(0,1fr)] lg:gap-4 lg:p-4';
/** For a wide window; on a phone its content belongs to the frame itself. */
const COLUMN = 'max-lg:contents lg:flex lg:min-h-0 lg:flex-col lg:gap-4 lg:overflow-y-auto';
/** On a phone, the open part takes the space that the video leaves. */
const PART = 'max-lg:min-h-0 max-lg:grow max-lg:basis-0 max-lg:rounded-none max-lg:border-x-0 '
  + 'max-lg:phone-landscape:col-start-2 max-lg:phone-landscape:row-start-2 max-lg:phone-landscape:row-span-2';
const SCROLLING = `p-4 max-lg:overflow-y-auto lg:shrink-0 ${PART}`;
const PICTURE = 'shrink-0 overflow-hidden bg-black max-lg:h-[min(56.25vw,32dvh)] '
  + 'max-lg:group-has-data-now/console:h-[min(56.25vw,20dvh)] max-lg:phone-landscape:col-start-1 '
  + 'max-lg:phone-landscape:row-start-3 max-lg:phone-landscape:h-full! max-lg:phone-landscape:min-h-0 '
  + 'lg:aspect-video lg:rounded-card';

interface PerformerConsoleProps {
  readonly own: OutputOf<typeof getOwnBroadcast>;
  /** Null when the video comes from an encoder or another tab. */
  readonly camera: Camera | null;
  readonly publishing: Publishing;
  /** Measurements of the last minute, oldest first. */
  readonly history: readonly HealthView[];
  readonly lobby: Connection | null;
  readonly settings: Settings;
  /** Upload speed in kbit/s, as measured before the show; null if it was not. */
  readonly uploadKilobits: number | null;
  readonly onEnded: (ended: Ended) => void;
}

/** While live: the performer sees themselves, the chat, the requests, and the income. */
export function PerformerConsole(props: PerformerConsoleProps) {
  const { own, camera, publishing, lobby, onEnded } = props;
  const { t } = useTranslation('screens');
  const me = useMe();
  const username = me?.user.username ?? '';
  const [ending, setEnding] = useState(false);
  // Nothing is watched after a request to end: the stream is gone before its events arrive.
  const [isOver, setIsOver] = useState(false);
  const [part, setPart] = useState<ConsolePart>('chat');
  return (
    <div data-fills className={FRAME}>
      <div className="flex shrink-0 items-center gap-2 px-3 py-1 max-lg:phone-landscape:col-span-2
        lg:col-span-3
        lg:gap-3 lg:p-0">
        <h1 className="text-lg font-bold max-lg:sr-only">{t('live.controlRoom')}</h1>
        <StateOf phase={publishing.phase} state={own.state} />
        <Elapsed since={own.startedAt} />
        {own.health ? <Viewers count={own.health.viewers} /> : null}
        <span className="grow" />
        <HideButton
          onHiding={() => {
            setIsOver(true);
            publishing.stop();
          }}
        />
        <Button tone="danger" onClick={() => setEnding(true)}>{t('live.end')}</Button>
      </div>
      <Now />
      <div className={`${COLUMN} lg:col-start-1 lg:row-span-2 lg:row-start-2`}>
        <div className={`relative ${PICTURE}`}>
          <Picture own={own} camera={camera} username={username} isOver={isOver} />
          <p role="status" className="absolute inset-x-0 bottom-0 bg-black/80 text-sm text-white">
            {publishing.phase === 'blocked'
              ? <span className="block p-3">{t('live.blockedText')}</span>
              : null}
            {/* The broadcast goes on from somewhere else: why this page sends no more. */}
            {publishing.phase === 'refused' && publishing.problem
              ? <span className="block p-3">{publishing.problem.message}</span>
              : null}
          </p>
        </div>
        <Card className={`${SCROLLING} ${shownPart('tips', part)}`}>
          <Suspense fallback={<Skeleton className="h-48" />}>
            <TipTools lobby={lobby} username={username} />
          </Suspense>
        </Card>
      </div>
      <Card
        className={`flex min-h-0 flex-col overflow-clip ${PART} ${shownPart('chat', part)} lg:col-start-2
        lg:row-span-2 lg:row-start-2`}
      >
        <OwnRoom username={username} />
      </Card>
      <div className={`${COLUMN} lg:col-start-3 lg:row-start-3`}>
        <Card className={`${SCROLLING} ${shownPart('shows', part)}`}>
          <Starting />
        </Card>
        <Card className={`${SCROLLING} ${shownPart('stream', part)}`}>
          <StreamTools {...props} />
        </Card>
      </div>
      <ConsoleTabs open={part} onOpen={setPart} />
      {ending
        ? (
          <EndDialog
            own={own}
            publishing={publishing}
            onOver={setIsOver}
            onEnded={onEnded}
            onClose={() => setEnding(false)}
          />
        )
        : null}
    </div>
  );
}

const NOW = 'shrink-0 p-4 empty:hidden max-lg:rounded-none max-lg:border-x-0 max-lg:p-3 '
  + 'max-lg:not-has-data-now:hidden';

/**
 * Requests and running shows, above everything else in the column, and on a phone above the video. A wide
 * window says so when nobody waits.
 */
function Now() {
  const own = useRef<HTMLDivElement>(null);
  useFocusPlace(own);
  return (
    <div
      ref={own}
      className="flex shrink-0 flex-col overflow-y-auto max-lg:max-h-[34dvh]
      max-lg:phone-landscape:col-start-1 max-lg:phone-landscape:row-start-2
      max-lg:phone-landscape:max-h-[50dvh] lg:col-start-3
      lg:row-start-2 lg:max-h-[66dvh] lg:gap-4"
    >
      <Card className={NOW}>
        <Suspense fallback={<Skeleton className="h-24" />}>
          <ShowQueue />
        </Suspense>
      </Card>
      <Card className={NOW}>
        <Suspense>
          <CameraList isBanner />
        </Suspense>
      </Card>
      <Card className={NOW}>
        <Suspense>
          <OwnTicketShow />
        </Suspense>
      </Card>
      <Card className={NOW}>
        <Suspense>
          <OwnGroupGoal />
        </Suspense>
      </Card>
    </div>
  );
}

/** What the performer can start, besides private shows, which viewers request. */
function Starting() {
  const { t } = useTranslation('screens');
  return (
    <section aria-labelledby="start-shows" className="flex flex-col gap-3">
      <h2 id="start-shows" className="text-sm text-muted">{t('console.start')}</h2>
      <Suspense fallback={<Skeleton className="h-11 w-full" />}>
        <StartShows />
      </Suspense>
    </section>
  );
}

/** The performer's own camera; or what viewers see, once there is something to see. */
function Picture({ own, camera, username, isOver }: Pick<PerformerConsoleProps, 'own' | 'camera'> & {
  readonly username: string;
  readonly isOver: boolean;
}) {
  const { t } = useTranslation('screens');
  if (camera) return <Preview media={camera.media} fills />;
  const isTroubled = (own.health?.trouble ?? null) !== null;
  if (own.state === 'ready' || isTroubled) {
    return (
      <div className="size-full overflow-y-auto bg-surface p-4">
        <EncoderStatus health={own.health} />
      </div>
    );
  }
  return (
    <Player
      username={username}
      live={own.state === 'online' && !isOver}
      cover={null}
      label={t('live.monitor')}
    />
  );
}
