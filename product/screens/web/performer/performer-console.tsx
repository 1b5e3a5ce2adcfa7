import { Eye } from 'lucide-react';
import { lazy, Suspense, useState, useSyncExternalStore } from 'react';
import type { OutputOf } from '../../../../platform/contract/call.ts';
import type { Connection } from '../../../../platform/contract/sockets/socket-client.ts';
import { queryKeyOf, useAction, useCache } from '../../../../platform/ui/calls/calls.ts';
import { Button } from '../../../../platform/ui/controls/button.tsx';
import { Card, Pill } from '../../../../platform/ui/surfaces/card.tsx';
import { ConfirmDialog } from '../../../../platform/ui/surfaces/dialogs/questions.tsx';
import { FormError, Skeleton } from '../../../../platform/ui/surfaces/states.tsx';
import { useToast } from '../../../../platform/ui/surfaces/toasts.tsx';
import { clockText } from '../../../../platform/ui/text/measures.ts';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useMe } from '../../../accounts/web/me.ts';
import { endBroadcast, getOwnBroadcast } from '../../../broadcast/client.ts';
import type { HealthView } from '../../../broadcast/contract.ts';
import type { Camera } from '../../../broadcast/web/publish/camera.ts';
import { DetailsForm } from '../../../broadcast/web/details-form.tsx';
import { DeviceCheck } from '../../../broadcast/web/publish/device-check.tsx';
import { HealthStrip } from '../../../broadcast/web/publish/health-strip.tsx';
import { useStreamerSettings, type Settings } from '../../../broadcast/web/live.ts';
import { Player } from '../../../broadcast/web/player/player.tsx';
import type { Publishing } from '../../../broadcast/web/publish/publisher.ts';
import { EncoderStatus } from '../../../broadcast/web/player/encoder-status.tsx';
import { RecordControl } from '../../../recordings/web/record-control.tsx';
import { HideButton } from './hiding/hide-button.tsx';
import { OwnRoom } from '../room/panels/own-room.tsx';
import { useSecondsSince } from '../../../../platform/ui/time/countdown.ts';

/** Tools of a show, beside the picture that is wanted first. */
const TipTools = lazy(() => import('../../../tips/web/tools/tip-tools.tsx'));
const CameraList = lazy(() => import('../../../shows/web/sharecam/performer/camera-list.tsx'));
const OwnTicketShow = lazy(() => import('../../../shows/web/tickets/performer/own-ticket-show.tsx'));
const OwnGroupGoal = lazy(() => import('../../../shows/web/goals/own-goal.tsx'));
const ShowQueue = lazy(() => import('../../../shows/web/private/performer/show-queue.tsx'));

const COLUMN = 'flex min-h-0 flex-col gap-4 lg:relative lg:overflow-y-auto';
/** Below it the console is one column; `lg` of the styles. */
const NARROW = '(max-width: 1023.98px)';

interface PerformerConsoleProps {
  readonly own: OutputOf<typeof getOwnBroadcast>;
  /** Null when the picture comes from an encoder or another tab. */
  readonly camera: Camera | null;
  readonly publishing: Publishing;
  /** Measurements of the last minute, oldest first. */
  readonly history: readonly HealthView[];
  readonly lobby: Connection | null;
  readonly settings: Settings;
}

/**
 * While live: picture and health on the left, chat in the middle, tips and topic on the right, one big End.
 */
export function PerformerConsole(
  { own, camera, publishing, history, lobby, settings }: PerformerConsoleProps,
) {
  const { t } = useTranslation('screens');
  const me = useMe();
  const username = me?.user.username ?? '';
  const [ending, setEnding] = useState(false);
  // Nothing is watched any more once the end was asked for: the stream is gone before the news of it come.
  const [isOver, setIsOver] = useState(false);
  const isNarrow = useIsNarrow();
  return (
    <div
      className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4 lg:h-[calc(100dvh-var(--header,57px))]
        lg:grid-cols-[minmax(0,5fr)_minmax(280px,3fr)_minmax(280px,3fr)]">
      <div className={COLUMN}>
        <div className="flex flex-wrap items-center gap-3">
          <h1 className="text-lg font-bold">{t('live.controlRoom')}</h1>
          <StateOf phase={publishing.phase} state={own.state} />
          <Elapsed since={own.startedAt} />
          <Viewers count={own.health?.viewers ?? 0} />
          <span className="grow" />
          <RecordControl lobby={lobby} canRecord={own.state === 'online'} />
          <HideButton onHiding={() => {
            setIsOver(true);
            publishing.stop();
          }} />
          <Button tone="danger" onClick={() => setEnding(true)}>
            {t('live.end')}
          </Button>
        </div>
        {isNarrow ? <Queue /> : null}
        <Card className="p-4">
          <Picture own={own} camera={camera} publishing={publishing} settings={settings}
            username={username} isOver={isOver} />
        </Card>
        <Card className="p-4">
          <HealthStrip health={own.health} history={history} />
        </Card>
      </div>
      <Card className="flex min-h-0 flex-col overflow-clip max-lg:h-[60dvh]">
        <OwnRoom username={username} />
      </Card>
      <div className={COLUMN}>
        {isNarrow ? null : <Queue />}
        <OwnShows />
        <Card className="p-4">
          <Suspense fallback={<Skeleton className="h-48" />}>
            <TipTools lobby={lobby} username={username} />
          </Suspense>
        </Card>
        <Card className="p-4">
          <h2 className="pb-4 text-lg font-bold">{t('live.details')}</h2>
          <DetailsForm title={own.title} tags={own.tags} onSaved={() => undefined} />
        </Card>
      </div>
      {ending ? (
        <EndDialog own={own} publishing={publishing} onOver={setIsOver} onClose={() => setEnding(false)} />
      ) : null}
    </div>
  );
}

