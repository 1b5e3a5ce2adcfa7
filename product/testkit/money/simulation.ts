import { VirtualClock } from '#platform/data/clock.ts';
import { openTestDriver } from '#platform/data/testing.ts';
import { emptyTally, runEpisode, type EpisodePlan, type Tally } from './episode.ts';

const SLICES = ['site', 'notices', 'accounts', 'ledger'];
/** Operations before a new database: PGlite grows in memory by a kilobyte for each. */
const OPERATIONS_PER_DATABASE = 60_000;
/** The most episodes that shrinking a history may run. */
const MAX_SHRINKS = 60;

export interface SimulationOptions {
  readonly seed: string;
  /** The least number of operations compared, and of crashes. */
  readonly operations: number;
  readonly crashes: number;
  /** A PostgreSQL server; TEST_DATABASE_URL or PGlite when absent. */
  readonly databaseUrl?: string;
  /** Called after each episode. */
  readonly onEpisode?: (tally: Tally) => void;
  /** Called with the first error, before the minutes of shrinking its history. */
  readonly onError?: (plan: EpisodePlan, error: Error) => void;
}

/** The shapes of an episode: large with few crashes, or small with many. */
const CALM = {
  rounds: 20,
  intentsPerRound: 340,
  burst: 500,
  people: 150,
  limited: 0.04,
  busy: 0.85,
  perAwait: 0.004,
  checkEvery: 2,
};
const DEADLY = {
  rounds: 30,
  intentsPerRound: 12,
  burst: 8,
  people: 60,
  limited: 0.35,
  busy: 0.3,
  perAwait: 0.05,
  checkEvery: 3,
};

const planOf = (seed: string, shape: typeof CALM): EpisodePlan => ({
  seed,
  ...shape,
  rounds: Array.from({ length: shape.rounds }, (_round, at) => at),
});

/**
 * Runs episodes until there are enough operations and crashes. On an error it throws with the smallest
 * history found that reproduces it, and the command to repeat it.
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
        // Crashes keep step with operations.
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

const errorOf = (plan: EpisodePlan): Promise<Error | null> =>
  onDatabase(undefined, (run) => run(plan, emptyTally())).then(() => null, (error: Error) => error);

/** Leaves out halves, quarters, … of the history as long as it still fails. */
async function smallest(plan: EpisodePlan, first: Error): Promise<Error> {
  let [rounds, error, runs] = [plan.rounds, first, 0];
  let size = Math.ceil(rounds.length / 2);
  for (; size >= 1 && runs < MAX_SHRINKS; size = Math.floor(size / 2)) {
    for (let at = 0; at < rounds.length && runs < MAX_SHRINKS;) {
      const left = rounds.filter((_round, nth) => nth < at || nth >= at + size);
      runs += 1;
      const found = left.length === 0 ? null : await errorOf({ ...plan, rounds: left });
      if (found === null) at += size;
      else [rounds, error] = [left, found];
    }
  }
  const { rounds: _all, ...shape } = plan;
  const where = `Episode ${plan.seed} fails with ${rounds.length} of its ${plan.rounds.length} rounds`;
  return new Error(
    `${where}:\n${error.stack ?? error.message}\n`
      + `Repeat it: SIMULATION='${JSON.stringify({ ...shape, rounds })}' `
      + 'npx vitest run --project unit product/testkit/money',
    { cause: first },
  );
}

/** Runs one episode again: the plan is in the text of the failure. */
export async function repeat(plan: EpisodePlan): Promise<void> {
  const error = await errorOf(plan);
  if (error !== null) throw error;
}
