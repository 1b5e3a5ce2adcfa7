import { HOUR_MS, MINUTE_MS, SECOND_MS } from '#platform/time/units.ts';

/** Phases of a ticket show, from its offer on. */
export const TICKET_PHASES = ['offered', 'running', 'ended', 'cancelled'] as const;
export type TicketPhase = (typeof TICKET_PHASES)[number];
/** Why a ticket show is over; the last three apply to shows that never started. */
export const TICKET_ENDS = [
  'completed',
  'ended_early',
  'unpublish',
  'performer',
  'too_few_tickets',
  'not_started',
] as const;
export type TicketEnd = (typeof TICKET_ENDS)[number];
/** What happened to the tokens of a ticket. */
export const TICKET_STATES = ['held', 'paid', 'returned'] as const;
export type TicketState = (typeof TICKET_STATES)[number];

/** Time from offer to start: long enough for viewers to learn of the show, short enough to remember it. */
export const MIN_LEAD_MINUTES = 5;
export const MAX_LEAD_MINUTES = (12 * HOUR_MS) / MINUTE_MS;
/** Agreed length. */
export const MIN_SHOW_MINUTES = 5;
export const MAX_SHOW_MINUTES = 180;
/** A show ends at the latest this long after its agreed length: tokens are not held for ever. */
const MAX_OVERTIME_MS = HOUR_MS;
/** A show can be started from this long before its planned time until this long after it. */
const START_EARLY_MS = 10 * MINUTE_MS;
const START_LATE_MS = 10 * MINUTE_MS;
/** Video that is gone for this long does not return: the show ended when it went. */
const PICTURE_AWAY_MS = 30 * SECOND_MS;
/** Tokens; the lowest price leaves something after every discount. */
export const MIN_TICKET_PRICE = 10;
export const MAX_TICKET_PRICE = 10_000;
/** A recording has the same highest price as a ticket; 0 means no recording. */
export const MAX_RECORDING_PRICE = MAX_TICKET_PRICE;
/** Version of `shows:ticket.own.consentText`, which a performer agrees to; raised when the text changes. */
export const TICKET_CONSENT_VERSION = 1;
/** With less of the agreed length it is no recording of the show: an interruption costs half a minute. */
export const MIN_RECORDED_PERCENT = 80;
/** Tickets of one show: each has a hold that is settled when the show ends. */
export const MAX_TICKETS = 1_000;
/** Characters of a show's topic. */
export const MAX_TICKET_MESSAGE = 200;
/** Tickets settled in one unit of work: with their recordings, fewer than a batch of the ledger takes. */
export const SETTLED_AT_ONCE = 80;
/** A hold outlives the last moment at which a show can end, even with a restart of the site. */
export const HOLD_RESERVE_MS = HOUR_MS;
/** Tickets on one page, and shows on one page of a performer's own. */
export const TICKETS_PAGE = 40;

/** The state of a ticket show; times in ms since 1970. */
export interface TicketShow {
  readonly phase: TicketPhase;
  /** Planned start. */
  readonly startsAt: number;
  /** Agreed length. */
  readonly minutes: number;
  readonly minimumTickets: number;
  readonly startedAt: number | null;
  /** Since when a running show has had no video; null while it has video. */
  readonly awaySince: number | null;
  readonly endedAt: number | null;
  readonly end: TicketEnd | null;
}

export type TicketEvent =
  | { readonly kind: 'started' | 'deadline'; readonly sold: number }
  /** By the performer: `cancelled` before the start, `ended` after it. */
  | { readonly kind: 'cancelled' | 'ended' }
  /** The video went away, and came back. */
  | { readonly kind: 'away' | 'back' };

/** Why a show cannot be started now; codes of refusals. */
const START_BARS = ['ticket_too_early', 'ticket_under_minimum', 'ticket_not_offered'] as const;
export type StartBar = (typeof START_BARS)[number];

export function barOfStart(
  { phase, startsAt, minimumTickets }: Pick<TicketShow, 'phase' | 'startsAt' | 'minimumTickets'>,
  sold: number,
  nowMs: number,
): StartBar | null {
  if (phase !== 'offered' || nowMs >= startsAt + START_LATE_MS) return 'ticket_not_offered';
  if (nowMs < startsAt - START_EARLY_MS) return 'ticket_too_early';
  return sold < minimumTickets ? 'ticket_under_minimum' : null;
}

const lengthMs = ({ minutes }: Pick<TicketShow, 'minutes'>): number => minutes * MINUTE_MS;

/** When a show next changes by itself; null for a show that is over. */
export function ticketDeadline(show: TicketShow): number | null {
  if (show.phase === 'offered') return show.startsAt + START_LATE_MS;
  if (show.phase !== 'running' || show.startedAt === null) return null;
  const last = show.startedAt + lengthMs(show) + MAX_OVERTIME_MS;
  return show.awaySince === null ? last : Math.min(last, show.awaySince + PICTURE_AWAY_MS);
}

