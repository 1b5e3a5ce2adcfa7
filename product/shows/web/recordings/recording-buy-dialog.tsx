import type { Problem } from '#platform/contract/client.ts';
import { problemOf, useCache, useCall } from '#platform/ui/calls/calls.ts';
import { ConfirmDialog } from '#platform/ui/surfaces/questions.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { useTipRefusal } from '#product/tips/web/tip-panel.tsx';
import { useState } from 'react';
import { buyTicketRecording } from '../../client.ts';
import { MIN_RECORDED_PERCENT } from '../../rules/ticket-show.ts';
import { Cost } from '../private/amounts.tsx';
import { showRecording } from '../tickets/live.ts';

interface BuyDialogProps extends Pick<PagePartProps, 'room' | 'onMoneyPrompt'> {
  /** Price in tokens that this viewer was shown. */
  readonly price: number;
  readonly onClose: () => void;
}

/** Asks once before the price of a recording is set aside. */
export default function BuyDialog({ room, price, onMoneyPrompt, onClose }: BuyDialogProps) {
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
      showRecording(cache, await call(buyTicketRecording, { username: room.user.username, price }));
      toast(t('ticket.recording.bought'), 'success');
      onClose();
    } catch (error) {
      setProblem(refused(problemOf(error), price));
      setBusy(false);
    }
  };
  return (
    <ConfirmDialog
      title={t('ticket.recording.buyTitle', { name: room.user.displayName })}
      accept={t('ticket.recording.buy')}
      reject={t('ticket.later')}
      busy={isBusy}
      onAccept={() => void buy()}
      onReject={onClose}
    >
      <div className="flex flex-col gap-3">
        <p className="font-bold">
          <Cost tokens={price} />
        </p>
        <p>{t('ticket.recording.terms', { percent: MIN_RECORDED_PERCENT })}</p>
        <p className="text-sm text-muted">{t('ticket.recording.where')}</p>
        <FormError problem={problem} />
      </div>
    </ConfirmDialog>
  );
}
