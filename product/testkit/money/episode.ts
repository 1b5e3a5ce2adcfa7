import { VirtualClock } from '#platform/data/clock.ts';
import { DAY_MS } from '#platform/time/units.ts';
import type { PoolClient } from 'pg';
import { checkAccounts, checkProofs, checkSettled } from './accounts-check.ts';
import { Dice } from './dice.ts';
import { DyingProcess, type CrashPoint, type Mortality } from './dying-process.ts';
import { ReferenceLedger } from './reference-ledger.ts';
import { Traffic, type Cast, type Intent } from './traffic.ts';
import { Witness } from './witness.ts';

/** Probabilities that the network loses, duplicates or delays a message. */
const LOST = 0.06;
const DOUBLED = 0.08;
const DELAYED = 0.3;
/** Probability that a client without an answer sends again in a round. */
const AGAIN = 0.4;
/** The most rounds a message is delayed; later messages overtake it. */
const MAX_DELAY = 3;
/** The most rounds of resending at the end of an episode. */
const MAX_TRIES = 500;
const PLAIN_PEOPLE = 120;
const PEOPLE = { limited: 6, performers: 5, studio: 1 } as const;
const PAYOUT_CENTS = 5;
/** Small enough that an episode reaches it. */
const MARKETING_CAP_CENTS = 60_000;
/** The same: what one person earns of promotional tokens in a day. */
const PERFORMER_CAP_CENTS = 50;

/** A simulated history of one operator. The same plan gives the same history. */
export interface EpisodePlan {
  readonly seed: string;
  /** Which rounds run: leaving some out makes a history smaller. */
  readonly rounds: readonly number[];
  /** New intents of clients in each round, and the most messages that arrive at the same moment. */
  readonly intentsPerRound: number;
  readonly burst: number;
  /** People without limits; {@link PLAIN_PEOPLE} by default. */
  readonly people?: number;
  /** Probability that somebody with limits, debts or a credit limit spends or buys. */
  readonly limited: number;
  /** Probability that a round consists almost only of tips. */
  readonly busy: number;
  /** Probability of death at each await. */
  readonly perAwait: number;
  /** Checks the accounts every so many rounds; every round by default. A breach persists. */
  readonly checkEvery?: number;
}

export interface Tally {
  operations: number;
  intents: number;
  sends: number;
  lost: number;
  posted: number;
  batches: number;
  largestBatch: number;
  checks: number;
  crashes: number;
  /** Operations posted as a set, together with others. */
  atOnce: number;
  readonly crashPoints: Map<CrashPoint, number>;
  readonly answers: Map<string, number>;
}

export const emptyTally = (): Tally => ({
  operations: 0,
  intents: 0,
  sends: 0,
  lost: 0,
  posted: 0,
  batches: 0,
  largestBatch: 0,
  checks: 0,
  crashes: 0,
  atOnce: 0,
  crashPoints: new Map(),
  answers: new Map(),
});

/** A client that resends until it gets an answer. */
interface Client {
  readonly intent: Intent;
  statuses: readonly string[] | null;
  isRejected: boolean;
}
interface Message {
  readonly client: Client;
  readonly arrives: number;
}

/** Runs an episode to its end; throws at the first error. */
export async function runEpisode(
  session: PoolClient,
  plan: EpisodePlan,
  tally: Tally,
): Promise<void> {
  const { operatorId, cast } = await populate(session, plan.people ?? PLAIN_PEOPLE);
  await new Episode(session, plan, tally, operatorId, cast).run();
}

/** Makes an operator with people and nothing else. */
async function populate(
  session: PoolClient,
  people: number,
): Promise<{ operatorId: number; cast: Cast }> {
  const count = people + PEOPLE.limited + PEOPLE.performers + PEOPLE.studio;
  const { rows: [made] } = await session.query<{ operator_id: number }>(
    `select nextval('site.operator_ids')::bigint as operator_id`,
  );
  const operatorId = made?.operator_id ?? 0;
  await session.query(`select set_config('app.operator', '${operatorId}', false)`);
  await session.query(
    `insert into site.operators (operator_id, name) values ($1, 'simulated')`,
    [operatorId],
  );
  await session.query(
    `insert into ledger.settings (operator_id, payout_cents, marketing_cap_cents, performer_cap_cents)
     values ($1, $2, $3, $4)`,
    [operatorId, PAYOUT_CENTS, MARKETING_CAP_CENTS, PERFORMER_CAP_CENTS],
  );
  const { rows } = await session.query<{ id: number }>(
    `insert into accounts.people
       (operator_id, site_id, username, display_name, email, type, birth_date, created_at)
     select $1, 1, 'p' || n, 'p' || n, 'p' || n || '@people.example', 'user', '1990-01-01', '2026-01-01'
     from generate_series(1, $2::int) n returning id`,
    [operatorId, count],
  );
  const ids = rows.map(({ id }) => id).sort((a, b) => a - b);
  const take = (wanted: number): number[] => ids.splice(0, wanted);
  const [plain, limited, performers] = [take(people), take(PEOPLE.limited), take(PEOPLE.performers)];
  const [studio = 0] = take(PEOPLE.studio);
  return { operatorId, cast: { plain, limited, performers, studio } };
}

