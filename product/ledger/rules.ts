/** One development grant, in tokens ($50 shown): enough to try everything in the demo. */
export const DEMO_GRANT_TOKENS = 500;
/** Grants a person can take per day; the demo is not a faucet. */
export const DEMO_GRANTS_PER_DAY = 5;

/** Lines of one history page: two screens of a phone. */
export const HISTORY_PAGE = 40;
/** Largest leg ($100 million shown): above any real payment, and sums of very many stay exact in a double. */
export const MAX_LEG_TOKENS = 1_000_000_000;
/** Legs of one operation: the largest, a split tip, has one per payer and a few receivers. */
export const MAX_LEGS = 64;
/**
 * Operations of one batch: beyond it the time a batch holds its locks grows faster than what grouping saves.
 */
export const MAX_BATCH = 200;

/** A book account: a person's, or a named one of the operator. */
export type AccountRef =
  | { readonly kind: 'person'; readonly personId: number; readonly book: 'tokens' | 'earnings' }
  | { readonly kind: 'operator'; readonly name: 'fees' | 'grants' | 'promo' | 'float' };

/** Signed whole tokens; the legs of an operation sum to zero. */
export interface Leg {
  readonly account: AccountRef;
  readonly tokens: number;
  /** Where credited spendable tokens come from; a credit without it is promotional. */
  readonly lot?: {
    readonly promotional: boolean;
    /** Money received for all of them, in whole US cents; none for promotional ones. */
    readonly backingCents: number;
  };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const nameOf = (account: AccountRef): string =>
  account.kind === 'person' ? `person:${account.personId}:${account.book}` : `operator:${account.name}`;

/** What is wrong with one leg by itself, or null. */
function faultOfLeg({ account, tokens, lot }: Leg): string | null {
  const name = nameOf(account);
  if (!Number.isSafeInteger(tokens) || tokens === 0) return `${name} moves no whole number of tokens`;
  if (Math.abs(tokens) > MAX_LEG_TOKENS) return `${name} moves more than ${MAX_LEG_TOKENS} tokens`;
  if (account.kind === 'person' && !(Number.isSafeInteger(account.personId) && account.personId > 0)) {
    return `${name} is nobody`;
  }
  if (lot === undefined) return null;
  if (account.kind !== 'person' || account.book !== 'tokens' || tokens < 0) return `${name} takes no lot`;
  if (!Number.isSafeInteger(lot.backingCents) || lot.backingCents < 0) return `${name} has no whole backing`;
  return lot.promotional && lot.backingCents > 0 ? `${name} has a promotional lot with backing` : null;
}

/**
 * What makes an operation impossible whatever the balances: a fault of the caller, never of a user. Null when
 * sound. Legs are whole tokens, not zero, at most {@link MAX_LEG_TOKENS}, one per account, and sum to zero.
 */
export function faultOfOperation({ id, legs }: {
  readonly id: string; readonly legs: readonly Leg[];
}): string | null {
  if (!UUID.test(id)) return 'the id is no UUID in lower case';
  if (legs.length < 2 || legs.length > MAX_LEGS) return `an operation has 2 to ${MAX_LEGS} legs`;
  for (const leg of legs) {
    const fault = faultOfLeg(leg);
    if (fault !== null) return fault;
  }
  const accounts = new Set(legs.map(({ account }) => nameOf(account)));
  if (accounts.size !== legs.length) return 'an account has two legs';
  const sum = legs.reduce((total, { tokens }) => total + tokens, 0);
  return sum === 0 ? null : `the legs sum to ${sum}`;
}

/** The day (UTC) that counts for daily limits, `YYYY-MM-DD`. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
