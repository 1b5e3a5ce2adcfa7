import { Webcam } from 'lucide-react';
import { Button } from '../../../../../platform/ui/controls/button.tsx';
import { useTranslation } from '../../../../../platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '../../../../accounts/web/login-prompt.tsx';
import { useMe } from '../../../../accounts/web/me.ts';
import type { RoomDataView } from '../../../../rooms/contract.ts';
import { readPart } from '../../../../rooms/rules/room-part.ts';
import { showsPart } from '../../../client.ts';
import { Cost } from '../../private/amounts.tsx';
import { useAsking, useBars, useSharecamCheck } from '../live.ts';

/** What sharing the own camera costs here, and the way to it; nothing where no cameras are taken. */
export function ShareOffer({ room }: { readonly room: RoomDataView }) {
  const { t } = useTranslation('shows');
  const me = useMe();
  const askLogin = useLoginPrompt();
  const { username } = room.user;
  const [, setAsking] = useAsking(username);
  const { data: check } = useSharecamCheck(room);
  const bars = useBars(room);
  const { userSetting: { sharecam: offer } } = readPart(room, showsPart);
  if (room.auth.isStreamer || !(offer.isAllowedInPrivate || offer.isAllowedInPublic)) return null;
  const isUnderWay = check !== undefined && (check.request !== null || check.running !== null);
  const isPossible = bars.public === null || bars.private === null;
  const open = async () => {
    if (me || await askLogin('sharecam')) setAsking(true);
  };
  return (
    <section aria-labelledby="sharecam-title" className="mt-6 flex flex-col gap-3 border-t border-line pt-4">
      <h2 id="sharecam-title" className="flex items-center gap-2 font-bold">
        <Webcam size={20} aria-hidden />{t('sharecam.title')}
      </h2>
      <p className="flex flex-col gap-1">
        {offer.isAllowedInPublic
          ? <Cost perMinute tokens={offer.pricePerMinuteInPublicInToken} /> : null}
        {offer.isAllowedInPrivate ? <span className="text-sm">{t('sharecam.free')}</span> : null}
      </p>
      {isUnderWay ? <p className="text-sm text-muted">{t('sharecam.underWay')}</p> : null}
      {!isUnderWay && check?.elsewhere
        ? <p className="text-sm text-muted">{t('sharecam.elsewhere', { name: check.elsewhere })}</p> : null}
      {!isUnderWay && !check?.elsewhere && isPossible ? (
        <Button wide icon={<Webcam size={20} aria-hidden />} onClick={() => void open()}>
          {t('sharecam.do')}
        </Button>
      ) : null}
      {!isUnderWay && !isPossible
        ? <p className="text-sm text-muted">{t('sharecam.unavailable')}</p> : null}
    </section>
  );
}
