import type { Tx } from '#platform/data/data.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import { BUDGET_PERIODS, RAISE_WAIT_MS, type Leg } from '#product/ledger/rules.ts';
import type { LedgerService, Operation } from '#product/ledger/server.ts';
import type { Dice } from './dice.ts';

/** The people of an episode: without limits, with limits, performers, and a studio that shares earnings. */
export interface Cast {
  readonly plain: readonly number[];
  readonly limited: readonly number[];
  readonly performers: readonly number[];
  readonly studio: number;
}

/** What a client wants; it resends this under the same id until it gets an answer. */
export type Intent =
  | { readonly kind: 'submit'; readonly operation: Operation; readonly isImpossible?: true }
  | { readonly kind: 'post'; readonly operations: readonly Operation[] }
  | { readonly kind: 'change'; readonly change: (tx: Tx, ledger: LedgerService) => Promise<unknown> };

/** What was sent, so that later intents can settle, reverse and repeat it. */
interface Memory {
  readonly sent: Operation[];
  readonly holds: { readonly operation: Operation; readonly person: number; readonly tokens: number }[];
}

/** The id of nobody: an operation for it throws. */
const NOBODY = 999_999_999;
/** Whole US cents per token: the price, a bulk price, and one below the payout. */
const PRICES = [10, 10, 10, 8, 3] as const;
/** Weights of the kinds of intents in a calm round. */
const KINDS = {
  tip: 560,
  purchase: 130,
  grant: 40,
  hold: 45,
  settle: 60,
  refund: 40,
  chargeback: 12,
  mismatch: 20,
  repayment: 12,
  payback: 12,
  suspense: 8,
  change: 40,
  group: 10,
  impossible: 0.5,
  unlimited: 7,
} as const;
/** … and in a busy one, full of tips. */
const BUSY: Readonly<Record<keyof typeof KINDS, number>> = {
  ...KINDS,
  tip: 9_000,
  refund: 0.5,
  chargeback: 0.5,
  change: 40,
  group: 3,
};

/** Probability that a refund or chargeback is partial. */
const IN_PARTS = 0.5;
const PARTED: readonly string[] = ['purchase', 'repayment', 'grant'];

/** A part of what an operation issued, with its share of the money; sometimes all of it. */
function partOf({ legs, money = [] }: Operation, dice: Dice): Pick<Operation, 'money'> & { tokens?: number } {
  const issued = Math.max(1, ...legs.map(({ tokens }) => tokens));
  const tokens = dice.chance(0.2) ? issued : dice.between(1, Math.ceil(issued / 2));
  const share = (minor: number): number => Math.sign(-minor) * Math.floor(Math.abs(minor) * tokens / issued);
  const moved = money.map((leg) => ({ ...leg, minor: share(leg.minor) })).filter(({ minor }) => minor !== 0);
  return { tokens, ...(moved.length > 0 && { money: moved }) };
}

const person = (personId: number, book: 'tokens' | 'earnings' | 'held' | 'debt', tokens: number): Leg => ({
  account: { kind: 'person', personId, book },
  tokens,
});
const operatorLeg = (name: 'fees' | 'grants' | 'promo' | 'float', tokens: number): Leg => ({
  account: { kind: 'operator', name },
  tokens,
});

/** Generates intents, with dice as the only input. */
export class Traffic {
  readonly #cast: Cast;
  readonly #limited: number;
  readonly #memory: Memory = { sent: [], holds: [] };

  /** @param limited probability that somebody with limits spends or buys */
  constructor(cast: Cast, limited: number) {
    this.#cast = cast;
    this.#limited = limited;
  }

  get sent(): readonly Operation[] {
    return this.#memory.sent;
  }

