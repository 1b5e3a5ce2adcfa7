import type { Tx } from '#platform/data/data.ts';
import { saveMessage } from '../store/outbox.ts';

/** An email, in the recipient's language. */
export interface Email {
  readonly to: string;
  /** Whose account it is for: it is erased with them, whatever address they have by then. */
  readonly personId: number;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Names the texts it was made of, for admins. */
  readonly kind: string;
  /** The name of the site that sends it. */
  readonly brand: string;
  /** Where one click ends emails of this kind; null for those that nobody can switch off. */
  readonly unsubscribe: string | null;
}

/** Takes emails to people. Both implementations pass the list in `notices-mailers.test.ts`. */
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