/** The last moment at which an offered show can end. */
export const latestEnd = ({ startsAt, minutes }: Pick<TicketShow, 'startsAt' | 'minutes'>): number =>
  startsAt + START_LATE_MS + minutes * MINUTE_MS + MAX_OVERTIME_MS + PICTURE_AWAY_MS;

const cancelled = (show: TicketShow, end: TicketEnd, endedAt: number): TicketShow => ({
  ...show,
  phase: 'cancelled',
  end,
  endedAt,
});

/** Ends a running show. It is completed if it reached its agreed length, whatever ended it. */
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
        ? { ...show, phase: 'running', startedAt: nowMs }
        : show;
    }
    if (event.kind === 'cancelled') return cancelled(show, 'performer', nowMs);
    if (event.kind !== 'deadline' || !isDue) return show;
    return cancelled(show, event.sold < show.minimumTickets ? 'too_few_tickets' : 'not_started', nowMs);
  }
  if (show.phase !== 'running') return show;
  switch (event.kind) {
    case 'ended':
      return ended(show, 'ended_early', show.awaySince ?? nowMs);
    case 'away':
      return show.awaySince === null ? { ...show, awaySince: nowMs } : show;
    case 'back':
      return show.awaySince === null || isDue ? show : { ...show, awaySince: null };
    case 'deadline':
      return isDue ? ended(show, 'unpublish', show.awaySince ?? nowMs) : show;
    case 'started':
    case 'cancelled':
      return show;
  }
}

/** When a ticket holder joined: at the start, or when they bought the ticket if that was later. */
const joinedAt = (boughtAtMs: number, startedAtMs: number): number => Math.max(boughtAtMs, startedAtMs);

/** Whole seconds that a ticket holder was in a show; 0 for a show that never started or is not over. */
export const secondsIn = (
  boughtAt: Date,
  startedAt: Date | null,
  endedAt: Date | null,
): number => (startedAt === null || endedAt === null ? 0 : Math.max(
  0,
  Math.floor((endedAt.getTime() - joinedAt(boughtAt.getTime(), startedAt.getTime())) / SECOND_MS),
));

/** Interval of the checks whether ticket holders may watch, while the show runs. */
export const SIGHT_EVERY_MS = 15 * SECOND_MS;
/** Ticket holders who cannot watch for longer than the video may be away get their tokens back. */
const SHUT_OUT_FORGIVEN_MS = PICTURE_AWAY_MS;
/** Percent of the agreed length that the video may be away in total: networks fail in a long show. */
const AWAY_FORGIVEN_PERCENT = 5;

/** How long a ticket holder could not watch although there was video, in ms, and since when. */
export interface ShutOut {
  readonly since: number | null;
  readonly ms: number;
}

/** After a check whether a ticket holder may watch. Only the agreed length counts: overtime is a present. */
export function shutOutAfter(
  before: ShutOut,
  mayWatch: boolean,
  show: Pick<TicketShow, 'startedAt' | 'minutes'>,
  nowMs: number,
): ShutOut {
  const at = Math.min(nowMs, (show.startedAt ?? nowMs) + lengthMs(show));
  const ms = before.ms + (before.since === null ? 0 : Math.max(0, at - before.since));
  return { since: mayWatch ? null : at, ms };
}

/** Most regions stored for a ticket holder who has had no video yet: nobody travels through more. */
const MAX_MISSED_REGIONS = 8;

/** What a ticket holder would have missed before their first video, by region. */
export interface Missed {
  /** In every region: for lack of capacity, or because of a suspension. */
  readonly anywhere: ShutOut;
  /** By region, from the purchase or the first request there; nothing was missed before that. */
  readonly regions: Readonly<Record<string, ShutOut>>;
}

/**
 * For a ticket holder who has been only in the region of the purchase, and was shut out there for this long.
 */
export const missedFrom = (region: string, shutOut: ShutOut): Missed => ({
  anywhere: { since: null, ms: 0 },
  regions: { [region]: shutOut },
});

/**
 * The result of a check whether a ticket holder without video could watch, for each region they tried from.
 * @param region the region of the current request
 * @param isHindered whether they cannot watch from any region at all
 */
export function missedAfter(
  before: Missed,
  { region, isHindered, isOpenIn }: {
    readonly region: string;
    readonly isHindered: boolean;
    readonly isOpenIn: (region: string) => boolean;
  },
  show: Pick<TicketShow, 'startedAt' | 'minutes'>,
  nowMs: number,
): Missed {
  const known = Object.entries(before.regions);
  const isNew = !known.some(([one]) => one === region) && known.length < MAX_MISSED_REGIONS;
  const regions = isNew ? [...known, [region, before.anywhere] as const] : known;
  return {
    anywhere: shutOutAfter(before.anywhere, !isHindered, show, nowMs),
    regions: Object.fromEntries(
      regions.map((
        [one, shutOut],
      ) => [one, shutOutAfter(shutOut, !isHindered && isOpenIn(one), show, nowMs)]),
    ),
  };
}

