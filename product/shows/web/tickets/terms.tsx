import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { PublicTicketShowView } from '../../contract/ticket-show.ts';

/** When tokens are given back, in plain words. */
export function RefundTerms({ show }: {
  show: Pick<PublicTicketShowView, 'minutes' | 'refund_joined_minute_before_end'>;
}) {
  const { t } = useTranslation('shows');
  const { minutes, refund_joined_minute_before_end: late } = show;
  return (
    <>
      <p className="text-sm text-muted">{t('ticket.terms.full', { count: minutes })}</p>
      {late > 0 ? <p className="text-sm text-muted">{t('ticket.terms.join', { count: late })}</p> : null}
    </>
  );
}
