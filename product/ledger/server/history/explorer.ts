import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import { personUnknown, reverseOperation } from '../../contract.ts';
import { findOperations, getLedgerHealth } from '../../contract/explorer.ts';
import { EXPLORER_PAGE } from '../../rules.ts';
import { entriesOf, entryOf, newestEntries, readEntries, type StoredEntry } from '../../store/explorer.ts';
import { readHealth } from '../../store/health.ts';
import { operationId, reverse } from '../journal/posting.ts';
import { refusalOf } from '../journal/refusing.ts';

type Found = OutputOf<typeof findOperations>['operations'];

/** Operations as staff see them: with people's names, and all their rows. */
async function shown(tx: Tx, accounts: AccountsService, entries: readonly StoredEntry[]): Promise<Found> {
  const ids = entries.flatMap(({ legs }) => legs.flatMap(({ personId }) => personId ?? []));
  const people = await accounts.findMany(tx, [...new Set(ids)]);
  const nameOf = (id: number): string => people.get(id)?.username ?? '';
  return entries.map(({ at, legs, hold, reversedBy, isReversed, reverses, ...entry }) => ({
    ...entry,
    at: at.toISOString(),
    legs: legs.map(({ personId, ...leg }) => ({
      ...leg,
      person: personId === null ? null : { id: personId, username: nameOf(personId) },
    })),
    hold: hold && {
      tokens: hold.tokens,
      tokens_left: hold.tokensLeft,
      expires_at: isoOf(hold.expiresAt),
      closed_at: hold.closedAt === null ? null : isoOf(hold.closedAt),
    },
    reversed_by: reversedBy,
    is_reversed: isReversed,
    reverses,
  }));
}

const isoOf = (text: string): string => new Date(text).toISOString();

/** What staff can find in the ledger, and do there. */
export function explorerHandlers(data: Data, accounts: AccountsService): CallHandler[] {
  return [
    handleCall(findOperations)((input, { scope, refuse }) =>
      data.tx(scope, async (tx) => {
        const { operation, username, before = Number.MAX_SAFE_INTEGER } = input;
        // One more than a page shows whether there is another.
        const limit = EXPLORER_PAGE + 1;
        let ids: number[];
        if (operation !== undefined) {
          const id = await entryOf(tx, operation);
          ids = id === null ? [] : [id];
        } else if (username !== undefined) {
          const person = await accounts.findForStaff(tx, username.trim());
          if (!person) return refuse(personUnknown);
          ids = await entriesOf(tx, person.id, before, limit);
        } else ids = await newestEntries(tx, before, limit);
        const operations = await shown(tx, accounts, await readEntries(tx, ids.slice(0, EXPLORER_PAGE)));
        return { operations, next: ids.length > EXPLORER_PAGE ? (operations.at(-1)?.id ?? null) : null };
      })
    ),
    handleCall(getLedgerHealth)((_input, { scope }) =>
      data.tx(scope, async (tx) => {
        const { alarms, faults, brokenSeals, sealedUntil, cover } = await readHealth(tx);
        return {
          ...cover,
          faults,
          broken_seals: brokenSeals,
          sealed_until: sealedUntil,
          alarms: alarms.map(({ since, ...alarm }) => ({ ...alarm, since: since.toISOString() })),
        };
      })
    ),
    handleCall(reverseOperation)(async (order, { scope, personId: actorId, idempotencyKey, refuse }) => {
      if (idempotencyKey === null) throw new Error('the host demands an Idempotency-Key');
      const id = operationId(actorId, reverseOperation.name, idempotencyKey);
      const outcome = await data.tx(scope, (tx) => reverse(tx, { id, ...order, actorId }));
      return 'balances' in outcome ? { status: 1, operation: id } as const : refusalOf(outcome, refuse);
    }),
  ];
}
