import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { RefusalOf } from '#platform/contract/call.ts';
import type { CallContext, HandlerContext, Scope } from '#platform/contract/context.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import {
  cancelCheck,
  checkFailed,
  checkUnavailable,
  finishCheck,
  getIncodeEstimationUrl,
  getIncodeVerificationUrl,
  getYotiUrl,
  noCheck,
  providerUnavailable,
  receiveYotiReport,
  tooManyAttempts,
} from '../contract.ts';
import { acceptedChecks, type AgeCheckKind } from '../rules.ts';
import {
  findByReference,
  findProof,
  newestSupportCheck,
  pendingOfPerson,
  takePass,
  type Attempt,
} from '../store.ts';
import { validityOf, type Attempts } from './attempts.ts';
import {
  checksOf,
  offerOf,
  PROVIDER_CHECKS,
  verifierOf,
  type AgeChecksDependencies,
  type ProviderCheckKind,
} from './dependencies.ts';
import { reopen } from './held.ts';

/** Where browsers come back to from a provider. */
const RETURN_PATH = '/verify-age';

const isProviderCheck = (kind: AgeCheckKind): kind is ProviderCheckKind =>
  Object.hasOwn(PROVIDER_CHECKS, kind);

/** Checks on providers' pages: begun, reported, finished. */
export class ProviderChecks {
  readonly #deps: AgeChecksDependencies;
  readonly #attempts: Attempts;

  constructor(deps: AgeChecksDependencies, attempts: Attempts) {
    this.#deps = deps;
    this.#attempts = attempts;
  }

