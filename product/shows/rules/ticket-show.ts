import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#platform/time/units.ts';

/** Phases of a ticket show, from its offer on. */
export const TICKET_PHASES = ['offered', 'running', 'ended', 'cancelled'] as const;
export type TicketPhase = (typeof TICKET_PHASES)[number];
/** Why a ticket show is over; the last three are of shows that never started. */
export const TICKET_ENDS = [
  'completed', 'ended_early', 'unpublish', 'performer', 'too_few_tickets', 'not_started',
] as const;
export type TicketEnd = (typeof TICKET_ENDS)[number];
/** What became of the tokens of a ticket. */
export const TICKET_STATES = ['held', 'paid', 'returned'] as const;
export type TicketState = (typeof TICKET_STATES)[number];

/** A show is offered this long before its start: viewers must learn of it, and not forget it. */
export const MIN_LEAD_MINUTES = 5;
export const MAX_LEAD_MINUTES = (12 * HOUR_MS) / MINUTE_MS;
/** Agreed length. */
export const MIN_SHOW_MINUTES = 5;
export const MAX_SHOW_MINUTES = 180;
/** A show that goes on after what was agreed ends by itself then: nobody's tokens wait for ever. */
const MAX_OVERTIME_MS = HOUR_MS;
/** From so long before its time on a show can be started, and until so long after it. */
const START_EARLY_MS = 10 * MINUTE_MS;
const START_LATE_MS = 10 * MINUTE_MS;
/** A picture that is gone for so long does not return: the show is over since it went. */
const PICTURE_AWAY_MS = 30 * SECOND_MS;
/** Tokens; the lowest leaves something after every discount. */
export const MIN_TICKET_PRICE = 10;
export const MAX_TICKET_PRICE = 10_000;
/** A recording costs as much as a ticket may; 0 is none. */
export const MAX_RECORDING_PRICE = MAX_TICKET_PRICE;
/** Version of `shows:ticket.own.consentText`, which a performer agrees to; raised when the text changes. */
export const TICKET_CONSENT_VERSION = 1;
/** Less of the agreed length is no recording of the show: an interruption costs half a minute. */
export const MIN_RECORDED_PERCENT = 80;
/** Tickets of one show: each has a hold that is settled at its end. */
export const MAX_TICKETS = 1_000;
/** Characters of what a show is about. */
export const MAX_TICKET_MESSAGE = 200;
/** Tickets settled in one unit of work: with their recordings fewer than a batch of the ledger takes. */
export const SETTLED_AT_ONCE = 80;
/** A hold outlives the last moment a show can end at, a restart of the site included. */
export const HOLD_RESERVE_MS = HOUR_MS;
/** Lines of one page of tickets, and of one's own shows. */
export const TICKETS_PAGE = 40;

/** Where a ticket show stands; times in ms since 1970. */
export interface TicketShow {
  readonly phase: TicketPhase;
  /** When it shall start. */
  readonly startsAt: number;
  /** Agreed length. */
  readonly minutes: number;
  readonly minimumTickets: number;
  readonly startedAt: number | null;
  /** Since when a running show has had no picture; null while it has one. */
  readonly awaySince: number | null;
  readonly endedAt: number | null;
  readonly end: TicketEnd | null;
}

export type TicketEvent =
  | { readonly kind: 'started' | 'deadline'; readonly sold: number }
  /** By the performer: before the start, and after it. */
  | { readonly kind: 'cancelled' | 'ended' }
  /** The picture went, and came back. */
  | { readonly kind: 'away' | 'back' };

/** Why a show cannot be started now; codes of refusals. */
const START_BARS = ['ticket_too_early', 'ticket_under_minimum', 'ticket_not_offered'] as const;
export type StartBar = (typeof START_BARS)[number];

export function barOfStart(
  { phase, startsAt, minimumTickets }: Pick<TicketShow, 'phase' | 'startsAt' | 'minimumTickets'>,
  sold: number, nowMs: number,
): StartBar | null {
  if (phase !== 'offered' || nowMs >= startsAt + START_LATE_MS) return 'ticket_not_offered';
  if (nowMs < startsAt - START_EARLY_MS) return 'ticket_too_early';
  return sold < minimumTickets ? 'ticket_under_minimum' : null;
}

const lengthMs = ({ minutes }: Pick<TicketShow, 'minutes'>): number => minutes * MINUTE_MS;

/** When something happens by itself; null for a show that is over. */
export function ticketDeadline(show: TicketShow): number | null {
  if (show.phase === 'offered') return show.startsAt + START_LATE_MS;
  if (show.phase !== 'running' || show.startedAt === null) return null;
  const last = show.startedAt + lengthMs(show) + MAX_OVERTIME_MS;
  return show.awaySince === null ? last : Math.min(last, show.awaySince + PICTURE_AWAY_MS);
}

/** The last moment at which a show that was offered can end. */
export const latestEnd = ({ startsAt, minutes }: Pick<TicketShow, 'startsAt' | 'minutes'>): number =>
  startsAt + START_LATE_MS + minutes * MINUTE_MS + MAX_OVERTIME_MS + PICTURE_AWAY_MS;

