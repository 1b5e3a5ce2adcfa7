import { Button } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { Film } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { LimitedShowView } from '../../contract/ticket-show.ts';
import { ownPrice } from '../tickets/live.ts';

const BuyDialog = lazy(() => import('./recording-buy-dialog.tsx'));

/** The recording of a ticket show, for ticket holders: its price, and the button to buy it. */
export function RecordingOffer({ show, room, onMoneyPrompt }: {
  readonly show: LimitedShowView;
} & Pick<PagePartProps, 'room' | 'onMoneyPrompt'>) {
  const { t } = useTranslation('shows');
  const [isBuying, setBuying] = useState(false);
  if (show.recording_price === 0) return null;
  if (show.purchased_recording) return <p className="font-bold">{t('ticket.recording.bought')}</p>;
  if (show.state !== 'running') {
    return <p className="text-sm text-muted">{t('ticket.recording.later')}</p>;
  }
  if (!show.is_recorded) return <p className="text-sm text-muted">{t('ticket.recording.notMade')}</p>;
  return (
    <>
      <Button icon={<Film size={20} aria-hidden />} onClick={() => setBuying(true)}>
        {t('ticket.recording.buy')}
      </Button>
      {isBuying
        ? (
          <Suspense>
            <BuyDialog
              room={room}
              price={ownPrice(room, show.recording_price)}
              onMoneyPrompt={onMoneyPrompt}
              onClose={() => setBuying(false)}
            />
          </Suspense>
        )
        : null}
    </>
  );
}
