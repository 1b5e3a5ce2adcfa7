import type { Tx } from '#platform/data/data.ts';
import { uuidV5 } from '#platform/data/ids.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import { of as legOf, type PersonBook } from '#product/testkit/payments/wallet.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Leg, Operation } from './server.ts';

/** Holds, refunds, chargebacks and post-pay against a small model: each answer and every balance. */

const PEOPLE = 3;
const NAMESPACE = '8f0e7f3a-52b1-4c0d-9d5e-3a6b0c9d7e21';
/** The last person pays afterwards, up to this limit. */
const CREDIT = 30;
/** Enough to meet every pair of kinds; `npm run prove` runs millions. */
const RUNS = 20;

let site: TestSite;
let people: readonly number[];
beforeAll(async () => {
  site = await createSite();
  people = await Promise.all(Array.from({ length: PEOPLE }, async () => (await site.viewer()).id));
});
afterAll(() => site.close());

const KINDS = [
  'buy',
  'buy',
  'give',
  'tip',
  'tip',
  'hold',
  'hold',
  'settle',
  'close',
  'refund',
  'chargeback',
  'part_refund',
  'part_refund',
  'part_chargeback',
] as const;
interface Intent {
  readonly kind: (typeof KINDS)[number];
  readonly id: number;
  readonly other: number;
  readonly who: number;
  readonly whom: number;
  readonly tokens: number;
}
const person = fc.nat({ max: PEOPLE - 1 });
const intent: fc.Arbitrary<Intent> = fc.record({
  kind: fc.constantFrom(...KINDS),
  id: fc.nat({ max: 60 }),
  other: fc.nat({ max: 30 }),
  who: person,
  whom: person,
  tokens: fc.integer({ min: 1, max: 25 }),
});

interface Lot {
  promotional: boolean;
  left: number;
  readonly tokens: number;
  /** Tokens reversed in parts. */
  gone: number;
}
type Part = readonly [lot: Lot, tokens: number];
interface Known {
  readonly intent: Intent;
  readonly drawn: Part[];
  readonly lot: Lot | null;
  reversed: boolean;
  /** What a hold still contains; null when it is closed. */
  held: Part[] | null;
}
class Holder {
  readonly lots: Lot[] = [];
  earnings = 0;
  debt = 0;
  blocked = false;
  get tokens(): number {
    return this.lots.reduce((sum, lot) => sum + lot.left, 0);
  }
}

/** The ledger, one thread and no database. */
class Model {
  readonly holders = Array.from({ length: PEOPLE }, () => new Holder());
  readonly known = new Map<number, Known>();

  held(who: number): number {
    return [...this.known.values()].filter((item) => item.intent.who === who && item.intent.kind === 'hold')
      .flatMap(({ held }) => held ?? []).reduce((sum, [, tokens]) => sum + tokens, 0);
  }