  intent(dice: Dice, now: number, isBusy: boolean): Intent {
    const kind = dice.weighted(isBusy ? BUSY : KINDS);
    if (kind === 'change') return { kind, change: this.#change(dice, now) };
    if (kind === 'group') {
      const operations = Array.from({ length: dice.between(2, 6) }, () => this.#operation('tip', dice, now));
      return { kind: 'post', operations: [...operations, this.#operation('purchase', dice, now)] };
    }
    const operation = this.#operation(kind, dice, now);
    return { kind: 'submit', operation, ...(kind === 'impossible' ? { isImpossible: true } : {}) };
  }

  /** Most people start with tokens; people with limits start with few and use credit. */
  firstIntents(dice: Dice): Intent[] {
    const { plain, limited } = this.#cast;
    const most = (who: number): number => (limited.includes(who) ? 300 : 40_000);
    const bought = [...plain, ...limited].filter(() => dice.chance(0.95)).map((who): Intent => ({
      kind: 'submit',
      operation: this.#purchase(dice.uuid(), dice, who, most(who), [PRICES[0]]),
    }));
    const lent = limited.filter(() => dice.chance(0.5)).map((who): Intent => {
      const tokens = dice.between(1, 200);
      return { kind: 'change', change: (tx, ledger) => ledger.setCredit(tx, who, tokens) };
    });
    return [...bought, ...lent];
  }

  /** Refunds of the money in suspense. */
  lastIntents(dice: Dice): Intent[] {
    return this.#memory.sent.filter(({ kind }) => kind === 'suspense').map(({ id }) => ({
      kind: 'submit',
      operation: this.#note({
        id: dice.uuid(),
        kind: 'refund',
        legs: [],
        reverses: { operation: id, mode: 'refund' },
      }),
    }));
  }

  #note(made: Pick<Operation, 'id' | 'kind' | 'legs'> & Partial<Operation>): Operation {
    const operation = { memo: {}, facts: [], parameterHash: made.id.slice(0, 8), ...made };
    this.#memory.sent.push(operation);
    return operation;
  }

  #viewer(dice: Dice): number {
    return dice.pick(dice.chance(this.#limited) ? this.#cast.limited : this.#cast.plain);
  }

  #operation(
    kind: Exclude<keyof typeof KINDS, 'change' | 'group'>,
    dice: Dice,
    now: number,
  ): Operation {
    const id = dice.uuid();
    if (kind === 'tip' || kind === 'unlimited') return this.#tip(id, kind, dice);
    if (kind === 'purchase') return this.#purchase(id, dice);
    if (kind === 'hold') return this.#hold(id, dice, now);
    if (kind === 'settle') return this.#settlement(id, dice);
    if (kind === 'refund' || kind === 'chargeback') {
      return this.#note({ id, kind, legs: [], ...this.#reversal(kind, dice) });
    }
    if (kind === 'mismatch') {
      const known = this.#sentOf(dice);
      return known ? { ...known, parameterHash: 'other' } : this.#tip(id, 'tip', dice);
    }
    if (kind === 'impossible') {
      const legs = [person(this.#viewer(dice), 'tokens', -1), person(NOBODY, 'earnings', 1)];
      return { id, kind, legs, memo: {}, facts: [], parameterHash: 'x' };
    }
    return this.#rare(id, kind, dice);
  }

  /** Reverses an operation: all of it, a part of a purchase, or the rest after partial reversals. */
  #reversal(mode: 'refund' | 'chargeback', dice: Dice): Pick<Operation, 'reverses' | 'money'> {
    if (!dice.chance(IN_PARTS)) {
      const whole = this.#sentOf(dice, mode === 'chargeback' ? ['purchase'] : undefined);
      return { reverses: { operation: whole?.id ?? dice.uuid(), mode } };
    }
    // From the latest few, so that one purchase gets several partial reversals.
    const bought = this.#sentOf(dice, mode === 'chargeback' ? ['purchase'] : PARTED, 2);
    const { tokens, ...money } = bought && dice.chance(0.8) ? partOf(bought, dice) : {};
    return { reverses: { operation: bought?.id ?? dice.uuid(), mode, ...(tokens && { tokens }) }, ...money };
  }

  #sentOf(dice: Dice, kinds?: readonly string[], latest = 200): Operation | null {
    const { sent } = this.#memory;
    const fitting = kinds === undefined ? sent : sent.filter((operation) => kinds.includes(operation.kind));
    return fitting.length === 0 ? null : dice.pick(fitting.slice(-latest));
  }

  #tip(id: string, kind: 'tip' | 'unlimited', dice: Dice): Operation {
    const tokens = dice.chance(0.99) ? dice.between(1, 50) : dice.between(1, 9_000);
    const fee = dice.chance(0.3) ? Math.floor(tokens * dice.between(0, 100) / 100) : 0;
    const earned = person(dice.pick(this.#cast.performers), 'earnings', tokens - fee);
    const legs = [
      person(this.#viewer(dice), 'tokens', -tokens),
      dice.chance(0.1) ? { ...earned, split: true as const } : earned,
      operatorLeg('fees', fee),
    ];
    return this.#note({
      id,
      kind,
      legs: legs.filter((leg) => leg.tokens !== 0),
      ...(kind === 'tip' ? {} : { spends: false }),
    });
  }

  #purchase(
    id: string,
    dice: Dice,
    who = this.#viewer(dice),
    most = 4_000,
    prices: readonly number[] = PRICES,
  ): Operation {
    const tokens = dice.between(1, most);
    // The price of a pack isn't a whole number of cents per token.
    const cents = tokens * dice.pick(prices) + dice.between(0, 9);
    const bought = person(who, 'tokens', tokens);
    return this.#note({
      id,
      kind: 'purchase',
      legs: [operatorLeg('float', -tokens), { ...bought, lot: { promotional: false, backingCents: cents } }],
      money: [
        { account: dice.pick(['biller:ccbill', 'biller:segpay']), minor: cents, currency: 'USD' },
        { account: 'sales', minor: -cents, currency: 'USD' },
      ],
    });
  }

  #hold(id: string, dice: Dice, now: number): Operation {
    const [who, tokens] = [this.#viewer(dice), dice.between(1, 200)];
    const operation = this.#note({
      id,
      kind: 'hold',
      legs: [person(who, 'tokens', -tokens), person(who, 'held', tokens)],
      hold: { expiresAt: new Date(now + dice.between(1, 6 * HOUR_MS)) },
    });
    this.#memory.holds.push({ operation, person: who, tokens });
    return operation;
  }

  #settlement(id: string, dice: Dice): Operation {
    const { holds } = this.#memory;
    const hold = holds.length > 0 ? dice.pick(holds.slice(-20)) : null;
    const close = dice.chance(0.3);
    const taken = close && dice.chance(0.3) ? 0 : dice.between(1, Math.ceil((hold?.tokens ?? 1) / 2));
    const earned = person(dice.pick(this.#cast.performers), 'earnings', taken);
    const legs = taken === 0 ? [] : [
      person(hold?.person ?? this.#viewer(dice), 'held', -taken),
      dice.chance(0.5) ? { ...earned, split: true as const } : earned,
    ];
    const settles = { hold: hold?.operation.id ?? dice.uuid(), close };
    return this.#note({ id, kind: 'settle', legs, settles });
  }

  #rare(id: string, kind: 'grant' | 'repayment' | 'payback' | 'suspense', dice: Dice): Operation {
    const tokens = dice.between(1, 300);
    if (kind === 'grant') {
      const given = person(this.#viewer(dice), 'tokens', tokens);
      const legs = [
        operatorLeg(dice.pick(['grants', 'promo']), -tokens),
        dice.chance(0.7) ? { ...given, lot: { promotional: true, backingCents: 0 } } : given,
      ];
      return this.#note({ id, kind, legs });
    }
    if (kind === 'repayment') {
      const paid = person(dice.pick(this.#cast.limited), 'debt', tokens);
      const cents = tokens * 10;
      return this.#note({
        id,
        kind,
        legs: [operatorLeg('float', -tokens), { ...paid, lot: { promotional: false, backingCents: cents } }],
        money: [{ account: 'biller:ccbill', minor: cents, currency: 'USD' }, {
          account: 'receivables',
          minor: -cents,
          currency: 'USD',
        }],
      });
    }
    if (kind === 'payback') {
      const from = dice.pick([...this.#cast.performers, this.#cast.studio]);
      const legs = [person(from, 'earnings', -tokens), operatorLeg('float', tokens)];
      return this.#note({ id, kind, legs });
    }
    const currency = dice.pick(['USD', 'EUR']);
    return this.#note({
      id,
      kind,
      legs: [],
      money: [{ account: 'biller:segpay', minor: tokens, currency }, {
        account: 'suspense',
        minor: -tokens,
        currency,
      }],
    });
  }

  /** Changes somebody's limits, credit or split of earnings: drawn once, applied on every resend. */
  #change(dice: Dice, now: number): (tx: Tx, ledger: LedgerService) => Promise<unknown> {
    const who = dice.pick(this.#cast.limited);
    const what = dice.weighted(
      { budget: 35, credit: 20, block: 15, unblock: 15, coolOff: 8, exclude: 8, split: 15 },
    );
    const tokens = dice.between(1, 1_500);
    const period = dice.pick(BUDGET_PERIODS);
    const budget = dice.chance(0.2) ? null : tokens;
    const until = new Date(now + dice.between(1, 12) * HOUR_MS);
    const performer = dice.pick(this.#cast.performers);
    const percent = dice.between(1, 60);
    const later = dice.chance(0.5) ? dice.between(0, RAISE_WAIT_MS) : 0;
    return (tx, ledger) => {
      if (what === 'budget') return ledger.setBudgets(tx, who, { [period]: budget });
      if (what === 'credit') return ledger.setCredit(tx, who, budget === null ? 0 : tokens);
      if (what === 'block') return ledger.block(tx, who, 'simulated', null);
      if (what === 'unblock') return ledger.unblock(tx, who, 'simulated', null);
      if (what === 'coolOff') return ledger.coolOff(tx, who, until);
      if (what === 'exclude') return ledger.selfExclude(tx, who, until);
      return ledger.setSplit(tx, performer, new Date(tx.now.getTime() + later), [
        { to: this.#cast.studio, percent },
        { to: 'fees', percent: Math.min(40, percent) },
      ]);
    };
  }
}