/** What counts for a holder whose first video is in this region: requests from other regions do not count. */
export const missedIn = ({ anywhere, regions }: Missed, region: string): ShutOut =>
  regions[region] ?? anywhere;

/** A span of time without video; in ms since 1970. */
export interface Absence {
  readonly from: number;
  readonly until: number;
}

/**
 * The absence of video that an event ended; null if there was none within the agreed length. An absence until
 * the end of the show is not one: the show ended when its video did.
 */
export function absenceEnded(
  before: Pick<TicketShow, 'awaySince' | 'startedAt' | 'minutes'>,
  after: Pick<TicketShow, 'phase' | 'awaySince'>,
  nowMs: number,
): Absence | null {
  const { awaySince: from, startedAt } = before;
  const isBack = after.phase === 'running' && after.awaySince === null;
  if (from === null || startedAt === null || !isBack) return null;
  const until = Math.min(nowMs, startedAt + lengthMs(before));
  return until > from ? { from, until } : null;
}

/** How long a ticket holder could not watch, in ms of the agreed length. */
interface Unseen {
  /** There was video, but they could not watch it. */
  readonly shutOutMs: number;
  /** There was no video. */
  readonly awayMs: number;
}

/** Whether a ticket holder joined so shortly before the end of a show that it costs nothing. */
export const isLateJoin = (secondsIn: number, refundMinutes: number): boolean =>
  secondsIn * SECOND_MS < refundMinutes * MINUTE_MS;

/**
 * Whether a ticket is paid for: the show reached its agreed length, and the ticket holder could watch it for
 * at least the promised minutes before the end. Otherwise all tokens are given back.
 */
export function isTicketPaid(
  show: Pick<TicketShow, 'end' | 'startedAt' | 'endedAt' | 'minutes'>,
  boughtAtMs: number,
  refundMinutes: number,
  { shutOutMs, awayMs }: Unseen,
): boolean {
  if (show.end !== 'completed' || show.startedAt === null || show.endedAt === null) return false;
  if (shutOutMs > SHUT_OUT_FORGIVEN_MS) return false;
  const forgivenMs = Math.max(SHUT_OUT_FORGIVEN_MS, (lengthMs(show) * AWAY_FORGIVEN_PERCENT) / 100);
  if (shutOutMs + awayMs > forgivenMs) return false;
  return !isLateJoin((show.endedAt - joinedAt(boughtAtMs, show.startedAt)) / SECOND_MS, refundMinutes);
}

/** A part of a recording; in ms, since 1970. */
interface RecordedPart {
  readonly startedAt: number;
  readonly durationMs: number;
}

/**
 * Whether enough of the agreed length was recorded for buyers to pay and watch. Overtime does not make up for
 * missing parts of it.
 */
export function isRecordingDelivered(
  { end, minutes, startedAt: from }: Pick<TicketShow, 'end' | 'minutes' | 'startedAt'>,
  parts: readonly RecordedPart[],
): boolean {
  if (end !== 'completed' || from === null) return false;
  const agreedMs = lengthMs({ minutes });
  const recordedMs = parts.reduce(
    (sum, { startedAt, durationMs }) => sum + Math.max(0, Math.min(durationMs, from + agreedMs - startedAt)),
    0,
  );
  return recordedMs * 100 >= agreedMs * MIN_RECORDED_PERCENT;
}

/** Why a recording cannot be bought; codes of refusals, of which the first that applies is used. */
const RECORDING_BARS = [
  'own_ticket',
  'ticket_not_offered',
  'recording_not_running',
  'recording_no_ticket',
  'recording_not_offered',
  'recording_bought',
  'recording_not_made',
] as const;
export type RecordingBar = (typeof RECORDING_BARS)[number];

/** Why this viewer cannot buy the recording of a ticket show now; null when they can (spec 2 §5). */
export function barOfRecording({ isOwn, show, ticket, isBought }: {
  readonly isOwn: boolean;
  /** The offered or running show; null for none. */
  readonly show: {
    readonly phase: TicketPhase;
    readonly recordingPrice: number;
    readonly isRecorded: boolean;
  } | null;
  /** Null without a ticket. */
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

/** A shorter visit is too short to judge a show (spec 2 §9). */
const MIN_SECONDS_TO_RATE = 120;

/** Whether a viewer who returns from a ticket show is asked for a rating (spec 2 §4.10). */
export const asksRating = (secondsIn: number, refundMinutes: number): boolean =>
  secondsIn >= Math.max(MIN_SECONDS_TO_RATE, refundMinutes * 60);
