import { keyOf } from '#platform/text/message-keys.ts';
import { IconButton } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { X } from 'lucide-react';
import { Link } from 'react-router';
import type { ReceiptView } from '../../contract/private-running.ts';
import { END_REASONS } from '../../rules/private.ts';
import { SaidLink } from '../account/said-link.tsx';
import { RecordingOf } from '../recordings/recording-of.tsx';
import { Clock, Cost, Figure } from './amounts.tsx';
import type { Outcome } from './live.ts';

interface OverProps {
  readonly outcome: Outcome;
  /** The performer's name as viewers see it. */
  readonly name: string;
  readonly isPerformer: boolean;
  readonly onClose: () => void;
}

/** How a request or a show ended, until it is closed. */
export function Over({ outcome, name, isPerformer, onClose }: OverProps) {
  const { t } = useTranslation('shows');
  const why = useWhy();
  return (
    <div className="flex items-start gap-3">
      <div className="flex min-w-0 grow flex-col gap-2">
        <p role="status">
          {outcome.kind === 'ended'
            ? why(outcome.reason, isPerformer)
            : t(`private.over.${outcome.kind}`, { name })}
        </p>
        {outcome.kind === 'failed' && outcome.why !== ''
          ? <p className="text-sm text-muted">{outcome.why}</p>
          : null}
        {outcome.kind === 'ended' && outcome.receipt
          ? <ReceiptFigures receipt={outcome.receipt} isPerformer={isPerformer} />
          : null}
        {outcome.kind === 'ended' && outcome.receipt
          ? <RecordingOf receipt={outcome.receipt} isPerformer={isPerformer} />
          : null}
        {outcome.kind === 'ended' && outcome.receipt
          ? <SaidLink kind="private" show={outcome.receipt.id} endedAt={outcome.receipt.ended_at} />
          : null}
        {outcome.kind === 'ended'
          ? (
            <p>
              <Link
                to="/account/shows"
                className="inline-flex min-h-11 items-center text-link hover:underline"
              >
                {t('private.receipts')}
              </Link>
            </p>
          )
          : null}
      </div>
      <IconButton label={t('private.close')} onClick={onClose}>
        <X size={20} aria-hidden />
      </IconButton>
    </div>
  );
}

/** Why a show ended, worded for the viewer or the performer. */
export function useWhy(): (reason: string, isPerformer: boolean) => string {
  const { t } = useTranslation('shows');
  return (reason, isPerformer) => {
    const known = END_REASONS.find((text) => text === reason) ?? 'model_ended';
    return t(
      isPerformer
        ? keyOf('shows', 'private.reason.performer', known)
        : keyOf('shows', 'private.reason.viewer', known),
    );
  };
}

/** The totals of a show, in numbers that can be checked. */
function ReceiptFigures({ receipt, isPerformer }: { receipt: ReceiptView; isPerformer: boolean }) {
  const { t } = useTranslation('shows');
  const free = receipt.free_seconds.performer + receipt.free_seconds.viewer;
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2">
      <Figure name={t('private.time')}>
        <Clock seconds={receipt.seconds} />
      </Figure>
      <Figure name={t(isPerformer ? 'private.earned' : 'private.paid')}>
        <Cost tokens={receipt.tokens + receipt.pre_tip - (isPerformer ? receipt.fanclub_refund : 0)} />
      </Figure>
      {free > 0
        ? (
          <Figure name={t('private.free')}>
            <Clock seconds={free} />
          </Figure>
        )
        : null}
      {receipt.released > 0 && !isPerformer
        ? (
          <Figure name={t('private.released')}>
            <Cost tokens={receipt.released} />
          </Figure>
        )
        : null}
      {receipt.fanclub_refund > 0
        ? (
          <Figure name={t('private.refund')}>
            <Cost tokens={receipt.fanclub_refund} />
          </Figure>
        )
        : null}
    </dl>
  );
}
