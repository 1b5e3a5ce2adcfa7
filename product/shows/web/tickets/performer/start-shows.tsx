import { StartGroupGoal } from '../../goals/own-goal.tsx';
import { OfferTicketShow } from './own-ticket-show.tsx';

/** The shows a performer can start for everybody in the room; forms open on demand. */
export default function StartShows() {
  return (
    <div className="flex flex-wrap gap-2">
      <OfferTicketShow />
      <StartGroupGoal />
    </div>
  );
}
