import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { queryKeyOf, useAction, useCache, useCall } from '#platform/ui/calls/calls.ts';
import { useEvent, useJoined } from '#platform/ui/calls/live.ts';
import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSecondsUntilEnd } from '#platform/ui/time/countdown.ts';
import { CAMERA_VIDEO_BITRATE } from '#product/broadcast/rules/cameras.ts';
import { useCamera, type Camera } from '#product/broadcast/web/publish/camera.ts';
import { publishStream } from '#product/broadcast/web/publish/whip-publisher.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { X } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import {
  cam2camEnded,
  cam2camReady,
  endSharecam,
  getSharecamReceipts,
  publishSharecam,
  sharecamAccepted,
  sharecamDeclined,
  sharecamExpired,
  sharecamRequested,
  sharecamTick,
  sharecamWithdrawn,
  withdrawSharecam,
} from '../../../client.ts';
import type { RunningSharecamView, SharecamRequestView } from '../../../contract/sharecam.ts';
import { Clock, Cost, Figure } from '../../private/amounts.tsx';
import { changeSharecam, useAsking, useOver, useSharecamAgain, useSharecamCheck } from '../live.ts';
import { CameraTroubleText, MuteButton, OwnPicture } from './own-picture.tsx';

const ShareDialog = lazy(() => import('./share-dialog.tsx'));

/**
 * This viewer's camera in a room: the dialog, a pending request, the camera being sent, or how it ended.
 * Leaving the room turns the camera off and ends it.
 */
export default function OwnCamera({ room, link: { connection }, onMoneyPrompt }: PagePartProps) {
  const { username, displayName: name } = room.user;
  const camera = useCamera();
  const { close, media } = camera;
  const [isMuted, setMuted] = useState(false);
  const [isAsking, setAsking] = useAsking(username);
  const [over, setOver] = useOver(username);
  const { data: check } = useSharecamCheck(room);
  const { request = null, running = null } = check ?? {};
  const isNeeded = isAsking || request !== null || running !== null;
  useSharecamEvents(connection, username);
  useLeaving(username, { isWaiting: request !== null, isRunning: running !== null });
  usePublishing(username, running === null ? null : media);
  useEffect(() => {
    if (!isNeeded) close();
  }, [close, isNeeded]);
  useEffect(() => {
    for (const track of media?.getAudioTracks() ?? []) track.enabled = !isMuted;
  }, [isMuted, media]);
  const own = { camera, isMuted, onMute: setMuted };
  return (
    <>
      {running ? <Running running={running} name={name} {...own} /> : null}
      {!running && request ? <Waiting request={request} name={name} {...own} /> : null}
      {!isNeeded && over ? <Over over={over} name={name} onClose={() => setOver(null)} /> : null}
      {isAsking && !request && !running
        ? (
          <Suspense>
            <ShareDialog
              room={room}
              onMoneyPrompt={onMoneyPrompt}
              {...own}
              onClose={() => setAsking(false)}
            />
          </Suspense>
        )
        : null}
    </>
  );
}

/** Applies the server's events about this viewer's camera to the page. */
function useSharecamEvents(connection: Connection | null, username: string): void {
  const cache = useCache();
  const again = useSharecamAgain(username);
  const [, setOver] = useOver(username);
  const [, setAsking] = useAsking(username);
  const noRequest = () => changeSharecam(cache, username, (known) => ({ ...known, request: null }));
  const show = (running: RunningSharecamView) => {
    let isKnown = false;
    changeSharecam(cache, username, (known) => {
      isKnown = true;
      return { ...known, request: null, running };
    });
    if (!isKnown) again();
  };
  useJoined(connection, again);
  useEvent(connection, sharecamRequested, (request) => {
    setOver(null);
    setAsking(false);
    changeSharecam(cache, username, (known) => ({ ...known, request }));
  });
  useEvent(connection, sharecamAccepted, show);
  useEvent(connection, sharecamTick, show);
  useEvent(connection, sharecamDeclined, noRequest);
  useEvent(connection, sharecamWithdrawn, noRequest);
  useEvent(connection, sharecamExpired, () => {
    noRequest();
    setOver('expired');
  });
  useEvent(connection, cam2camReady, () =>
    changeSharecam(cache, username, (known) => ({
      ...known,
      running: known.running && { ...known.running, is_ready: true, is_paused: false },
    })));
  useEvent(connection, cam2camEnded, ({ reason }) => {
    changeSharecam(cache, username, (known) => ({ ...known, request: null, running: null }));
    setOver(reason);
    again();
    void cache.invalidateQueries({ queryKey: queryKeyOf(getSharecamReceipts) });
  });
}

/** Leaving the room ends the camera and withdraws the request. */
function useLeaving(username: string, now: {
  readonly isWaiting: boolean;
  readonly isRunning: boolean;
}): void {
  const call = useCall();
  const latest = useRef(now);
  latest.current = now;
  useEffect(() => () => {
    const { isWaiting, isRunning } = latest.current;
    // Best effort: without media the server ends the camera, and a request expires.
    if (isRunning) call(endSharecam, { username }).catch(() => undefined);
    else if (isWaiting) call(withdrawSharecam, { username }).catch(() => undefined);
  }, [call, username]);
}

