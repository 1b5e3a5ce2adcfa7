import { keyOf } from '#platform/text/message-keys.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Table, type Column } from '#platform/ui/controls/lists/table.tsx';
import { Loaded, Section } from '#platform/ui/surfaces/section.tsx';
import { EmptyState } from '#platform/ui/surfaces/states.tsx';
import { formatCount, RelativeTime, TokenAmount } from '#platform/ui/text/amounts.tsx';
import { Typed } from '#platform/ui/text/typed.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Link } from 'react-router';
import { getOwnTicketShows, getTickets } from '../../client.ts';
import type { OwnTicketShowView, TicketView } from '../../contract/ticket-show.ts';
import { SaidLink } from './said-link.tsx';

/** Tickets a viewer bought, newest first, with what happened to their tokens. */
export function Tickets() {
  const { t, i18n } = useTranslation('shows');
  const read = useReadPages(getTickets, {});
  const columns: readonly Column<TicketView>[] = [
    { key: 'when', text: t('ticket.account.bought'), cell: ({ bought_at: at }) => <RelativeTime at={at} /> },
    {
      key: 'show',
      text: t('ticket.own.show'),
      cell: ({ broadcaster, limited_message: message }) => (
        <>
          {broadcaster}
          <span className="block text-xs break-words text-muted">
            <Typed>{message}</Typed>
          </span>
        </>
      ),
    },
    {
      key: 'what',
      text: t('ticket.account.what'),
      cell: ({ state, reason_ended: reason, settled_at: ended, ...ticket }) => (
        <>
          <span className="block">{t(keyOf('shows', 'ticket.account.state', state))}</span>
          {reason === null
            ? null
            : (
              <span className="block text-xs text-muted">
                {t(keyOf('shows', 'ticket.own.reason', reason))}
              </span>
            )}
          <BoughtRecording {...ticket} />
          {ended === null ? null : <SaidLink kind="ticket" show={ticket.show_id} endedAt={ended} />}
        </>
      ),
    },
    {
      key: 'tokens',
      text: t('ticket.own.tokens'),
      numeric: true,
      cell: ({ tokens, recording }) => (
        <>
          <TokenAmount tokens={tokens} />
          {recording
            ? (
              <span className="block text-xs text-muted">
                {t('ticket.account.recordingTokens', {
                  tokens: formatCount(recording.tokens, i18n.language),
                })}
              </span>
            )
            : null}
        </>
      ),
    },
  ];
  return (
    <Section anchor="tickets" title={t('ticket.account.title')} lead={t('ticket.account.lead')}>
      <Loaded read={read} height="h-48">
        {({ pages }) => {
          const tickets = pages.flatMap((page) => page.tickets);
          if (tickets.length === 0) return <EmptyState text={t('ticket.account.none')} />;
          return (
            <>
              <Table
                blocks
                caption={t('ticket.account.title')}
                columns={columns}
                rows={tickets}
                keyOf={({ id }) => id}
              />
              <MorePages read={read} />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

/** The state of the recording bought with a ticket, and the link to watch it. */
function BoughtRecording({ show_id: show, recording }: Pick<TicketView, 'show_id' | 'recording'>) {
  const { t } = useTranslation('shows');
  if (!recording) return null;
  return (
    <span className="block">
      <span>
        {t('ticket.account.withRecording', {
          state: t(keyOf('shows', 'ticket.account.state', recording.state)),
        })}
      </span>
      {recording.is_playable ? <WatchLink show={show} /> : null}
    </span>
  );
}

function WatchLink({ show }: { readonly show: number }) {
  const { t } = useTranslation('shows');
  return (
    <Link
      to={`/account/shows/recordings/${show}`}
      className="flex min-h-11 items-center text-link hover:underline"
    >
      {t('ticket.recording.watch')}
    </Link>
  );
}

/** A performer's ticket shows that are over, newest first. */
export function PastTicketShows() {
  const { t } = useTranslation('shows');
  const read = useReadPages(getOwnTicketShows, {});
  const columns: readonly Column<OwnTicketShowView>[] = [
    {
      key: 'when',
      text: t('account.when'),
      cell: ({ ended_at: at }) => (at === null ? '' : <RelativeTime at={at} />),
    },
    {
      key: 'show',
      text: t('ticket.own.show'),
      cell: ({
        id,
        limited_message: message,
        reason_ended: reason,
        recorded_seconds: recorded,
        ended_at: ended,
      }) => (
        <>
          <span className="break-words">
            <Typed>{message}</Typed>
          </span>
          {reason === null
            ? null
            : (
              <span className="block text-xs text-muted">
                {t(keyOf('shows', 'ticket.own.reason', reason))}
              </span>
            )}
          {recorded === null ? null : <WatchLink show={id} />}
          {ended === null ? null : <SaidLink kind="ticket" show={id} endedAt={ended} />}
        </>
      ),
    },
    { key: 'paid', text: t('ticket.own.paid'), numeric: true, cell: ({ paid }) => paid },
    {
      key: 'returned',
      text: t('ticket.own.returned'),
      numeric: true,
      wide: true,
      cell: ({ returned }) => returned,
    },
    {
      key: 'recordings',
      text: t('ticket.own.recordings'),
      numeric: true,
      wide: true,
      cell: ({ recordings_paid: count }) => count,
    },
    {
      key: 'tokens',
      text: t('ticket.own.earned'),
      numeric: true,
      cell: ({ paid_tokens: tokens, recording_tokens: ofRecordings }) => (
        <TokenAmount tokens={tokens + ofRecordings} />
      ),
    },
  ];
  return (
    <Section anchor="ticket-shows" title={t('ticket.own.past')}>
      <Loaded read={read} height="h-48">
        {({ pages }) => {
          const shows = pages.flatMap(({ past }) => past);
          if (shows.length === 0) return <EmptyState text={t('ticket.own.none')} />;
          return (
            <>
              <Table
                blocks
                caption={t('ticket.own.past')}
                columns={columns}
                rows={shows}
                keyOf={({ id }) => id}
              />
              <MorePages read={read} />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}