class Episode {
  readonly #session: PoolClient;
  readonly #plan: EpisodePlan;
  readonly #tally: Tally;
  readonly #operatorId: number;
  readonly #clock = new VirtualClock();
  readonly #reference = new ReferenceLedger({
    payoutCents: PAYOUT_CENTS,
    marketingCapCents: MARKETING_CAP_CENTS,
    performerCapCents: PERFORMER_CAP_CENTS,
  });
  readonly #witness = new Witness(this.#reference);
  readonly #traffic: Traffic;
  readonly #clients: Client[] = [];
  #network: Message[] = [];
  #mortality: Mortality = { dice: new Dice(''), perAwait: 0 };
  #failure: Error | null = null;
  #process: DyingProcess;

  constructor(
    session: PoolClient,
    plan: EpisodePlan,
    tally: Tally,
    operatorId: number,
    cast: Cast,
  ) {
    this.#session = session;
    this.#plan = plan;
    this.#tally = tally;
    this.#operatorId = operatorId;
    this.#traffic = new Traffic(cast, plan.limited);
    this.#process = this.#newProcess();
  }

  async run(): Promise<void> {
    await this.#process.start();
    await this.#checkProofs();
    for (const round of this.#plan.rounds) await this.#round(round);
    await this.#finish();
    await this.#process.data.close();
    this.#tally.operations += this.#witness.operations;
    this.#tally.atOnce += this.#witness.atOnce;
    this.#tally.largestBatch = Math.max(this.#tally.largestBatch, this.#witness.largestBatch);
    for (const [status, count] of this.#witness.answers) {
      this.#tally.answers.set(status, (this.#tally.answers.get(status) ?? 0) + count);
    }
    this.#tally.posted += this.#reference.entries.size + this.#reference.caused;
  }

  #newProcess(): DyingProcess {
    return new DyingProcess({
      session: this.#session,
      clock: this.#clock,
      operatorId: this.#operatorId,
      onCommit: (unit) => this.#guarded(() => this.#witness.observe(unit)),
      onError: (text, fields) =>
        this.#guarded(() => {
          throw new Error(`the process logged: ${text} ${JSON.stringify(fields)}`);
        }),
    }, () => this.#mortality);
  }

  /** Stores the first error of a callback; the caller of {@link #lives} throws it. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#failure ??= error as Error;
    }
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure;
  }

  async #round(round: number): Promise<void> {
    const dice = new Dice(`${this.#plan.seed} ${round}`);
    this.#mortality = { dice: new Dice(`${this.#plan.seed} ${round} deaths`), perAwait: this.#plan.perAwait };
    const isBusy = dice.chance(this.#plan.busy);
    const now = this.#clock.now().getTime();
    for (const client of this.#clients) {
      if (client.statuses === null && dice.chance(AGAIN)) this.#send(client, round, dice);
    }
    const intents = round === 0
      ? this.#traffic.firstIntents(dice)
      : Array.from({ length: this.#plan.intentsPerRound }, () => this.#traffic.intent(dice, now, isBusy));
    for (const intent of intents) {
      const client = { intent, statuses: null, isRejected: false };
      this.#clients.push(client);
      this.#send(client, round, dice);
    }
    this.#tally.intents += intents.length;
    const arriving = dice.shuffled(this.#network.filter(({ arrives }) => arrives <= round));
    this.#network = this.#network.filter(({ arrives }) => arrives > round);
    while (arriving.length > 0) {
      const moment = arriving.splice(0, dice.between(1, this.#plan.burst));
      await this.#lives((process) =>
        Promise.all(moment.map(({ client }) => this.#serve(process, client, dice)))
      );
    }
    const isDelivered = dice.chance(0.3) && await this.#lives((process) => process.data.settle());
    if (round % (this.#plan.checkEvery ?? 1) === 0) await this.#check(isDelivered);
    const step = dice.weighted({ seconds: 80, minutes: 15, hours: 5 });
    this.#clock.advance(dice.between(1, { seconds: 20, minutes: 1_200, hours: 30_000 }[step]) * 1_000);
  }

  #send(client: Client, round: number, dice: Dice): void {
    const copies = dice.chance(DOUBLED) ? dice.between(2, 3) : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      this.#tally.sends += 1;
      const delay = dice.chance(DELAYED) ? dice.between(1, MAX_DELAY) : 0;
      if (dice.chance(LOST)) this.#tally.lost += 1;
      else this.#network.push({ client, arrives: round + delay });
    }
  }

  /** Runs work in the process. Returns true if it survived; otherwise a new process has been started. */
  async #lives(work: (process: DyingProcess) => Promise<unknown>): Promise<boolean> {
    let point = await Promise.race([work(this.#process).then(() => null), this.#process.died]);
    this.#throwFailure();
    if (point === null) {
      this.#tally.batches += 1;
      return true;
    }
    while (point !== null) {
      this.#tally.crashes += 1;
      this.#tally.crashPoints.set(point, (this.#tally.crashPoints.get(point) ?? 0) + 1);
      await this.#session.query('rollback');
      await this.#process.data.close();
      this.#process = this.#newProcess();
      point = await Promise.race([this.#process.start().then(() => null), this.#process.died]);
    }
    this.#throwFailure();
    return false;
  }

  async #serve({ data, ledger }: DyingProcess, client: Client, dice: Dice): Promise<void> {
    const scope = { operatorId: this.#operatorId };
    const { intent } = client;
    let statuses: readonly string[] = [];
    let isRejected = false;
    try {
      if (intent.kind === 'submit') statuses = [(await ledger.submit(scope, intent.operation)).status];
      else if (intent.kind === 'post') {
        const outcomes = await data.tx(scope, (tx) => ledger.post(tx, intent.operations));
        statuses = outcomes.map(({ status }) => status);
      } else await data.tx(scope, (tx) => intent.change(tx, ledger));
    } catch (error) {
      isRejected = true;
      if (!(intent.kind === 'submit' && intent.isImpossible)) this.#failure ??= error as Error;
    }
    if (dice.chance(this.#mortality.perAwait === 0 ? 0 : LOST)) this.#tally.lost += 1;
    else {
      client.statuses ??= statuses;
      client.isRejected ||= isRejected;
    }
  }

  async #check(isDelivered: boolean): Promise<void> {
    await checkAccounts(this.#session, {
      operatorId: this.#operatorId,
      payoutCents: PAYOUT_CENTS,
      reference: this.#reference,
      deliveredUntil: isDelivered ? this.#clock.now() : null,
    });
    this.#tally.checks += 1;
  }

  /** Answers every client and lets every hold expire, without deaths or losses; nothing may be left. */
  async #finish(): Promise<void> {
    const dice = new Dice(`${this.#plan.seed} end`);
    this.#mortality = { dice, perAwait: 0 };
    const late = this.#network.map(({ client }) => client);
    const serve = (clients: readonly Client[]): Promise<boolean> =>
      this.#lives((process) => Promise.all(clients.map((client) => this.#serve(process, client, dice))));
    await serve(late);
    for (let tries = 0; this.#clients.some(({ statuses }) => statuses === null); tries += 1) {
      if (tries > MAX_TRIES) throw new Error('some clients were never answered');
      await serve(this.#clients.filter(({ statuses }) => statuses === null));
    }
    this.#clock.advance(DAY_MS);
    await this.#lives((process) => process.data.settle());
    const last = this.#traffic.lastIntents(dice);
    await serve(last.map((intent) => ({ intent, statuses: null, isRejected: false })));
    await this.#check(true);
    checkSettled(this.#reference);
    await this.#checkProofs();
    this.#checkAcknowledged();
  }

  #checkProofs(): Promise<void> {
    const [now, reference] = [this.#clock.now(), this.#reference];
    return checkProofs(this.#session, { now, payoutCents: PAYOUT_CENTS, reference });
  }

  /** Checks each answer a client got against the reference, and that nothing else was posted. */
  #checkAcknowledged(): void {
    for (const { intent, statuses, isRejected } of this.#clients) {
      if (intent.kind === 'change') continue;
      const isImpossible = intent.kind === 'submit' && intent.isImpossible === true;
      if (isRejected !== isImpossible) {
        throw new Error(`${JSON.stringify(intent)} was rejected: ${isRejected}`);
      }
      const operations = intent.kind === 'submit' ? [intent.operation] : intent.operations;
      for (const [at, { id, parameterHash }] of operations.entries()) {
        const status = statuses?.[at];
        const known = this.#reference.entries.get(id)?.hash;
        const isWrong = status === 'mismatch'
          ? known === undefined || known === parameterHash
          : (status === 'posted' || status === 'duplicate') && known !== parameterHash;
        if (isWrong) throw new Error(`operation ${id} was answered ${status}, and is ${known ?? 'nowhere'}`);
      }
    }
    const asked = new Set(
      this.#clients.flatMap(({ intent }) =>
        (intent.kind === 'submit' ? [intent.operation] : intent.kind === 'post' ? intent.operations : [])
          .map(({ id }) => id)
      ),
    );
    const holds = new Set(this.#reference.holds.keys());
    const unasked = [...this.#reference.entries]
      .filter(([id, { spending }]) => !asked.has(id) && spending === 1);
    if (unasked.length > 0 || holds.size > asked.size) throw new Error(`nobody asked for ${unasked.join()}`);
  }
}
