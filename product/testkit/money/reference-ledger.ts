import { DAY_MS } from '#platform/time/units.ts';
import type { ReversalMode } from '#product/ledger/rules.ts';
import { ReferenceLimits } from './reference-limits.ts';
import {
  mergeRows,
  restOf,
  sumOf,
  type Answer,
  type Asked,
  type Draw,
  type Entry,
  type Hold,
  type Lot,
  type Part,
  type Plan,
  type PromotionalPart,
  type Row,
  type Share,
} from './reference-rows.ts';

/** A single-threaded ledger in plain maps, written from the rules and not from the SQL. */

const ISSUERS = new Set(['float', 'grants', 'promo']);

export class ReferenceLedger {
  readonly balances = new Map<string, number>();
  readonly money = new Map<string, number>();
  readonly lots = new Map<number, Lot[]>();
  readonly holds = new Map<string, Hold>();
  readonly entries = new Map<string, Entry>();
  booked = 0;
  readonly limits = new ReferenceLimits();
  /** Money received for tokens in circulation, in US cents. */
  cash = 0;
  /** Entries the ledger makes on its own: loans and repayments. */
  caused = 0;
  readonly #splits = new Map<number, { readonly starts: number; readonly shares: readonly Share[] }[]>();
  /** Promotional tokens earned, by person and day. */
  readonly #promotional = new Map<string, number>();
  readonly #payout: number;
  readonly #cap: number;
  /** Promotional tokens that one person may earn in a day (UTC). */
  readonly #performerCap: number;

  constructor(settings: {
    readonly payoutCents: number;
    readonly marketingCapCents: number;
    readonly performerCapCents: number;
  }) {
    this.#payout = settings.payoutCents;
    this.#cap = settings.marketingCapCents;
    this.#performerCap = Math.floor(settings.performerCapCents / settings.payoutCents);
  }

  of = (person: number, account: string): number => this.balances.get(`${person} ${account}`) ?? 0;
  hasPromotional = (person: number): boolean =>
    (this.lots.get(person) ?? []).some(({ promotional, left }) => promotional && left > 0);
  hasSplits = (person: number): boolean => this.#splits.has(person);

