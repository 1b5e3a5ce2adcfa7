import type { OutputOf } from '#platform/contract/call.ts';
import type { Problem } from '#platform/contract/client.ts';
import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { useRead } from '#platform/ui/calls/calls.ts';
import { useLobby } from '#platform/ui/calls/live.ts';
import { read, routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink } from '#platform/ui/controls/button.tsx';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { Title, Wide } from '#platform/ui/surfaces/page.tsx';
import { FormError, Skeleton } from '#platform/ui/surfaces/states.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { ConfirmButton } from '#product/accounts/web/email/confirm-button.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { getOwnBroadcast, getStreamerSettings } from '#product/broadcast/client.ts';
import type { StreamingTech } from '#product/broadcast/rules.ts';
import { bitrateFor } from '#product/broadcast/rules/upload.ts';
import { DetailsForm } from '#product/broadcast/web/details-form.tsx';
import { useOwnBroadcastEvents, useStreamerSettings, type Settings } from '#product/broadcast/web/live.ts';
import { TechChoice } from '#product/broadcast/web/player/tech-choice.tsx';
import { useCamera, type Camera } from '#product/broadcast/web/publish/camera.ts';
import { DeviceCheck } from '#product/broadcast/web/publish/device-check.tsx';
import { EncoderPanel } from '#product/broadcast/web/publish/encoder-panel.tsx';
import { useHealthHistory } from '#product/broadcast/web/publish/health-strip.tsx';
import { usePublisher, type Publishing } from '#product/broadcast/web/publish/publisher.ts';
import { useUploadCheck, type UploadCheck } from '#product/broadcast/web/publish/upload-check.ts';
import type { PublisherPhase } from '#product/broadcast/web/publish/whip-publisher.ts';
import { StandbySwitch } from '#product/broadcast/web/standby-switch.tsx';
import { getHidden } from '#product/compliance/client.ts';
import { getTest } from '#product/recordings/client.ts';
import { useCancelTest } from '#product/recordings/web/live.ts';
import { TestCard } from '#product/recordings/web/test-card.tsx';
import { Film, Settings2 } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { Ended } from './console/end-dialog.tsx';
import { EndedEncoder } from './console/ended-encoder.tsx';
import { HiddenNotice } from './hiding/hidden-notice.tsx';

/** Shown once the stream is on; fetched while it is prepared. */
const loadConsole = () => import('./performer-console.tsx');
const TipTools = lazy(() => import('#product/tips/web/tools/tip-tools.tsx'));
const Summary = lazy(() => import('./console/summary.tsx'));
const PerformerConsole = lazy(async () => ({ default: (await loadConsole()).PerformerConsole }));

const loadOwn = routeData({
  texts: ['broadcast', 'recordings', 'rooms', 'room-moderation', 'moderation', 'tips', 'shows', 'messaging'],
  reads: () => [
    read(getHidden, {}),
    read(getOwnBroadcast, {}),
    read(getStreamerSettings, {}),
    read(getTest, {}),
  ],
});
export { loadOwn as clientLoader, loadOwn as loader };

type Own = OutputOf<typeof getOwnBroadcast>;

/**
 * Going live: camera check or encoder, topic and tags, a test, then the performer console. One page, so that
 * nothing is lost between the steps.
 */
export default function GoLivePage() {
  const { t } = useTranslation('screens');
  const { data: own } = useRead(getOwnBroadcast, {}, { everyMs: 5_000 });
  const { settings } = useStreamerSettings();
  const me = useMe();
  if (!own || !settings) return null;
  // A running broadcast continues even if the performer's email address has changed meanwhile.
  if (me && !me.user.email_confirmed && own.state !== 'online') {
    return (
      <Wide title={t('live.title')} lead={t('live.unconfirmed')}>
        <ConfirmButton />
      </Wide>
    );
  }
  if (!own.cleared) {
    return (
      <Wide title={t('live.title')} lead={t('live.notCleared')}>
        <Link to="/account/settings" className="text-link underline">{t('live.toProfile')}</Link>
      </Wide>
    );
  }
  return <Studio own={own} settings={settings} />;
}

/** The preparation is long and starts the show at its foot: what replaces it is shown from its top. */
function useTopOnceLive(isLive: boolean): void {
  const before = useRef(isLive);
  useEffect(() => {
    if (isLive && !before.current) scrollTo(0, 0);
    before.current = isLive;
  }, [isLive]);
}

const isPublishing = (phase: PublisherPhase): boolean =>
  phase !== 'idle' && phase !== 'refused' && phase !== 'ended';

