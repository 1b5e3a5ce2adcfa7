import type { DeadlineHandler } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Data, OperatorScope, Tx } from '#platform/data/data.ts';
import { digest, seal, unseal } from '#platform/data/database/seal.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import { accountChanged } from '#product/accounts/contract/life/username.ts';
import { proofSeconds, type RegionPolicy } from '#product/compliance/rules.ts';
import { ATTEMPT_MS, MAX_ATTEMPTS_PER_DAY, type AgeCheckKind, type OfferedCheck } from '../rules.ts';
import {
  adoptChecks,
  attemptsOf,
  deleteAttempt,
  deleteExpiredProof,
  endAttempt,
  findAttempt,
  insertAttempt,
  insertProof,
  type Attempt,
  type Beginner,
  type Validity,
} from '../store.ts';
import { proofOf } from './dependencies.ts';

const COOKIE = 'age_check';
const SEAL = 'age-checks.attempt';
const BROWSER = 'age-checks.browser';
/** Kinds of the deadlines that delete a check, and a proof that no longer counts. */
const FORGET = 'age-checks.forget';
const EXPIRE = 'age-checks.expire';

/** How long a proof under a policy counts. */
export const validityOf = (policy: RegionPolicy): Validity => ({
  validSeconds: proofSeconds(policy),
  isVisit: policy.proofLasts === 'session',
});

/** Checks under way: which browser began which, and what becomes of them. */
export class Attempts {
  readonly #data: Data;
  readonly #secret: string;

  constructor({ data, secret }: { readonly data: Data; readonly secret: string }) {
    this.#data = data;
    this.#secret = secret;
  }

  get deadlineHandlers(): DeadlineHandler[] {
    return [
      {
        kind: FORGET,
        handle: ({ operatorId, key }) => this.#data.tx({ operatorId }, (tx) => deleteAttempt(tx, key)),
      },
      {
        kind: EXPIRE,
        handle: ({ operatorId, key }) =>
          this.#data.tx({ operatorId }, (tx) => deleteExpiredProof(tx, Number(key))),
      },
    ];
  }