/** Sends the camera while it runs. */
function usePublishing(username: string, media: MediaStream | null): void {
  const call = useCall();
  useEffect(() => {
    if (media === null) return undefined;
    const publisher = publishStream({
      media,
      bitrate: CAMERA_VIDEO_BITRATE,
      reconnects: true,
      createKey: () => call(publishSharecam, { username }),
      onPhase: () => undefined,
    });
    return publisher.stop;
  }, [call, media, username]);
}

interface OwnProps {
  readonly camera: Camera;
  readonly isMuted: boolean;
  readonly onMute: (isMuted: boolean) => void;
  readonly name: string;
}

function Waiting({ request, camera, name }: OwnProps & { readonly request: SharecamRequestView }) {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const cache = useCache();
  const { broadcaster } = request;
  const again = useSharecamAgain(broadcaster);
  const left = useSecondsUntilEnd(request.expires_at, again);
  const withdraw = useAction(withdrawSharecam);
  const takeBack = async () => {
    if (await withdraw.run({ username: broadcaster })) {
      changeSharecam(cache, broadcaster, (known) => ({ ...known, request: null }));
      toast(t('private.withdrawn'), 'success');
    } else again();
  };
  return (
    <div data-costs className="flex flex-wrap items-center gap-x-6 gap-y-1 max-sm:gap-x-4">
      {camera.media
        ? (
          <div className="w-14 shrink-0">
            <OwnPicture media={camera.media} />
          </div>
        )
        : null}
      <div className="min-w-0 grow basis-48">
        <p role="status">{t('sharecam.waiting', { name })}</p>
        {request.mode === 'private'
          ? <p className="text-sm text-muted">{t('sharecam.waitsForShow', { name })}</p>
          : null}
      </div>
      <dl>
        <Figure name={t('private.expires')}>
          <Clock seconds={left} />
        </Figure>
      </dl>
      <Button busy={withdraw.busy} onClick={() => void takeBack()}>{t('private.withdraw')}</Button>
      <FormError problem={withdraw.problem} />
    </div>
  );
}

/** What the performer receives of the camera now. */
function stateOf({ is_ready: isReady, is_paused: isPaused }: RunningSharecamView, hasMedia: boolean) {
  if (!hasMedia) return 'off';
  if (!isReady) return 'starting';
  return isPaused ? 'paused' : 'ready';
}

function Running({ running, camera, isMuted, onMute, name }: OwnProps & {
  readonly running: RunningSharecamView;
}) {
  const { t } = useTranslation('shows');
  const { t: tb } = useTranslation('broadcast');
  const cache = useCache();
  const { broadcaster } = running;
  const end = useAction(endSharecam);
  const again = useSharecamAgain(broadcaster);
  const stop = async () => {
    // Turned off before the call, so that nothing is sent while waiting for the response.
    camera.close();
    if (await end.run({ username: broadcaster })) {
      changeSharecam(cache, broadcaster, (known) => ({ ...known, running: null }));
    } else again();
  };
  return (
    <div data-costs className="flex flex-wrap items-center gap-x-6 gap-y-1 max-sm:gap-x-2">
      <div className="w-14 shrink-0">
        <OwnPicture media={camera.media} />
      </div>
      {/* A low phone has one row: the video shows that the camera is on, beside the button to end it. */}
      <p
        role="status"
        className="min-w-0 grow basis-40 text-sm max-sm:[@media(max-height:43rem)]:sr-only
        max-lg:group-data-keyboard:sr-only"
      >
        {t(`sharecam.${stateOf(running, camera.media !== null)}`, { name })}
      </p>
      <dl className="flex grow flex-wrap gap-x-6 sm:grow-0">
        <Figure name={t('private.time')}>
          <Clock seconds={running.seconds} />
        </Figure>
        {running.cost_per_minute === 0 ? null : (
          <Figure name={t('private.paid')}>
            <Cost tokens={running.tokens} />
          </Figure>
        )}
        {running.seconds_left === null ? null : (
          <Figure name={t('private.left')}>
            <Clock seconds={running.seconds_left} />
          </Figure>
        )}
      </dl>
      <CameraTroubleText trouble={camera.trouble} />
      <div className="flex flex-wrap gap-3 max-sm:gap-1">
        {camera.media
          ? <MuteButton isMuted={isMuted} onMute={onMute} />
          : (
            <Button tone="primary" busy={camera.asking} onClick={() => void camera.open()}>
              {tb('openCamera')}
            </Button>
          )}
        <Button tone="danger" busy={end.busy} onClick={() => void stop()}>{t('sharecam.stop')}</Button>
      </div>
      <FormError problem={end.problem} />
    </div>
  );
}

function Over({ over, name, onClose }: {
  readonly over: NonNullable<ReturnType<typeof useOver>[0]>;
  readonly name: string;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation('shows');
  return (
    <div className="flex items-start gap-3">
      <p role="status" className="min-w-0 grow">
        {over === 'expired' ? t('sharecam.expired', { name }) : t(`sharecam.over.${over}`, { name })}
      </p>
      <IconButton label={t('private.close')} onClick={onClose}>
        <X size={20} aria-hidden />
      </IconButton>
    </div>
  );
}
