import type { Sessions } from '../database/sessions.ts';
import type { Owner } from './owner.ts';

/**
 * How often to look for a table that has changed a lot. Each turn handles one table, so that nothing waits
 * for long. The extra half second keeps the turn away from the sweeps, which run every second and leave no
 * quiet moment.
 */
export const UPKEEP_MS = 20_500;
/** Turns that are skipped while units of work run. After that a turn runs in any case. */
const MAX_SKIPPED = 15;

/**
 * The table that changed most, by autovacuum's thresholds: 50 rows plus a fifth of it dead or a tenth new.
 */
const MOST_CHANGED = `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
  where n_dead_tup > 50 + n_live_tup / 5 or n_mod_since_analyze > 50 + n_live_tup / 10
  order by n_dead_tup + n_mod_since_analyze desc limit 1`;

/**
 * Does what autovacuum does on a server: PGlite has one session and no background process. Removes dead rows
 * and gives the planner the sizes of tables; cached plans are then made again.
 */
export class Upkeep {
  readonly #sessions: Sessions;
  readonly #owner: Owner;
  #skipped = 0;

  constructor(sessions: Sessions, owner: Owner) {
    this.#sessions = sessions;
    this.#owner = owner;
  }

  /**
   * Handles one table, if one needs it and the moment is quiet. Resolves with the number of tables handled.
   */
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