  get callHandlers(): CallHandler[] {
    return [
      handleCall(getYotiUrl)(({ type }, context) =>
        this.#begin(type === 'TYPE_DOC_SCAN' ? 'yoti_doc_scan' : 'yoti_digital_id', context)
      ),
      handleCall(getIncodeEstimationUrl)((_input, context) => this.#begin('incode_age_estimation', context)),
      handleCall(getIncodeVerificationUrl)((_input, context) =>
        this.#begin('incode_age_verification', context)
      ),
      handleCall(finishCheck)((_input, context) => this.#finish(context)),
      handleCall(cancelCheck)(async (_input, context) => {
        const begun = await this.#attempts.boundTo(context) ?? await this.#elsewhere(context);
        // A result that the provider has by now is not lost by giving up.
        const attempt = begun && (await this.#resolve(context.scope, begun) ?? begun);
        if (!attempt || await this.#attempts.giveUp(context.scope, attempt)) this.#attempts.release(context);
        return { status: 1 as const };
      }),
      handleCall(receiveYotiReport)(async ({ body }, { scope }) => ({
        status: await this.#report(scope, body),
        headers: { 'content-type': 'text/plain' },
        body: '',
      })),
    ];
  }

  async #begin(kind: ProviderCheckKind, context: HandlerContext<RefusalOf<typeof getYotiUrl>>) {
    const { compliance, data, site, apiBase } = this.#deps;
    const { scope, refuse } = context;
    const policy = compliance.policyOf(context.scope, context.region);
    // Browsers without a session could not be distinguished.
    if (context.caller.sessionId === null) return refuse(checkUnavailable);
    const isAccepted = acceptedChecks(policy, checksOf(this.#deps, scope)).some((one) => one.kind === kind);
    const verifier = verifierOf(this.#deps, scope, kind);
    if (!isAccepted || !verifier) return refuse(checkUnavailable);
    const beginner = this.#attempts.beginnerOf(context);
    if (await data.read(scope, (tx) => this.#attempts.isFull(tx, beginner))) return refuse(tooManyAttempts);
    const origin = site.linkOrigin(context.origin);
    const id = uuidV4();
    const { minimumAge } = policy;
    const opened = await verifier.open({
      check: PROVIDER_CHECKS[kind].check,
      nonce: id,
      minimumAge,
      returnUrl: `${origin}${RETURN_PATH}`,
      notificationUrl: `${origin}${apiBase}${receiveYotiReport.path}`,
    });
    if (opened.kind === 'unreachable') return refuse(providerUnavailable);
    const { reference, url } = opened;
    await data.tx(
      scope,
      (tx) =>
        this.#attempts.begin(tx, { ...beginner, ...validityOf(policy), id, kind, reference, minimumAge }),
    );
    this.#attempts.bind(context, id);
    return { url };
  }

  /** Asks the provider about a check, and stores what follows; null when it does not answer. */
  async #resolve(scope: Scope, attempt: Attempt): Promise<Attempt | null> {
    const { kind, reference, minimumAge } = attempt;
    if (attempt.state !== 'pending' || reference === null || !isProviderCheck(kind)) return attempt;
    const verifier = verifierOf(this.#deps, scope, kind);
    if (!verifier) return null;
    const { check, provider } = PROVIDER_CHECKS[kind];
    const found = await verifier.result({ check, nonce: attempt.id, minimumAge, reference });
    if (found.kind === 'unreachable') return null;
    if (found.kind === 'pending') return attempt;
    const offered = checksOf(this.#deps, scope).find((one) => one.kind === kind) ?? null;
    return this.#deps.data.tx(
      scope,
      (tx) => this.#attempts.conclude(tx, attempt, offered, provider, found.kind === 'passed'),
    );
  }

  async #finish(context: HandlerContext<RefusalOf<typeof finishCheck>>) {
    const { compliance, data } = this.#deps;
    const { scope, refuse } = context;
    const bound = await this.#attempts.boundTo(context);
    if (!bound) {
      this.#attempts.release(context);
      return this.#finishElsewhere(context);
    }
    const attempt = await this.#resolve(scope, bound);
    if (!attempt) return refuse(providerUnavailable);
    if (attempt.state === 'pending') {
      return { state: 'pending' as const, gate: compliance.viewerOf(context).gate };
    }
    this.#attempts.release(context);
    if (attempt.state === 'failed') return refuse(checkFailed);
    const proof = await data.tx(
      scope,
      async (tx) => (attempt.proofId !== null && await takePass(tx, attempt.id)
        ? findProof(tx, attempt.proofId)
        : null),
    );
    // A second pass for the same check would be a copy for somebody else.
    const gate = proof ? compliance.grant(context, proof) : compliance.viewerOf(context).gate;
    return { state: 'verified' as const, gate };
  }

  /** A check that the caller's person has under way in another of their browsers. */
  async #elsewhere({ caller: { personId }, scope }: CallContext): Promise<Attempt | null> {
    if (personId === null) return null;
    return this.#deps.data.read(scope, (tx) => pendingOfPerson(tx, personId));
  }

  /** A member without a check in this browser: what they proved elsewhere, or asked support for. */
  async #finishElsewhere(context: HandlerContext<RefusalOf<typeof finishCheck>>) {
    const { compliance, data } = this.#deps;
    const { caller: { personId }, scope, refuse } = context;
    if (personId === null) return refuse(noCheck);
    const begun = await this.#elsewhere(context);
    const attempt = begun && await this.#resolve(scope, begun);
    if (begun && !attempt) return refuse(providerUnavailable);
    if (attempt?.state === 'pending') {
      return { state: 'pending' as const, gate: compliance.viewerOf(context).gate };
    }
    if (attempt?.state === 'failed') return refuse(checkFailed);
    const { opened, asked } = await data.read(scope, async (tx) => ({
      opened: await reopen(compliance, tx, personId, context),
      asked: await newestSupportCheck(tx, personId),
    }));
    if (opened !== null) return { state: 'verified' as const, gate: opened };
    const { gate } = compliance.viewerOf(context);
    return asked?.decision === null ? { state: 'pending' as const, gate } : refuse(noCheck);
  }

  /** Asks about the check that a report names. The status for the provider, which repeats all but 200. */
  async #report(scope: Scope, body: string): Promise<200 | 400 | 503> {
    const verifier = offerOf(this.#deps, scope).verifiers.find(({ name }) => name === 'yoti');
    const reference = verifier?.read(body) ?? null;
    if (reference === null) return 400;
    const attempt = await this.#deps.data.read(scope, (tx) => findByReference(tx, reference));
    return !attempt || await this.#resolve(scope, attempt) ? 200 : 503;
  }
}
