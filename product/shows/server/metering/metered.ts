import type { Tx } from '#platform/data/data.ts';
import type { Meter } from '../../rules/meter.ts';
import type { OperationNames, Parties } from './payments.ts';
import type { Spending } from './spending.ts';

/** What the row of each product stores of its meter: as of the last capture. */
export interface MeterColumns {
  readonly seconds: number;
  readonly captured: number;
  readonly held: number;
  /** Count the holds and the captures, for the ids of their operations. */
  readonly hold_number: number;
  readonly capture_number: number;
}
/** A row of a product that a viewer pays by the second. */
export interface MeteredRow extends MeterColumns {
  readonly id: number;
  readonly performer_id: number;
  readonly viewer_id: number;
}

/** What one viewer pays for, in the process that carries media. */
export interface Metered<Row extends MeteredRow> extends Parties {
  readonly operatorId: number;
  /** Whom media must reach for a second to count. */
  readonly readerId: number;
  row: Row;
  meter: Meter;
  /** What the viewer can still spend, as far as is known: for the time left. */
  spending: Spending;
  /** Null while there is none. Changed by `streams`. */
  stream: string | null;
  /** Seconds of media that the reader was sent and no tick has counted yet. */
  waiting: number;
  /** What broadcast had counted of the stream at the last tick. */
  measured: { received: number; sent: number };
  /** Ticks since media came in, and since some reached the reader. */
  silentPublisher: number;
  silentReader: number;
  sinceCapture: number;
  /** Seconds that cost nothing, by whose media was missing. */
  free: { publisher: number; reader: number };
  isPaused: boolean;
  /** Whole percent of what is due now that the viewer gets back: it is set aside and never taken. */
  refundPercent: number;
  /** What the viewer gets back of all that was captured, in hundredths of a token. */
  refundHundredths: number;
  /** Tokens that the first hold has beside its minute, until `takeUpfront`; else 0. */
  upfrontTokens: number;
  /** What is done with it, one after the other. */
  turn: Promise<unknown>;
}

/** What a second brought: media came in, and the reader was sent some. */
export interface Seen {
  readonly isReceived: boolean;
  readonly isSent: boolean;
}

/** What differs between products. */
export interface MeteredProduct<Row extends MeteredRow> {
  /** Of its timer. */
  readonly timer: string;
  readonly operations: OperationNames;
  /** Stores what was counted, with `free` of it. */
  readonly store: (
    tx: Tx, one: Metered<Row>, change: MeterColumns, refundHundredths: number,
  ) => Promise<Row>;
  /** Of whom the viewer gets a share back, in percent; asked with each minute and at the end. */
  readonly refundPercent?: (tx: Tx, row: Row) => Promise<number>;
  /** Counts a second by what the product costs; false when the tokens are used up. */
  readonly count: (one: Metered<Row>) => Promise<boolean>;
  /** A second has passed: by `count`, `pass` and `idle`, the product says what it comes to. */
  readonly tick: (one: Metered<Row>, seen: Seen) => Promise<void>;
  /** A tick failed: nobody goes on watching what cannot be paid. */
  readonly failed: (one: Metered<Row>) => Promise<unknown>;
}
