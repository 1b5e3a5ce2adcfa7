import { useCache, useRead } from '#platform/ui/calls/calls.ts';
import { useEvent, useJoined, useLobby, useWhileAway } from '#platform/ui/calls/live.ts';
import { IconButton } from '#platform/ui/controls/button.tsx';
import { Loaded, ReadError } from '#platform/ui/surfaces/section.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { Bell, BellOff } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router';
import { getOwnTicketShows, getPrivateRequests, privateQueue } from '../../../client.ts';
import type { RunningPrivateView } from '../../../contract/private-running.ts';
import { SpyAudience } from '../../spying/spy-audience.tsx';
import { EndDialog } from '../end-dialog.tsx';
import { changeQueue, useIsOtherSilent, useOutcome, useQueueAgain, type Queue } from '../live.ts';
import { Over } from '../over.tsx';
import { Running } from '../running.tsx';
import { RequestList } from './request-list.tsx';
import { useRequestSound } from './request-sound.ts';

const OwnWatching = lazy(() => import('../../watching/own-watching.tsx'));

/**
 * Pending requests for a private show with this performer, oldest first, and the running show.
 * @param isBanner in the performer's own room, takes no space while there is nothing to show
 */
export default function ShowQueue({ isBanner = false }: { isBanner?: boolean }) {
  const username = useMe()?.user.username ?? '';
  const cache = useCache();
  const lobby = useLobby();
  const read = useRead(getPrivateRequests, {}, useWhileAway(lobby));
  const again = useQueueAgain();
  const [outcome] = useOutcome(username);
  useEvent(lobby, privateQueue, ({ requests }) => changeQueue(cache, (known) => ({ ...known, requests })));
  useJoined(lobby, again);
  if (!isBanner) {
    return (
      <Loaded read={read} height="h-24">{(queue) => <QueueView queue={queue} username={username} />}</Loaded>
    );
  }
  const { data } = read;
  if (!data) return <ReadError read={read} />;
  return data.running === null && data.requests.length === 0 && outcome === null
    ? null
    : <QueueView queue={data} username={username} />;
}

function QueueView({ queue, username }: { queue: Queue; username: string }) {
  const { requests, running, can_watch_together: canWatch } = queue;
  const { t } = useTranslation('shows');
  const [outcome, setOutcome] = useOutcome(username);
  const sound = useRequestSound(requests);
  const again = useQueueAgain();
  const isEmpty = requests.length === 0 && running === null;
  const isOpen = requests.length > 0;
  return (
    <div data-now={isEmpty && outcome === null ? undefined : ''} className="flex flex-col gap-3">
      {/* On a phone the running show explains itself, which leaves room for further requests. */}
      <div className={`flex items-center justify-between gap-3 ${running && !isOpen ? 'max-lg:hidden' : ''}`}>
        <h2 className="text-lg font-bold">{t('private.queue.title')}</h2>
        <IconButton
          label={t('private.queue.sound')}
          pressed={sound.isOn}
          onClick={() => sound.turn(!sound.isOn)}
        >
          {sound.isOn ? <Bell size={20} aria-hidden /> : <BellOff size={20} aria-hidden />}
        </IconButton>
      </div>
      {running ? <PerformerRunning running={running} canWatch={canWatch} username={username} /> : null}
      {outcome && !running
        ? <Over outcome={outcome} name="" isPerformer onClose={() => setOutcome(null)} />
        : null}
      {isOpen ? <RequestList requests={requests} onOver={again} /> : null}
      {isEmpty && outcome === null
        ? (
          <p className="text-sm text-muted">
            <NobodyAsks />{' '}
            <Link to="/account/shows" className="inline-flex min-h-11 items-center text-link hover:underline">
              {t('private.queue.settings')}
            </Link>
          </p>
        )
        : null}
    </div>
  );
}

/** Why the queue is empty. */
function NobodyAsks() {
  const { t } = useTranslation('shows');
  const { data } = useRead(getOwnTicketShows, {});
  return <>{t(data?.open?.state === 'running' ? 'private.queue.emptyTicket' : 'private.queue.empty')}</>;
}

function PerformerRunning({ running, canWatch, username }: {
  readonly running: RunningPrivateView;
  readonly canWatch: boolean;
  readonly username: string;
}) {
  const cache = useCache();
  const [, setOutcome] = useOutcome(username);
  const [isEnding, setEnding] = useState(false);
  const isSilent = useIsOtherSilent(username);
  const other = { username: running.username, name: running.username };
  return (
    <>
      <Running
        running={running}
        isPerformer
        name={running.username}
        isSilent={isSilent}
        onEnd={() => setEnding(true)}
      />
      <SpyAudience />
      {running.watch_together || (canWatch && running.phase === 'running')
        ? (
          <Suspense>
            <OwnWatching watched={running.watch_together} canChoose={canWatch} broadcaster={username} />
          </Suspense>
        )
        : null}
      {isEnding
        ? (
          <EndDialog
            running={running}
            other={other}
            isPerformer
            onClose={() => setEnding(false)}
            onEnded={(receipt) => {
              changeQueue(cache, (known) => ({ ...known, running: null }));
              setOutcome({ kind: 'ended', reason: receipt.reason_ended, receipt });
            }}
          />
        )
        : null}
    </>
  );
}
