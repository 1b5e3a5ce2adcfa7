import type { Executed } from './dying-process.ts';
import type { ReferenceLedger } from './reference-ledger.ts';
import type { Answer, Asked } from './reference-rows.ts';

/** Whether an operation only spends, so that the ledger may post it as a set with others of its batch. */
function isPlain({ legs, ...op }: Asked, reference: ReferenceLedger): boolean {
  if ('money' in op || 'hold' in op || 'settles' in op || 'reverses' in op || 'spends' in op) return false;
  const debits = legs.filter(({ tokens }) => tokens < 0);
  return legs.length > 1 && debits.length === 1 && legs.every(({ person, account, tokens, split }) => {
    if (tokens < 0) return Boolean(person) && account === 'tokens';
    return !person || (account === 'earnings' && !(split && reference.hasSplits(person)));
  });
}

/**
 * The serial order the ledger promises for a batch: plain spends of people with enough tokens and no limits
 * come first; each person's operations keep their order.
 */
function serialOrder(
  ops: readonly Asked[],
  reference: ReferenceLedger,
): { readonly first: readonly number[]; readonly rest: readonly number[] } {
  const given = ops.map((_op, at) => at);
  if (ops.some(({ reverses }) => reverses)) return { first: [], rest: given };
  const isSole = (id: string): boolean => ops.filter((op) => op.id === id).length === 1;
  const plain = new Set(given.filter((at) => {
    const op = ops[at];
    return op !== undefined && isPlain(op, reference) && isSole(op.id);
  }));
  const spent = new Map<number, number>();
  const mixed = new Set<number>();
  for (const [at, { legs }] of ops.entries()) {
    for (const { person, account, tokens } of legs) {
      if (!person || account === 'earnings') continue;
      if (!plain.has(at)) mixed.add(person);
      if (tokens < 0) spent.set(person, (spent.get(person) ?? 0) - tokens);
    }
  }
  const isFirst = (at: number): boolean => {
    const op = ops[at];
    const payer = op?.legs.find(({ tokens }) => tokens < 0)?.person;
    return op !== undefined && plain.has(at) && typeof payer === 'number' && !mixed.has(payer)
      && !reference.limits.has(payer) && !reference.hasPromotional(payer)
      && reference.of(payer, 'tokens') >= (spent.get(payer) ?? 0)
      && !reference.entries.has(op.id);
  };
  const first = new Set(given.filter(isFirst));
  return { first: [...first], rest: given.filter((at) => !first.has(at)) };
}

const shown = ({ status, balances = {}, period, until }: Answer): string =>
  JSON.stringify([
    status,
    Object.entries(balances).sort(([a], [b]) => Number(a) - Number(b)),
    period ?? null,
    until === undefined ? null : Date.parse(until),
  ]);

/** Repeats each unit of work on the reference; throws at the first answer that differs. */
export class Witness {
  readonly #reference: ReferenceLedger;
  /** Operations compared, and how often each answer was given. */
  operations = 0;
  readonly answers = new Map<string, number>();
  largestBatch = 0;
  /** Operations that the ledger may post as a set with others. */
  atOnce = 0;

  constructor(reference: ReferenceLedger) {
    this.#reference = reference;
  }

  observe(unit: readonly Executed[]): void {
    for (const statement of unit) {
      const name = /\bledger\.(\w+)\(/u.exec(statement.sql)?.[1];
      if (name === 'post') this.#posted(statement);
      else if (name !== undefined && name !== 'seal_days') this.#changed(name, statement.values);
    }
  }

  #posted({ values, answer }: Executed): void {
    const ops = JSON.parse(String(values[0])) as Asked[];
    const now = (values[1] as Date).getTime();
    const outcomes = (answer.rows[0] as { outcomes: Answer[] }).outcomes;
    const { first, rest } = serialOrder(ops, this.#reference);
    this.atOnce += first.length;
    for (const at of [...first, ...rest]) {
      const [op, actual] = [ops[at], outcomes[at]];
      if (!op || !actual) throw new Error('the ledger answers one outcome per operation');
      const wanted = this.#reference.apply(op, now);
      if (shown(actual) !== shown(wanted)) {
        throw new Error(
          `${JSON.stringify(op)}\n  the ledger answered ${shown(actual)}\n  the reference ${shown(wanted)}`,
        );
      }
      this.answers.set(wanted.status, (this.answers.get(wanted.status) ?? 0) + 1);
    }
    this.operations += ops.length;
    this.largestBatch = Math.max(this.largestBatch, ops.length);
  }

  #changed(name: string, values: readonly unknown[]): void {
    const person = Number(values[0]);
    const at = (value: unknown): number => (value as Date).getTime();
    if (name === 'set_budget') {
      const [, period, tokens, raisesAt, now] = values;
      const limit = tokens === null ? null : Number(tokens);
      this.#reference.limits.setBudget(person, String(period), limit, at(raisesAt), at(now));
    } else if (name === 'pause_spending') {
      this.#reference.limits.pause(person, String(values[1]), at(values[2]));
    } else if (name === 'set_block') this.#reference.limits.block(person, values[1] as string | null);
    else if (name === 'set_credit_limit') this.#reference.limits.setCredit(person, Number(values[1]));
    else if (name === 'set_split') {
      this.#reference.setSplit(person, at(values[1]), JSON.parse(String(values[2])) as never);
    } else throw new Error(`the reference does not implement ledger.${name}`);
  }
}
