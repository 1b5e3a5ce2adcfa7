import pg from 'pg';
import { Browser } from './browser.ts';
import {
  actsOf,
  chanceOf,
  INTENTS_EACH,
  pause,
  resolve,
  type Intent,
  type Person,
  type Progress,
} from './intents.ts';
import { judge, rowsOf, type Judgement } from './judge.ts';
import { KilledSite } from './killed-site.ts';

/** Number of people who act at the same time. */
const AT_ONCE = 48;
/** Kills in a run of 50,000 intents, spread over its answers; every third kill is of PostgreSQL. */
const KILLS_PER_INTENT = 120 / 50_000;
/** Answers between two kills, even in a small run. */
const LEAST_ANSWERS = 60;
/** Answers to one intent: it is sent one to five times. */
const ANSWERS_PER_INTENT = 3;
/** Checks for pending orders after the last request; each one brings billing's deadlines forward. */
const MAX_LOOKS = 120;
const LOOK_MS = 2_000;

export interface RunOptions {
  readonly intents: number;
  readonly seed: string;
  readonly onProgress: (text: string) => void;
}

/** Counts and findings of a run; must survive JSON. */
export interface Outcome extends Judgement {
  readonly tips: number;
  readonly grants: number;
  readonly cards: number;
  readonly pages: number;
  readonly sends: number;
  readonly unanswered: number;
  readonly unknown: number;
  readonly siteKills: number;
  readonly serverKills: number;
  readonly sessionKills: number;
  readonly ownEnds: readonly string[];
  readonly seconds: number;
}

const addressOf = (at: number): string => `127.2.${Math.floor(at / 250)}.${(at % 250) + 1}`;

/** Sends intents to a site whose processes are killed again and again, and judges the outcome of each. */
export async function runKilled({ intents: wanted, seed, onProgress }: RunOptions): Promise<Outcome> {
  const site = await KilledSite.open();
  onProgress(`the site is at port ${site.port}`);
  try {
    const people = await signUp(site, Math.ceil(wanted / INTENTS_EACH));
    onProgress(`${people.length} people have signed up`);
    const started = performance.now();
    const world = { bank: site.bank, seed, progress: { answers: 0, isOver: false } };
    const kills = new Kills(site, seed, onProgress);
    const expected = wanted * ANSWERS_PER_INTENT;
    const killing = kills.run(
      world.progress,
      Math.max(LEAST_ANSWERS, expected / Math.ceil(wanted * KILLS_PER_INTENT)),
    );
    const acting = Promise.all(inLanes(people, AT_ONCE, (person) => actsOf(person, world)));
    await Promise.allSettled([acting]);
    world.progress.isOver = true;
    await killing;
    const all = (await acting).flat();
    const unknown = all.filter(({ outcome }) => outcome === null);
    onProgress(`of ${unknown.length} of ${all.length} intents nothing is known`);
    await settle(site);
    await whileHurrying(site, () =>
      Promise.all(inLanes(unknown, AT_ONCE, async (intent) => {
        await resolve(intent, world);
        return [];
      })));
    // Orders that were paid only now.
    await settle(site);
    const seconds = (performance.now() - started) / 1_000;
    const found = judge(await rowsOf(site.cluster.url), site.bank, people, all);
    for (const { browser } of people) browser.close();
    const count = (kind: Intent['kind']): number => all.filter((intent) => intent.kind === kind).length;
    return {
      tips: count('tip'),
      grants: count('grant'),
      cards: count('card'),
      pages: count('page'),
      sends: sum(all, ({ sends }) => sends),
      unanswered: sum(all, (intent) => intent.unanswered),
      unknown: unknown.length,
      ...kills.counts,
      ownEnds: site.ownEnds,
      seconds,
      ...found,
    };
  } finally {
    await site.close();
  }
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

/** Runs `work` for all items, this many at a time. */
function inLanes<T, R>(items: readonly T[], lanes: number, work: (item: T) => Promise<R[]>): Promise<R[]>[] {
  const queue = [...items];
  return Array.from({ length: lanes }, async () => {
    const results: R[] = [];
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      results.push(...await work(item));
    }
    return results;
  });
}

