import { subscribe, type DeadlineHandler, type Subscription } from '#platform/contract/bind.ts';
import { topicChannel, topicPersonChannel } from '#platform/contract/event.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import {
  broadcastEnded,
  broadcastInterrupted,
  broadcastResumed,
  broadcastStarted,
} from '#product/broadcast/contract.ts';
import { playbackTried } from '#product/broadcast/contract/playback-tried.ts';
import { regionsBlocked } from '#product/compliance/contract.ts';
import { policyStarted } from '#product/compliance/contract/policies.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import type { z } from 'zod';
import {
  ticketOfferChanged,
  ticketShowChanged,
  ticketShowEnded,
  ticketShowJoined,
} from '../../contract/ticket-show.ts';
import {
  absenceEnded,
  MAX_TICKETS,
  nextTicketShow,
  SIGHT_EVERY_MS,
  ticketDeadline,
  type TicketEvent,
  type TicketShow,
} from '../../rules/ticket-show.ts';
import {
  addAbsence,
  changeTicket,
  changeTicketShow,
  findHeldTickets,
  findOpenTicketShow,
  findRunningTicketShows,
  findTicket,
  findTicketShow,
  lockTicketShow,
  type TicketShowRow,
} from '../../store/tickets.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { namesOf } from '../private/views.ts';
import { recordTicketShow } from '../ticket-recordings/recording.ts';
import { noticeStart } from './notices.ts';
import { lookAtHolders, missedOf, settleAll, TICKETS_SETTLE } from './settling.ts';
import { publicView } from './views.ts';

/** Deadline of a ticket show: too late to start, too long, or without video. */
const TICKET_DEADLINE = 'shows.ticketDeadline';
/** The next check of who may watch a running show. */
const TICKET_SIGHT = 'shows.ticketSight';

const scheduleSight = (tx: Tx, id: number): Promise<void> =>
  tx.schedule({
    kind: TICKET_SIGHT,
    key: String(id),
    at: new Date(tx.now.getTime() + SIGHT_EVERY_MS),
  });

const stateOf = (row: TicketShowRow): TicketShow => ({
  phase: row.phase,
  startsAt: row.starts_at.getTime(),
  minutes: row.minutes,
  minimumTickets: row.minimum_tickets,
  startedAt: row.started_at?.getTime() ?? null,
  awaySince: row.away_since?.getTime() ?? null,
  endedAt: row.ended_at?.getTime() ?? null,
  end: row.end_reason,
});
const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

/** Schedules the next deadline that the state implies. */
export async function scheduleTicketDeadline(tx: Tx, row: TicketShowRow): Promise<void> {
  const due = ticketDeadline(stateOf(row));
  if (due === null) await tx.unschedule(TICKET_DEADLINE, String(row.id));
  else await tx.schedule({ kind: TICKET_DEADLINE, key: String(row.id), at: new Date(due) });
}

/** Stores a show after an event; null if the event does not belong to its phase. */
export async function changeByEvent(
  deps: ShowsDependencies,
  tx: Tx,
  row: TicketShowRow,
  event: TicketEvent,
): Promise<TicketShowRow | null> {
  const before = stateOf(row);
  const after = nextTicketShow(before, event, tx.now.getTime());
  if (after === before) return null;
  const absence = absenceEnded(before, after, tx.now.getTime());
  if (absence) await addAbsence(tx, row.id, absence);
  if (before.phase === 'running' && after.phase !== 'running') await lookAtHolders(deps, tx, row);
  else if (before.awaySince !== after.awaySince) {
    await lookAtHolders(deps, tx, { ...row, away_since: dateOf(after.awaySince) });
  }
  if (after.phase === 'running' && before.phase !== 'running') {
    await scheduleSight(tx, row.id);
    // A region that was blocked after the purchase is blocked from the start of the show.
    await lookAtHolders(deps, tx, { ...row, started_at: dateOf(after.startedAt) });
  }
  const changed = await changeTicketShow(tx, row.id, {
    phase: after.phase,
    is_recorded: row.is_recorded && after.phase === 'running',
    started_at: dateOf(after.startedAt),
    away_since: dateOf(after.awaySince),
    ended_at: dateOf(after.endedAt),
    end_reason: after.end,
  });
  await scheduleTicketDeadline(tx, changed);
  // The show's chat begins and ends with it.
  if (row.phase !== changed.phase && (row.phase === 'running' || changed.phase === 'running')) {
    const holders = (await findHeldTickets(tx, row.id, MAX_TICKETS)).map((ticket) => ticket.viewer_id);
    await deps.rooms.sendShowChat(tx, row.performer_id, [row.performer_id, ...holders]);
  }
  if (changed.end_reason === null) return changed;
  const { performer_id: performerId, id } = changed;
  await deps.rooms.releaseActivity(tx, performerId, 'ticket');
  await tx.schedule({ kind: TICKETS_SETTLE, key: String(id), at: tx.now });
  await tx.send(topicChannel(roomTopic(performerId)), ticketShowEnded, {
    id,
    reason_ended: changed.end_reason,
  });
  await tx.publish(ticketOfferChanged, `performer:${performerId}`, { performerId });
  return changed;
}

