import { useEffect, useState } from 'react';
import { useTranslation } from '../../../platform/ui/text/use-translation.ts';
import type { OutputOf } from '../../../platform/contract/call.ts';
import { useAction, useCache, queryKeyOf } from '../../../platform/ui/calls/calls.ts';
import { useEvent, useLobby } from '../../../platform/ui/calls/live.ts';
import { Button } from '../../../platform/ui/controls/button.tsx';
import { Card, Pill } from '../../../platform/ui/surfaces/card.tsx';
import { Dialog } from '../../../platform/ui/surfaces/dialog.tsx';
import { FormError } from '../../../platform/ui/surfaces/states.tsx';
import { useToast } from '../../../platform/ui/surfaces/toasts.tsx';
import { formatCount, TokenAmount } from '../../../platform/ui/text/amounts.tsx';
import { useMe } from '../../accounts/web/me.ts';
import { endBroadcast, getOwnBroadcast } from '../../broadcast/contract.ts';
import type { Camera } from '../../broadcast/web/camera.ts';
import { DetailsForm } from '../../broadcast/web/details-form.tsx';
import { DeviceCheck } from '../../broadcast/web/device-check.tsx';
import { HealthStrip } from '../../broadcast/web/health-strip.tsx';
import { useHealthEvents } from '../../broadcast/web/live.ts';
import { Player } from '../../broadcast/web/player.tsx';
import type { Publishing } from '../../broadcast/web/publisher.ts';
import { useRoom } from '../../rooms/web/live.ts';
import { tipReceived } from '../../tips/contract.ts';
import { useTipSound } from '../../tips/web/tip-sound.ts';
import { ChatHere } from './room-page.tsx';

interface ControlRoomProps {
  readonly own: OutputOf<typeof getOwnBroadcast>;
  /** Null when the picture comes from an encoder or another tab. */
  readonly camera: Camera | null;
  readonly publishing: Publishing;
}

/**
 * While live: picture and health on the left, chat in the middle, tips and topic on the right, one big End.
 */
export function ControlRoom({ own, camera, publishing }: ControlRoomProps) {
  const { t } = useTranslation('screens');
  const me = useMe();
  const username = me?.user.username ?? '';
  const lobby = useLobby(true);
  const link = useRoom(username);
  const [ending, setEnding] = useState(false);
  useHealthEvents(lobby);
  const earned = useTips(username, me?.settings.volume_tip ?? 0);
  return (
    <div
      className="grid gap-4 p-4 lg:h-[calc(100dvh-56px)]
        lg:grid-cols-[minmax(0,5fr)_minmax(280px,3fr)_minmax(240px,2fr)]">
      <div className="flex min-h-0 flex-col gap-4 lg:overflow-y-auto">
        <div className="flex flex-wrap items-center gap-3">
          <h1 className="text-lg font-bold">{t('live.controlRoom')}</h1>
          <StateOf phase={publishing.phase} state={own.state} />
          <Elapsed since={own.startedAt} />
          <span className="grow" />
          <Button tone="danger" onClick={() => setEnding(true)}>
            {t('live.end')}
          </Button>
        </div>
        <Card className="p-4">
          {camera ? (
            <DeviceCheck camera={camera} onChange={publishing.replaceMedia} />
          ) : (
            <div className="aspect-video overflow-hidden rounded-card">
              <Player
                username={username}
                live={own.state === 'online'}
                cover={null}
                label={t('live.monitor')}
              />
            </div>
          )}
        </Card>
        <Card className="p-4">
          <HealthStrip health={own.health} />
        </Card>
      </div>
      <Card className="flex min-h-0 flex-col max-lg:h-[60dvh]">
        <p className="border-b border-line px-3 py-2 text-sm text-muted">
          {t('room.inRoom', { count: link.userCount ?? 0 })}
        </p>
        <ChatHere link={link} />
      </Card>
      <div className="flex min-h-0 flex-col gap-4 lg:overflow-y-auto">
        <Card className="p-4">
          <h2 className="text-sm text-muted">{t('live.tipsNow')}</h2>
          <p className="text-xl font-bold">
            <TokenAmount tokens={earned.tokens} />
          </p>
          {earned.last ? <p className="pt-1 text-sm">{earned.last}</p> : null}
        </Card>
        <Card className="p-4">
          <h2 className="pb-4 text-lg font-bold">{t('live.details')}</h2>
          <DetailsForm title={own.title} tags={own.tags} onSaved={() => undefined} />
        </Card>
      </div>
      {ending ? <EndDialog own={own} publishing={publishing} onClose={() => setEnding(false)} /> : null}
    </div>
  );
}

/** Tips since the page opened: heard, summed, the last one in words. */
function useTips(username: string, volume: number): { tokens: number; last: string | null } {
  const { t, i18n } = useTranslation('screens');
  const lobby = useLobby(true);
  const play = useTipSound(volume);
  const [sum, setSum] = useState<{ tokens: number; last: string | null }>({ tokens: 0, last: null });
  useEvent(lobby, tipReceived, (tip) => {
    if (tip.receiver_name !== username) return;
    play(tip.tokens);
    setSum(({ tokens }) => ({
      tokens: tokens + tip.tokens,
      last: t('live.lastTip', { name: tip.sender_name, amount: formatCount(tip.tokens, i18n.language) }),
    }));
  });
  return sum;
}

function StateOf({ phase, state }: Pick<Publishing, 'phase'> & { state: string }) {
  const { t } = useTranslation('screens');
  if (phase === 'reconnecting' || state === 'reconnecting')
    return <Pill tone="warning">{t('live.reconnecting')}</Pill>;
  if (phase === 'connecting') return <Pill>{t('live.connecting')}</Pill>;
  return <Pill tone="live">{t('room.live')}</Pill>;
}

/** Time on air, by the second. */
function Elapsed({ since }: { since: string | null }) {
  const [seconds, setSeconds] = useState<number | null>(null);
  useEffect(() => {
    if (since === null) return undefined;
    const count = () => setSeconds(Math.max(0, Math.floor((Date.now() - Date.parse(since)) / 1000)));
    count();
    const timer = setInterval(count, 1_000);
    return () => clearInterval(timer);
  }, [since]);
  return seconds === null ? null : <span className="tabular text-sm text-muted">{clockOf(seconds)}</span>;
}

/** `1:02:03` */
const clockOf = (seconds: number): string => {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part, at) => (at === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
};

function EndDialog({ own, publishing, onClose }: {
  own: ControlRoomProps['own']; publishing: Publishing; onClose: () => void;
}) {
  const { t } = useTranslation('screens');
  const cache = useCache();
  const toast = useToast();
  const end = useAction(endBroadcast);
  const confirm = async () => {
    const done = await end.run({});
    publishing.stop();
    if (done) toast(t('live.ended', { time: clockOf(done.seconds), count: done.peakViewers }), 'success');
    await cache.invalidateQueries({ queryKey: queryKeyOf(getOwnBroadcast) });
    onClose();
  };
  return (
    <Dialog title={t('live.endTitle')} onClose={onClose} actions={(
      <>
        <Button onClick={onClose}>{t('live.stay')}</Button>
        <Button tone="danger" busy={end.busy} onClick={() => void confirm()}>{t('live.end')}</Button>
      </>
    )}>
      <p>{t('live.endText', { count: own.health?.viewers ?? 0 })}</p>
      <FormError problem={end.problem} />
    </Dialog>
  );
}