/** Whether the console is one column. */
const useIsNarrow = (): boolean => useSyncExternalStore(
  (onChange) => {
    const list = matchMedia(NARROW);
    list.addEventListener('change', onChange);
    return () => list.removeEventListener('change', onChange);
  },
  () => matchMedia(NARROW).matches,
  () => false,
);

/**
 * Whoever waits for a private show, and the show that runs: on a phone above the picture, else at the top of
 * its column wherever that is scrolled to.
 */
function Queue() {
  return (
    <Card className="p-4 lg:sticky lg:top-0 lg:z-10 lg:max-h-[50dvh] lg:shrink-0 lg:overflow-y-auto">
      <Suspense fallback={<Skeleton className="h-24" />}><ShowQueue /></Suspense>
    </Card>
  );
}

/** What can be started of paid shows, and whose cameras wait. */
function OwnShows() {
  return [CameraList, OwnTicketShow, OwnGroupGoal].map((Part, at) => (
    // The list never changes.
    // oxlint-disable-next-line react/no-array-index-key
    <Card key={at} className="p-4">
      <Suspense fallback={<Skeleton className="h-24" />}><Part /></Suspense>
    </Card>
  ));
}

/** The own camera; or what viewers see, once there is something to see. */
function Picture({ own, camera, publishing, settings, username, isOver }: Pick<
  PerformerConsoleProps, 'own' | 'camera' | 'publishing' | 'settings'
> & { username: string; isOver: boolean }) {
  const { t } = useTranslation('screens');
  const { save } = useStreamerSettings();
  if (camera) {
    return (
      <DeviceCheck camera={camera} cam={settings.cam} onChange={publishing.replaceMedia}
        onBitrate={publishing.setBitrate} onUsed={(cam) => void save({ cam })} />
    );
  }
  const isTroubled = (own.health?.trouble ?? null) !== null;
  if (own.state === 'ready' || isTroubled) return <EncoderStatus health={own.health} />;
  return (
    <div className="aspect-video overflow-hidden rounded-card">
      <Player username={username} live={own.state === 'online' && !isOver} cover={null}
        label={t('live.monitor')} />
    </div>
  );
}

function StateOf({ phase, state }: Pick<Publishing, 'phase'> & { state: string }) {
  const { t } = useTranslation('screens');
  if (phase === 'reconnecting' || state === 'reconnecting')
    return <Pill tone="warning">{t('live.reconnecting')}</Pill>;
  if (phase === 'connecting' || state === 'ready') return <Pill>{t('live.connecting')}</Pill>;
  return <Pill tone="live">{t('room.live')}</Pill>;
}

function Viewers({ count }: { count: number }) {
  const { t } = useTranslation('screens');
  return (
    <span className="tabular inline-flex items-center gap-1 text-sm text-muted">
      <Eye size={16} aria-hidden />{t('live.viewers', { count })}
    </span>
  );
}

/** Time on air, by the second. */
function Elapsed({ since }: { since: string | null }) {
  const seconds = useSecondsSince(since);
  return seconds === null ? null : <span className="tabular text-sm text-muted">{clockText(seconds)}</span>;
}

function EndDialog({ own, publishing, onOver, onClose }: {
  own: PerformerConsoleProps['own']; publishing: Publishing;
  onOver: (isOver: boolean) => void; onClose: () => void;
}) {
  const { t } = useTranslation('screens');
  const cache = useCache();
  const toast = useToast();
  const end = useAction(endBroadcast);
  const confirm = async () => {
    onOver(true);
    const done = await end.run({});
    onOver(done !== null);
    publishing.stop();
    if (done) toast(t('live.ended', { time: clockText(done.seconds), count: done.peakViewers }), 'success');
    await cache.invalidateQueries({ queryKey: queryKeyOf(getOwnBroadcast) });
    onClose();
  };
  return (
    <ConfirmDialog title={t('live.endTitle')} accept={t('live.end')} reject={t('live.stay')} tone="danger"
      busy={end.busy} onAccept={() => void confirm()} onReject={onClose}>
      <p>{t('live.endText', { count: own.health?.viewers ?? 0 })}</p>
      <FormError problem={end.problem} />
    </ConfirmDialog>
  );
}