  /** The browser and person of a request. A browser without a session has begun no check. */
  beginnerOf({ caller: { sessionId, personId } }: CallContext): Beginner {
    return { browser: digest(this.#secret, BROWSER, sessionId ?? 'none'), personId };
  }

  /** Whether a browser and its person began as many checks within a day as may be. */
  async isFull(tx: Tx, beginner: Beginner): Promise<boolean> {
    return (await attemptsOf(tx, beginner)).length >= MAX_ATTEMPTS_PER_DAY;
  }

  /** Stores a check under an id, and when it is deleted. */
  async begin(
    tx: Tx,
    attempt: Omit<Attempt, 'grantedAt' | 'createdAt' | 'state' | 'proofId'> & {
      readonly state?: 'pending' | 'failed';
    },
  ): Promise<void> {
    await insertAttempt(tx, { state: 'pending', ...attempt, proofId: null });
    await this.#forgetLater(tx, attempt.id);
  }

  /** Stores the proof of a check that its beginner passed at once; its browser gets the pass now. */
  async pass(
    tx: Tx,
    beginner: Beginner & Validity,
    offered: OfferedCheck,
    provider: string,
    minimumAge: number,
  ): Promise<void> {
    const proofId = await this.storeProof(tx, beginner, offered, provider, minimumAge);
    const id = uuidV4();
    await insertAttempt(tx, {
      ...beginner,
      id,
      kind: offered.kind,
      reference: null,
      minimumAge,
      state: 'verified',
      proofId,
      isGranted: true,
    });
    await this.#forgetLater(tx, id);
  }

  /** Notes a check that failed at once. */
  async fail(tx: Tx, beginner: Beginner & Validity, kind: AgeCheckKind, minimumAge: number): Promise<void> {
    await this.begin(tx, { ...beginner, id: uuidV4(), kind, reference: null, minimumAge, state: 'failed' });
  }

  /** Ends a check by its result; one that is over stays as it is. Returns how it stands now. */
  async conclude(
    tx: Tx,
    attempt: Attempt,
    offered: OfferedCheck | null,
    provider: string,
    hasPassed: boolean,
  ): Promise<Attempt | null> {
    await tx.lock('age-checks.attempt', attempt.id);
    const now = await findAttempt(tx, attempt.id);
    if (now?.state !== 'pending') return now;
    const proofId = hasPassed && offered
      ? await this.storeProof(tx, now, offered, provider, now.minimumAge)
      : null;
    await endAttempt(tx, now.id, proofId === null ? 'failed' : 'verified', proofId);
    if (now.personId !== null) await tx.send(personChannel(now.personId), accountChanged, {});
    return findAttempt(tx, now.id);
  }

  /** Stores a proof given now, and when it is deleted. One for a single visit is nobody's. */
  async storeProof(
    tx: Tx,
    { personId, validSeconds, isVisit }: Pick<Beginner, 'personId'> & Validity,
    offered: OfferedCheck,
    provider: string,
    minimumAge: number,
  ): Promise<number> {
    const expiresAt = new Date(tx.now.getTime() + validSeconds * SECOND_MS);
    const proof = { ...proofOf(offered, minimumAge), provider, expiresAt };
    const id = await insertProof(tx, { ...proof, personId: isVisit ? null : personId });
    await tx.schedule({ kind: EXPIRE, key: String(id), at: expiresAt });
    return id;
  }

  /** Binds a check to this browser: only with this cookie can it be finished. */
  bind(context: CallContext, id: string): void {
    const sealed = seal(this.#secret, SEAL, { id, siteId: context.scope.siteId });
    context.setCookie(COOKIE, sealed, { maxAgeSeconds: ATTEMPT_MS / SECOND_MS, httpOnly: true });
  }

  /**
   * The check that this browser began: by the cookie and by its session, so that a copied cookie is nobody's.
   * A member's check is theirs in each of their sessions. Null where there is none of the last day.
   */
  async boundTo(context: CallContext): Promise<Attempt | null> {
    return this.#data.read(context.scope, (tx) => this.#boundIn(tx, context));
  }

  async #boundIn(tx: Tx, context: CallContext): Promise<Attempt | null> {
    const bound = unseal(this.#secret, SEAL, context.cookie(COOKIE)) as {
      readonly id?: unknown;
      readonly siteId?: unknown;
    } | null;
    if (typeof bound?.id !== 'string' || bound.siteId !== context.scope.siteId) return null;
    const attempt = await findAttempt(tx, bound.id);
    const { browser, personId } = this.beginnerOf(context);
    const isOwn = attempt?.personId === null ? attempt.browser === browser : attempt?.personId === personId;
    return attempt && isOwn && attempt.state !== 'cancelled' ? attempt : null;
  }

  /** Somebody logs in or signs up in a browser that began or passed checks as a guest: they become theirs. */
  async adopt(tx: Tx, personId: number, context: CallContext): Promise<void> {
    // Browsers without a session share one digest.
    if (context.caller.sessionId === null) return;
    await adoptChecks(tx, this.beginnerOf(context).browser, personId);
  }

  release(context: CallContext): void {
    if (context.cookie(COOKIE) !== null) context.setCookie(COOKIE, null, { httpOnly: true });
  }

  /** Ends a check that is given up; false where it has a result. It still counts as one of the day. */
  async giveUp(scope: OperatorScope, { id }: Attempt): Promise<boolean> {
    return this.#data.tx(scope, async (tx) => {
      await tx.lock('age-checks.attempt', id);
      return endAttempt(tx, id, 'cancelled', null);
    });
  }

  async #forgetLater(tx: Tx, id: string): Promise<void> {
    await tx.schedule({ kind: FORGET, key: id, at: new Date(tx.now.getTime() + ATTEMPT_MS) });
  }
}
