import type { PersonContext } from '#platform/contract/context.ts';
import { optional, required } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { FeaturedShow, NoticeKind } from './rules.ts';

/** What notices know about a person. */
export interface Recipient {
  readonly username: string;
  readonly email: string;
  readonly isEmailConfirmed: boolean;
  readonly isInactive: boolean;
  /** One of the six; null where the person chose none. */
  readonly locale: string | null;
  /** The site they signed up at: emails use its name and its links. */
  readonly siteId: number;
  /** E.164; null without a number confirmed as theirs. */
  readonly phone: string | null;
  readonly featuredShow: FeaturedShow;
}

export interface Recipients {
  /** Unknown people are left out. */
  readonly find: (tx: Tx, personIds: readonly number[]) => Promise<ReadonlyMap<number, Recipient>>;
  readonly chooseFeaturedShow: (tx: Tx, personId: number, choice: FeaturedShow) => Promise<void>;
}
export const recipient = required.single<Recipients>({
  name: 'notices.recipient',
  description: 'Address, language and choice of the people who are notified.',
});

/**
 * Locks the caller against a concurrent recovery of their account, and checks that they are still logged in.
 * @throws CallerGone when they were logged out meanwhile
 */
export type LockCaller = (tx: Tx, context: Pick<PersonContext, 'caller' | 'personId'>) => Promise<void>;
export const callers = required.single<LockCaller>({
  name: 'notices.callers',
  description: 'Whether whoever makes a call is still logged in: what stores where they are reached, or what '
    + 'of, asks within its unit of work, so that nothing of before a recovery is stored after it.',
});

export const kinds = optional.many<() => readonly NoticeKind[]>({
  name: 'notices.kinds',
  description: 'What people can be notified of.',
  byDefault: 'Nobody is notified of anything.',
  safeBecause: 'A slice that notifies of a kind nobody declared stops at once.',
});