  apply(op: Asked, now: number): Answer {
    const known = this.entries.get(op.id);
    if (known) {
      return known.hash === op.parameterHash
        ? { status: 'duplicate', balances: this.#tokensOf(known.rows) }
        : { status: 'mismatch' };
    }
    const plan = this.#resolve(op, now);
    if (typeof plan === 'string') return { status: plan };
    const refusal = this.#refusal(plan, now);
    if (refusal) return refusal;
    for (const { person, gap } of this.#gaps(plan.rows)) this.#lend(person, gap);
    const entry: Entry = {
      hash: op.parameterHash,
      at: now,
      spending: plan.spending,
      rows: plan.rows,
      money: plan.money,
      spent: [],
      made: [],
      cash: 0,
      marketing: 0,
      isHold: false,
      isReversal: false,
      reversed: false,
      promotional: [],
      parts: null,
    };
    this.entries.set(op.id, entry);
    this.#enter(op, plan, entry, now);
    this.#repay(plan.rows);
    return { status: 'posted', balances: this.#tokensOf(plan.rows) };
  }

  setSplit(performer: number, starts: number, shares: readonly Share[]): void {
    const others = (this.#splits.get(performer) ?? []).filter((split) => split.starts !== starts);
    this.#splits.set(performer, [...others, { starts, shares }].sort((a, b) => b.starts - a.starts));
  }

  #tokensOf = (rows: readonly Row[]): Record<string, number> =>
    Object.fromEntries(rows.flatMap(({ person }) => (person ? [[person, this.of(person, 'tokens')]] : [])));

  /** The rows an operation posts, or the status that refuses it. */
  #resolve(op: Asked, now: number): Plan | string {
    const { settles, reverses, money = [] } = op;
    if (settles) return this.#settlement(op, settles, now);
    if (reverses) return this.#reversal(op, reverses);
    const pays = op.legs.some(({ account, tokens }) => account === 'tokens' && tokens < 0);
    const spending = pays && op.spends !== false ? 1 : 0;
    return { rows: this.#divided(op.legs, now), money, spending, countedAt: now };
  }

  /** Splits earnings among those who share; the remainder of rounding down stays with the performer. */
  #divided(legs: readonly Row[], now: number): Row[] {
    const shares = legs.flatMap((leg) => {
      const current = leg.split && this.#splits.get(leg.person ?? 0)?.find(({ starts }) => starts <= now);
      return (current ? current.shares : []).map(({ person, percent }): [Row, Row] => [leg, {
        person,
        account: person === null ? 'fees' : 'earnings',
        tokens: Math.floor(leg.tokens * percent / 100),
      }]);
    });
    if (shares.length === 0) return [...legs];
    const reduced = legs.map((leg) => ({
      ...leg,
      tokens: leg.tokens
        - sumOf(shares.flatMap(([from, { tokens }]) => (from === leg ? [tokens] : []))),
    }));
    return mergeRows([...reduced, ...shares.map(([, share]) => share)]);
  }

  #settlement(op: Asked, settles: NonNullable<Asked['settles']>, now: number): Plan | string {
    const hold = this.holds.get(settles.hold);
    const taken = -sumOf(op.legs.flatMap(({ account, tokens }) => (account === 'held' ? [tokens] : [])));
    if (!hold || hold.closed || (taken > 0 && hold.expiresAt <= now)) return 'hold_closed';
    if (taken > hold.left) return 'insufficient';
    const rest = settles.close ? hold.left - taken : 0;
    const rows = this.#divided(op.legs, now).filter(({ account }) => account !== 'held');
    rows.push({ person: hold.person, account: 'held', tokens: -taken - rest });
    rows.push({ person: hold.person, account: 'tokens', tokens: rest });
    return {
      rows: rows.filter(({ tokens }) => tokens !== 0),
      money: op.money ?? [],
      spending: -1,
      countedAt: hold.entry.at,
      settles: { hold, taken, close: settles.close },
    };
  }

  #reversal(op: Asked, { operation, mode, tokens: part }: NonNullable<Asked['reverses']>): Plan | string {
    const entry = this.entries.get(operation);
    if (!entry || entry.reversed || entry.isReversal || entry.isHold) return 'not_reversible';
    if (part !== undefined || entry.parts) return this.#part(op, entry, mode, part);
    const isTouched = entry.made.some(({ left, tokens }) => left < tokens);
    if (mode === 'chargeback' ? entry.cash <= 0 : isTouched) return 'not_reversible';
    const others = entry.rows.filter(
      ({ person, account }) => !person || !['tokens', 'held'].includes(account),
    );
    const rows = mergeRows([
      ...others.map(({ person, account, tokens }) => ({ person, account, tokens: -tokens })),
      ...entry.spent.map(({ lot, tokens }) => ({ person: lot.person, account: 'tokens', tokens })),
      ...entry.made.flatMap(({ person, left, tokens }) => [
        { person, account: 'tokens', tokens: -left },
        { person, account: 'debt', tokens: left - tokens },
      ]),
    ]);
    const money = op.money ?? entry.money.map((row) => ({ ...row, minor: -row.minor }));
    if (rows.length === 0 && money.length === 0) return 'not_reversible';
    const spending = entry.spending === 0 ? 0 : -1;
    return { rows, money, spending, countedAt: entry.at, reverses: { entry, mode } };
  }

  /** Reverses a part of a purchase, or the rest of it: from its lot first, then as a debt. */
  #part({ money }: Asked, entry: Entry, mode: ReversalMode, wanted: number | undefined): Plan | string {
    const own = entry.rows.filter(({ person }) => person);
    const [issuer, ...issuers] = entry.rows.filter(({ person }) => !person);
    const isPurchase = issuers.length === 0 && (issuer?.tokens ?? -1) < 0
      && own.every(({ account, tokens }) => ['tokens', 'debt'].includes(account) && tokens > 0)
      && new Set(own.map(({ person }) => person)).size <= 1;
    const [issued, gone] = [-(issuer?.tokens ?? 0), entry.parts?.gone ?? 0];
    const tokens = wanted ?? issued - gone;
    if (!isPurchase || tokens > issued - gone || (tokens === 0 && issued > 0)) return 'not_reversible';
    const [lot] = entry.made;
    const ofLot = lot ? Math.min(tokens, lot.tokens - Math.min(gone, lot.tokens)) : 0;
    const taken = Math.min(ofLot, lot?.left ?? 0);
    if (mode !== 'chargeback' && taken < ofLot) return 'not_reversible';
    const person = own[0]?.person ?? null;
    const rows = [
      { person: null, account: issuer?.account ?? '', tokens },
      { person, account: 'tokens', tokens: -taken },
      { person, account: 'debt', tokens: taken - tokens },
    ].filter((row) => row.tokens !== 0);
    const moved = money ?? (wanted === undefined ? restOf(entry) : []);
    if (rows.length === 0 && moved.length === 0) return 'not_reversible';
    const part = { tokens, taken, issued };
    return { rows, money: moved, spending: 0, countedAt: entry.at, reverses: { entry, mode, part } };
  }