const cancelled = (show: TicketShow, end: TicketEnd, endedAt: number): TicketShow =>
  ({ ...show, phase: 'cancelled', end, endedAt });

/** Ends a running show: completed when it ran what was agreed, whatever ended it. */
function ended(show: TicketShow, short: TicketEnd, endedAt: number): TicketShow {
  const isFull = show.startedAt !== null && endedAt - show.startedAt >= lengthMs(show);
  return { ...show, phase: 'ended', awaySince: null, endedAt, end: isFull ? 'completed' : short };
}

/**
 * The states of a ticket show: offered → running → ended, or offered → cancelled. An event that does
 * not belong to a phase changes nothing, and returns the same object.
 */
export function nextTicketShow(show: TicketShow, event: TicketEvent, nowMs: number): TicketShow {
  const due = ticketDeadline(show);
  const isDue = due !== null && nowMs >= due;
  if (show.phase === 'offered') {
    if (event.kind === 'started') {
      return barOfStart(show, event.sold, nowMs) === null
        ? { ...show, phase: 'running', startedAt: nowMs } : show;
    }
    if (event.kind === 'cancelled') return cancelled(show, 'performer', nowMs);
    if (event.kind !== 'deadline' || !isDue) return show;
    return cancelled(show, event.sold < show.minimumTickets ? 'too_few_tickets' : 'not_started', nowMs);
  }
  if (show.phase !== 'running') return show;
  switch (event.kind) {
    case 'ended': return ended(show, 'ended_early', show.awaySince ?? nowMs);
    case 'away': return show.awaySince === null ? { ...show, awaySince: nowMs } : show;
    case 'back': return show.awaySince === null || isDue ? show : { ...show, awaySince: null };
    case 'deadline': return isDue ? ended(show, 'unpublish', show.awaySince ?? nowMs) : show;
    case 'started':
    case 'cancelled': return show;
  }
}

/** When a ticket holder joined: with the start, or by buying later. */
const joinedAt = (boughtAtMs: number, startedAtMs: number): number =>
  Math.max(boughtAtMs, startedAtMs);

/** Whole seconds that a ticket holder was in a show; 0 of one that never started, or is not over. */
export const secondsIn = (boughtAt: Date, startedAt: Date | null, endedAt: Date | null): number =>
  (startedAt === null || endedAt === null ? 0 : Math.max(
    0, Math.floor((endedAt.getTime() - joinedAt(boughtAt.getTime(), startedAt.getTime())) / SECOND_MS),
  ));

/** Whether the holder of a ticket may watch is looked at this often while the show runs. */
export const SIGHT_EVERY_MS = 15 * SECOND_MS;
/** Whoever may not watch for longer than a picture may be away gets the tokens back. */
const SHUT_OUT_FORGIVEN_MS = PICTURE_AWAY_MS;
/** Per cent of the agreed length that the picture may be away in all: networks fail in a long show. */
const AWAY_FORGIVEN_PERCENT = 5;

/** How long the holder of a ticket may not watch, in ms, and since when. */
export interface ShutOut {
  readonly since: number | null;
  readonly ms: number;
}

/**
 * After a look at whether somebody may watch. Only the agreed length counts: what goes on after it is a
 * present.
 */
export function shutOutAfter(
  before: ShutOut, mayWatch: boolean, show: Pick<TicketShow, 'startedAt' | 'minutes'>, nowMs: number,
): ShutOut {
  const at = Math.min(nowMs, (show.startedAt ?? nowMs) + lengthMs(show));
  const ms = before.ms + (before.since === null ? 0 : Math.max(0, at - before.since));
  return { since: mayWatch ? null : at, ms };
}

/** Regions that a holder without a picture asks from are noted up to so many: nobody travels through more. */
const MAX_MISSED_REGIONS = 8;

/** What the holder of a ticket would have missed before their first picture, had they been in one region. */
export interface Missed {
  /** In any region: for want of capacity, or by a suspension. */
  readonly anywhere: ShutOut;
  /** By region, from the moment they bought or first asked there; what was before it they did not miss. */
  readonly regions: Readonly<Record<string, ShutOut>>;
}

/** Of a ticket whose holder was in the region they bought it in so far, and shut out there for so long. */
export const missedFrom = (region: string, shutOut: ShutOut): Missed =>
  ({ anywhere: { since: null, ms: 0 }, regions: { [region]: shutOut } });

/**
 * After a look at whether the holder of a ticket without a picture could watch from each region they asked
 * from.
 * @param region where they ask from now
 * @param isHindered in any region
 */
export function missedAfter(
  before: Missed, { region, isHindered, isOpenIn }: {
    readonly region: string; readonly isHindered: boolean; readonly isOpenIn: (region: string) => boolean;
  }, show: Pick<TicketShow, 'startedAt' | 'minutes'>, nowMs: number,
): Missed {
  const known = Object.entries(before.regions);
  const isNew = !known.some(([one]) => one === region) && known.length < MAX_MISSED_REGIONS;
  const regions = isNew ? [...known, [region, before.anywhere] as const] : known;
  return {
    anywhere: shutOutAfter(before.anywhere, !isHindered, show, nowMs),
    regions: Object.fromEntries(regions.map(([one, shutOut]) =>
      [one, shutOutAfter(shutOut, !isHindered && isOpenIn(one), show, nowMs)])),
  };
}

