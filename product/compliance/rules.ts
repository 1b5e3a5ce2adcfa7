import { REGION_CODE } from '../../platform/text/codes.ts';
import { mayUse } from '../accounts/rules/permissions.ts';
import type { GateState } from './contract.ts';

/** What a region asks before anything of a performer is shown, mildest first. */
export const REGION_RULES = ['declare', 'verify', 'blocked'] as const;
export type RegionRule = (typeof REGION_RULES)[number];

/** One dated row of `region-policies.json`: the law of a place from a day on, until a later row of it. */
export interface RegionPolicy {
  /** `*`, a country `US`, a subdivision `US-FL` (ISO 3166-2), or the named place `demo`. */
  readonly region: string;
  /** First day in force, `YYYY-MM-DD`. */
  readonly from: string;
  readonly rule: RegionRule;
  /** In full years. */
  readonly minimumAge: number;
  /** Ways of proving an age that the place accepts, in the order they are offered; empty unless `verify`. */
  readonly methods: readonly string[];
  /** The law or guidance the row stands on. */
  readonly source: string;
}

/** Ways of proving an age that a policy row may name. */
const VERIFICATION_METHODS = [
  'credit_card', 'id_document', 'face_estimation', 'digital_id', 'mobile_operator', 'email_estimation',
] as const;

/** The place demo visitors on loopback are put in. */
export const DEMO_REGION = 'demo';
/** What a request is placed in when nothing says where it comes from. */
export const UNKNOWN_REGION = 'unknown';
/** `GEO_FALLBACK`: unknown places get the strictest rule in force. Else the place they count as. */
export const STRICT_FALLBACK = 'strict';

/** A declaration is asked again after a month: a shared machine may have changed hands. */
export const ENTRY_DAYS = 30;
/** Identity documents and consent of a performer are examined again every year. */
export const CLEARANCE_DAYS = 365;
/** Lines of the clearance desk on one page. */
export const CLEARANCES_PER_PAGE = 50;
/** Every country and every state of one federation fit; a longer list is a mistake or an attack. */
export const MAX_BLOCKED_REGIONS = 400;
/** One listing asks about everybody live at once; more is asked in pages. */
export const MAX_PERCEIVED = 10_000;

/** Codes geo services send for "nowhere": user-assigned in ISO 3166-1, or anonymous networks. */
const NOWHERE: readonly string[] = ['XX', 'ZZ', 'T1', 'A1', 'A2', 'O1'];

/** A header's value as a region: `us-fl` is `US-FL`; what is no place is {@link UNKNOWN_REGION}. */
export function normalizeRegion(value: string | null | undefined): string {
  const region = (value ?? '').trim().slice(0, 16).toUpperCase();
  if (region.toLowerCase() === DEMO_REGION) return DEMO_REGION;
  return REGION_CODE.test(region) && !NOWHERE.includes(region.slice(0, 2)) ? region : UNKNOWN_REGION;
}

const severity = ({ rule, minimumAge }: RegionPolicy): number =>
  REGION_RULES.indexOf(rule) * 1_000 + minimumAge;

/** The strictest of some rows; of equal ones the first by name, so that their order never matters. */
function strictest(policies: readonly RegionPolicy[]): RegionPolicy {
  const [first] = [...policies].sort((a, b) => severity(b) - severity(a) || (a.region < b.region ? -1 : 1));
  if (!first) throw new Error('the region table is empty');
  return first;
}

/**
 * The row that governs a region on a day (`YYYY-MM-DD`). The most specific place wins, `US-FL` over `US` over
 * `*`, and of one place its newest row in force. An unknown place gets the strictest rule in force anywhere,
 * and a country whose state is unknown the strictest of its states, unless `fallback` names the place that it
 * counts as (readings.md "Age, cards, law"). Throws when the table has no `*` row in force.
 */
export function policyFor(
  region: string, date: string, table: readonly RegionPolicy[], fallback: string = STRICT_FALLBACK,
): RegionPolicy {
  const inForce = new Map<string, RegionPolicy>();
  for (const row of table) {
    const known = inForce.get(row.region);
    if (row.from <= date && (!known || known.from <= row.from)) inForce.set(row.region, row);
  }
  const everywhere = inForce.get('*');
  if (!everywhere) throw new Error(`the region table has no row for * on ${date}`);
  const exact = (place: string): RegionPolicy =>
    inForce.get(place) ?? inForce.get(place.split('-')[0] ?? place) ?? everywhere;

  const strict = fallback === STRICT_FALLBACK;
  if (region === UNKNOWN_REGION) return strict ? strictest([...inForce.values()]) : exact(fallback);
  if (region.includes('-') || !strict) return exact(region);
  const states = [...inForce.values()].filter((row) => row.region.startsWith(`${region}-`));
  return strictest([exact(region), ...states]);
}

