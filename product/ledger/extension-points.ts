import { required } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';

/** The membership of each of these people; people without one are left out. */
export type Memberships = (tx: Tx, personIds: readonly number[]) => Promise<ReadonlyMap<number, string>>;

export const memberships = required.single<Memberships>({
  name: 'ledger.memberships',
  description: 'The memberships that v3.token.update names beside a balance.',
});
