import type { Tx } from '#platform/data/data.ts';
import { saveMessage } from '../store/outbox.ts';

/** An email, in the recipient's language. */
export interface Email {
  readonly to: string;
  /** The account that it is erased with, whatever address that has by then; null for none. */
  readonly personId: number | null;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The kind that names its texts, for admins. */
  readonly kind: string;
  /** The name of the sending site. */
  readonly brand: string;
  /** URL where one click ends emails of this kind; null for those that nobody can switch off. */
  readonly unsubscribe: string | null;
}

/** Delivers emails. Both implementations pass the list in `notices-mailers.test.ts`. */
export interface Mailer {
  /**
   * Takes over an email in the caller's unit of work: it is delivered when that commits, once, and never when
   * it rolls back.
   */
  readonly accept: (tx: Tx, email: Email) => Promise<void>;
}

/** The mailer of development, demo and tests: stores emails for admins to read. */
export const developmentOutbox: Mailer = {
  accept: (tx, { brand: _brand, ...email }) => saveMessage(tx, { ...email, channel: 'email' }),
};
