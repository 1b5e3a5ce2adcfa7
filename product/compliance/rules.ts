import { REGION_CODE } from '#platform/text/codes.ts';
import { mayUse } from '#product/accounts/rules/permissions.ts';

/** States of the entry gate, most permissive first. */
export const GATE_STATES = ['open', 'declare', 'verify', 'blocked'] as const;
export type GateState = (typeof GATE_STATES)[number];

/** What a region requires before anything about a performer is shown, mildest first. */
export const REGION_RULES = ['declare', 'verify', 'blocked'] as const;
export type RegionRule = (typeof REGION_RULES)[number];

/**
 * What the law of a place asks for from a day on, until a later row of the same place.
 */
export interface RegionPolicy {
  /** `*`, a country `US`, a subdivision `US-FL` (ISO 3166-2), or the named place `demo`. */
  readonly region: string;
  /** First day in force, `YYYY-MM-DD`. */
  readonly from: string;
  readonly rule: RegionRule;
  /** In full years. */
  readonly minimumAge: number;
  /** Methods of age verification that the place accepts, in the order offered; empty unless `verify`. */
  readonly methods: readonly VerificationMethod[];
  /** The least protection against pictures of other people that a method with a face needs. */
  readonly liveness: Liveness;
  /** How long a proof counts: one visit, so many days, or until it is withdrawn. */
  readonly proofLasts: ProofLasts;
  /** The provider must not learn the site, nor the site the person (double anonymity). */
  readonly anonymous: boolean;
  /** The law or guidance the row is based on. */
  readonly source: string;
}

/** Methods of age verification that a policy row may name. */
export const VERIFICATION_METHODS = [
  'credit_card',
  'id_document',
  'face_estimation',
  'digital_id',
  'mobile_operator',
  'email_estimation',
] as const;
export type VerificationMethod = (typeof VERIFICATION_METHODS)[number];

/** Protection of a check with a face against pictures and recordings of other people, weakest first. */
export const LIVENESS_LEVELS = ['none', 'passive', 'active'] as const;
export type Liveness = (typeof LIVENESS_LEVELS)[number];
/** Methods that look at a face. */
const FACE_METHODS: readonly VerificationMethod[] = ['id_document', 'face_estimation'];

export type ProofLasts = 'session' | 'good' | number;
/** A proof for one visit counts at most so long, for browsers that never end a session. */
const VISIT_HOURS = 24;
/** Browsers drop cookies after about 400 days; a proof that counts until it is withdrawn is renewed then. */
export const GOOD_DAYS = 400;

/** What is known of a proof of age: never a document, a picture or a birth date. */
export interface ProofOfAge {
  readonly method: VerificationMethod;
  readonly liveness: Liveness;
  /** Neither the provider learned the site, nor the site the person. */
  readonly isAnonymous: boolean;
  /** In full years: the person is at least so old. */
  readonly minimumAge: number;
  readonly provedAt: Date;
}

/** A proof of a person, in whatever browser. */
export interface PersonProof extends ProofOfAge {
  /** Given for one visit. */
  readonly isVisit: boolean;
}

/** The last decision about a performer, or about somebody who handed in documents. */
export type PerformerStatus = 'pending' | 'cleared' | 'revoked';

/** The region of loopback requests in demo mode. */
export const DEMO_REGION = 'demo';
/** The region of a request whose origin is unknown. */
export const UNKNOWN_REGION = 'unknown';
/**
 * The value of `GEO_FALLBACK` that gives unknown places the strictest rule in force. Any other value is the
 * region they count as.
 */
export const STRICT_FALLBACK = 'strict';

/** A declaration expires after a month, because others may use the same device. */
export const ENTRY_DAYS = 30;
/** Identity documents and consent of a performer are checked again every year. */
export const CLEARANCE_DAYS = 365;
/** Rows on one page of clearances. */
export const CLEARANCES_PER_PAGE = 50;
/** Enough for every country and the states of one federation; a longer list is a mistake or an attack. */
export const MAX_BLOCKED_REGIONS = 400;
/** One listing checks every live performer; larger sets are checked in pages. */
export const MAX_PERCEIVED = 10_000;

/**
 * Codes that geo services send where they know no place: user-assigned in ISO 3166-1, or anonymous networks.
 */
const NOWHERE: readonly string[] = ['XX', 'ZZ', 'T1', 'A1', 'A2', 'O1'];
/** Those of them that mean Tor, or an anonymous proxy. */
const HIDING: readonly string[] = ['T1', 'A1'];

/** Whether a header's value says that the request comes over a network which hides its place. */
export const hidesPlace = (value: string | null): boolean =>
  HIDING.includes((value ?? '').trim().toUpperCase());

