import { useRead } from '#platform/ui/calls/calls.ts';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { getOwnGroupGoal, getOwnTicketShows, getPrivateRequests } from '../../../client.ts';

/** What ends with the broadcast, in numbers; nothing if nothing is running. */
export default function EndingShows() {
  const { t, i18n } = useTranslation('shows');
  const running = useRead(getPrivateRequests, {}).data?.running ?? null;
  const ticket = useRead(getOwnTicketShows, {}).data?.open ?? null;
  const goal = useRead(getOwnGroupGoal, {}).data?.goal ?? null;
  const count = (tokens: number): string => formatCount(tokens, i18n.language);
  if (!running && !ticket && !goal) return null;
  return (
    <ul aria-label={t('ending.title')} className="flex list-disc flex-col gap-2 pt-2 pl-5">
      {running ? <li>{t('ending.private', { name: running.username })}</li> : null}
      {ticket
        ? (
          <li>
            {t(ticket.state === 'running' ? 'ending.ticketRunning' : 'ending.ticketOffered', {
              title: ticket.limited_message,
              count: ticket.sold,
              sold: count(ticket.sold),
            })}
          </li>
        )
        : null}
      {goal
        ? (
          <li>
            {t('ending.goal', {
              title: goal.title,
              progress: count(goal.progress),
              tokens: count(goal.tokens),
            })}
          </li>
        )
        : null}
    </ul>
  );
}
