import { Lock } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../../../../platform/ui/controls/button.tsx';
import { ReadError } from '../../../../../platform/ui/surfaces/section.tsx';
import { useTranslation } from '../../../../../platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '../../../../accounts/web/login-prompt.tsx';
import { useMe } from '../../../../accounts/web/me.ts';
import { readPart } from '../../../../rooms/rules/room-part.ts';
import type { PagePartProps } from '../../../../rooms/web/page-part.ts';
import { showsPart } from '../../../client.ts';
import { Clock, Cost } from '../amounts.tsx';
import { useCountdown, usePrivateCheck } from '../live.ts';
import { BAR_TEXTS } from './bars.ts';

const RequestDialog = lazy(() => import('./request-dialog.tsx'));

/** What a private show here costs, and the way to request one; nothing where none is offered. */
export function PrivateOffer({ room, onMoneyPrompt }: PagePartProps) {
  const { t } = useTranslation('shows');
  const me = useMe();
  const askLogin = useLoginPrompt();
  const [isOpen, setOpen] = useState(false);
  const read = usePrivateCheck(room);
  const check = read.data;
  const { userSetting: { private: offer }, privateDiscount } = readPart(room, showsPart);
  if (room.auth.isStreamer || !offer.isEnabled) return null;
  const isUnderWay = check !== undefined && (check.request !== null || check.running !== null);
  const bar = check?.bar ?? null;
  const open = async () => {
    if (!me && !(await askLogin('private'))) return;
    setOpen(true);
  };
  return (
    <section aria-labelledby="private-title" className="mt-6 flex flex-col gap-3 border-t border-line pt-4">
      <h2 id="private-title" className="flex items-center gap-2 font-bold">
        <Lock size={20} aria-hidden />{t('private.title')}
      </h2>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <Cost perMinute
          tokens={privateDiscount?.privatePricePerMinuteInToken ?? offer.pricePerMinuteInToken} />
        {privateDiscount ? (
          <DiscountLeft percent={privateDiscount.discountRate} seconds={privateDiscount.timeLeftInSecond} />
        ) : null}
      </p>
      {isUnderWay ? <p className="text-sm text-muted">{t('private.underWay')}</p>
        : bar === null ? (
          <Button wide icon={<Lock size={20} aria-hidden />} onClick={() => void open()}>
            {t('private.ask')}
          </Button>
        ) : <p className="text-sm text-muted">{t(BAR_TEXTS[bar])}</p>}
      <ReadError read={read} />
      {isOpen && me && !isUnderWay ? (
        <Suspense>
          <RequestDialog room={room} onMoneyPrompt={onMoneyPrompt} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
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
