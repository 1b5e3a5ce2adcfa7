import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { MAX_DAILY_LIMIT_TOKENS } from '#product/accounts/rules/settings.ts';

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

/** An account in tokens: a person's, or a named one of the operator. */
export type AccountRef =
  | {
    readonly kind: 'person';
    readonly personId: number;
    /** `debt` is what they owe and never positive; the others are never negative. */
    readonly book: 'tokens' | 'earnings' | 'held' | 'debt';
  }
  | { readonly kind: 'operator'; readonly name: 'fees' | 'grants' | 'promo' | 'float' | 'losses' };

/** Signed whole tokens; the legs of an operation sum to zero. */
export interface Leg {
  readonly account: AccountRef;
  readonly tokens: number;
  /**
   * Where credited tokens come from, and what money repaid a debt; a credit without it is
   * promotional.
   */
  readonly lot?: {
    readonly promotional: boolean;
    /** Money received for all of them, in whole US cents; none for promotional ones. */
    readonly backingCents: number;
  };
  /** A credit of earnings that is divided by the performer's splits of the day. */
  readonly split?: true;
}

/** An account of the money book; `biller:ccbill` is what that biller has collected for the operator. */
export type MoneyAccount =
  | `biller:${string}`
  | 'sales'
  | 'refunds'
  | 'chargebacks'
  | 'suspense'
  | 'receivables'
  | 'bank';

/** Signed money in minor units (cents); the money legs of an operation sum to zero in each currency. */
export interface MoneyLeg {
  readonly account: MoneyAccount;
  readonly minor: number;
  /** ISO 4217, or a ticker of the same shape, in capitals. */
  readonly currency: string;
}

/** Money legs of one operation: a sale has two, one more for a fee and one for a rounding difference. */
const MAX_MONEY_LEGS = 8;
/** Largest money leg in minor units: a thousand million dollars. */
const MAX_MONEY_MINOR = 100_000_000_000;
const BILLER = /^biller:[a-z0-9-]{1,32}$/;
const MONEY_ACCOUNTS: ReadonlySet<string> = new Set([
  'sales',
  'refunds',
  'chargebacks',
  'suspense',
  'receivables',
  'bank',
]);
const CURRENCY = /^[A-Z0-9]{3,8}$/;

/** What a hold, a settlement or a reversal adds to an operation. */
export interface OperationForm {
  readonly id: string;
  readonly legs: readonly Leg[];
  readonly money?: readonly MoneyLeg[];
  readonly hold?: { readonly expiresAt: Date };
  readonly settles?: { readonly hold: string; readonly close: boolean };
  readonly reverses?: Reversed;
}

/** Which operation a reversal undoes, and how. */
export interface Reversed {
  readonly operation: string;
  readonly mode: ReversalMode;
  /** Only so many of the tokens a purchase gave, with the money legs that go with them; all that is left
   * without. */
  readonly tokens?: number;
}

/** A refund returns everything or nothing; a chargeback takes what is left, the rest becomes debt. */
export const REVERSAL_MODES = ['refund', 'chargeback'] as const;
export type ReversalMode = (typeof REVERSAL_MODES)[number];

/** Who closed a person's spending, other than the person. */
export const BLOCK_CAUSES = ['staff', 'chargeback'] as const;
export type BlockCause = (typeof BLOCK_CAUSES)[number];

/** Periods of a budget: UTC days, weeks from Monday, months. */
export const BUDGET_PERIODS = ['day', 'week', 'month'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];
/** Largest budget, the same as in the settings: a higher one limits nothing. */
export const MAX_BUDGET_TOKENS = MAX_DAILY_LIMIT_TOKENS;
/** A higher budget waits this long, so that nobody raises it in the heat of a room. */
export const RAISE_WAIT_MS = DAY_MS;
/** Cool-offs a person can take, in hours: an evening, a day, three days, a week, a month. */
export const COOL_OFF_HOURS = [6, 24, 72, 168, 720] as const;
/** Self-exclusions a person can choose, in days; none is ever shortened. */
export const SELF_EXCLUSION_DAYS = [30, 90, 180, 365, 1_825] as const;
/** Highest credit limit of a post-pay member ($10,000 shown). */
export const MAX_CREDIT_TOKENS = 100_000;
/** Receivers of one split: a performer, a studio and a few who take part. */
const MAX_SHARES = 8;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const nameOf = (account: AccountRef): string =>
  account.kind === 'person' ? `person:${account.personId}:${account.book}` : `operator:${account.name}`;