  /** Tokens that a person lacks. */
  #gaps = (rows: readonly Row[]): { person: number; account: string; gap: number }[] =>
    rows.flatMap(({ person, account, tokens }) => {
      if (!person) return [];
      const after = this.of(person, account) + tokens;
      const gap = account === 'debt' ? (tokens > 0 ? after : 0) : -after;
      return gap > 0 ? [{ person, account, gap }] : [];
    });

  #refusal({ rows, spending, reverses, settles }: Plan, now: number): Answer | null {
    const payers = rows.filter(({ account, tokens }) => account === 'tokens' && tokens < 0);
    if (spending === 1) {
      for (const { person, tokens } of payers) {
        const closed = this.limits.refusal(person ?? 0, -tokens, now);
        if (closed) return closed;
      }
    }
    for (const { person, account, gap } of this.#gaps(rows)) {
      if (account !== 'tokens' || spending !== 1) return { status: 'insufficient' };
      const credit = this.limits.creditOf(person);
      if (gap - this.of(person, 'debt') > credit) {
        return { status: credit > 0 ? 'credit_exhausted' : 'insufficient' };
      }
    }
    if (!reverses && !settles && this.#order(rows, now) === null) return { status: 'performer_cap' };
    const { marketing } = this.#coverage(rows);
    const isBeyond = !reverses && marketing > 0 && this.booked + marketing > this.#cap;
    return isBeyond ? { status: 'marketing_cap' } : null;
  }

  #coverage(rows: readonly Row[]): { cash: number; marketing: number } {
    const issued = -sumOf(
      rows.flatMap(({ person, account, tokens }) => (!person && ISSUERS.has(account) ? [tokens] : [])),
    );
    const cash = sumOf(rows.map(({ lot }) => lot?.backingCents ?? 0));
    return { cash, marketing: Math.max(0, issued * this.#payout - cash) };
  }

  #move({ person, account, tokens }: Row): void {
    const name = person ? `${person} ${account}` : account;
    this.balances.set(name, (this.balances.get(name) ?? 0) + tokens);
  }

