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
}

/** What one viewer is paying for, in the process that carries media. */
export interface Metered<Row extends MeteredRow> extends Parties {
  readonly operatorId: number;
  /** The person whom media must reach for a second to count. */
  readonly readerId: number;
  row: Row;
  meter: Meter;
  /** What the viewer can still spend, as far as is known; used to compute the time left. */
  spending: Spending;
  /** Null without a stream. Changed by `streams`. */
  stream: string | null;
  /** Seconds of media that the reader was sent and no tick has counted yet. */
  waiting: number;
  /** Seconds of the stream that broadcast had counted at the last tick. */
  measured: { received: number; sent: number };
  /** Ticks since media last came in, and since some last reached the reader. */
  silentPublisher: number;
  silentReader: number;
  sinceCapture: number;
  /** Seconds that cost nothing, by the person whose media was missing. */
  free: { publisher: number; reader: number };
  isPaused: boolean;
  /** Refund to the viewer as a whole percent of what is due now: set aside and never taken. */
  refundPercent: number;
  /** The viewer's refund of everything captured so far, in hundredths of a token. */
  refundHundredths: number;
  /** Tokens in the first hold on top of its minute, until `takeUpfront`; then 0. */
  upfrontTokens: number;
  /** The chain of work on this meter, one piece after the other. */
  turn: Promise<unknown>;
}

/** What happened in a second: whether media came in, and whether the reader was sent some. */
export interface Seen {
  readonly isReceived: boolean;
  readonly isSent: boolean;
}

/** What differs between products. */
export interface MeteredProduct<Row extends MeteredRow> {
  /** Name of the product's timer. */
  readonly timer: string;
  readonly operations: OperationNames;
  /** Stores what was counted, including `free`. */
  readonly store: (
    tx: Tx, one: Metered<Row>, change: MeterColumns, refundHundredths: number,
  ) => Promise<Row>;
  /** Percent refunded to the viewer; read for each minute and at the end. */
  readonly refundPercent?: (tx: Tx, row: Row) => Promise<number>;
  /** Counts a second at the product's price; false when the tokens are used up. */
  readonly count: (one: Metered<Row>) => Promise<boolean>;
  /** Handles one second: the product calls `count`, `pass` and `idle` as it needs. */
  readonly tick: (one: Metered<Row>, seen: Seen) => Promise<void>;
  /** A tick failed: the product must stop the viewer from watching without paying. */
  readonly failed: (one: Metered<Row>) => Promise<unknown>;
}
