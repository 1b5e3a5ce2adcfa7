import { queryKeyOf, useAction, useCache, useRead } from '#platform/ui/calls/calls.ts';
import { useEvent, useJoined, useLobby, useWhileAway } from '#platform/ui/calls/live.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { Pill } from '#platform/ui/surfaces/card.tsx';
import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSecondsUntilEnd } from '#platform/ui/time/countdown.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { getRoom } from '#product/rooms/client.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { PersonButton } from '#product/rooms/web/person-card.tsx';
import {
  acceptSharecam,
  cam2camEnded,
  declineSharecam,
  getSharecamReceipts,
  getSharecams,
  sharecamList,
  sharecamTick,
  showsPart,
} from '../../../client.ts';
import type { SharecamRequestView } from '../../../contract/sharecam.ts';
import { Clock, Cost } from '../../private/amounts.tsx';
import { useRingOnce } from '../../private/performer/request-sound.ts';
import { showList, showRunning, showTick, showWithoutCamera, useListAgain } from '../live.ts';
import { CameraTile } from './camera-tile.tsx';

/**
 * Requests to show a camera to this performer, and the running cameras.
 * @param isBanner in the performer's own room, takes no space while there is nothing to show
 */
export default function CameraList({ isBanner = false }: { isBanner?: boolean }) {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const cache = useCache();
  const lobby = useLobby();
  const read = useRead(getSharecams, {}, useWhileAway(lobby));
  const again = useListAgain();
  useEvent(lobby, sharecamList, (list) => showList(cache, list));
  useEvent(lobby, sharecamTick, (tick) => showTick(cache, tick));
  useEvent(lobby, cam2camEnded, ({ username: name, reason }) => {
    showWithoutCamera(cache, name);
    if (reason !== 'model_ended') toast(t('sharecam.list.over', { name }));
    void cache.invalidateQueries({ queryKey: queryKeyOf(getSharecamReceipts) });
  });
  useJoined(lobby, again);
  const { data } = read;
  useRingOnce((data?.requests ?? []).map(({ username, requested_at: at }) => `${username} ${at}`));
  if (!data) return <ReadError read={read} />;
  const { requests, running } = data;
  const isEmpty = requests.length === 0 && running.length === 0;
  if (isEmpty && isBanner) return null;
  return (
    <div data-now={isEmpty ? undefined : ''} className="flex flex-col gap-3 max-lg:gap-2">
      <h2 className="text-lg font-bold max-lg:text-sm">{t('sharecam.list.title')}</h2>
      {isEmpty ? <p className="text-sm text-muted">{t('sharecam.list.empty')}</p> : null}
      {running.length === 0
        ? null
        : (
          <ul aria-label={t('sharecam.list.title')} className="flex flex-wrap gap-3">
            {running.map((item) => (
              <CameraTile
                key={`${item.username} ${item.accepted_at}`}
                running={item}
              />
            ))}
          </ul>
        )}
      {requests.map((request) => (
        <RequestLine key={`${request.username} ${request.requested_at}`} request={request} onOver={again} />
      ))}
    </div>
  );
}

function RequestLine({ request, onOver }: {
  readonly request: SharecamRequestView;
  readonly onOver: () => void;
}) {
  const { t } = useTranslation('shows');
  const cache = useCache();
  const { username } = request;
  const left = useSecondsUntilEnd(request.expires_at, onOver);
  const accept = useAction(acceptSharecam, showRunning);
  const decline = useAction(declineSharecam);
  const waitsForShow = useWaitsForShow(request);
  const take = async () => {
    if (await accept.run({ username }) === null) onOver();
  };
  const refuse = async () => {
    if (await decline.run({ username })) showWithoutCamera(cache, username);
    else onOver();
  };
  return (
    <div className="flex flex-col gap-2 rounded-card border border-line bg-raised p-3 max-lg:p-2">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 font-bold break-words">
          <PersonButton username={username} />
        </span>
        {request.mode === 'private'
          ? <Pill tone="private">{t('sharecam.list.inPrivate')}</Pill>
          : <Cost tokens={request.cost_per_minute} perMinute />}
        <span className="ml-auto text-sm text-muted">
          {t('private.expires')} <Clock seconds={left} />
        </span>
      </p>
      {waitsForShow
        ? <p className="text-sm text-muted">{t('sharecam.list.waits', { name: username })}</p>
        : null}
      <FormError problem={accept.problem ?? decline.problem} />
      <div className="flex gap-3 *:grow">
        <Button tone="primary" busy={accept.busy} disabled={waitsForShow} onClick={() => void take()}>
          {t('private.queue.accept')} <span className="sr-only">{username}</span>
        </Button>
        <Button busy={decline.busy} onClick={() => void refuse()}>
          {t('private.queue.decline')} <span className="sr-only">{username}</span>
        </Button>
      </div>
    </div>
  );
}

/** Whether a camera waits for a private show with its viewer to start. */
function useWaitsForShow({ mode, username }: SharecamRequestView): boolean {
  const own = useMe()?.user.username ?? '';
  const { data: room } = useRead(getRoom, { username: own }, { enabled: own !== '' });
  return mode === 'private' && (room ? readPart(room, showsPart).privateUsername : null) !== username;
}