function Studio({ own, settings }: { own: Own; settings: Settings }) {
  const { t } = useTranslation('screens');
  const lobby = useLobby(true);
  const history = useHealthHistory();
  useOwnBroadcastEvents(lobby, history.add);
  const camera = useCamera();
  const publishing = usePublisher(lobby, true);
  const upload = useUploadCheck();
  const [ended, setEnded] = useState<Ended | null>(null);
  useEffect(() => void loadConsole(), []);
  const isOn = isPublishing(publishing.phase);
  // A stream from OBS, or from another tab, is controlled from here too. A lost browser stream can be started
  // again here; an encoder reconnects by itself, and its errors show whichever technique is selected.
  const isEncoder = settings.streaming_tech === 'obs' || (own.health?.trouble ?? null) !== null;
  const isElsewhere = !isOn && (own.state === 'online' || own.state === 'ready'
    || (own.state === 'reconnecting' && isEncoder));
  const isLive = isOn || isElsewhere;
  useTopOnceLive(isLive);
  if (isLive) {
    return (
      <>
        <Title>{t('live.controlRoom')}</Title>
        <Suspense fallback={<Skeleton className="m-4 h-96" />}>
          <PerformerConsole
            own={own}
            camera={isOn ? camera : null}
            publishing={publishing}
            history={history.samples}
            lobby={lobby}
            settings={settings}
            uploadKilobits={upload.kilobits}
            onEnded={setEnded}
          />
        </Suspense>
      </>
    );
  }
  return (
    <Wide title={t('live.title')} lead={t('live.lead')}>
      <div className="flex flex-col gap-6">
        {ended
          ? (
            <Suspense fallback={<Skeleton className="h-64" />}>
              <Summary ended={ended} onClose={() => setEnded(null)} />
            </Suspense>
          )
          : null}
        {ended?.fromEncoder ? null : <RefusedEncoder isRefused={own.encoderRefused} />}
        <Preparation
          own={own}
          settings={settings}
          camera={camera}
          publishing={publishing}
          lobby={lobby}
          upload={upload}
        />
      </div>
    </Wide>
  );
}

/** A refused encoder that no summary mentions any more. The result of letting it back on stays. */
function RefusedEncoder({ isRefused }: { isRefused: boolean }) {
  return (
    <Card className="p-4 empty:hidden">
      <EndedEncoder isRefused={isRefused} />
    </Card>
  );
}

interface PreparationProps {
  readonly own: Own;
  readonly settings: Settings;
  readonly camera: Camera;
  readonly publishing: Publishing;
  readonly lobby: Connection | null;
  readonly upload: UploadCheck;
}

/** Devices and bit rate to publish with. A rate chosen here applies at once: saving it takes a moment. */
function useQuality({ cam }: Settings, { kilobits }: UploadCheck) {
  const [chosen, setChosen] = useState<number | null>(null);
  const own = { ...cam, bitrate: chosen ?? cam.bitrate };
  return { cam: own, bitrate: bitrateFor(own.bitrate, kilobits), setChosen };
}