/** What a browser proved at the entry gate, as its signed cookie says. */
export interface EntryPass {
  readonly siteId: number;
  /** Region of the policy row it was given for. */
  readonly region: string;
  readonly minimumAge: number;
  /** The rule it satisfies. */
  readonly rule: RegionRule;
  /** Seconds since 1970. */
  readonly expires: number;
}

/** Reads an opened cookie; null when it has not the shape of a pass. */
export function readEntryPass(opened: unknown): EntryPass | null {
  const pass = opened as Partial<EntryPass> | null;
  const whole = [pass?.siteId, pass?.minimumAge, pass?.expires].every(Number.isSafeInteger);
  if (!pass || !whole || typeof pass.region !== 'string') return null;
  return pass.rule !== undefined && REGION_RULES.includes(pass.rule) ? (pass as EntryPass) : null;
}

/** Whether a pass opens the gate of a policy: same site, same region, old enough, as strict, not expired. */
function passCovers(pass: EntryPass, policy: RegionPolicy, siteId: number, now: Date): boolean {
  return (
    pass.siteId === siteId
    && pass.region === policy.region
    && pass.minimumAge >= policy.minimumAge
    && REGION_RULES.indexOf(pass.rule) >= REGION_RULES.indexOf(policy.rule)
    && pass.expires * 1_000 > now.getTime()
  );
}

/** State of the entry gate for a browser in a region. Nothing opens a blocked region. */
export function gateFor(policy: RegionPolicy, pass: EntryPass | null, siteId: number, now: Date): GateState {
  if (policy.rule === 'blocked') return 'blocked';
  return pass && passCovers(pass, policy, siteId, now) ? 'open' : policy.rule;
}

/** What the visibility rule knows of a performer. */
export interface PerformerStanding {
  /** An account of type model exists and is not suspended. */
  readonly active: boolean;
  readonly cleared: boolean;
  readonly blockedRegions: readonly string[];
}

/** Whether a performer's blocked regions hide her from a region. When it cannot be told, she is hidden: her
 * wish not to be seen at home outweighs one visitor whose place is not known well enough. */
export function hiddenInRegion(blocked: readonly string[], region: string): boolean {
  if (region === UNKNOWN_REGION) return blocked.length > 0;
  return blocked.some(
    (place) => place === region || region.startsWith(`${place}-`) || place.startsWith(`${region}-`),
  );
}

/**
 * The one visibility rule: the gate is open, and the performer is active, cleared and not hidden in the
 * region. A performer always perceives herself, and admins everyone.
 */
export function perceives(
  viewer: { gate: GateState; region: string; personId: number | null; roles: readonly string[] },
  performerId: number,
  standing: PerformerStanding,
): boolean {
  if (viewer.personId === performerId || mayUse('admin', viewer.roles)) return true;
  return (
    viewer.gate === 'open' && standing.active && standing.cleared
    && !hiddenInRegion(standing.blockedRegions, viewer.region)
  );
}

/**
 * What of a viewer counts in {@link perceives}: viewers with the same likeness perceive the same of a
 * performer, so that one answer does for all of them.
 */
export function likeness(
  viewer: { gate: GateState; region: string; personId: number | null; roles: readonly string[] },
  performerId: number,
): string {
  if (viewer.personId === performerId || mayUse('admin', viewer.roles)) return 'everything';
  return `${viewer.gate} ${viewer.region}`;
}

/** What is wrong with a list of regions to block, or null. */
export function invalidBlockList(regions: readonly string[]): string | null {
  if (regions.length > MAX_BLOCKED_REGIONS) return `more than ${MAX_BLOCKED_REGIONS} regions`;
  const wrong = regions.find((region) => !REGION_CODE.test(region));
  return wrong === undefined ? null : `"${wrong}" is not a country or subdivision`;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const isMethod = (method: string): boolean => (VERIFICATION_METHODS as readonly string[]).includes(method);

/** What is wrong with a region table, one sentence each; checked when a site starts. */
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
      [row.source.length < 8, 'names no source'],
      [seen.has(key), 'stands twice'],
    ] as const;
    seen.add(key);
    return faults.filter(([wrong]) => wrong).map(([, fault]) => `${key} ${fault}`);
  });
}

