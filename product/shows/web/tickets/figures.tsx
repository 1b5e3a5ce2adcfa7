import { MINUTE_MS } from '#platform/time/units.ts';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useSecondsUntil } from '#platform/ui/time/countdown.ts';
import type { LimitedShowView } from '../../contract/ticket-show.ts';
import { Clock, Figure } from '../private/amounts.tsx';

/** Tickets sold, of those the show needs to start; once it is running, just the tickets sold. */
export function SoldOf({ show }: { show: Pick<LimitedShowView, 'state' | 'sold' | 'minimum_tickets'> }) {
  const { t, i18n } = useTranslation('shows');
  if (show.state === 'running') {
    return <span className="tabular">{formatCount(show.sold, i18n.language)}</span>;
  }
  return (
    <span className="tabular">
      {t('ticket.soldOf', {
        sold: formatCount(show.sold, i18n.language),
        minimum: formatCount(show.minimum_tickets, i18n.language),
      })}
    </span>
  );
}

/** The time until a show's planned start. */
export function StartsIn({ at }: { at: string }) {
  const { t } = useTranslation('shows');
  const left = useSecondsUntil(Date.parse(at));
  return (
    <Figure name={t('ticket.startsIn')}>
      {left > 0 ? <Clock seconds={left} /> : t('ticket.anyMoment')}
    </Figure>
  );
}

/** Time left of a running show's agreed length; afterwards that length, because ticket holders pay then. */
export function LeftOf({ show }: { show: Pick<LimitedShowView, 'started_at' | 'minutes'> }) {
  const { t } = useTranslation('shows');
  const left = useSecondsUntil(Date.parse(show.started_at ?? '') + show.minutes * MINUTE_MS);
  return left > 0
    ? (
      <Figure name={t('ticket.own.left')}>
        <Clock seconds={left} />
      </Figure>
    )
    : <Figure name={t('ticket.length')}>{t('ticket.minutes', { minutes: show.minutes })}</Figure>;
}
