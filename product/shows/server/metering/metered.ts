import type { Tx } from '#platform/data/data.ts';
import type { Meter } from '../../rules/meter.ts';
import type { OperationNames, Parties } from './payments.ts';
import type { Spending } from './spending.ts';

/** What each product's row stores of its meter, as of the last capture. */
export interface MeterColumns {
  readonly seconds: number;
  readonly captured: number;
  readonly held: number;
  /** Numbers of the last hold and the last capture, for the ids of their operations. */
  readonly hold_number: number;
  readonly capture_number: number;
}
/** A row of a product that a viewer pays by the second. */
export interface MeteredRow extends MeterColumns {
  readonly id: number;
  readonly performer_id: number;
  readonly viewer_id: number;
  /** Tokens a minute. At 0 the seconds are counted and cost nothing. */
  readonly price: number;
}

/** Seconds that cost nothing, by the person whose media was missing. */
export interface FreeSeconds {
  readonly publisher: number;
  readonly reader: number;
}

/** What a product says of a row when `Metering` takes it up. */
export interface Terms extends Parties {
  /** The person whom media must reach for a second to count. */
  readonly readerId: number;
  /** The most the row may cost, in tokens; null without one. */
  readonly limit: number | null;
  /** Sixtieths of a token that are unpaid from an earlier row; see {@link Meter}. */
  readonly carried: number;
  /** What was counted as free before a restart. */
  readonly free: FreeSeconds;
  /** Tokens in the first hold on top of its minute, until the first paid second takes them. */
  readonly upfrontTokens: number;
  /** The viewer's refund of everything captured so far, in hundredths of a token. */
  readonly refundHundredths: number;
  /** Seconds of a free preview that are still to come. */
  readonly previewSeconds: number;
}

/** What one viewer is paying for, at one moment. `Metering` replaces it whenever something changes. */
export interface Metered<Row extends MeteredRow> extends Omit<Terms, 'limit' | 'carried'> {
  readonly operatorId: number;
  readonly row: Row;
  readonly meter: Meter;
  /** What the viewer can still spend, as far as is known; used to compute the time left. */
  readonly spending: Spending;
  readonly stream: string | null;
  /** Seconds of media that the reader was sent and no tick has counted yet. */
  readonly waiting: number;
  /** Seconds of the stream that broadcast had counted at the last tick. */
  readonly measured: { readonly received: number; readonly sent: number };
  /** Ticks since media last came in, and since some last reached the reader. */
  readonly silentPublisher: number;
  readonly silentReader: number;
  readonly sinceCapture: number;
  readonly isPaused: boolean;
  /** Refund to the viewer as a whole percent of what is due now: set aside and never taken. */
  readonly refundPercent: number;
  /** Seconds since the viewer's fan club membership was checked, while it makes them free; null if not. */
  readonly clubSeconds: number | null;
}

/** The current state of one meter, and the chain of work on it, one piece after the other. */
export interface Tracked<Row extends MeteredRow> {
  now: Metered<Row>;
  turn: Promise<unknown>;
}

/** What is stored of a meter, for a product's own columns. */
export interface Counts extends Pick<Metered<MeteredRow>, 'free' | 'previewSeconds' | 'refundHundredths'> {
  readonly columns: MeterColumns;
}

/** Which second has just passed: null if the reader was sent nothing. */
export type PassedSecond = 'preview' | 'free' | 'paid' | null;

/** How a product's money is named and stored. */
export interface MeteredMoney<Row extends MeteredRow> {
  readonly operations: OperationNames;
  readonly store: (tx: Tx, row: Row, counts: Counts) => Promise<Row>;
}

/** What the first paid second of a row changes. */
interface FirstSecond<Row extends MeteredRow> {
  readonly isOver: (row: Row) => boolean;
  /** Tokens due on top of the first minute, as of now; without it, those of the terms. */
  readonly upfrontTokens?: (tx: Tx, row: Row) => Promise<number>;
  /** Kind of the operation that takes them. */
  readonly kind: string;
  /** Stores that the row is paid for from now on. */
  readonly store: (tx: Tx, metered: Metered<Row>, captureNumber: number) => Promise<Row>;
  readonly stored?: (metered: Metered<Row>) => void;
}

