import type { CallContext } from '#platform/contract/context.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { NoticesService } from '#product/notices/server.ts';
import { grants } from '../../extension-points.ts';
import { findById, lockPerson } from '../../store.ts';
import { endStoredGrants, saveAddressProven, saveRecovery } from '../../store/recovery.ts';
import type { Attempts } from '../credentials/attempts.ts';
import { publishStep } from '../credentials/ways-in.ts';
import type { LoginCodes } from '../login-codes.ts';
import type { Sessions } from '../sessions.ts';
import { waysInFrom } from './ways-in-check.ts';

interface RecoveryDependencies {
  readonly extensions: Extensions;
  readonly sessions: Sessions;
  readonly loginCodes: LoginCodes;
  readonly attempts: Attempts;
  readonly notices: Pick<NoticesService, 'endPushBut'>;
}

/** The result of a recovery. */
interface Recovered {
  readonly sessionsEnded: number;
  /** Token of the new session in this browser, which replaces its old one; null without one. */
  readonly token: string | null;
}

/**
 * Takes an account back for its person: the one place that ends everything that was handed out before and
 * that logs somebody in or changes the account's address.
 */
export class Recovery {
  readonly #deps: RecoveryDependencies;

  constructor(deps: RecoveryDependencies) {
    this.#deps = deps;
  }

  /**
   * Ends every session, stored grant and sealed grant of a person, and what later slices have issued.
   * @param stays the request of the person, who stays logged in; their session is replaced, because somebody
   * else may have it too
   * @param since when somebody else may have taken over the account; now, where nothing says otherwise
   */
  async end(
    tx: Tx,
    personId: number,
    { stays = null, since = tx.now }: { readonly stays?: CallContext | null; readonly since?: Date } = {},
  ): Promise<Recovered> {
    const { extensions, sessions, loginCodes, notices } = this.#deps;
    // A concurrent request has either issued what this ends, or finds its session ended (`lockCaller`).
    const person = await lockPerson(tx, personId);
    const from = await waysInFrom(tx, person, since);
    await endStoredGrants(tx, personId, 'recovery', from);
    await saveRecovery(tx, personId, from);
    for (const end of extensions.all(grants)) await end(tx, personId);
    const staying = stays?.caller.sessionId ?? null;
    await notices.endPushBut(tx, personId, staying);
    const sessionsEnded = await sessions.end(tx, personId, { allBut: staying }, { keepsPush: true });
    if (stays === null) return { sessionsEnded, token: null };
    await loginCodes.remember(tx, personId, stays);
    return { sessionsEnded, token: await sessions.replace(tx, personId, stays) };
  }

  /**
   * The caller proved that they read the mail of an address that nobody had proven before. An earlier holder
   * of the account may have signed up with somebody else's address: their ways to log in end.
   */
  async proveAddress(tx: Tx, personId: number): Promise<void> {
    const person = await findById(tx, personId);
    if (person?.addressProvenAt !== null) return;
    await endStoredGrants(tx, personId, 'firstProof', tx.now);
    await saveAddressProven(tx, personId, true);
    await publishStep(tx, person);
  }

  /** Sets the cookies of a session that stays, once its unit of work is committed. */
  goOn(
    context: CallContext,
    { id, recoveries }: { readonly id: number; readonly recoveries: number },
    { token }: Recovered,
  ): void {
    const { sessions, attempts } = this.#deps;
    if (token !== null) sessions.setCookie(context, token);
    // Makes the browser known, by a cookie from after the recovery.
    attempts.rememberDevice(context.scope, { id, recoveries }, context);
  }
}
