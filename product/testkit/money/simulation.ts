import { VirtualClock } from '../../../platform/data/clock.ts';
import { openTestDriver } from '../../../platform/data/testing.ts';
import { emptyTally, runEpisode, type EpisodePlan, type Tally } from './episode.ts';

const SLICES = ['site', 'notices', 'accounts', 'ledger'];
/** Operations after which the database is thrown away: in memory it grows by a kilobyte for each. */
const OPERATIONS_PER_DATABASE = 60_000;
/** Runs that shrinking may take: halving needs few, and each is an episode. */
const MAX_SHRINKS = 60;

export interface SimulationOptions {
  readonly seed: string;
  /** At least so many operations are compared, and at least so many processes die. */
  readonly operations: number;
  readonly crashes: number;
  /** A PostgreSQL server; without it the one of TEST_DATABASE_URL, or PGlite. */
  readonly databaseUrl?: string;
  /** Told after each episode. */
  readonly onEpisode?: (tally: Tally) => void;
  /** Told what went wrong first, before the minutes in which a smaller history of it is looked for. */
  readonly onError?: (plan: EpisodePlan, fault: Error) => void;
}

/** Rounds of an episode, wishes in each, and how much dies: calm and busy, or small and deadly. */
const CALM = {
  rounds: 20, intentsPerRound: 340, burst: 500, people: 150, limited: 0.04, busy: 0.85, perAwait: 0.004,
  checkEvery: 2,
};
const DEADLY = {
  rounds: 30, intentsPerRound: 12, burst: 8, people: 60, limited: 0.35, busy: 0.3, perAwait: 0.05,
  checkEvery: 3,
};

const planOf = (seed: string, shape: typeof CALM): EpisodePlan =>
  ({ seed, ...shape, rounds: Array.from({ length: shape.rounds }, (_round, at) => at) });

/**
 * Runs episodes until there are enough operations and crashes. Throws with the smallest history found for
 * what goes wrong, and how to repeat it.
 */
export async function simulate(
  options: SimulationOptions,
): Promise<Tally & { databases: number; episodes: number }> {
  const tally = emptyTally();
  let [databases, episodes] = [0, 0];
  const isDone = (): boolean => tally.operations >= options.operations && tally.crashes >= options.crashes;
  while (!isDone()) {
    databases += 1;
    const until = tally.operations + OPERATIONS_PER_DATABASE;
    await onDatabase(options.databaseUrl, async (run) => {
      while (!isDone() && tally.operations < until) {
        const { operations, crashes } = options;
        // Deaths keep step with operations.
        const isBehind = tally.crashes * operations < tally.operations * crashes;
        const plan = planOf(`${options.seed}.${episodes}`, isBehind ? DEADLY : CALM);
        episodes += 1;
        await run(plan, tally).catch(async (error: Error) => {
          options.onError?.(plan, error);
          throw await smallest(plan, error);
        });
        options.onEpisode?.(tally);
      }
    });
  }
  return { ...tally, databases, episodes };
}

type Run = (plan: EpisodePlan, tally: Tally) => Promise<void>;

async function onDatabase(url: string | undefined, work: (run: Run) => Promise<void>): Promise<void> {
  const driver = await openTestDriver({ clock: new VirtualClock(), slices: SLICES, url });
  try {
    const session = await driver.pool.connect();
    try {
      await work((plan, tally) => runEpisode(session, plan, tally));
    } finally {
      session.release();
    }
  } finally {
    await driver.close();
  }
}

const faultOf = (plan: EpisodePlan): Promise<Error | null> =>
  onDatabase(undefined, (run) => run(plan, emptyTally())).then(() => null, (error: Error) => error);

/** Leaves halves, quarters, … of the history out as long as something still goes wrong. */
async function smallest(plan: EpisodePlan, first: Error): Promise<Error> {
  let [rounds, fault, runs] = [plan.rounds, first, 0];
  let size = Math.ceil(rounds.length / 2);
  for (; size >= 1 && runs < MAX_SHRINKS; size = Math.floor(size / 2)) {
    for (let at = 0; at < rounds.length && runs < MAX_SHRINKS;) {
      const left = rounds.filter((_round, nth) => nth < at || nth >= at + size);
      runs += 1;
      const found = left.length === 0 ? null : await faultOf({ ...plan, rounds: left });
      if (found === null) at += size;
      else [rounds, fault] = [left, found];
    }
  }
  const { rounds: _all, ...shape } = plan;
  const where = `Episode ${plan.seed} goes wrong in ${rounds.length} of its ${plan.rounds.length} rounds`;
  return new Error(`${where}:\n${fault.stack ?? fault.message}\n`
    + `Repeat it: SIMULATION='${JSON.stringify({ ...shape, rounds })}' `
    + 'npx vitest run --project unit product/testkit/money', { cause: first });
}

/** Runs one episode again, as the text of a failure says. */
export async function repeat(plan: EpisodePlan): Promise<void> {
  const fault = await faultOf(plan);
  if (fault !== null) throw fault;
}