/**
 * A header's value as a region: `us-fl` becomes `US-FL`; anything that is no place becomes {@link
 * UNKNOWN_REGION}.
 */
export function normalizeRegion(value: string | null | undefined): string {
  const region = (value ?? '').trim().slice(0, 16).toUpperCase();
  if (region.toLowerCase() === DEMO_REGION) return DEMO_REGION;
  return REGION_CODE.test(region) && !NOWHERE.includes(region.slice(0, 2)) ? region : UNKNOWN_REGION;
}

/** What a browser proved at the entry gate; stored in its sealed cookie. */
export interface EntryPass {
  readonly siteId: number;
  /** Region of the policy row it was issued for. */
  readonly region: string;
  readonly minimumAge: number;
  /** The rule it satisfies. */
  readonly rule: RegionRule;
  /** Seconds since 1970. */
  readonly expires: number;
  /** Only for the rule `verify`. */
  readonly proof?: PassProof;
}

/** The proof in a pass. */
export interface PassProof {
  readonly method: VerificationMethod;
  readonly liveness: Liveness;
  readonly isAnonymous: boolean;
  /** Seconds since 1970. */
  readonly provedAt: number;
  /** Given for one visit. */
  readonly isVisit: boolean;
}

/** Reads an unsealed cookie; null if it is no valid pass. */
export function readEntryPass(opened: unknown): EntryPass | null {
  const pass = opened as Partial<EntryPass> | null;
  const whole = [pass?.siteId, pass?.minimumAge, pass?.expires].every(Number.isSafeInteger);
  if (!pass || !whole || typeof pass.region !== 'string') return null;
  const isKnown = pass.rule !== undefined && REGION_RULES.includes(pass.rule);
  return isKnown && (pass.rule === 'verify') === (pass.proof !== undefined) ? (pass as EntryPass) : null;
}

/** Seconds for which a proof counts under a policy, from the moment it was given. */
export const proofSeconds = ({ proofLasts }: Pick<RegionPolicy, 'proofLasts'>): number =>
  proofLasts === 'session' ? VISIT_HOURS * 3_600 : (proofLasts === 'good' ? GOOD_DAYS : proofLasts) * 86_400;

/** Whether a policy accepts a proof, apart from how long ago it was given. */
export const acceptsProof = (
  policy: RegionPolicy,
  proof: Pick<PassProof, 'method' | 'liveness' | 'isAnonymous'>,
): boolean =>
  policy.methods.includes(proof.method)
  && (proof.isAnonymous || !policy.anonymous)
  && (!FACE_METHODS.includes(proof.method)
    || LIVENESS_LEVELS.indexOf(proof.liveness) >= LIVENESS_LEVELS.indexOf(policy.liveness));

/** Whether a proof in a pass still counts under a policy, wherever it was given. */
const proofCovers = (proof: PassProof | undefined, policy: RegionPolicy, now: Date): boolean =>
  proof !== undefined && acceptsProof(policy, proof)
  && (policy.proofLasts !== 'session' || proof.isVisit)
  && (proof.provedAt + proofSeconds(policy)) * 1_000 > now.getTime();

/**
 * Whether a pass opens the gate of a policy: same site, old enough, not expired, and either declared for the
 * same region, or with a proof that the policy accepts.
 */
function passCovers(pass: EntryPass, policy: RegionPolicy, siteId: number, now: Date): boolean {
  const isCurrent = pass.siteId === siteId && pass.minimumAge >= policy.minimumAge
    && pass.expires * 1_000 > now.getTime();
  if (!isCurrent) return false;
  if (policy.rule === 'verify') return proofCovers(pass.proof, policy, now);
  return policy.rule === 'declare' && (pass.region === policy.region || pass.proof !== undefined);
}

/**
 * State of the gate for a person, by what they have proved to the site in whatever browser. Used where no
 * browser is there to ask, as for the ticket of somebody who is away.
 */
export function gateOfPerson(policy: RegionPolicy, proofs: readonly PersonProof[], now: Date): GateState {
  if (policy.rule !== 'verify') return policy.rule === 'declare' ? 'open' : policy.rule;
  return proofs.some((proof) => provesAge(proof, policy, now)) ? 'open' : 'verify';
}

/** Whether a proof of a person counts under a policy now. */
export const provesAge = ({ provedAt, ...proof }: PersonProof, policy: RegionPolicy, now: Date): boolean =>
  proof.minimumAge >= policy.minimumAge
  && proofCovers({ ...proof, provedAt: provedAt.getTime() / 1_000 }, policy, now);

/** State of the entry gate for a browser in a region. No pass opens a blocked region. */
export function gateFor(policy: RegionPolicy, pass: EntryPass | null, siteId: number, now: Date): GateState {
  if (policy.rule === 'blocked') return 'blocked';
  return pass && passCovers(pass, policy, siteId, now) ? 'open' : policy.rule;
}

