import { keyOf } from '#platform/text/message-keys.ts';
import { IconButton } from '#platform/ui/controls/button.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { Ticket, X } from 'lucide-react';
import { Link } from 'react-router';
import { showsPart } from '../../client.ts';
import { isLateJoin } from '../../rules/ticket-show.ts';
import { Cost, Figure } from '../private/amounts.tsx';
import { RecordingOffer } from '../recordings/recording-offer.tsx';
import { STATE_ROW } from '../room/state-row.ts';
import { LeftOf, SoldOf, StartsIn } from './figures.tsx';
import { useTicketOutcome, type TicketOutcome } from './live.ts';

/** In the bar of actions: this viewer's ticket for an offered or running show, and what happened to it. */
export function TicketBanner({ room, onMoneyPrompt }: PagePartProps) {
  const { t } = useTranslation('shows');
  const { username, displayName: name } = room.user;
  const [outcome, setOutcome] = useTicketOutcome(username);
  const { limitedShow: show } = readPart(room, showsPart);
  if (useMe() === null || room.auth.isStreamer) return null;
  const isHolder = show?.purchased_ticket === true;
  if (!isHolder && !outcome) return null;
  return (
    <section aria-label={t('ticket.yours')} className={STATE_ROW}>
      {isHolder
        ? (
          <div data-costs className="flex flex-wrap items-center gap-x-6 gap-y-2">
            <p
              role="status"
              className="flex min-w-0 grow basis-48 items-center gap-2 max-sm:basis-28
            max-sm:text-sm"
            >
              <Ticket size={20} aria-hidden className="shrink-0" />
              <span className="min-w-0">
                {show.state === 'running' ? t('ticket.in') : t('ticket.waits', { name })}
              </span>
            </p>
            <dl className="flex gap-x-6">
              {show.state === 'running'
                ? <LeftOf show={show} />
                : (
                  <>
                    <StartsIn at={show.starts_at} />
                    <Figure name={t('ticket.sold')}>
                      <SoldOf show={show} />
                    </Figure>
                  </>
                )}
            </dl>
            <RecordingOffer show={show} room={room} onMoneyPrompt={onMoneyPrompt} />
          </div>
        )
        : outcome
        ? <Outcome outcome={outcome} onClose={() => setOutcome(null)} />
        : null}
    </section>
  );
}

/** What happened to a ticket, with its tokens, until it is closed. */
function Outcome({ outcome, onClose }: { outcome: TicketOutcome; onClose: () => void }) {
  const { t } = useTranslation('shows');
  const { id, state, reason_ended: reason, tokens, recording } = outcome;
  const isReturned = reason === 'completed' && state === 'returned';
  const isLate = isLateJoin(outcome.seconds_in, outcome.refund_joined_minute_before_end);
  return (
    <div className="flex items-start gap-3">
      <div className="flex min-w-0 grow flex-col gap-2">
        <p role="status">
          {isReturned
            ? t(isLate ? 'ticket.over.joinedLate' : 'ticket.over.shutOut')
            : t(keyOf('shows', 'ticket.over', reason))}
        </p>
        <dl className="flex flex-wrap gap-x-6 gap-y-2">
          <Figure name={t(state === 'paid' ? 'ticket.spent' : 'ticket.back')}>
            <Cost tokens={tokens} />
          </Figure>
          {recording
            ? (
              <Figure
                name={t(recording.state === 'paid' ? 'ticket.recording.spent' : 'ticket.recording.back')}
              >
                <Cost tokens={recording.tokens} />
              </Figure>
            )
            : null}
        </dl>
        <p className="flex flex-wrap gap-x-6">
          {recording?.state === 'paid'
            ? (
              <Link
                to={`/account/shows/recordings/${id}`}
                className="inline-flex min-h-11 items-center text-link hover:underline"
              >
                {t('ticket.recording.watch')}
              </Link>
            )
            : null}
          <Link to="/account/shows" className="inline-flex min-h-11 items-center text-link hover:underline">
            {t('private.receipts')}
          </Link>
        </p>
      </div>
      <IconButton label={t('ticket.close')} onClick={onClose}>
        <X size={20} aria-hidden />
      </IconButton>
    </div>
  );
}
