import type { Problem } from '#platform/contract/client.ts';
import { problemOf, useCache, useCall } from '#platform/ui/calls/calls.ts';
import { ConfirmDialog } from '#platform/ui/surfaces/questions.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { useTipRefusal } from '#product/tips/web/tip-panel.tsx';
import { useState } from 'react';
import { buyTicket } from '../../client.ts';
import type { LimitedShowView } from '../../contract/ticket-show.ts';
import { Cost, Figure } from '../private/amounts.tsx';
import { LeftOf, StartsIn } from './figures.tsx';
import { showTicket } from './live.ts';
import { RefundTerms } from './terms.tsx';

interface BuyDialogProps extends Pick<PagePartProps, 'room' | 'onMoneyPrompt'> {
  readonly show: LimitedShowView;
  /** Price in tokens that this viewer was shown. */
  readonly price: number;
  readonly onClose: () => void;
}

/** Asks once before the price of a ticket is set aside. */
export default function BuyDialog({ room, show, price, onMoneyPrompt, onClose }: BuyDialogProps) {
  const { t } = useTranslation('shows');
  const toast = useToast();
  const call = useCall();
  const cache = useCache();
  const askLogin = useLoginPrompt();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const refused = useTipRefusal({ onLogin: () => void askLogin('ticket'), onPrompt: onMoneyPrompt });
  const buy = async () => {
    setBusy(true);
    try {
      showTicket(cache, await call(buyTicket, { username: room.user.username, price }));
      toast(t('ticket.bought'), 'success');
      onClose();
    } catch (error) {
      setProblem(refused(problemOf(error), price));
      setBusy(false);
    }
  };
  return (
    <ConfirmDialog
      title={t('ticket.buyTitle', { name: room.user.displayName })}
      accept={t('ticket.buy')}
      reject={t('ticket.later')}
      busy={isBusy}
      onAccept={() => void buy()}
      onReject={onClose}
    >
      <div className="flex flex-col gap-3">
        <p className="min-w-0 break-words">
          <Typed>{show.limited_message}</Typed>
        </p>
        <dl className="flex flex-wrap gap-x-6 gap-y-2">
          <Figure name={t('ticket.price')}>
            <Cost tokens={price} />
          </Figure>
          {show.state === 'offered' ? <StartsIn at={show.starts_at} /> : null}
          <Figure name={t('ticket.length')}>{t('ticket.minutes', { minutes: show.minutes })}</Figure>
          {show.state === 'running' ? <LeftOf show={show} /> : null}
        </dl>
        <p>{t('ticket.aside')}</p>
        <RefundTerms show={show} />
        <FormError problem={problem} />
      </div>
    </ConfirmDialog>
  );
}