/** Everything before the show: technique, devices, topic, and a test. */
function Preparation({ own, settings, camera, publishing, lobby, upload }: PreparationProps) {
  const { t } = useTranslation('screens');
  const rehearsal = usePublisher(lobby, false);
  const { save } = useStreamerSettings();
  const username = useMe()?.user.username ?? '';
  const [tech, setTech] = useState<StreamingTech>(settings.streaming_tech);
  const [details, setDetails] = useState({ title: own.title, tags: own.tags });
  const { cam, bitrate, setChosen } = useQuality(settings, upload);
  const isObs = tech === 'obs';
  const ending = useCancelTest();
  const goLive = async () => {
    rehearsal.stop();
    // A waiting test, of this page or another, would use this publisher for itself.
    if (camera.media && await ending.cancel()) publishing.start(camera.media, bitrate);
  };
  const rehearse = () => {
    if (!isObs && camera.media) rehearsal.start(camera.media, bitrate);
  };
  const choose = (next: StreamingTech) => {
    setTech(next);
    rehearsal.stop();
    // OBS needs the camera for itself.
    if (next === 'obs') camera.close();
    void save({ streaming_tech: next });
  };
  return (
    // On a phone its parts belong to the page's own column, so that the start button stays in sight.
    <div className="flex flex-col gap-6 max-lg:contents">
      <HiddenNotice />
      <Ways tech={tech} onChoose={choose} />
      {isObs
        ? (
          <Card className="p-4">
            <EncoderPanel
              hasKey={own.hasStreamKey}
              madeAt={own.streamKeyMadeAt}
              whipUrl={own.whipUrl}
              rtmpUrl={own.rtmpUrl}
            />
          </Card>
        )
        : null}
      <div className="grid items-start gap-6 max-lg:contents lg:grid-cols-2">
        {isObs ? null : (
          <Step title={t('live.stepCamera')}>
            <DeviceCheck
              camera={camera}
              cam={cam}
              upload={upload}
              onChange={rehearsal.replaceMedia}
              onBitrate={(next) => {
                setChosen(next);
                rehearsal.setBitrate(next);
              }}
              onUsed={(used) => void save({ cam: used })}
            />
          </Step>
        )}
        <div className={`flex flex-col gap-6 ${isObs ? 'lg:col-span-2' : 'max-lg:contents'}`}>
          <Step title={t(isObs ? 'live.stepDetailsObs' : 'live.stepDetails')}>
            <DetailsForm title={details.title} tags={details.tags} onSaved={setDetails} />
          </Step>
          {isObs
            ? null
            : (
              <StartCard
                canStart={camera.media !== null}
                busy={ending.busy}
                start={() => void goLive()}
                isLost={own.state === 'reconnecting'}
                problem={publishing.problem ?? ending.problem}
              />
            )}
          <Step title={t('live.menu')}>
            <Suspense fallback={<Skeleton className="h-48" />}>
              <TipTools lobby={lobby} username={username} isPreparing />
            </Suspense>
          </Step>
        </div>
        <Beside own={own} lobby={lobby}>
          <TestCard
            source={isObs ? 'encoder' : 'browser'}
            canBegin={isObs || camera.media !== null}
            onWaiting={rehearse}
            onOver={rehearsal.stop}
            onGoLive={() => void goLive()}
          />
        </Beside>
      </div>
    </div>
  );
}

/** The ways to broadcast, and where their settings are. */
function Ways({ tech, onChoose }: { tech: StreamingTech; onChoose: (tech: StreamingTech) => void }) {
  const { t } = useTranslation('screens');
  return (
    <div className="flex flex-wrap items-center justify-between gap-4">
      <TechChoice value={tech} onChange={onChoose} />
      <div className="flex flex-wrap gap-2">
        <ButtonLink tone="quiet" to="/account/recordings" icon={<Film size={20} aria-hidden />}>
          {t('live.recordings')}
        </ButtonLink>
        <ButtonLink tone="quiet" to="/account/streaming" icon={<Settings2 size={20} aria-hidden />}>
          {t('live.settings')}
        </ButtonLink>
      </div>
    </div>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card className="p-4">
      <h2 className="pb-4 text-lg font-bold">{title}</h2>
      {children}
    </Card>
  );
}

/** What can be done before the show, besides going live. */
function Beside({ own, lobby, children }: { own: Own; lobby: Connection | null; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-6 lg:col-span-2 lg:grid lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]
      lg:items-start [&>*:only-child]:col-span-2">
      <Card className="p-4">{children}</Card>
      {own.standbyAllowed
        ? (
          <Card className="p-4">
            <StandbySwitch on={own.standby} lobby={lobby} />
          </Card>
        )
        : null}
    </div>
  );
}

interface StartCardProps {
  readonly canStart: boolean;
  readonly busy: boolean;
  /** The broadcast has lost this page and waits a little longer for it. */
  readonly isLost: boolean;
  readonly problem: Problem | null;
  readonly start: () => void;
}

function StartCard({ canStart, busy, isLost, problem, start }: StartCardProps) {
  const { t } = useTranslation('screens');
  return (
    // On a phone it stays in sight once the camera is on: the content above it is long.
    <Card
      className={`p-4 ${
        canStart
          ? 'max-lg:sticky max-lg:bottom-[var(--consent,0px)] max-lg:z-10 max-lg:shadow-float '
            + 'max-md:bottom-[calc(3.5rem+var(--consent,0px)+env(safe-area-inset-bottom))]'
          : ''
      }`}
    >
      <h2 className={`pb-4 text-lg font-bold ${canStart ? 'max-lg:sr-only' : ''}`}>{t('live.stepLive')}</h2>
      <div className="flex flex-col gap-4 max-lg:gap-2">
        {isLost ? <p role="status" className="text-sm text-warning-text">{t('live.comeBack')}</p> : null}
        <FormError problem={problem} />
        <Button tone="primary" wide disabled={!canStart} busy={busy} onClick={start}>
          {t('live.start')}
        </Button>
        <p className="text-sm text-muted">{canStart ? t('live.ready') : t('live.cameraFirst')}</p>
      </div>
    </Card>
  );
}
