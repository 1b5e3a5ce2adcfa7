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

/** What a recovery left. */
interface Recovered {
  readonly sessionsEnded: number;
  /** Of the session that goes on in this browser, in place of the one it had; null without one. */
  readonly token: string | null;
}

/**
 * Takes an account back for its person: the one place that ends all that was handed out before, and lets
 * somebody in or changes where the account leads to.
 */
export class Recovery {
  readonly #deps: RecoveryDependencies;

  constructor(deps: RecoveryDependencies) {
    this.#deps = deps;
  }

  /**
   * Ends every session, stored grant and sealed one of a person, and what later slices have handed out.
   * @param stays the request of the person, who stays logged in: by a new session, for the one they had may
   * be in somebody else's hands too
   * @param since since when somebody else may have held the account: now, where nothing says so
   */
  async end(
    tx: Tx, personId: number,
    { stays = null, since = tx.now }: { readonly stays?: CallContext | null; readonly since?: Date } = {},
  ): Promise<Recovered> {
    const { extensions, sessions, loginCodes, notices } = this.#deps;
    // Requests under way have given what this ends, or find their session ended (`lockCaller`).
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
   * Somebody proved to read the mail of an address that nobody had proven to be theirs. Whoever held the
   * account until then may have signed up with the address of somebody else: their ways in end.
   */
  async proveAddress(tx: Tx, personId: number): Promise<void> {
    const person = await findById(tx, personId);
    if (person?.addressProvenAt !== null) return;
    await endStoredGrants(tx, personId, 'firstProof', tx.now);
    await saveAddressProven(tx, personId, true);
    await publishStep(tx, person);
  }

  /** Sets the cookies of a session that goes on, once its unit of work is committed. */
  goOn(context: CallContext, { id, recoveries }: { readonly id: number; readonly recoveries: number },
    { token }: Recovered): void {
    const { sessions, attempts } = this.#deps;
    if (token !== null) sessions.setCookie(context, token);
    // The browser is known from now on, by a cookie of after the recovery.
    attempts.rememberDevice(context.scope, { id, recoveries }, context);
  }
}