/** What counts for whoever is first given the picture in a region: nothing of what they asked elsewhere. */
export const missedIn = ({ anywhere, regions }: Missed, region: string): ShutOut =>
  regions[region] ?? anywhere;

/** A span of time without a picture; in ms since 1970. */
export interface Absence {
  readonly from: number;
  readonly until: number;
}

/**
 * The absence of the picture that an event ended; null where there was none within the agreed length. One
 * that goes on until the show is over is no part of it: the show has ended with its picture.
 */
export function absenceEnded(
  before: Pick<TicketShow, 'awaySince' | 'startedAt' | 'minutes'>,
  after: Pick<TicketShow, 'phase' | 'awaySince'>, nowMs: number,
): Absence | null {
  const { awaySince: from, startedAt } = before;
  const isBack = after.phase === 'running' && after.awaySince === null;
  if (from === null || startedAt === null || !isBack) return null;
  const until = Math.min(nowMs, startedAt + lengthMs(before));
  return until > from ? { from, until } : null;
}

/** For how long the holder of a ticket could not watch, in ms of the agreed length. */
interface Unseen {
  /** They might not watch, though there was a picture. */
  readonly shutOutMs: number;
  /** There was no picture. */
  readonly awayMs: number;
}

/**
 * Whether a ticket is paid for: the show ran what was agreed, and its holder could watch it, for at least the
 * minutes before the end that were promised. Everything else goes back in full.
 */
export function isTicketPaid(
  show: Pick<TicketShow, 'end' | 'startedAt' | 'endedAt' | 'minutes'>, boughtAtMs: number,
  refundMinutes: number, { shutOutMs, awayMs }: Unseen,
): boolean {
  if (show.end !== 'completed' || show.startedAt === null || show.endedAt === null) return false;
  if (shutOutMs > SHUT_OUT_FORGIVEN_MS) return false;
  const forgivenMs = Math.max(SHUT_OUT_FORGIVEN_MS, (lengthMs(show) * AWAY_FORGIVEN_PERCENT) / 100);
  if (shutOutMs + awayMs > forgivenMs) return false;
  return show.endedAt - joinedAt(boughtAtMs, show.startedAt) >= refundMinutes * MINUTE_MS;
}

/** A part of a recording; in ms, since 1970. */
interface RecordedPart {
  readonly startedAt: number;
  readonly durationMs: number;
}

/**
 * Whether enough of a show was recorded for what was agreed: then its buyers pay and watch it. Overtime
 * does not make up for what is missing of the agreed length.
 */
export function isRecordingDelivered(
  { end, minutes, startedAt: from }: Pick<TicketShow, 'end' | 'minutes' | 'startedAt'>,
  parts: readonly RecordedPart[],
): boolean {
  if (end !== 'completed' || from === null) return false;
  const agreedMs = lengthMs({ minutes });
  const recordedMs = parts.reduce((sum, { startedAt, durationMs }) =>
    sum + Math.max(0, Math.min(durationMs, from + agreedMs - startedAt)), 0);
  return recordedMs * 100 >= agreedMs * MIN_RECORDED_PERCENT;
}

/** Why a recording cannot be bought; codes of refusals, the first that holds. */
const RECORDING_BARS = [
  'own_ticket', 'ticket_not_offered', 'recording_not_running', 'recording_no_ticket',
  'recording_not_offered', 'recording_bought', 'recording_not_made',
] as const;
export type RecordingBar = (typeof RECORDING_BARS)[number];

/** Why this viewer cannot buy the recording of a ticket show now; null when they can (spec 2 §5). */
export function barOfRecording({ isOwn, show, ticket, isBought }: {
  readonly isOwn: boolean;
  /** The offered or running one; null for none. */
  readonly show: {
    readonly phase: TicketPhase; readonly recordingPrice: number; readonly isRecorded: boolean;
  } | null;
  /** Null for none. */
  readonly ticket: TicketState | null;
  readonly isBought: boolean;
}): RecordingBar | null {
  if (isOwn) return 'own_ticket';
  if (!show) return 'ticket_not_offered';
  if (show.phase !== 'running') return 'recording_not_running';
  if (ticket !== 'held') return 'recording_no_ticket';
  if (show.recordingPrice === 0) return 'recording_not_offered';
  if (isBought) return 'recording_bought';
  return show.isRecorded ? null : 'recording_not_made';
}

/** After a shorter visit nobody can say how a show was (spec 2 §9). */
const MIN_SECONDS_TO_RATE = 120;

/** Whether a viewer who returns from a ticket show is asked for a rating (spec 2 §4.10). */
export const asksRating = (secondsIn: number, refundMinutes: number): boolean =>
  secondsIn >= Math.max(MIN_SECONDS_TO_RATE, refundMinutes * 60);