/** Moves the video to the ticket holders, and notifies them, in the room and elsewhere. */
export async function movePicture(
  deps: ShowsDependencies,
  scope: OperatorScope,
  performerId: number,
): Promise<void> {
  const { broadcast, data, onError } = deps;
  const moved = await broadcast.move(scope, performerId, 'limited');
  await broadcast.review(scope, performerId);
  const running = await data.tx(scope, async (tx) => {
    const row = await findOpenTicketShow(tx, performerId);
    if (row?.phase !== 'running') return null;
    const topic = roomTopic(performerId);
    await tx.send(topicChannel(topic), ticketShowChanged, publicView(row));
    const holders = (await findHeldTickets(tx, row.id, MAX_TICKETS)).map((ticket) => ticket.viewer_id);
    for (const personId of [performerId, ...holders]) {
      await sendJoined(deps, tx, row, personId, moved?.stream ?? null);
    }
    return { row, holders };
  });
  // People in the room do not wait for these.
  if (running) await recordTicketShow(deps, scope, performerId).catch(onError);
  if (running) await data.tx(scope, (tx) => noticeStart(deps, tx, running.row, running.holders));
}

/** Notifies somebody that they are now in the running show. */
export async function sendJoined(
  { accounts }: Pick<ShowsDependencies, 'accounts'>,
  tx: Tx,
  row: TicketShowRow,
  personId: number,
  stream: string | null,
): Promise<void> {
  const nameOf = await namesOf(accounts, tx, [row.performer_id]);
  await tx.send(topicPersonChannel(roomTopic(row.performer_id), personId), ticketShowJoined, {
    id: row.id,
    broadcaster: nameOf(row.performer_id),
    stream,
  });
}

/** Runs after a show was stored as over: the video is public again, and each ticket is settled. */
async function afterEnd(
  deps: ShowsDependencies,
  scope: OperatorScope,
  { id, performer_id: performerId }: TicketShowRow,
): Promise<void> {
  const { broadcast, data, onError } = deps;
  try {
    const { mode, stream } = await data.tx(scope, (tx) => broadcast.viewOf(tx, performerId));
    if (mode === 'limited' && stream !== null) await broadcast.move(scope, performerId, 'public');
    await broadcast.review(scope, performerId);
  } catch (error) {
    // The show is over and only the performer sees the stream: the next broadcast is public again.
    onError(error);
  }
  // If this fails, the deadline set at the show's end does it.
  await settleAll(deps, scope, id).catch(onError);
}

/** Applies an event to the performer's open show, with all its consequences; null without an effect. */
export async function applyToShow(
  deps: ShowsDependencies,
  scope: OperatorScope,
  performerId: number,
  event: TicketEvent,
): Promise<TicketShowRow | null> {
  const changed = await deps.data.tx(scope, async (tx) => {
    await lockTicketShow(tx, performerId);
    const row = await findOpenTicketShow(tx, performerId);
    return row && changeByEvent(deps, tx, row, event);
  });
  if (changed && changed.end_reason !== null) await afterEnd(deps, scope, changed);
  return changed;
}

/** Notes which holders of a running show may watch it now. */
async function lookAtSight(
  deps: ShowsDependencies,
  scope: OperatorScope,
  performerId: number,
): Promise<void> {
  await deps.data.tx(scope, async (tx) => {
    await lockTicketShow(tx, performerId);
    const row = await findOpenTicketShow(tx, performerId);
    if (row?.phase === 'running') await lookAtHolders(deps, tx, row);
  });
}

