import { Lock } from 'lucide-react';
import { useState } from 'react';
import { useEvent } from '../../../../../platform/ui/calls/live.ts';
import { Button } from '../../../../../platform/ui/controls/button.tsx';
import { ReadError } from '../../../../../platform/ui/surfaces/section.tsx';
import { useTranslation } from '../../../../../platform/ui/text/use-translation.ts';
import { readPart } from '../../../../rooms/rules/room-part.ts';
import type { PagePartProps } from '../../../../rooms/web/page-part.ts';
import { privateDiscount as discountSet, showsPart } from '../../../client.ts';
import { offersWatching } from '../../../rules/private.ts';
import { Clock, Cost } from '../amounts.tsx';
import { useAsking } from './asking.tsx';
import { BAR_TEXTS } from './bars.ts';
import { useCountdown } from '../../../../../platform/ui/time/countdown.ts';

/** What a private show here costs, and the way to request one; nothing where none is offered. */
export function PrivateOffer(props: PagePartProps) {
  const { t } = useTranslation('shows');
  const { read, isOffered, isUnderWay, bar, open, dialog } = useAsking(props);
  const { userSetting: { private: offer }, privateDiscount } = readPart(props.room, showsPart);
  // The same discount again restarts the clock: what it says is no other than before.
  const [discounts, setDiscounts] = useState(0);
  useEvent(props.link.connection, discountSet, () => setDiscounts((count) => count + 1));
  if (!isOffered) return null;
  return (
    <section aria-labelledby="private-title" className="mt-6 flex flex-col gap-3 border-t border-line pt-4">
      <h2 id="private-title" className="flex items-center gap-2 font-bold">
        <Lock size={20} aria-hidden />{t('private.title')}
      </h2>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <Cost perMinute
          tokens={privateDiscount?.privatePricePerMinuteInToken ?? offer.pricePerMinuteInToken} />
        {privateDiscount ? (
          <DiscountLeft key={discounts} percent={privateDiscount.discountRate}
            seconds={privateDiscount.timeLeftInSecond} />
        ) : null}
      </p>
      {offersWatching({ chatStatus: props.room.chat.status, offer }) ? (
        <p className="text-sm text-muted">{t('watch.offered', { name: props.room.user.displayName })}</p>
      ) : null}
      {isUnderWay ? <p className="text-sm text-muted">{t('private.underWay')}</p>
        : bar === null ? (
          <Button wide icon={<Lock size={20} aria-hidden />} onClick={open}>
            {t('private.ask')}
          </Button>
        ) : <p className="text-sm text-muted">{t(BAR_TEXTS[bar])}</p>}
      <ReadError read={read} />
      {dialog}
    </section>
  );
}

/** A discount with the time that is left of it. */
function DiscountLeft({ percent, seconds }: { percent: number; seconds: number }) {
  const { t } = useTranslation('shows');
  const left = useCountdown(seconds, percent);
  return (
    <span className="text-sm">{t('private.discount', { percent })} <Clock seconds={left} /></span>
  );
}