async function signUp(site: KilledSite, count: number): Promise<Person[]> {
  const one = async (at: number): Promise<Person[]> => {
    const [browser, name] = [new Browser(site.port, addressOf(at)), `tipper_${at}`];
    return [{ browser, name, id: await browser.signUp(name) }];
  };
  const lanes = await Promise.all(inLanes(Array.from({ length: count }, (_one, at) => at), 4, one));
  return lanes.flat();
}

/** Brings forward the queries that billing would send to its billers in minutes, hours or days. */
const hurry = (client: pg.Client): Promise<unknown> =>
  client.query(`update platform.due
  set at = now(), ready_at = now() where kind like 'billing.%' and ready_at > now() and not parked`);

async function onDatabase(site: KilledSite, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: site.cluster.url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Billing queries an order that the biller never received for days, which is too long to wait here. */
const whileHurrying = (site: KilledSite, work: () => Promise<unknown>): Promise<void> =>
  onDatabase(site, async (client) => {
    const working = work();
    const isOver = working.then(() => true, () => true);
    while (!(await Promise.race([isOver, pause(LOOK_MS)]))) await hurry(client);
    await working;
  });

/**
 * Waits until no payment is pending: no charge that may have happened, no paid page the site does not know
 * of, and no unread callback.
 */
const settle = (site: KilledSite): Promise<void> =>
  onDatabase(site, async (client) => {
    for (let looks = 0;; looks += 1) {
      await site.bank.settle();
      const { rows } = await client.query<{ id: string; state: string; purpose: string }>(
        `select id, state, purpose from billing.orders where state in ('created', 'unknown', 'pending')`,
      );
      const { rows: [unread] } = await client.query<{ count: string }>(
        `select count(*) from billing.callbacks where outcome = 'unread'`,
      );
      const paid = new Set(site.bank.approved().map(({ orderId }) => orderId));
      const open = rows.filter(({ id, state, purpose }) =>
        state === 'unknown' || paid.has(id) || (purpose !== 'page' && state === 'pending')
      );
      if (open.length === 0 && unread?.count === '0') return;
      if (looks > MAX_LOOKS) {
        const { rows: waiting } = await client.query(`select kind, key, at, ready_at, attempts, parked
        from platform.due where kind like 'billing.%'`);
        throw new Error(
          `${unread?.count} callbacks stay unread, and orders open: ${JSON.stringify(open)}; `
            + `due: ${JSON.stringify(waiting)}`,
        );
      }
      await hurry(client);
      await pause(LOOK_MS);
    }
  });

/** Kills the program, the whole PostgreSQL, or one of its sessions, until stopped. */
class Kills {
  readonly counts = { siteKills: 0, serverKills: 0, sessionKills: 0 };
  readonly #site: KilledSite;
  readonly #seed: string;
  readonly #log: (text: string) => void;

  constructor(site: KilledSite, seed: string, send: (text: string) => void) {
    this.#site = site;
    this.#seed = seed;
    this.#log = send;
  }

  async run(progress: Progress, answersPerKill: number): Promise<void> {
    for (let at = 0;; at += 1) {
      const until = progress.answers + answersPerKill * (0.5 + chanceOf(`${this.#seed} pause ${at}`));
      while (progress.answers < until && !progress.isOver) await pause(5);
      if (progress.isOver) return;
      const roll = chanceOf(`${this.#seed} kill ${at}`);
      if (roll < 0.17) {
        await this.#site.cluster.kill('server');
        this.counts.serverKills += 1;
      } else if (roll < 0.34) {
        await this.#site.cluster.kill('session');
        this.counts.sessionKills += 1;
      } else {
        await this.#site.kill();
        this.counts.siteKills += 1;
      }
      if (at % 5 === 4) this.#log(JSON.stringify({ ...this.counts, ...progress }));
    }
  }
}