/** What is wrong with one leg by itself, or null. */
function errorOfLeg({ account, tokens, lot, split }: Leg): string | null {
  const name = nameOf(account);
  if (!Number.isSafeInteger(tokens) || tokens === 0) return `${name} moves no whole number of tokens`;
  if (Math.abs(tokens) > MAX_LEG_TOKENS) return `${name} moves more than ${MAX_LEG_TOKENS} tokens`;
  if (account.kind === 'person' && !(Number.isSafeInteger(account.personId) && account.personId > 0)) {
    return `${name} is nobody`;
  }
  if (split && !(account.kind === 'person' && account.book === 'earnings' && tokens > 0)) {
    return `${name} cannot be split`;
  }
  if (lot === undefined) return null;
  const takesLots = account.kind === 'person' && (account.book === 'tokens' || account.book === 'debt');
  if (!takesLots || tokens < 0) return `${name} takes no lot`;
  if (!Number.isSafeInteger(lot.backingCents) || lot.backingCents < 0) return `${name} has no whole backing`;
  return lot.promotional && lot.backingCents > 0 ? `${name} has a promotional lot with backing` : null;
}

/** What is wrong with the money legs, or null. They are whole, of known accounts, and zero per currency. */
function errorOfMoney(money: readonly MoneyLeg[]): string | null {
  if (money.length === 1 || money.length > MAX_MONEY_LEGS) {
    return `money moves in 2 to ${MAX_MONEY_LEGS} legs`;
  }
  const sums = new Map<string, number>();
  const seen = new Set<string>();
  for (const { account, minor, currency } of money) {
    const name = `${account} in ${currency}`;
    if (!MONEY_ACCOUNTS.has(account) && !BILLER.test(account)) return `${name} is no account of money`;
    if (!CURRENCY.test(currency)) return `${name} names no currency`;
    if (!Number.isSafeInteger(minor) || minor === 0) return `${name} moves no whole amount`;
    if (Math.abs(minor) > MAX_MONEY_MINOR) return `${name} moves more than ${MAX_MONEY_MINOR}`;
    if (seen.has(name)) return `${name} has two legs`;
    seen.add(name);
    sums.set(currency, (sums.get(currency) ?? 0) + minor);
  }
  const uneven = [...sums].find(([, sum]) => sum !== 0);
  return uneven ? `the money in ${uneven[0]} sums to ${uneven[1]}` : null;
}

const isWhole = (tokens: number): boolean =>
  Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= MAX_LEG_TOKENS;

/** What is wrong with the tokens that a hold, settlement or reversal moves, or null. */
function errorOfForm({ legs, hold, settles, reverses }: OperationForm): string | null {
  const forms = [hold, settles, reverses].filter((form) => form !== undefined);
  if (forms.length > 1) return 'an operation is a hold, a settlement or a reversal, not two of them';
  if (reverses && legs.length > 0) return 'the legs of a reversal follow from what it reverses';
  if (reverses && !UUID.test(reverses.operation)) return 'the reversed operation has no id';
  if (!isWhole(reverses?.tokens ?? 0)) return 'a part is no whole number of tokens';
  if (settles && !UUID.test(settles.hold)) return 'the settled hold has no id';
  if (!hold) return null;
  const [from, to] = legs[0] && legs[0].tokens < 0 ? legs : legs.toReversed();
  const own = from?.account.kind === 'person' && to?.account.kind === 'person'
    && from.account.personId === to.account.personId;
  return legs.length === 2 && own && from.account.book === 'tokens' && to.account.book === 'held'
    ? null
    : 'a hold moves tokens of one person to what is held of them';
}

/** Whether an operation may have no token legs: it moves money only, or its legs follow from another. */
const mayBeEmpty = ({ money, settles, reverses }: OperationForm): boolean =>
  reverses !== undefined || settles?.close === true || (money?.length ?? 0) > 0;