  #of(index: number): Holder {
    const holder = this.holders[index];
    if (!holder) throw new Error('nobody');
    return holder;
  }

  #draw(lots: readonly Lot[], tokens: number): Part[] {
    const order = [...lots.filter((lot) => lot.promotional), ...lots.filter((lot) => !lot.promotional)];
    const parts: Part[] = [];
    let needed = tokens;
    for (const lot of order) {
      const taken = Math.min(lot.left, needed);
      if (taken > 0) parts.push([lot, taken]);
      lot.left -= taken;
      needed -= taken;
    }
    return parts;
  }

  /** Draws tokens to spend, or returns the refusal. */
  #spend({ who, tokens }: Intent): Part[] | string {
    const payer = this.#of(who);
    if (payer.blocked) return 'blocked';
    const gap = Math.max(0, tokens - payer.tokens);
    const credit = who === PEOPLE - 1 ? CREDIT : 0;
    if (gap > 0 && payer.debt + gap > credit) return credit > 0 ? 'credit_exhausted' : 'insufficient';
    if (gap > 0) payer.lots.push({ promotional: false, left: gap, tokens: gap, gone: 0 });
    payer.debt += gap;
    return this.#draw(payer.lots, tokens);
  }

  /** When tokens come to somebody blocked by a chargeback, they repay the debt. */
  #repay(who: number): void {
    const holder = this.#of(who);
    if (!holder.blocked || holder.debt === 0) return;
    const paid = Math.min(holder.debt, holder.tokens);
    this.#draw(holder.lots, paid);
    holder.debt -= paid;
    if (holder.debt === 0) holder.blocked = false;
  }

  post(asked: Intent): string {
    const before = this.known.get(asked.id);
    if (before) return JSON.stringify(before.intent) === JSON.stringify(asked) ? 'duplicate' : 'mismatch';
    const entry: Known = { intent: asked, drawn: [], lot: null, reversed: false, held: null };
    const refused = this.#enter(asked, entry);
    if (refused !== null) return refused;
    this.known.set(asked.id, entry);
    return 'posted';
  }

  #enter(asked: Intent, entry: Known): string | null {
    if (asked.kind === 'buy' || asked.kind === 'give') {
      const lot = { promotional: asked.kind === 'give', left: asked.tokens, tokens: asked.tokens, gone: 0 };
      this.#of(asked.who).lots.push(lot);
      Object.assign(entry, { lot });
      this.#repay(asked.who);
      return null;
    }
    if (asked.kind === 'tip' || asked.kind === 'hold') {
      const drawn = this.#spend(asked);
      if (typeof drawn === 'string') return drawn;
      if (asked.kind === 'hold') entry.held = drawn;
      else {
        entry.drawn.push(...drawn);
        this.#of(asked.whom).earnings += asked.tokens;
      }
      return null;
    }
    const settles = asked.kind === 'settle' || asked.kind === 'close';
    return settles ? this.#settle(asked, entry) : this.#undo(asked, entry);
  }

  #settle({ kind, other, whom, tokens }: Intent, entry: Known): string | null {
    const hold = this.known.get(other);
    if (!hold?.held) return 'hold_closed';
    const taken = kind === 'settle' ? tokens : 0;
    if (taken > hold.held.reduce((sum, [, held]) => sum + held, 0)) return 'insufficient';
    const rest: Part[] = [];
    let needed = taken;
    for (const [lot, held] of hold.held) {
      const spent = Math.min(held, needed);
      if (spent > 0) entry.drawn.push([lot, spent]);
      if (held > spent) rest.push([lot, held - spent]);
      needed -= spent;
    }
    this.#of(whom).earnings += taken;
    Object.assign(entry, { intent: { ...entry.intent, who: hold.intent.who } });
    hold.held = kind === 'close' ? null : rest;
    if (kind === 'close') {
      for (const [lot, tokensLeft] of rest) lot.left += tokensLeft;
      if (rest.length > 0) this.#repay(hold.intent.who);
    }
    return null;
  }

  /** Takes a part of a purchase or grant from its lot; what a chargeback does not find becomes a debt. */
  #undoPart(asked: Intent, entry: Known): string | null {
    const old = this.known.get(asked.other);
    const { lot = null, intent } = old ?? {};
    const rest = lot === null || old?.reversed ? 0 : lot.tokens - lot.gone;
    const part = asked.kind.startsWith('part') ? asked.tokens : rest;
    if (!lot || !intent || part === 0 || part > rest) return 'not_reversible';
    const taken = Math.min(part, lot.left);
    const isCharged = asked.kind.endsWith('chargeback');
    if (!isCharged && taken < part) return 'not_reversible';
    const holder = this.#of(intent.who);
    lot.left -= taken;
    lot.gone += part;
    holder.debt += part - taken;
    if (isCharged) holder.blocked = true;
    entry.reversed = true;
    return null;
  }

  #undo(asked: Intent, entry: Known): string | null {
    const { kind, other } = asked;
    const old = this.known.get(other);
    if (kind.startsWith('part') || (old?.lot?.gone ?? 0) > 0) return this.#undoPart(asked, entry);
    const undoable = old && !old.reversed && ['buy', 'give', 'tip', 'settle'].includes(old.intent.kind);
    if (!undoable || (kind === 'chargeback' && old.intent.kind !== 'buy')) return 'not_reversible';
    const { lot, drawn, intent: { who, whom, tokens } } = old;
    const holder = this.#of(who);
    if (lot) {
      if (kind === 'refund' && lot.left < lot.tokens) return 'not_reversible';
      holder.debt += lot.tokens - lot.left;
      lot.left = 0;
      if (kind === 'chargeback') holder.blocked = true;
    } else {
      if (this.#of(whom).earnings < tokens) return 'insufficient';
      this.#of(whom).earnings -= tokens;
      for (const [from, part] of drawn) from.left += part;
      this.#repay(who);
    }
    old.reversed = true;
    entry.reversed = true;
    return null;
  }
}

const of = (index: number, book: PersonBook, tokens: number, lot?: Leg['lot']): Leg =>
  legOf(people[index] ?? 0, book, tokens, lot);
