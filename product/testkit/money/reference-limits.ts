import { DAY_MS } from '#platform/time/units.ts';
import { sumOf, type Answer, type Budget, type Plan, type Restrictions } from './reference-rows.ts';

const PERIODS = ['day', 'week', 'month'] as const;

function periodOf(period: string, at: number): { start: number; end: number } {
  const day = Math.floor(at / DAY_MS) * DAY_MS;
  if (period === 'day') return { start: day, end: day + DAY_MS };
  const date = new Date(at);
  const monday = day - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  if (period === 'week') return { start: monday, end: monday + 7 * DAY_MS };
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) };
}

/** What people may spend in the reference ledger: their budgets, pauses, blocks and credit. */
export class ReferenceLimits {
  readonly #restrictions = new Map<number, Restrictions>();
  readonly #budgets = new Map<string, Budget>();
  readonly #counted = new Map<number, { readonly at: number; readonly tokens: number }[]>();

  has = (person: number): boolean =>
    this.#restrictions.has(person) || PERIODS.some((period) => this.#budgets.has(`${person} ${period}`));
  creditOf = (person: number): number => this.#restrictions.get(person)?.credit ?? 0;

  setBudget(person: number, period: string, tokens: number | null, raisesAt: number, now: number): void {
    const key = `${person} ${period}`;
    const known = this.#budgets.get(key);
    const { start } = periodOf(period, now);
    if (!known) {
      const since = (this.#counted.get(person) ?? []).filter(({ at }) => at >= start);
      const spent = Math.max(0, sumOf(since.map((item) => item.tokens)));
      this.#budgets.set(key, { tokens, next: null, starts: start, spent });
      return;
    }
    const current = this.#limitOf(known, now);
    if (current === null || (tokens !== null && tokens <= current)) {
      known.tokens = tokens;
      known.next = null;
    } else if (known.next === null || known.next.at <= now || known.next.tokens !== tokens) {
      known.tokens = current;
      known.next = { tokens, at: raisesAt };
    }
  }

  pause(person: number, kind: string, until: number): void {
    const restrictions = this.#restrictionsOf(person);
    if (kind === 'cooling_off') restrictions.cooling = Math.max(restrictions.cooling, until);
    else restrictions.excluded = Math.max(restrictions.excluded, until);
  }

  block(person: number, reason: string | null): void {
    this.#restrictionsOf(person).blocked = reason === null ? null : 'staff';
  }

  setCredit(person: number, tokens: number): void {
    this.#restrictionsOf(person).credit = tokens;
  }

  /** A chargeback blocks whoever is not blocked already. */
  blockAfterChargeback(person: number): void {
    this.#restrictionsOf(person).blocked ??= 'chargeback';
  }

  isBlockedByChargeback = (person: number): boolean =>
    this.#restrictions.get(person)?.blocked === 'chargeback';

  unblock(person: number): void {
    this.#restrictionsOf(person).blocked = null;
  }

  /** Why somebody may not spend this much now; null when they may. */
  refusal(person: number, amount: number, now: number): Answer | null {
    const { blocked = null, excluded = 0, cooling = 0 } = this.#restrictions.get(person) ?? {};
    const at = (ms: number): string => new Date(ms).toISOString();
    if (blocked) return { status: 'blocked' };
    if (excluded > now) return { status: 'self_excluded', until: at(excluded) };
    if (cooling > now) return { status: 'cooling_off', until: at(cooling) };
    const used = PERIODS.flatMap((period) => {
      const budget = this.#budgets.get(`${person} ${period}`);
      const limit = budget ? this.#limitOf(budget, now) : null;
      const { start, end } = periodOf(period, now);
      const spent = budget?.starts === start ? budget.spent : 0;
      return limit !== null && limit < amount + spent ? [{ period, end }] : [];
    }).sort((a, b) => b.end - a.end)[0];
    return used ? { status: 'over_budget', period: used.period, until: at(used.end) } : null;
  }

  /** Counts what was spent, or takes back what was not, in the budgets of its payers. */
  count({ rows, spending, countedAt }: Plan, now: number): void {
    for (const { person, account, tokens } of rows) {
      if (!person || account !== 'tokens' || spending === 0 || (tokens < 0) !== (spending === 1)) continue;
      this.#counted.set(person, [...(this.#counted.get(person) ?? []), { at: now, tokens: -tokens }]);
      for (const period of PERIODS) {
        const budget = this.#budgets.get(`${person} ${period}`);
        if (!budget) continue;
        const { start } = periodOf(period, now);
        if (spending === 1) {
          budget.spent = (budget.starts === start ? budget.spent : 0) - tokens;
          budget.starts = start;
        } else if (budget.starts <= countedAt) budget.spent = Math.max(0, budget.spent - tokens);
      }
    }
  }

  #restrictionsOf(person: number): Restrictions {
    const restrictions = this.#restrictions.get(person)
      ?? { credit: 0, blocked: null, cooling: 0, excluded: 0 };
    this.#restrictions.set(person, restrictions);
    return restrictions;
  }

  #limitOf = (
    { tokens, next }: Budget,
    now: number,
  ): number | null => (next && next.at <= now ? next.tokens : tokens);
}
