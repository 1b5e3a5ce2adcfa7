import type { CallContext, Caller } from '#platform/contract/context.ts';
import type { Data, OperatorScope } from '#platform/data/data.ts';
import { seal, unseal } from '#platform/data/database/seal.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { DAY_MS } from '#platform/time/units.ts';
import {
  ENTRY_DAYS,
  gateFor,
  proofSeconds,
  readEntryPass,
  type EntryPass,
  type GateState,
  type ProofOfAge,
} from '../rules.ts';
import type { PolicyRow } from '../rules/policy-table.ts';
import type { ComplianceSettings } from './dependencies.ts';
import type { PolicyBook } from './policy-book.ts';

/** A viewer: the caller, their region and their gate. */
export interface Viewer {
  readonly caller: Caller;
  readonly region: string;
  /** State of the entry gate for this browser. */
  readonly gate: GateState;
  /** What the gate was decided by; absent for viewers without a browser. */
  readonly entry?: Entry;
}

/** A browser at the gate: where it is, as the request says it, and what it proved. */
interface Entry {
  readonly siteId: number;
  readonly region: string;
  readonly pass: EntryPass | null;
}

const ENTRY_COOKIE = 'entry';
/** Passes of the gate cached at once; the oldest are dropped first. */
const MAX_PASSES = 10_000;
const ENTRY_SEAL = 'compliance.entry';

/** The entry gate: the policy of a region, and what the browser's cookie proves. */
export function createGate(data: Data, book: PolicyBook, settings: Pick<ComplianceSettings, 'secret'>) {
  const nowMs = (): number => data.clock.now().getTime();
  const policyOf = (scope: OperatorScope, region: string): PolicyRow =>
    book.of(scope).decide(region, nowMs()).row;
  const changesAt = (scope: OperatorScope): number => book.of(scope).changesAt(nowMs());
  const passes = new Remembered<EntryPass>(MAX_PASSES);
  /** Cached, because the same sealed bytes are the same pass; {@link gateFor} decides what it covers now. */
  const passOf = (sealed: string | null): EntryPass | null => {
    if (sealed === null) return null;
    const remembered = passes.get(sealed, 0, Number.POSITIVE_INFINITY);
    if (remembered) return remembered;
    const pass = readEntryPass(unseal(settings.secret, ENTRY_SEAL, sealed));
    if (pass) passes.set(sealed, pass, 0);
    return pass;
  };
  const viewerAt = (scope: OperatorScope, caller: Caller, entry: Entry): Viewer => ({
    caller,
    region: book.of(scope).regionOf(entry.region, nowMs()),
    gate: gateFor(policyOf(scope, entry.region), entry.pass, entry.siteId, data.clock.now()),
    entry,
  });
  const viewerOf = ({ scope, caller, region, cookie }: CallContext): Viewer =>
    viewerAt(scope, caller, { siteId: scope.siteId, region, pass: passOf(cookie(ENTRY_COOKIE)) });
  /** The same viewer under the policies in force now. */
  const viewerNow = (scope: OperatorScope, viewer: Viewer): Viewer =>
    viewer.entry ? viewerAt(scope, viewer.caller, viewer.entry) : viewer;
  const viewerIn = (scope: OperatorScope, personId: number, region: string): Viewer => {
    const { rule } = policyOf(scope, region);
    const caller: Caller = { kind: 'person', personId, sessionId: null, username: null, roles: [] };
    // So far, a declaration is all that anybody can prove to this site.
    return { caller, region, gate: rule === 'declare' ? 'open' : rule };
  };
  const grant = (context: CallContext, proof: ProofOfAge): GateState => {
    const policy = policyOf(context.scope, context.region);
    const now = data.clock.now();
    const provedAt = Math.floor(proof.provedAt.getTime() / 1_000);
    const isVisit = policy.proofLasts === 'session';
    const expires = provedAt + proofSeconds(policy);
    const { method, liveness, isAnonymous, minimumAge } = proof;
    const pass: EntryPass = {
      siteId: context.scope.siteId,
      region: policy.region,
      minimumAge,
      rule: 'verify',
      expires,
      proof: { method, liveness, isAnonymous, provedAt, isVisit },
    };
    const gate = gateFor(policy, pass, context.scope.siteId, now);
    if (gate !== 'open') return gate;
    const maxAgeSeconds = Math.max(1, expires - Math.floor(now.getTime() / 1_000));
    context.setCookie(ENTRY_COOKIE, seal(settings.secret, ENTRY_SEAL, pass), {
      ...(isVisit ? {} : { maxAgeSeconds }),
      httpOnly: true,
    });
    return gate;
  };
  const setEntryCookie = (context: CallContext): void => {
    const policy = policyOf(context.scope, context.region);
    const maxAgeSeconds = (ENTRY_DAYS * DAY_MS) / 1_000;
    const pass: EntryPass = {
      siteId: context.scope.siteId,
      region: policy.region,
      minimumAge: policy.minimumAge,
      rule: 'declare',
      expires: Math.floor(nowMs() / 1_000) + maxAgeSeconds,
    };
    const sealed = seal(settings.secret, ENTRY_SEAL, pass);
    context.setCookie(ENTRY_COOKIE, sealed, { maxAgeSeconds, httpOnly: true });
  };
  return { policyOf, changesAt, viewerOf, viewerNow, viewerIn, setEntryCookie, grant };
}
export type Gate = ReturnType<typeof createGate>;
