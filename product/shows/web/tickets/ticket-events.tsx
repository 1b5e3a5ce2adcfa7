import { useLiveStore } from '../../../../platform/ui/calls/live-state.ts';
import { useEvent } from '../../../../platform/ui/calls/live.ts';
import type { PagePartProps } from '../../../rooms/web/page-part.ts';
import {
  ticketSettled, ticketShowChanged, ticketShowEnded, ticketShowJoined, ticketsSold,
} from '../../client.ts';
import { asksRating } from '../../rules/ticket-show.ts';
import { RATING_OF } from '../rating/live.ts';
import { useOwnShowsAgain, useTicketOutcome, useTicketsAgain } from './live.ts';

/** Applies what events say of ticket shows beside the room's own state. */
export function TicketEvents(props: PagePartProps) {
  return props.room.auth.isStreamer ? <PerformerEvents {...props} /> : <ViewerEvents {...props} />;
}

function ViewerEvents({ room, link: { connection } }: PagePartProps) {
  const { username } = room.user;
  const store = useLiveStore();
  const [, setOutcome] = useTicketOutcome(username);
  const again = useTicketsAgain();
  useEvent(connection, ticketShowJoined, () => setOutcome(null));
  useEvent(connection, ticketSettled, (outcome) => {
    setOutcome(outcome);
    again();
    if (asksRating(outcome.seconds_in, outcome.refund_joined_minute_before_end)) {
      store.change(RATING_OF, () => username);
    }
  });
  return null;
}

function PerformerEvents({ link: { connection } }: PagePartProps) {
  const again = useOwnShowsAgain();
  useEvent(connection, ticketShowChanged, again);
  useEvent(connection, ticketsSold, again);
  useEvent(connection, ticketShowEnded, again);
  return null;
}