/**
 * Why an operation is impossible whatever the balances: a bug of the caller, never a user's mistake. Null if
 * sound. Legs are whole tokens, not zero, at most {@link MAX_LEG_TOKENS}, one per account, and sum to zero.
 */
export function errorOfOperation(operation: OperationForm): string | null {
  const { id, legs, money = [] } = operation;
  if (!UUID.test(id)) return 'the id is no UUID in lower case';
  const empty = legs.length === 0 && mayBeEmpty(operation);
  if (!empty && (legs.length < 2 || legs.length > MAX_LEGS)) return `an operation has 2 to ${MAX_LEGS} legs`;
  for (const leg of legs) {
    const error = errorOfLeg(leg);
    if (error !== null) return error;
  }
  const accounts = new Set(legs.map(({ account }) => nameOf(account)));
  if (accounts.size !== legs.length) return 'an account has two legs';
  const sum = legs.reduce((total, { tokens }) => total + tokens, 0);
  return sum === 0 ? errorOfForm(operation) ?? errorOfMoney(money) : `the legs sum to ${sum}`;
}

/** Whole percents of earnings that go to others, each person once; the performer keeps the rest. */
export interface Share {
  readonly to: number | 'fees';
  readonly percent: number;
}

/** What is wrong with a split, or null: shares of 1 to 100 percent, of different receivers, 100 at most. */
export function errorOfSplit(performerId: number, shares: readonly Share[]): string | null {
  if (shares.length > MAX_SHARES) return `a split has at most ${MAX_SHARES} shares`;
  if (new Set(shares.map(({ to }) => to)).size !== shares.length) return 'a receiver has two shares';
  for (const { to, percent } of shares) {
    if (to === performerId) return 'the performer keeps what is left, and has no share';
    if (to !== 'fees' && !(Number.isSafeInteger(to) && to > 0)) return `${to} is nobody`;
    if (!Number.isSafeInteger(percent) || percent < 1) return 'a share is a whole percent';
  }
  const total = shares.reduce((sum, { percent }) => sum + percent, 0);
  return total > 100 ? `the shares sum to ${total} percent` : null;
}

/** A calendar month `YYYY-MM` in UTC: its first moment, and that of the month after. */
export function monthOf(month: string): { start: Date; end: Date } {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return { start: new Date(Date.UTC(year, number - 1)), end: new Date(Date.UTC(year, number)) };
}

/** Days are sealed this long after their end, when no unit of work that began in them is still running. */
const SEAL_AFTER_MS = 90 * MINUTE_MS;

/** When completed days (UTC) are sealed next: soon after midnight, the day that just ended. */
export const nextSeal = (now: Date): Date =>
  new Date((Math.floor((now.getTime() - SEAL_AFTER_MS) / DAY_MS) + 1) * DAY_MS + SEAL_AFTER_MS);

/** What a post-pay member has and owes, in tokens. */
export interface PostpayDebt {
  readonly tokens: number;
  readonly creditTokens: number;
  /** What they owe, not negative. */
  readonly debtTokens: number;
}

/**
 * Why post-pay did not cover an amount: `card` if it would once the debt is paid, `exhausted` if the
 * amount is above everything post-pay could ever cover; null for people without post-pay.
 */
export function postpayRefusal(
  { tokens, creditTokens, debtTokens }: PostpayDebt,
  amount: number,
): 'card' | 'exhausted' | null {
  if (creditTokens === 0 && debtTokens === 0) return null;
  // Without a credit limit, the debt has closed post-pay: a card opens it again.
  return creditTokens > 0 && amount > tokens + creditTokens ? 'exhausted' : 'card';
}

/** Whether somebody can write private messages: with tokens, or as a member. */
export const isPmEnabled = (tokens: number, membership: string | null): boolean =>
  tokens > 0 || membership !== null;

/** What a token can pay out at most, in US cents: as `ledger.settings` allows. */
export const MAX_PAYOUT_CENTS = 1_000;
/** The most that can be booked as marketing: a billion dollars, far within a safe integer. */
export const MAX_MARKETING_CENTS = 100_000_000_000;

/** Operations of one page of the explorer: each comes with all its rows. */
export const EXPLORER_PAGE = 20;