/** In three of four cases, aims a settlement or reversal at an operation that allows it. */
function aimed(one: Intent, model: Model): Intent {
  const kinds = {
    settle: ['hold'],
    close: ['hold'],
    refund: ['tip', 'buy', 'settle'],
    chargeback: ['buy'],
    part_refund: ['buy', 'give'],
    part_chargeback: ['buy', 'give'],
  };
  const wanted: readonly string[] = kinds[one.kind as keyof typeof kinds] ?? [];
  const found = [...model.known].filter(([, { intent }]) => wanted.includes(intent.kind));
  const [id] = found[one.other % Math.max(1, found.length)] ?? [one.other];
  const isSmall = one.kind === 'settle' || one.kind.startsWith('part');
  const tokens = isSmall ? 1 + (one.tokens % 5) : one.tokens;
  return one.other % 4 === 0 ? one : { ...one, other: id, tokens };
}
const idOf = (id: number): string => uuidV5(NAMESPACE, String(id));

function operationOf(asked: Intent, model: Model): Operation {
  const { kind, id, other, who, whom, tokens } = asked;
  const base = { id: idOf(id), kind, memo: {}, facts: [], parameterHash: JSON.stringify(asked) };
  if (kind === 'buy' || kind === 'give') {
    const lot = { promotional: kind === 'give', backingCents: kind === 'give' ? 0 : tokens * 10 };
    const from = { kind: 'operator', name: kind === 'give' ? 'promo' : 'float' } as const;
    return { ...base, legs: [{ account: from, tokens: -tokens }, of(who, 'tokens', tokens, lot)] };
  }
  if (kind === 'tip') return { ...base, legs: [of(who, 'tokens', -tokens), of(whom, 'earnings', tokens)] };
  if (kind === 'hold') {
    const expiresAt = new Date(site.clock.now().getTime() + HOUR_MS);
    return { ...base, legs: [of(who, 'tokens', -tokens), of(who, 'held', tokens)], hold: { expiresAt } };
  }
  const settles = { hold: idOf(other), close: kind === 'close' };
  if (kind === 'close') return { ...base, legs: [], settles };
  if (kind !== 'settle') {
    const mode = kind.endsWith('chargeback') ? 'chargeback' : 'refund';
    const part = kind.startsWith('part') ? { tokens } : {};
    return { ...base, legs: [], reverses: { operation: idOf(other), mode, ...part } };
  }
  const holder = model.known.get(other)?.intent.who ?? who;
  return { ...base, legs: [of(holder, 'held', -tokens), of(whom, 'earnings', tokens)], settles };
}

async function compare(tx: Tx, model: Model): Promise<void> {
  const { rows } = await sql<{ person_id: number; account: string; balance: number }>`
    select person_id, account, balance from ledger.accounts`.execute(tx.sql());
  const balance = (index: number, account: string): number =>
    rows.find((row) => row.person_id === people[index] && row.account === account)?.balance ?? 0;
  model.holders.forEach(({ tokens, earnings, debt }, index) => {
    const found = ['tokens', 'earnings', 'held', 'debt'].map((account) => balance(index, account));
    expect(found).toEqual([tokens, earnings, model.held(index), debt === 0 ? 0 : -debt]);
  });
  expect((await sql`select * from ledger.faults()`.execute(tx.sql())).rows).toEqual([]);
  const { rows: [cover] } = await sql<{ covered: boolean }>`
    select outstanding_cents <= cash_cents + marketing_cents + receivable_cents + loss_cents as covered
    from ledger.cover()`.execute(tx.sql());
  expect(cover).toEqual({ covered: true });
}

it('answers as the model does, keeps its sums and its cover, whatever is held, undone or owed', async () => {
  const undone = new Error('every run starts from nothing');
  const asked = fc.array(intent, { minLength: 20, maxLength: 70 });
  await fc.assert(
    fc.asyncProperty(asked, async (intents) => {
      const run = site.tx(async (tx) => {
        const model = new Model();
        await site.services.ledger.setCredit(tx, people[PEOPLE - 1] ?? 0, CREDIT);
        for (const random of intents) {
          const one = aimed(random, model);
          const [outcome] = await site.services.ledger.post(tx, [operationOf(one, model)]);
          expect([one, outcome?.status]).toEqual([one, model.post(one)]);
          await compare(tx, model);
        }
        throw undone;
      });
      await run.catch((error: unknown) => {
        if (error !== undone) throw error;
      });
    }),
    { numRuns: RUNS },
  );
});