  /**
   * Whether an operation spends promotional lots first or last, so that nobody it pays earns more of them in
   * a day than the cap; null when they would either way.
   */
  #order(rows: readonly Row[], now: number): 'first' | 'last' | null {
    const payers = rows.filter(({ person, account, tokens }) => person && account === 'tokens' && tokens < 0);
    const spent = -sumOf(payers.map(({ tokens }) => tokens));
    const sums = payers.map(({ person, tokens }) => {
      const left = (promotional: boolean): number =>
        sumOf((this.lots.get(person ?? 0) ?? [])
          .map((lot) => (lot.promotional === promotional ? lot.left : 0)));
      const [given, needed] = [left(true), Math.min(-tokens, left(true) + left(false))];
      return { first: Math.min(given, needed), last: Math.max(0, needed - left(false)) };
    });
    const fits = (promotional: number): boolean =>
      this.#earnedOf(rows, promotional, spent, now)
        .every(({ person, day, tokens }) => this.#promotionalOn(person, day) + tokens <= this.#performerCap);
    if (fits(sumOf(sums.map(({ first }) => first)))) return 'first';
    return fits(sumOf(sums.map(({ last }) => last))) ? 'last' : null;
  }

  /** How many of the spent promotional tokens each paid person earns. */
  #earnedOf(rows: readonly Row[], promotional: number, spent: number, now: number): PromotionalPart[] {
    return rows.flatMap(({ person, account, tokens }) => {
      if (!person || account !== 'earnings' || tokens <= 0 || promotional === 0) return [];
      return [{
        person,
        day: Math.floor(now / DAY_MS),
        tokens: Math.ceil(promotional * tokens / spent),
      }];
    });
  }

  #promotionalOn = (person: number, day: number): number => this.#promotional.get(`${person} ${day}`) ?? 0;

  #countPromotional(entry: Entry, parts: readonly PromotionalPart[]): void {
    for (const { person, day, tokens } of parts) {
      this.#promotional.set(`${person} ${day}`, this.#promotionalOn(person, day) + tokens);
    }
    entry.promotional.push(...parts);
  }

  #draw(person: number, needed: number, order: 'first' | 'last' = 'first'): Draw[] {
    const open = (this.lots.get(person) ?? []).filter(({ left }) => left > 0);
    const draws: Draw[] = [];
    const isEarly = ({ promotional }: Lot): boolean => promotional === (order === 'first');
    for (const lot of [...open.filter(isEarly), ...open.filter((item) => !isEarly(item))]) {
      const tokens = Math.min(lot.left, needed - sumOf(draws.map((draw) => draw.tokens)));
      if (tokens > 0) draws.push({ lot, tokens });
    }
    for (const { lot, tokens } of draws) lot.left -= tokens;
    return draws;
  }

  #makeLot(person: number, promotional: boolean, tokens: number): Lot {
    const lot = { person, promotional, tokens, left: tokens };
    this.lots.set(person, [...(this.lots.get(person) ?? []), lot]);
    return lot;
  }

  #enter(op: Asked, plan: Plan, entry: Entry, now: number): void {
    for (const row of plan.rows) this.#move(row);
    for (const { account, currency, minor } of plan.money) {
      const name = `${account} ${currency}`;
      this.money.set(name, (this.money.get(name) ?? 0) + minor);
    }
    if (plan.settles) this.#settle(plan.settles, entry);
    else if (plan.reverses) this.#reverse(plan.reverses, entry);
    else this.#spend(op, plan.rows, entry, now);
    this.limits.count(plan, now);
    if (plan.reverses || entry.isHold) return;
    const spent = sumOf(entry.spent.map(({ tokens }) => tokens));
    const promotional = sumOf(entry.spent.map(({ lot, tokens }) => (lot.promotional ? tokens : 0)));
    this.#countPromotional(entry, this.#earnedOf(plan.rows, promotional, spent, now));
  }

  #settle({ hold, taken, close }: NonNullable<Plan['settles']>, entry: Entry): void {
    let needed = taken;
    hold.drawn = hold.drawn.flatMap(({ lot, tokens }) => {
      const spent = Math.min(needed, tokens);
      needed -= spent;
      if (spent > 0) entry.spent.push({ lot, tokens: spent });
      if (close) lot.left += tokens - spent;
      return tokens > spent && !close ? [{ lot, tokens: tokens - spent }] : [];
    });
    hold.left = close ? 0 : hold.left - taken;
    hold.closed = close;
  }

  #reverse({ entry: old, mode, part }: NonNullable<Plan['reverses']>, entry: Entry): void {
    entry.isReversal = true;
    if (part) this.#takePart(old, part, entry);
    else {
      for (const lot of old.made) lot.left = 0;
      for (const { lot, tokens } of old.spent) lot.left += tokens;
      old.reversed = true;
      this.#countPromotional(entry, old.promotional.map((part) => ({ ...part, tokens: -part.tokens })));
      [entry.cash, entry.marketing] = [-old.cash, -old.marketing];
    }
    this.booked += entry.marketing;
    this.cash += entry.cash;
    if (mode !== 'chargeback') return;
    for (const { person, account } of entry.rows) {
      if (!person || !['tokens', 'debt'].includes(account)) continue;
      this.limits.blockAfterChargeback(person);
    }
  }

  /** Reduces the cover in proportion to the tokens; the remaining cover is rounded up. */
  #takePart(old: Entry, { tokens, taken, issued }: Part, entry: Entry): void {
    const gone = old.parts?.gone ?? 0;
    const left = (
      cents: number,
      without: number,
    ): number => (issued === 0 ? 0 : Math.ceil(cents * (issued - without) / issued));
    const change = (cents: number): number => left(cents, gone + tokens) - left(cents, gone);
    [entry.cash, entry.marketing] = [change(old.cash), change(old.marketing)];
    old.parts = { gone: gone + tokens, money: [...(old.parts?.money ?? []), ...entry.money] };
    for (const lot of old.made) lot.left -= taken;
  }

  #spend(op: Asked, rows: readonly Row[], entry: Entry, now: number): void {
    const order = this.#order(rows, now) ?? 'first';
    for (const { person, account, tokens } of rows) {
      if (person && account === 'tokens' && tokens < 0) {
        entry.spent.push(...this.#draw(person, -tokens, order));
      }
    }
    for (const { person, account, tokens, lot } of rows) {
      if (!person || account !== 'tokens' || tokens < 0) continue;
      entry.made.push(this.#makeLot(person, lot?.promotional ?? true, tokens));
    }
    const { cash, marketing } = this.#coverage(rows);
    [entry.cash, entry.marketing] = [cash, marketing];
    this.booked += marketing;
    this.cash += cash;
    const held = rows.find(({ account }) => account === 'held');
    if (!op.hold || !held?.person) return;
    entry.isHold = true;
    this.holds.set(op.id, {
      person: held.person,
      left: held.tokens,
      expiresAt: Date.parse(op.hold.expiresAt),
      closed: false,
      entry,
      drawn: entry.spent,
    });
    entry.spent = [];
  }

  /** Lends tokens to a post-pay member. */
  #lend(person: number, tokens: number): void {
    this.#move({ person, account: 'debt', tokens: -tokens });
    this.#move({ person, account: 'tokens', tokens });
    this.#makeLot(person, false, tokens);
    this.caused += 1;
  }

  /** After a chargeback, new tokens repay the debt first; the block ends when it is repaid. */
  #repay(rows: readonly Row[]): void {
    const credited = rows.filter(({ account, tokens }) => tokens > 0 && ['tokens', 'debt'].includes(account));
    for (const person of new Set(credited.map((row) => row.person ?? 0))) {
      if (!this.limits.isBlockedByChargeback(person)) continue;
      const owed = -this.of(person, 'debt');
      const tokens = Math.min(this.of(person, 'tokens'), owed);
      if (tokens > 0) {
        this.#move({ person, account: 'tokens', tokens: -tokens });
        this.#move({ person, account: 'debt', tokens });
        this.#draw(person, tokens);
        this.caused += 1;
      }
      const paid = credited.some((row) => row.person === person && row.account === 'debt');
      if (tokens === owed && (owed > 0 || paid)) this.limits.unblock(person);
    }
  }
}
