import type { BillerName, Money } from '#platform/contract/payment.ts';
import type { Tx } from '#platform/data/data.ts';
import {
  Storm,
  type Chance,
  type StormCallback,
  type Truth,
} from '#platform/payments/simulators/storm/storm.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import type { Person } from '#product/accounts/server.ts';
import { DEFAULT_SETTINGS, usCents } from '#product/billing/rules.ts';
import { wholeProduct } from '#product/billing/rules/products.ts';
import { draftOf } from '#product/billing/server.ts';
import { createSite, type TestSite } from '../site.ts';

/** People who buy in a storm. */
const BUYERS = 20;
/** Callbacks between two deliveries. */
const DELIVERED_EVERY = 100;
/** Longer than billers are queried about unpaid orders. */
const AFTERMATH_MS = 400 * HOUR_MS;
const AFTERMATH_STEP_MS = 20 * HOUR_MS;

export interface Aftermath {
  readonly counts: Readonly<Record<StormCallback['fault'], number>>;
  readonly orders: number;
  /** Balances and biller accounts that differ from the payments; empty when all is well. */
  readonly wrong: readonly string[];
  /** Tokens credited and money collected, for the report. */
  readonly tokens: number;
  readonly site: TestSite;
}

/** What each person and each biller's account must have according to the simulators. */
interface Expected {
  readonly tokens: Map<number, number>;
  readonly money: Map<string, number>;
}

type Placed = { readonly personId: number; readonly tokens: number };

/** Access to tables that only the slices have. */
export interface Tables {
  /** Writes an order, as the buying calls do. */
  readonly insert: (tx: Tx, order: ReturnType<typeof draftOf>) => Promise<boolean>;
  /** Balances of the money accounts. */
  readonly moneyOf: (tx: Tx) => Promise<readonly (Money & { readonly account: string })[]>;
}

/** Sends a storm of callbacks through the inbox into the ledger of a whole site. */
export async function runPaymentStorm(
  callbacks: number,
  chance: Chance,
  { insert, moneyOf }: Tables,
): Promise<Aftermath> {
  const placed = new Map<string, Placed>();
  const people: Person[] = [];
  let site: TestSite | null = null;
  const storm: Storm = new Storm({
    chance,
    callbacks,
    order: async (biller, draft) => {
      const person = people[chance.below(people.length)];
      if (!site || !person) throw new Error('nobody is there to buy');
      const { id, amount, renewal } = draft;
      const tokens = Math.floor(amount.minor / 10);
      const order = orderOf(storm, biller, { site, person, id, amount, tokens, renews: renewal !== null });
      await site.tx((tx) => insert(tx, order));
      placed.set(id, { personId: person.id, tokens });
      return draft;
    },
  });
  site = await createSite({ clock: storm.clock, settings: { billersOf: () => storm.billers } });
  people.push(...await buyersAt(site));
  const counts = await deliver(site, storm);
  const truth = storm.truth();
  const expected = expectedOf(truth, placed);
  const wrong = [
    ...await wrongTokens(site, people, expected.tokens),
    ...wrongMoney(await site.tx(moneyOf), expected.money),
  ];
  const tokens = [...expected.tokens.values()].reduce((sum, token) => sum + token, 0);
  return { counts, orders: truth.length, wrong, tokens, site };
}

/** Accounts without browsers. */
async function buyersAt({ services, scope }: TestSite): Promise<Person[]> {
  const password = 'correct horse battery';
  const passwordHash = await services.accounts.hashPassword(password);
  return Promise.all(Array.from({ length: BUYERS }, (_, at) =>
    services.accounts.create(scope, {
      username: `buyer${at}`,
      email: `buyer${at}@example.com`,
      type: 'user',
      birthDate: '1996-01-15',
      password,
      passwordHash,
    })));
}