/** Notes where a ticket holder watches from, and whether the site has capacity for them. */
async function notePlayback(
  deps: ShowsDependencies,
  scope: OperatorScope,
  tried: z.infer<typeof playbackTried.shape>,
): Promise<void> {
  const { performerId, personId, region, isServed, isFull } = tried;
  await deps.data.tx(scope, async (tx) => {
    await lockTicketShow(tx, performerId);
    const row = await findOpenTicketShow(tx, performerId);
    const ticket = row && await findTicket(tx, row.id, personId);
    if (row?.phase !== 'running' || ticket?.state !== 'held') return;
    // A refusal for another reason says nothing about the capacity they wait for.
    const since = isServed ? null : ticket.full_since;
    const noted = {
      region,
      served_region: isServed ? region : ticket.served_region,
      full_since: isFull ? since ?? tx.now : since,
    };
    await changeTicket(tx, ticket.id, noted);
    // Check at once: there could be capacity again before the next check.
    await lookAtHolders(deps, tx, row, { ...ticket, ...noted, missed_in: missedOf(ticket) });
  });
}

/** Notes whether a running show has video, as the broadcast now says. */
async function lookAtPicture(
  deps: ShowsDependencies,
  scope: OperatorScope,
  performerId: number,
): Promise<void> {
  const isOn = await deps.data.tx(scope, async (tx) => {
    const { state, stream } = await deps.broadcast.viewOf(tx, performerId);
    return state === 'online' && stream !== null;
  });
  await applyToShow(deps, scope, performerId, { kind: isOn ? 'back' : 'away' });
  // An interruption ended the recording: it continues as another part.
  if (isOn) await recordTicketShow(deps, scope, performerId).catch(deps.onError);
}

export function ticketSubscriptions(deps: ShowsDependencies): Subscription[] {
  const look = ({ operatorId, payload: { performerId } }: {
    readonly operatorId: number;
    readonly payload: { readonly performerId: number };
  }): Promise<void> => lookAtPicture(deps, { operatorId }, performerId);
  return [
    subscribe(broadcastStarted, 'shows.ticketStarted')(look),
    subscribe(broadcastResumed, 'shows.ticketResumed')(look),
    subscribe(broadcastInterrupted, 'shows.ticketInterrupted')(look),
    subscribe(broadcastEnded, 'shows.ticketEnded')(look),
    // Check at once: regions could be blocked and unblocked before the next check.
    subscribe(regionsBlocked, 'shows.ticketRegionsBlocked')(({ operatorId, payload }) =>
      lookAtSight(deps, { operatorId }, payload.performerId)
    ),
    subscribe(policyStarted, 'shows.ticketPolicyStarted')(async ({ operatorId }) => {
      await deps.compliance.ready({ operatorId });
      for (const { performer_id: id } of await deps.data.tx({ operatorId }, findRunningTicketShows)) {
        await lookAtSight(deps, { operatorId }, id);
      }
    }),
    subscribe(playbackTried, 'shows.ticketPlayback')(({ operatorId, payload }) =>
      notePlayback(deps, { operatorId }, payload)
    ),
  ];
}

/** Takes up shows after a restart. If the performer is away for 30 s, the show ends and tokens go back. */
export async function takeUpTicketShows(deps: ShowsDependencies): Promise<void> {
  const { data, site, broadcast, onError } = deps;
  for (const operatorId of await site.operators()) {
    for (const { performer_id: performerId } of await data.tx({ operatorId }, findRunningTicketShows)) {
      await lookAtPicture(deps, { operatorId }, performerId);
      const view = await data.tx({ operatorId }, (tx) => broadcast.viewOf(tx, performerId));
      // The process died between the start of the show and the move of its video.
      if (view.stream !== null && view.mode === 'public') {
        await movePicture(deps, { operatorId }, performerId).catch(onError);
      }
    }
  }
}

export const ticketDeadlines = (deps: ShowsDependencies): DeadlineHandler[] => [
  {
    kind: TICKET_DEADLINE,
    handle: async ({ operatorId, key }) => {
      const row = await deps.data.tx({ operatorId }, (tx) => findTicketShow(tx, Number(key)));
      if (!row) return;
      const event = { kind: 'deadline', sold: row.sold } as const;
      await applyToShow(deps, { operatorId }, row.performer_id, event);
    },
  },
  {
    kind: TICKET_SIGHT,
    handle: async ({ operatorId, key }) => {
      const row = await deps.data.tx({ operatorId }, (tx) => findTicketShow(tx, Number(key)));
      if (row?.phase !== 'running') return;
      await lookAtSight(deps, { operatorId }, row.performer_id);
      await deps.data.tx({ operatorId }, (tx) => scheduleSight(tx, row.id));
    },
  },
  {
    kind: TICKETS_SETTLE,
    handle: ({ operatorId, key }) => settleAll(deps, { operatorId }, Number(key)),
  },
];
