import type { Tx } from '#platform/data/data.ts';
import { personChanged } from '../contract.ts';
import type { Account } from '../store.ts';

/** Publishes that what others see of somebody has changed. */
export const publishChange = (
  tx: Tx,
  { id, username, type, inactiveSince }: Pick<Account, 'id' | 'username' | 'type' | 'inactiveSince'>,
): Promise<void> =>
  tx.publish(personChanged, `person:${id}`, {
    personId: id,
    username,
    type,
    isSuspended: inactiveSince !== null,
  });
