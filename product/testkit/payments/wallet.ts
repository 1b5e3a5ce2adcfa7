import { uuidV4 } from '#platform/data/ids.ts';
import { getBalance } from '#product/ledger/contract.ts';
import type { Leg, Operation } from '#product/ledger/server.ts';
import type { Visitor } from '../visitor.ts';

/** Options of a money call with a fresh idempotency key. */
export const key = (): { idempotencyKey: string } => ({ idempotencyKey: uuidV4() });

/** A member's balance, as their own pages read it. */
export const tokensOf = async (member: Visitor): Promise<number> =>
  (await member.call(getBalance, {})).tokens;

/** What pages show for a pack at the standard rate of ten tokens a dollar. */
export const plainOffer = (tokens: number) => ({
  price: { minor: tokens * 10, currency: 'USD' },
  tokens,
  free_tokens: 0,
  days: null,
});

export type PersonBook = 'tokens' | 'earnings' | 'held' | 'debt';

/** A leg of a person, by their id. */
export const of = (personId: number, book: PersonBook, tokens: number, lot?: Leg['lot']): Leg => ({
  account: { kind: 'person', personId, book },
  tokens,
  ...(lot ? { lot } : {}),
});

/** A leg of the operator. */
export const operatorLeg = (name: 'fees' | 'grants' | 'promo' | 'float' | 'losses', tokens: number): Leg => ({
  account: { kind: 'operator', name },
  tokens,
});

/** An operation of these legs with a fresh id. */
export const operation = (kind: string, legs: Leg[], more: Partial<Operation> = {}): Operation => ({
  id: uuidV4(),
  kind,
  legs,
  memo: {},
  facts: [],
  parameterHash: 'x',
  ...more,
});

/** Bought tokens, at ten cents each. */
export const boughtBy = ({ id }: { readonly id: number }, tokens: number): Operation =>
  operation('grant', [
    operatorLeg('float', -tokens),
    of(id, 'tokens', tokens, { promotional: false, backingCents: 10 * tokens }),
  ]);

/** A plain tip without fees. */
export const tipOf = (
  from: { readonly id: number },
  to: { readonly id: number },
  tokens: number,
  more: Partial<Operation> = {},
): Operation => operation('tip', [of(from.id, 'tokens', -tokens), of(to.id, 'earnings', tokens)], more);
