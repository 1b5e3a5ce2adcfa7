import type { Tx } from '#platform/data/data.ts';
import { personChanged } from '../contract.ts';
import type { Account } from '../store.ts';

/** Says that others see somebody differently. */
export const publishChange = (
  tx: Tx, { id, username, type, inactiveSince }: Pick<Account, 'id' | 'username' | 'type' | 'inactiveSince'>,
): Promise<void> => tx.publish(personChanged, `person:${id}`, {
  personId: id, username, type, isSuspended: inactiveSince !== null,
});
