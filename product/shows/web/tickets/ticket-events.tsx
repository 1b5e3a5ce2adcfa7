import { useLiveStore } from '#platform/ui/calls/live-state.ts';
import { useEvent } from '#platform/ui/calls/live.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import {
  showsPart,
  ticketSettled,
  ticketShowChanged,
  ticketShowEnded,
  ticketShowJoined,
  ticketsSold,
} from '../../client.ts';
import { asksRating } from '../../rules/ticket-show.ts';
import { RATING_OF, useStayed } from '../rating/live.ts';
import {
  useMissedSettlement,
  useOwnShowsAgain,
  useTicketOutcome,
  useTicketsAgain,
  type TicketOutcome,
} from './live.ts';

/** Applies ticket show events that go beyond the room's own state. */
export function TicketEvents(props: PagePartProps) {
  return props.room.auth.isStreamer ? <PerformerEvents {...props} /> : <ViewerEvents {...props} />;
}

function ViewerEvents({ room, link: { connection } }: PagePartProps) {
  const { username } = room.user;
  const store = useLiveStore();
  const [, setOutcome] = useTicketOutcome(username);
  const again = useTicketsAgain();
  const { limitedShow: show } = readPart(room, showsPart);
  const stayed = useStayed(connection);
  const settled = (outcome: TicketOutcome, isHere = true) => {
    isSettled();
    setOutcome(outcome);
    again();
    if (isHere && asksRating(outcome.seconds_in, outcome.refund_joined_minute_before_end)) {
      store.change(RATING_OF, () => ({ username, as: 'card_live' }));
    }
  };
  const isSettled = useMissedSettlement(
    connection,
    username,
    show?.purchased_ticket ? show.id : null,
    (outcome) => settled(outcome, stayed()),
  );
  useEvent(connection, ticketShowJoined, () => setOutcome(null));
  useEvent(connection, ticketSettled, (outcome) => settled(outcome));
  return null;
}

function PerformerEvents({ link: { connection } }: PagePartProps) {
  const again = useOwnShowsAgain();
  useEvent(connection, ticketShowChanged, again);
  useEvent(connection, ticketsSold, again);
  useEvent(connection, ticketShowEnded, again);
  return null;
}
