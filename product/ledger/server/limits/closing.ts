import type { ClosingPart } from '#product/accounts/extension-points.ts';
import { balancesOfPerson } from '../../store.ts';
import { operationId, post } from '../journal/posting.ts';

/** Kind of the operation that takes tokens nobody can spend any more. */
const FORFEIT = 'forfeit';

/** What somebody who leaves has here. Tokens left when the account is gone become the operator's. */
export const ledgerClosing: ClosingPart = {
  keys: ['tokens', 'earned', 'held', 'owed'],
  consequences: async (tx, personId) => {
    const { tokens = 0, earnings = 0, held = 0, debt = 0 } = await balancesOfPerson(tx, personId);
    return { tokens, earned: earnings, held, owed: -debt };
  },
  settled: async (tx, personId) => {
    const { tokens = 0 } = await balancesOfPerson(tx, personId);
    if (tokens === 0) return;
    const [outcome] = await post(tx, [{
      id: operationId(personId, FORFEIT, 'once'),
      kind: FORFEIT,
      memo: {},
      facts: [],
      spends: false,
      parameterHash: `${personId} ${tokens}`,
      legs: [
        { account: { kind: 'person', personId, book: 'tokens' }, tokens: -tokens },
        { account: { kind: 'operator', name: 'fees' }, tokens },
      ],
    }]);
    if (outcome?.status !== 'posted') throw new Error(`tokens of person ${personId} were not forfeited`);
  },
};