function orderOf(storm: Storm, name: BillerName, { site, person, id, amount, tokens, renews }: {
  readonly site: TestSite;
  readonly person: Person;
  readonly id: string;
  readonly amount: Money;
  readonly tokens: number;
  readonly renews: boolean;
}): ReturnType<typeof draftOf> {
  const biller = storm.billers.find((entry) => entry.name === name);
  if (!biller) throw new Error(`no biller ${name}`);
  const item = wholeProduct({
    internalId: renews ? 'membership_vip' : `1_${tokens}`,
    kind: renews ? 'membership' : 'pack',
    tokens,
    freeTokens: 0,
    priceMinor: amount.minor,
    currency: amount.currency,
    membership: renews ? 'vip' : null,
    days: renews ? 30 : null,
    oneClick: false,
  });
  return draftOf(item, {
    id,
    person,
    scope: site.scope,
    purpose: 'page',
    biller,
    method: biller.abilities.methods[0] ?? 'card',
    card: null,
    locale: 'en',
    centsOf: (price) => usCents(price, DEFAULT_SETTINGS.rates),
    parameters: [],
  });
}

/** Receives every callback, including the delayed ones, and delivers their consequences. */
async function deliver(site: TestSite, storm: Storm): Promise<Aftermath['counts']> {
  const counts = { none: 0, duplicated: 0, reordered: 0, forged: 0 };
  let taken = 0;
  const take = async ({ biller: name, raw, fault }: StormCallback): Promise<void> => {
    const biller = storm.billers.find((item) => item.name === name);
    if (!biller) return;
    counts[fault] += 1;
    await site.services.billing.receiveCallback(site.scope, biller, raw);
    taken += 1;
    if (taken % DELIVERED_EVERY === 0) await site.settle();
  };
  for await (const callback of storm.callbacks()) await take(callback);
  for (const callback of storm.rest()) await take(callback);
  for (let passed = 0; passed < AFTERMATH_MS; passed += AFTERMATH_STEP_MS) {
    await site.passes(AFTERMATH_STEP_MS);
  }
  return counts;
}

const isSame = (a: Money, b: Money | null): boolean => a.minor === b?.minor && a.currency === b.currency;

/** Computed from the simulators: correct payments without a refund or chargeback. */
function expectedOf(truth: readonly Truth[], placed: ReadonlyMap<string, Placed>): Expected {
  const tokens = new Map<number, number>();
  const money = new Map<string, number>();
  const add = <K>(map: Map<K, number>, key: K, amount: number): void =>
    void map.set(key, (map.get(key) ?? 0) + amount);
  for (const { biller, order, movements } of truth) {
    const own = placed.get(order.id);
    if (!own) throw new Error(`order ${order.id} was never placed`);
    const back = new Set(
      movements.filter(({ kind }) => kind === 'refund' || kind === 'chargeback')
        .map(({ of }) => of),
    );
    for (const { kind, state, amount, reference } of movements) {
      const isPayment = (kind === 'sale' || kind === 'renewal') && state === 'approved';
      if (!isPayment || back.has(reference)) continue;
      add(money, `biller:${biller} ${amount.currency}`, amount.minor);
      const price = kind === 'sale' ? order.amount : (order.renewal?.amount ?? null);
      if (isSame(amount, price)) add(tokens, own.personId, own.tokens);
    }
  }
  return { tokens, money };
}

async function wrongTokens(
  site: TestSite,
  people: readonly Person[],
  expected: ReadonlyMap<number, number>,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const { id, username } of people) {
    const { tokens, debtTokens } = await site.tx(async (tx) => ({
      tokens: await site.services.ledger.balance(tx, id),
      debtTokens: (await site.services.ledger.limitsOf(tx, id)).debtTokens,
    }));
    const due = expected.get(id) ?? 0;
    if (tokens - debtTokens === due) continue;
    wrong.push(`${username} has ${tokens} - ${debtTokens} tokens, not ${due}`);
  }
  return wrong;
}

/** Compares the money accounts of the billers with their simulators. */
function wrongMoney(
  booked: readonly (Money & { readonly account: string })[],
  expected: ReadonlyMap<string, number>,
): string[] {
  const held = new Map(booked.map(({ account, currency, minor }) => [`${account} ${currency}`, minor]));
  return [...expected].filter(([key, minor]) => (held.get(key) ?? 0) !== minor)
    .map(([key, minor]) => `${key} holds ${held.get(key) ?? 0}, not ${minor}`);
}
