import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import type { RoomDataView } from '#product/rooms/contract.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { ActionButton } from '#product/rooms/web/action-button.tsx';
import { Webcam } from 'lucide-react';
import { showsPart } from '../../../client.ts';
import { useAsking, useBars, useSharecamCheck } from '../live.ts';

/** The button to share one's camera, with its cost; nothing if it cannot be shared now. */
export function ShareOffer({ room }: { readonly room: RoomDataView }) {
  const { t } = useTranslation('shows');
  const me = useMe();
  const askLogin = useLoginPrompt();
  const { username } = room.user;
  const [, setAsking] = useAsking(username);
  const { data: check } = useSharecamCheck(room);
  const bars = useBars(room);
  const { userSetting: { sharecam: offer } } = readPart(room, showsPart);
  if (room.auth.isStreamer || (bars.public !== null && bars.private !== null)) return null;
  if (check !== undefined && (check.request !== null || check.running !== null)) return null;
  if (check?.elsewhere) {
    return (
      <p className="max-w-56 shrink-0 text-xs text-muted max-lg:sr-only">
        {t('sharecam.elsewhere', { name: check.elsewhere })}
      </p>
    );
  }
  const open = async () => {
    if (me || await askLogin('sharecam')) setAsking(true);
  };
  const price = bars.public === null ? offer.pricePerMinuteInPublicInToken : 0;
  return (
    <ActionButton
      label={t('sharecam.do')}
      text={t('sharecam.camera')}
      icon={<Webcam size={20} aria-hidden />}
      onClick={() => void open()}
      detail={price === 0 ? t('sharecam.isFree') : (
        <>
          <TokenAmount tokens={price} /> {t('private.perMinute')}
        </>
      )}
    />
  );
}
