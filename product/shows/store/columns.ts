import type { Json } from '#platform/data/columns.ts';
import type { GroupGoalEnd } from '../rules/group-goal.ts';
import type { EndReason, Phase } from '../rules/private.ts';
import type { SharecamEnd, SharecamMode, SharecamPhase } from '../rules/sharecam.ts';
import type { SpyEndReason } from '../rules/spying.ts';
import type { Missed, TicketEnd, TicketPhase, TicketState } from '../rules/ticket-show.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'shows.group_goal_gifts.state': TicketState;
  'shows.group_goals.end_reason': GroupGoalEnd;
  'shows.privates.phase': Phase;
  'shows.privates.end_reason': EndReason;
  'shows.sharecams.mode': SharecamMode;
  'shows.sharecams.phase': SharecamPhase;
  'shows.sharecams.end_reason': SharecamEnd;
  'shows.spies.end_reason': SpyEndReason;
  'shows.ticket_recordings.state': TicketState;
  'shows.ticket_shows.phase': TicketPhase;
  'shows.ticket_shows.end_reason': TicketEnd;
  'shows.tickets.state': TicketState;
  'shows.tickets.missed_in': Json<Missed>;
}