/** Fan club members for whom seconds are free. */
interface FreeForMembers<Row extends MeteredRow> {
  /** Read when the row is taken up, and after each free minute: the membership may have ended. */
  readonly isFree: (tx: Tx, row: Row) => Promise<boolean>;
  /** Gives a row that had no price the one of now, from its first second on. */
  readonly charge: (tx: Tx, metered: Metered<Row>) => Promise<Row>;
}

/** Ends a row before its last token is spent. Called only while seconds cost something. */
interface Shortage<Row extends MeteredRow> {
  /** Whether the viewer could be short. If so, what they can spend is read again. */
  readonly isPossible: (metered: Metered<Row>) => boolean;
  readonly isCertain: (tx: Tx, metered: Metered<Row>) => Promise<boolean>;
}

/** How a product comes back after a restart. */
interface Restart<Row extends MeteredRow, End> {
  /** The rows that were running when the last process ended. */
  readonly rows: (tx: Tx) => Promise<readonly Row[]>;
  readonly streamOf: (tx: Tx, row: Row) => Promise<string | null>;
  /** Why a row ends at once; null when it continues. */
  readonly endOf?: (tx: Tx, row: Row) => Promise<End | null>;
}

/** How a row of a product ends. */
interface Ending<Row extends MeteredRow, End, Receipt> {
  readonly usedUp: End;
  /** The media of the publisher, or the reader, has been away too long. */
  readonly away: Readonly<Record<keyof FreeSeconds, End>>;
  /** Done before the last seconds are counted. */
  readonly before?: (metered: Metered<Row>) => Promise<void>;
  /** The stored row, locked; `stays` if this does not end it, `over` if it has ended already. */
  readonly lock: (tx: Tx, row: Row, end: End) => Promise<Row | 'stays' | 'over'>;
  /** Stores the end, with what was counted and given back, and notifies people. */
  readonly store: (tx: Tx, metered: Metered<Row>, ended: Ended<Row, End>) => Promise<Receipt>;
  /** Done once the end is committed and the row is metered no longer. */
  readonly after?: (metered: Metered<Row>, end: End) => Promise<void>;
}
export interface Ended<Row extends MeteredRow, End> {
  readonly end: End;
  /** The row that `lock` returned. */
  readonly stored: Row;
  readonly counts: Counts;
  /** Tokens given back from the last hold. */
  readonly released: number;
}

/**
 * A product that viewers pay by the second, as it describes itself to `Metering`: the price, who pays, what
 * ends it, and what to do when something has happened. A description never calls `Metering`; it is given
 * the state of one moment, and what it stores is the row that it returns.
 */
export interface MeteredProduct<Row extends MeteredRow, End, Receipt> extends MeteredMoney<Row> {
  /** Name of the product's timer. */
  readonly timer: string;
  readonly terms: (tx: Tx, row: Row) => Promise<Terms>;
  /** The row was taken up in a unit of work that was rolled back. */
  readonly rolledBack?: (metered: Metered<Row>) => Promise<void>;
  /** Percent refunded to the viewer; read for each minute and at the end. */
  readonly refundPercent?: (tx: Tx, row: Row) => Promise<number>;
  readonly first?: FirstSecond<Row>;
  readonly freeForMembers?: FreeForMembers<Row>;
  readonly shortage?: Shortage<Row>;
  /** Whether a row waits for its first media, so that only a deadline of the product ends it. */
  readonly isStarting?: (row: Row) => boolean;
  /** Why a row ends before its next second; null when it continues. */
  readonly stops?: (metered: Metered<Row>) => End | null;
  /** A second passed that did not end the row. Returns the row as it is now. */
  readonly passed: (metered: Metered<Row>, second: PassedSecond) => Promise<Row>;
  readonly restart: Restart<Row, End>;
  readonly ending: Ending<Row, End, Receipt>;
}
