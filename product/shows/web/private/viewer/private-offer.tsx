import { ReadError } from '#platform/ui/surfaces/section.tsx';
import { TokenAmount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSecondsUntil } from '#platform/ui/time/countdown.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { ActionButton } from '#product/rooms/web/action-button.tsx';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { Lock } from 'lucide-react';
import { showsPart } from '../../../client.ts';
import { offersWatching } from '../../../rules/private.ts';
import { Clock } from '../amounts.tsx';
import { useAsking } from './asking.tsx';
import { BAR_TEXTS } from './bars.ts';

/** Text beside the buttons, at most as high as they are; a narrow bar has three lines of it. */
const BESIDE = 'max-w-56 shrink-0 text-xs text-muted max-lg:sr-only @max-[72rem]/bar:max-w-44 '
  + '@max-[72rem]/bar:leading-3.5';

/** What a private show here costs, and the button to request one; nothing without an offer. */
export function PrivateOffer(props: PagePartProps) {
  const { t } = useTranslation('shows');
  const { read, isOffered, isUnderWay, bar, open, dialog } = useAsking(props);
  const { userSetting: { private: offer }, privateDiscount } = readPart(props.room, showsPart);
  if (!isOffered || isUnderWay) return null;
  const price = privateDiscount?.privatePricePerMinuteInToken ?? offer.pricePerMinuteInToken;
  return (
    <section aria-label={t('private.title')} className="contents">
      {bar === null
        ? (
          <ActionButton
            label={t('private.ask')}
            text={t('private.button')}
            onClick={open}
            icon={<Lock size={20} aria-hidden />}
            detail={
              <>
                <TokenAmount tokens={price} /> {t('private.perMinute')} {privateDiscount
                  ? <DiscountLeft percent={privateDiscount.discountRate} until={privateDiscount.until} />
                  : null}
              </>
            }
          />
        )
        : (
          <p className={`flex items-center gap-2 ${BESIDE}`}>
            <Lock size={20} aria-hidden className="shrink-0" />
            {t(BAR_TEXTS[bar])}
          </p>
        )}
      {offersWatching({ chatStatus: props.room.chat.status, offer })
        ? (
          <p className={`relative ${BESIDE}`}>
            {t('watch.offered', { name: props.room.user.displayName })}
          </p>
        )
        : null}
      <ReadError read={read} />
      {dialog}
    </section>
  );
}

/** A discount and the time left of it. */
function DiscountLeft({ percent, until }: { percent: number; until: string }) {
  const { t } = useTranslation('shows');
  const left = useSecondsUntil(Date.parse(until));
  return (
    <span className="font-bold text-accent">
      {t('private.discount', { percent })} <Clock seconds={left} />
    </span>
  );
}
