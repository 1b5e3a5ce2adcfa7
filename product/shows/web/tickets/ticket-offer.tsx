import { useLiveState, useLiveStore } from '#platform/ui/calls/live-state.ts';
import { Button, IconButton } from '#platform/ui/controls/button.tsx';
import { formatCount, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { ActionButton } from '#product/rooms/web/action-button.tsx';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { Ticket, X } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { Cost, Figure } from '../private/amounts.tsx';
import { BUYING, offeredIn, useBuying, type Offered } from './buying.ts';
import { LeftOf, SoldOf, StartsIn } from './figures.tsx';
import { ownPrice } from './live.ts';
import { RefundTerms } from './terms.tsx';

const BuyDialog = lazy(() => import('./buy-dialog.tsx'));

/**
 * In the bar of actions while a ticket can be bought. Also asks before buying, wherever the viewer clicked.
 */
export function TicketAction(props: PagePartProps) {
  const show = offeredIn(props.room);
  return show ? <Action key={show.id} show={show} {...props} /> : null;
}

function Action({ show, room, onMoneyPrompt }: Offered & Pick<PagePartProps, 'onMoneyPrompt'>) {
  const { t } = useTranslation('shows');
  const store = useLiveStore();
  const { price, buy } = useBuying({ room, show });
  const isMember = useMe() !== null;
  const isBuying = useLiveState(BUYING, (id) => id === show.id);
  const close = useCallback(() => store.change(BUYING, () => null), [store]);
  useEffect(() => close, [close]);
  return (
    <>
      <ActionButton
        label={t('ticket.for', { count: price })}
        text={t('ticket.short')}
        icon={<Ticket size={20} aria-hidden />}
        detail={<TokenAmount tokens={price} />}
        onClick={buy}
      />
      {isBuying && isMember
        ? (
          <Suspense>
            <BuyDialog room={room} show={show} price={price} onMoneyPrompt={onMoneyPrompt} onClose={close} />
          </Suspense>
        )
        : null}
    </>
  );
}

/** In the chat, under the message that offers the show. */
export function TicketLine({ room }: PagePartProps) {
  const show = offeredIn(room);
  return show ? <BuyFromChat show={show} room={room} /> : null;
}

function BuyFromChat(props: Offered) {
  const { t } = useTranslation('shows');
  const { buy } = useBuying(props);
  return <Button icon={<Ticket size={20} aria-hidden />} onClick={buy}>{t('ticket.buy')}</Button>;
}

/** In these states something else is asked in place of the video, which the card would cover. */
const ASKING: ReadonlySet<string> = new Set(['guest_overlay', 'password_required', 'cc_required']);

/** Over the video: the offered or running ticket show, its price, and the button to buy a ticket. */
export function TicketOffer(props: PagePartProps) {
  const show = offeredIn(props.room);
  return show ? <Offer key={show.id} show={show} room={props.room} /> : null;
}

/** Left out on a phone for lack of room: the question before buying repeats it. */
const SPARE = 'max-sm:hidden phone-landscape:hidden';

function Offer(props: Offered) {
  const { t, i18n } = useTranslation('shows');
  const { show, room } = props;
  const { price, buy } = useBuying(props);
  const [isClosed, setClosed] = useState(false);
  // Viewers who cannot see the show keep the offer in view.
  const mayClose = room.streamStatus !== 'limited';
  if ((isClosed && mayClose) || ASKING.has(room.streamStatus)) return null;
  return (
    <section
      data-offer
      aria-labelledby="ticket-title"
      className={`absolute bottom-2 left-2 z-10 flex max-h-[calc(100%-16px)] w-[min(24rem,calc(100%-16px))]
        flex-col gap-2 overflow-y-auto rounded-card border border-line bg-surface/90 p-3 text-text
        shadow-float max-[22.5rem]:p-2 lg:group-data-scrolled:hidden phone-landscape:bottom-14
        phone-landscape:max-h-[calc(100%-var(--bar,62px)-4.5rem)] phone-landscape:w-(--offer,50%)
        phone-landscape:p-2
        ${mayClose ? 'lg:bottom-14 lg:max-h-[calc(100%-64px)]' : ''}`}
    >
      <div className="flex items-start gap-2">
        <Ticket size={20} aria-hidden className={`mt-0.5 shrink-0 ${SPARE}`} />
        <div className="min-w-0 grow">
          <h2 id="ticket-title" className="font-bold max-sm:sr-only phone-landscape:sr-only">
            {t('ticket.title')}
          </h2>
          {/* On the narrowest phones one line, or none where the cover's reason needs the room. */}
          <p
            className={`min-w-0 break-words max-sm:line-clamp-2 phone-landscape:line-clamp-2
            ${mayClose ? 'max-[22.5rem]:line-clamp-1' : 'max-[22.5rem]:sr-only'}`}
          >
            <Typed>{show.limited_message}</Typed>
          </p>
        </div>
        {mayClose
          ? (
            <span className="-m-2 shrink-0">
              <IconButton label={t('ticket.hide')} onClick={() => setClosed(true)}>
                <X size={20} aria-hidden />
              </IconButton>
            </span>
          )
          : null}
      </div>
      {show.state === 'running' ? <p className={SPARE}>{t('ticket.running')}</p> : null}
      <div className="flex flex-wrap items-end gap-x-4 gap-y-2 sm:flex-nowrap phone-landscape:flex-wrap">
        <dl className="flex flex-wrap gap-x-4 gap-y-2 max-[22.5rem]:[&>:nth-child(2)]:hidden
          sm:grid sm:grow sm:grid-cols-[auto_1fr] sm:gap-x-6 phone-landscape:flex phone-landscape:gap-x-4">
          <Figure name={t('ticket.price')}>
            <Cost tokens={price} />
          </Figure>
          {show.state === 'offered' ? <StartsIn at={show.starts_at} /> : <LeftOf show={show} />}
          {show.recording_price > 0
            ? (
              <Figure name={t('ticket.recording.price')} wide>
                <Cost tokens={ownPrice(room, show.recording_price)} />
              </Figure>
            )
            : null}
          <Figure name={t('ticket.length')} wide>{t('ticket.minutes', { minutes: show.minutes })}</Figure>
          <Figure name={t('ticket.sold')} wide>
            <SoldOf show={show} />
          </Figure>
        </dl>
        <span className="ml-auto shrink-0 whitespace-nowrap">
          <Button tone="primary" onClick={buy}>{t('ticket.buy')}</Button>
        </span>
      </div>
      {price < show.ticket_price
        ? (
          <p className={`text-sm ${SPARE}`}>
            {t('ticket.clubPrice', { price: formatCount(show.ticket_price, i18n.language) })}
          </p>
        )
        : null}
      <div className={SPARE}>
        <RefundTerms show={show} />
      </div>
      {show.recording_price > 0
        ? <p className={`text-sm text-muted ${SPARE}`}>{t('ticket.recording.later')}</p>
        : null}
    </section>
  );
}
