import { StartGroupGoal } from '../../goals/own-goal.tsx';
import { OfferTicketShow } from './own-ticket-show.tsx';

/** What a performer can start for everybody in the room: forms open when they are wanted. */
export default function StartShows() {
  return (
    <div className="flex flex-wrap gap-2">
      <OfferTicketShow />
      <StartGroupGoal />
    </div>
  );
}
