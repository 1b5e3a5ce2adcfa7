import type { Tx } from '#platform/data/data.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import type { Person } from '#product/accounts/server.ts';
import type { Leg, Operation, PostOutcome } from '#product/ledger/server.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { createHash } from 'node:crypto';
import { duesPaid } from '../contract.ts';
import { divideDues } from '../rules.ts';
import { insertDues } from '../store.ts';
import type { DuesKind } from '../store/columns.ts';
import type { FanclubsDependencies } from './dependencies.ts';

/** A payment by a member, with its payer and payee. */
export interface Payment {
  /** Id of the ledger operation. */
  readonly id: string;
  readonly kind: DuesKind;
  readonly member: Person;
  readonly performer: Person;
  readonly level: FanclubLevel;
  readonly tokens: number;
  /** Everything else the member decided: the same id with other values is another payment. */
  readonly decided?: readonly unknown[];
}

/** Takes a payment from the member's tokens, 80% of it for the performer, and records it once posted. */
export async function pay(
  { ledger }: Pick<FanclubsDependencies, 'ledger'>,
  tx: Tx,
  payment: Payment,
): Promise<PostOutcome> {
  const [outcome] = await ledger.post(tx, [operationOf(payment)]);
  if (!outcome) throw new Error('the ledger answered nothing');
  if (outcome.status === 'posted') {
    const { id: operation, kind, level, tokens, member, performer } = payment;
    await insertDues(tx, {
      operation,
      performerId: performer.id,
      memberId: member.id,
      kind,
      level,
      tokens,
    });
  }
  return outcome;
}

function operationOf({ id, kind, member, performer, level, tokens, decided = [] }: Payment): Operation {
  const share = divideDues(tokens);
  const legs: Leg[] = [
    { account: { kind: 'person', personId: member.id, book: 'tokens' }, tokens: -tokens },
    {
      account: { kind: 'person', personId: performer.id, book: 'earnings' },
      tokens: share.performer,
      split: true,
    },
    { account: { kind: 'operator', name: 'fees' }, tokens: share.operator },
  ];
  const hashed = JSON.stringify([performer.id, level, ...decided]);
  return {
    id,
    kind: 'fanclub',
    parameterHash: createHash('sha256').update(hashed).digest('hex'),
    legs: legs.filter((leg) => leg.tokens !== 0),
    memo: { from: member.username, to: performer.username, tokens, type: kind, title: level },
    facts: [{
      name: duesPaid.name,
      key: roomTopic(performer.id),
      payload: { performerId: performer.id, memberId: member.id, level, tokens, kind },
    }],
  };
}
