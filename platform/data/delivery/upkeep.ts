import type { Sessions } from '../database/sessions.ts';
import type { Owner } from './owner.ts';

/**
 * Looks this often for a table that changed much; one is done in a turn, so the rest is not kept waiting.
 * Half a second beside the sweeps, which come every second: with them it would never find a quiet moment.
 */
export const UPKEEP_MS = 20_500;
/** Turns that are left out while somebody is at work; then it is done all the same. */
const MAX_PUT_OFF = 15;

/** The table that changed most, as autovacuum measures it: 50 rows, a fifth of it dead or a tenth new. */
const MOST_CHANGED = `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
  where n_dead_tup > 50 + n_live_tup / 5 or n_mod_since_analyze > 50 + n_live_tup / 10
  order by n_dead_tup + n_mod_since_analyze desc limit 1`;

/**
 * What autovacuum does on a server, which PGlite does not have: it has one session and no process beside it.
 * Clears dead rows away, and tells the planner how large tables are; kept plans are made anew by that.
 */
export class Upkeep {
  readonly #sessions: Sessions;
  readonly #owner: Owner;
  #putOff = 0;

  constructor(sessions: Sessions, owner: Owner) {
    this.#sessions = sessions;
    this.#owner = owner;
  }

  /** One table, if one needs it and the moment is quiet. Resolves with the number of tables done. */
  async turn(): Promise<number> {
    if (!this.#sessions.isQuiet && this.#putOff < MAX_PUT_OFF) {
      this.#putOff += 1;
      return 0;
    }
    this.#putOff = 0;
    const [table] = await this.#owner.query<{ name: string }>('most changed table', MOST_CHANGED, []);
    if (!table) return 0;
    await this.#owner.query('vacuum and analyse', `vacuum (analyze) ${table.name}`, []);
    return 1;
  }
}