/** What the visibility rule reads about a performer. */
export interface PerformerState {
  /** Whether there is an account of type model that is not suspended. */
  readonly active: boolean;
  readonly cleared: boolean;
  /** Whether they have hidden themselves from everybody. */
  readonly isHidden: boolean;
  readonly blockedRegions: readonly string[];
}

/**
 * Whether a performer is hidden in a region. An unknown region counts as blocked if they block any: their
 * privacy at home outweighs one viewer whose region is unknown.
 */
export function hiddenInRegion(blocked: readonly string[], region: string): boolean {
  // Without a place: unknown, or behind a network that hides it.
  if (region !== DEMO_REGION && !REGION_CODE.test(region)) return blocked.length > 0;
  return blocked.some(
    (place) => place === region || region.startsWith(`${place}-`) || place.startsWith(`${region}-`),
  );
}

/**
 * The visibility rule: the gate is open, and the performer is active, cleared, not hidden by their own
 * choice, and does not block the region. Performers always see themselves, and admins see everyone.
 */
export function perceives(
  viewer: { gate: GateState; region: string; personId: number | null; roles: readonly string[] },
  performerId: number,
  performer: PerformerState,
): boolean {
  if (viewer.personId === performerId || mayUse('admin', viewer.roles)) return true;
  return (
    viewer.gate === 'open' && performer.active && performer.cleared && !performer.isHidden
    && !hiddenInRegion(performer.blockedRegions, viewer.region)
  );
}

/** Reasons that hide a performer from everybody in a region, whatever its gate. */
export const HIDDEN_REASONS = ['suspended', 'not_cleared', 'hidden', 'region_blocked'] as const;
export type HiddenReason = (typeof HIDDEN_REASONS)[number];

/** Why {@link perceives} is false for a guest in a region with an open gate; empty where it is true. */
export function whyHidden(performer: PerformerState, region: string): HiddenReason[] {
  const holds: Readonly<Record<HiddenReason, boolean>> = {
    suspended: !performer.active,
    not_cleared: !performer.cleared,
    hidden: performer.isHidden,
    region_blocked: hiddenInRegion(performer.blockedRegions, region),
  };
  return HIDDEN_REASONS.filter((reason) => holds[reason]);
}

/**
 * The properties of a viewer that {@link perceives} depends on. Viewers with the same key get the same result
 * for a performer, so one result can be cached for all of them.
 */
export function visibilityKey(
  viewer: { gate: GateState; region: string; personId: number | null; roles: readonly string[] },
  performerId: number,
): string {
  if (viewer.personId === performerId || mayUse('admin', viewer.roles)) return 'everything';
  return `${viewer.gate} ${viewer.region}`;
}

/** Why a list of regions to block is invalid, or null. */
export function invalidBlockList(regions: readonly string[]): string | null {
  if (regions.length > MAX_BLOCKED_REGIONS) return `more than ${MAX_BLOCKED_REGIONS} regions`;
  const wrong = regions.find((region) => !REGION_CODE.test(region));
  return wrong === undefined ? null : `"${wrong}" is not a country or subdivision`;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const isMethod = (method: string): boolean => (VERIFICATION_METHODS as readonly string[]).includes(method);
const lastsWell = (lasts: ProofLasts): boolean =>
  lasts === 'session' || lasts === 'good' || (Number.isInteger(lasts) && lasts >= 1 && lasts <= GOOD_DAYS);

/** Errors of a region table, one sentence each; checked when a site starts. */
export function faultsOfTable(table: readonly RegionPolicy[]): string[] {
  const seen = new Set<string>();
  return table.flatMap((row) => {
    const key = `${row.region} from ${row.from}`;
    const faults = [
      [row.region !== '*' && row.region !== DEMO_REGION && !REGION_CODE.test(row.region), 'is no place'],
      [!DAY.test(row.from), 'has no day'],
      [!REGION_RULES.includes(row.rule), 'has no known rule'],
      [!Number.isInteger(row.minimumAge) || row.minimumAge < 18, 'has a minimum age below 18'],
      [!row.methods.every(isMethod), 'names an unknown method'],
      [(row.rule === 'verify') !== row.methods.length > 0, 'does not have methods exactly when it verifies'],
      [!LIVENESS_LEVELS.includes(row.liveness), 'has no known level of liveness'],
      [!lastsWell(row.proofLasts), 'does not say how long a proof lasts'],
      [row.source.length < 8, 'names no source'],
      [seen.has(key), 'is there twice'],
    ] as const;
    seen.add(key);
    return faults.filter(([wrong]) => wrong).map(([, fault]) => `${key} ${fault}`);
  });
}
