import { subscribe, type Subscription, type Slice } from '../../platform/contract/bind.ts';
import { personChannel } from '../../platform/contract/event.ts';
import type { Slots } from '../../platform/contract/slot.ts';
import type { Data } from '../../platform/data/data.ts';
import { currentUserPart, membershipsOf } from '../accounts/contract.ts';
import type { AccountsService } from '../accounts/server.ts';
import type { SiteService } from '../site/server.ts';
import { balanceChanged, tokenUpdate } from './contract.ts';
import { isPmEnabled } from './rules.ts';
import { balanceHandlers } from './server/balance.ts';
import { explorerHandlers } from './server/history/explorer.ts';
import { GroupedCommit } from './server/journal/grouping.ts';
import { historyHandlers } from './server/history/history.ts';
import { limitHandlers } from './server/limits/limits.ts';
import { moneyRulesHandlers } from './server/money-rules.ts';
import { grant, holdExpiry, maySpend, operationId, post, reverse } from './server/journal/posting.ts';
import { refuse } from './server/journal/refusing.ts';
import { sealing, startSealing } from './server/journal/sealing.ts';
import type { LedgerService } from './server/service.ts';
import { standingService } from './server/limits/standing.ts';
import { standingHandlers } from './server/limits/standings.ts';
import { balanceOf, balancesOf } from './store.ts';
import { moneyRulesOf } from './store/money-rules.ts';

export type { Leg } from './rules.ts';
export type { LedgerService, Operation, PostOutcome } from './server/service.ts';

export type LedgerSlice = Slice<LedgerService>;

export interface LedgerDependencies {
  readonly data: Data;
  readonly slots: Slots;
  readonly site: SiteService;
  readonly accounts: AccountsService;
  /** Demo mode: development grants can be taken. */
  readonly demo: boolean;
}

/**
 * Tokens in double entry. Announces `ledger.balanceChanged`; fills `accounts.currentUserPart` with the
 * balance.
 */
export function ledgerSlice({ data, slots, site, accounts, demo }: LedgerDependencies): LedgerSlice {
  slots.fill(currentUserPart, {
    part: async (scope, personId) => ({ tokens: await data.tx(scope, (tx) => balanceOf(tx, personId)) }),
  });
  const service: LedgerService = {
    post, submit: new GroupedCommit(data).submit, reverse, maySpend, refuse, operationId, grant,
    balance: balanceOf, balances: balancesOf, moneyRules: moneyRulesOf, ...standingService,
  };
  return {
    name: 'ledger',
    service,
    callHandlers: [
      ...balanceHandlers(data, demo), ...historyHandlers(data), ...limitHandlers(data),
      ...explorerHandlers(data, accounts), ...standingHandlers(data, accounts), ...moneyRulesHandlers(data),
    ],
    subscriptions: [tellBalance(data, slots, accounts)],
    deadlineHandlers: [holdExpiry(data), sealing(data)],
    start: () => startSealing(data, site.operators),
  };
}

/** Every tab of a person learns each change of their balance. */
function tellBalance(data: Data, slots: Slots, accounts: AccountsService): Subscription {
  return subscribe(balanceChanged, 'ledger.tellBalance')(async (
    { operatorId, payload: { kind, changes } },
  ) => {
    const ids = changes.map(({ personId }) => personId);
    const memberships = await slots.one(membershipsOf)(operatorId, ids);
    await data.tx({ operatorId }, async (tx) => {
      const people = await accounts.findMany(tx, ids);
      for (const { personId, tokens, change } of changes) {
        const person = people.get(personId);
        if (!person) continue;
        const membership = memberships.get(personId) ?? null;
        await tx.send(personChannel(personId), tokenUpdate, {
          username: person.username, tokens, token_change: change, membership, type: kind,
          pmIsEnabled: isPmEnabled(tokens, membership),
        });
      }
    });
  });
}
