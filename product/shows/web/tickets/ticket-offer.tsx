import { Ticket } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../../../platform/ui/controls/button.tsx';
import { formatCount } from '../../../../platform/ui/text/amounts.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '../../../accounts/web/login-prompt.tsx';
import { useMe } from '../../../accounts/web/me.ts';
import { readPart } from '../../../rooms/rules/room-part.ts';
import type { PagePartProps } from '../../../rooms/web/page-part.ts';
import { showsPart } from '../../client.ts';
import type { LimitedShowView } from '../../contract/ticket-show.ts';
import { Clock, Cost, Figure } from '../private/amounts.tsx';
import { RecordingOffer } from '../ticket-recordings/recording-offer.tsx';
import { ownPrice } from './live.ts';
import { RefundTerms } from './terms.tsx';
import { useSecondsUntil } from '../../../../platform/ui/time/countdown.ts';

const BuyDialog = lazy(() => import('./buy-dialog.tsx'));

/** The ticket show of this room, and the way to buy a ticket; nothing while none is on. */
export function TicketOffer(props: PagePartProps) {
  const { limitedShow: show } = readPart(props.room, showsPart);
  if (!show || props.room.auth.isStreamer) return null;
  return <Offer key={show.id} show={show} {...props} />;
}

function Offer({ show, room, onMoneyPrompt }: Pick<PagePartProps, 'room' | 'onMoneyPrompt'> & {
  readonly show: LimitedShowView;
}) {
  const { t, i18n } = useTranslation('shows');
  const me = useMe();
  const askLogin = useLoginPrompt();
  const [isBuying, setBuying] = useState(false);
  const price = ownPrice(room, show.ticket_price);
  const buy = async () => {
    if (!me && !(await askLogin('ticket'))) return;
    setBuying(true);
  };
  return (
    <section aria-labelledby="ticket-title" className="mt-6 flex flex-col gap-3 border-t border-line pt-4">
      <h2 id="ticket-title" className="flex items-center gap-2 font-bold">
        <Ticket size={20} aria-hidden />{t('ticket.title')}
      </h2>
      <p className="min-w-0 break-words">{show.limited_message}</p>
      <dl className="flex flex-wrap gap-x-6 gap-y-2">
        <Figure name={t('ticket.price')}><Cost tokens={price} /></Figure>
        {show.state === 'offered' ? <StartsIn at={show.starts_at} /> : null}
        {show.recording_price > 0 ? (
          <Figure name={t('ticket.recording.price')}>
            <Cost tokens={ownPrice(room, show.recording_price)} />
          </Figure>
        ) : null}
        <Figure name={t('ticket.length')}>{t('ticket.minutes', { minutes: show.minutes })}</Figure>
        <Figure name={t('ticket.sold')}>
          <span className="tabular">
            {t('ticket.soldOf', {
              sold: formatCount(show.sold, i18n.language),
              minimum: formatCount(show.minimum_tickets, i18n.language),
            })}
          </span>
        </Figure>
      </dl>
      {price < show.ticket_price ? (
        <p className="text-sm">
          {t('ticket.clubPrice', { price: formatCount(show.ticket_price, i18n.language) })}
        </p>
      ) : null}
      {show.purchased_ticket ? <p className="font-bold">{t('ticket.bought')}</p> : (
        <>
          {show.state === 'running' ? <p>{t('ticket.running')}</p> : null}
          <Button tone="primary" wide icon={<Ticket size={20} aria-hidden />} onClick={() => void buy()}>
            {t('ticket.buy')}
          </Button>
        </>
      )}
      <RefundTerms show={show} />
      <RecordingOffer show={show} room={room} onMoneyPrompt={onMoneyPrompt} />
      {isBuying && me && !show.purchased_ticket ? (
        <Suspense>
          <BuyDialog room={room} show={show} price={price} onMoneyPrompt={onMoneyPrompt}
            onClose={() => setBuying(false)} />
        </Suspense>
      ) : null}
    </section>
  );
}

/** The time until a show shall start. */
export function StartsIn({ at }: { at: string }) {
  const { t } = useTranslation('shows');
  const left = useSecondsUntil(Date.parse(at));
  return (
    <Figure name={t('ticket.startsIn')}>
      {left > 0 ? <Clock seconds={left} /> : t('ticket.anyMoment')}
    </Figure>
  );
}
