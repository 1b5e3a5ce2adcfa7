import { subscribe, type Slice, type Subscription } from '#platform/contract/bind.ts';
import { personChannel } from '#platform/contract/event.ts';
import { implement, type Extensions } from '#platform/contract/extension-point.ts';
import type { Data } from '#platform/data/data.ts';
import { balance, closingPart, personalData, settingsPart } from '#product/accounts/extension-points.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import type { SiteService } from '#product/site/server.ts';
import { balanceChanged, tokenUpdate } from './contract.ts';
import * as extensionPoints from './extension-points.ts';
import { isPmEnabled } from './rules.ts';
import { balanceHandlers } from './server/balance.ts';
import { explorerHandlers } from './server/history/explorer.ts';
import { historyHandlers } from './server/history/history.ts';
import { GroupedCommit } from './server/journal/grouping.ts';
import { grant, holdExpiry, maySpend, operationId, post, reverse } from './server/journal/posting.ts';
import { refuse } from './server/journal/refusing.ts';
import { sealing, startSealing } from './server/journal/sealing.ts';
import { ledgerClosing } from './server/limits/closing.ts';
import { dailyLimit, limitHandlers } from './server/limits/limits.ts';
import { restrictionHandlers } from './server/limits/restrictions.ts';
import { spendingService } from './server/limits/spending.ts';
import { moneyRulesHandlers } from './server/money-rules.ts';
import type { LedgerService } from './server/service.ts';
import { balanceOf, balancesOf, isPosted } from './store.ts';
import { moneyRulesOf, setMoneyRules } from './store/money-rules.ts';
import { ownRows } from './store/own-rows.ts';

export type { Leg } from './rules.ts';
export type { LedgerService, Limits, Operation, PostOutcome } from './server/service.ts';

export type LedgerSlice = Slice<LedgerService>;

export interface LedgerDependencies {
  readonly data: Data;
  readonly extensions: Extensions;
  readonly site: SiteService;
  readonly accounts: AccountsService;
  /** Demo mode: development grants can be taken. */
  readonly demo: boolean;
  /** Path below which calls are answered. */
  readonly apiBase: string;
}

/** Tokens in double entry. Publishes `ledger.balanceChanged`. */
export function ledgerSlice(
  { data, extensions, site, accounts, demo, apiBase }: LedgerDependencies,
): LedgerSlice {
  const service: LedgerService = {
    post,
    submit: new GroupedCommit(data).submit,
    reverse,
    maySpend,
    refuse,
    operationId,
    grant,
    isPosted,
    balance: balanceOf,
    balances: balancesOf,
    moneyRules: moneyRulesOf,
    setMoneyRules,
    ...spendingService,
  };
  return {
    name: 'ledger',
    service,
    extensionPoints,
    extensions: [
      implement(personalData, ownRows),
      implement(balance, balanceOf),
      implement(settingsPart, dailyLimit),
      implement(closingPart, ledgerClosing),
    ],
    callHandlers: [
      ...balanceHandlers(data, demo),
      ...historyHandlers(data, apiBase),
      ...limitHandlers(data, accounts),
      ...explorerHandlers(data, accounts),
      ...restrictionHandlers(data, accounts),
      ...moneyRulesHandlers(data),
    ],
    subscriptions: [sendBalance(data, extensions, accounts)],
    deadlineHandlers: [holdExpiry(data), sealing(data)],
    start: () => startSealing(data, site.operators),
  };
}

/** Sends each change of a balance to every tab of the person. */
function sendBalance(data: Data, extensions: Extensions, accounts: AccountsService): Subscription {
  return subscribe(balanceChanged, 'ledger.tellBalance')(async (
    { operatorId, payload: { kind, changes } },
  ) => {
    const ids = changes.map(({ personId }) => personId);
    await data.tx({ operatorId }, async (tx) => {
      const memberships = await extensions.one(extensionPoints.memberships)(tx, ids);
      const people = await accounts.findMany(tx, ids);
      for (const { personId, tokens, change } of changes) {
        const person = people.get(personId);
        if (!person) continue;
        const membership = memberships.get(personId) ?? null;
        await tx.send(personChannel(personId), tokenUpdate, {
          username: person.username,
          tokens,
          token_change: change,
          membership,
          type: kind,
          pmIsEnabled: isPmEnabled(tokens, membership),
        });
      }
    });
  });
}
