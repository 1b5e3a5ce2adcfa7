import type { Sessions } from '../database/sessions.ts';
import type { Owner } from './owner.ts';

/**
 * How often to look for a table that changed much. Each turn does one, so that nobody waits for long. The
 * half second keeps it apart from the sweeps, which come every second: beside them no moment is quiet.
 */
export const UPKEEP_MS = 20_500;
/** Turns that are skipped while units of work run. The next one is done in any case. */
const MAX_SKIPPED = 15;

/** The table that changed most, as autovacuum measures it: 50 rows, a fifth of it dead or a tenth new. */
const MOST_CHANGED = `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
  where n_dead_tup > 50 + n_live_tup / 5 or n_mod_since_analyze > 50 + n_live_tup / 10
  order by n_dead_tup + n_mod_since_analyze desc limit 1`;

/**
 * Does what autovacuum does on a server. PGlite has one session and no process beside it. Removes dead rows
 * and gives the planner the sizes of tables, after which cached plans are made again.
 */
export class Upkeep {
  readonly #sessions: Sessions;
  readonly #owner: Owner;
  #skipped = 0;

  constructor(sessions: Sessions, owner: Owner) {
    this.#sessions = sessions;
    this.#owner = owner;
  }

  /** One table, if one needs it and the moment is quiet. Resolves with the number of tables done. */
  async turn(): Promise<number> {
    if (!this.#sessions.isQuiet && this.#skipped < MAX_SKIPPED) {
      this.#skipped += 1;
      return 0;
    }
    this.#skipped = 0;
    const [table] = await this.#owner.query<{ name: string }>('most changed table', MOST_CHANGED, []);
    if (!table) return 0;
    await this.#owner.query('vacuum and analyse', `vacuum (analyze) ${table.name}`, []);
    return 1;
  }
}
