import { DAY_MS } from '#platform/time/units.ts';
import { dayStartsAt } from '#platform/time/zones.ts';
import {
  LIVENESS_LEVELS,
  REGION_RULES,
  STRICT_FALLBACK,
  UNKNOWN_REGION,
  type RegionPolicy,
} from '../rules.ts';
import { zoneOf } from './zones.ts';

/** What a network that hides people's places (VPN, proxy, Tor) gets in a place, mildest first. */
export const VPN_CLASSES = ['as_place', 'strictest', 'refused'] as const;
export type VpnClass = (typeof VPN_CLASSES)[number];

/** A row of `region-policies.json`. */
export interface SeedPolicy extends RegionPolicy {
  /** Last day in force, `YYYY-MM-DD`; absent for good. */
  readonly until?: string;
  /** Of the time zone database; absent for the place's own. */
  readonly timeZone?: string;
  readonly vpnClass?: VpnClass;
  /** Counsel has confirmed the row. */
  readonly confirmed?: boolean;
}

/** A row that can be in force: a seed, or one that two people of the operator agreed on. */
export interface PolicyRow extends RegionPolicy {
  /** Null for a seed. */
  readonly id: number | null;
  /** Last day in force, `YYYY-MM-DD`; null for good. */
  readonly until: string | null;
  /** In which its days begin and end. */
  readonly timeZone: string;
  readonly vpnClass: VpnClass;
  /** What the entry gate shows, by language; empty for nothing. */
  readonly texts: Readonly<Record<string, string>>;
  readonly isConfirmed: boolean;
}

export const rowOfSeed = (seed: SeedPolicy): PolicyRow => ({
  ...seed,
  id: null,
  until: seed.until ?? null,
  timeZone: seed.timeZone ?? zoneOf(seed.region),
  vpnClass: seed.vpnClass ?? 'as_place',
  texts: {},
  isConfirmed: seed.confirmed === true,
});

/** The instants from which and until which a row is in force, in milliseconds since 1970. */
export function spanOf({ from, until, timeZone }: Pick<PolicyRow, 'from' | 'until' | 'timeZone'>) {
  const startsAt = dayStartsAt(from, timeZone);
  if (until === null) return { startsAt, endsAt: Number.POSITIVE_INFINITY };
  const dayAfter = new Date(Date.parse(`${until}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  return { startsAt, endsAt: dayStartsAt(dayAfter, timeZone) };
}

/** A place behind a network that hides it: `vpn:DE` is where such a network ends. */
const VPN_PREFIX = 'vpn:';
export const throughVpn = (region: string): string => `${VPN_PREFIX}${region}`;
/** The place that a request seems to come from, through whatever network. */
export const seemingPlace = (region: string): string =>
  region.startsWith(VPN_PREFIX) ? region.slice(VPN_PREFIX.length) : region;
/** Regions of requests through such a network where the place's policy is not for them. */
const STRICTEST_REGION = 'strictest';
const REFUSED_REGION = 'refused';

/** Days for which a proof counts, for comparing policies: 0 for one visit, infinite until it is withdrawn. */
export const proofDays = ({ proofLasts }: Pick<RegionPolicy, 'proofLasts'>): number =>
  proofLasts === 'session' ? 0 : proofLasts === 'good' ? Number.POSITIVE_INFINITY : proofLasts;

/** How strict a row is, compared from the left. */
function severity(policy: RegionPolicy): number[] {
  const { rule, minimumAge, anonymous, liveness, methods } = policy;
  return [
    REGION_RULES.indexOf(rule),
    minimumAge,
    ...(rule === 'verify'
      ? [Number(anonymous), -proofDays(policy), LIVENESS_LEVELS.indexOf(liveness), -methods.length]
      : []),
  ];
}

/** Below 0 where `a` is milder than `b`, above 0 where it is stricter. */
export function compareSeverity(a: RegionPolicy, b: RegionPolicy): number {
  const [ofA, ofB] = [severity(a), severity(b)];
  for (let at = 0; at < Math.max(ofA.length, ofB.length); at += 1) {
    const [one = 0, other = 0] = [ofA[at], ofB[at]];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

/**
 * The strictest of some rows; of equally strict ones the first by name, so that their order does not matter.
 */
function strictest<Row extends RegionPolicy>(policies: readonly Row[]): Row {
  const [first] = [...policies].sort((a, b) => compareSeverity(b, a) || (a.region < b.region ? -1 : 1));
  if (!first) throw new Error('the region table is empty');
  return first;
}

/** Why a row decides for a region. */
export const DECIDING_REASONS = [
  'own',
  'country',
  'everywhere',
  'strictest_state',
  'unknown',
  'fallback',
  'vpn_strictest',
  'vpn_refused',
] as const;
export type DecidingReason = (typeof DECIDING_REASONS)[number];

/** The row that decides for a region at a moment. */
export interface Deciding {
  readonly row: PolicyRow;
  readonly why: DecidingReason;
}

interface Span {
  readonly row: PolicyRow;
  readonly startsAt: number;
  readonly endsAt: number;
}

/** The rows in force from one of their beginnings or ends to the next. */
interface Period {
  readonly from: number;
  readonly until: number;
  readonly rows: ReadonlyMap<string, PolicyRow>;
}

/** A moment at which rows begin or end. */
export interface Boundary {
  readonly at: number;
  readonly regions: readonly string[];
}

/**
 * The policies of an operator by time. A place's own rows win over its seeds from their day on; of several
 * rows in force the newest counts. Days begin in the time zone of the row.
 */
export class PolicyTable {
  readonly #seeds: readonly Span[];
  readonly #own: readonly Span[];
  readonly #fallback: string;
  #period: Period | null = null;

  constructor(
    seeds: readonly PolicyRow[],
    own: readonly PolicyRow[] = [],
    fallback: string = STRICT_FALLBACK,
  ) {
    const spans = (rows: readonly PolicyRow[]): Span[] =>
      rows.map((row) => ({ row, ...spanOf(row) })).sort((a, b) => a.startsAt - b.startsAt);
    this.#seeds = spans(seeds);
    this.#own = spans(own);
    this.#fallback = fallback;
  }

  /** The rows in force at a moment, by place. */
  inForce(atMs: number): ReadonlyMap<string, PolicyRow> {
    const known = this.#period;
    if (known && known.from <= atMs && atMs < known.until) return known.rows;
    const rows = new Map<string, PolicyRow>();
    let [from, until] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const { row, startsAt, endsAt } of [...this.#seeds, ...this.#own]) {
      for (const edge of [startsAt, endsAt]) {
        if (edge <= atMs) from = Math.max(from, edge);
        else until = Math.min(until, edge);
      }
      if (startsAt <= atMs && atMs < endsAt) rows.set(row.region, row);
    }
    this.#period = { from, until, rows };
    return rows;
  }

  /** When the rows in force change next, in milliseconds since 1970; infinite for never. */
  changesAt(atMs: number): number {
    this.inForce(atMs);
    return this.#period?.until ?? Number.POSITIVE_INFINITY;
  }

  /** Every moment after `atMs` at which rows begin or end, soonest first. */
  boundariesAfter(atMs: number): readonly Boundary[] {
    const found = new Map<number, Set<string>>();
    for (const { row: { region }, startsAt, endsAt } of [...this.#seeds, ...this.#own]) {
      for (const at of [startsAt, endsAt]) {
        if (at > atMs && Number.isFinite(at)) found.set(at, (found.get(at) ?? new Set()).add(region));
      }
    }
    return [...found].map(([at, regions]) => ({ at, regions: [...regions].sort() })).sort((a, b) =>
      a.at - b.at
    );
  }

  /** Rows that begin after `atMs`, soonest first. */
  beginningAfter(atMs: number): readonly PolicyRow[] {
    return [...this.#seeds, ...this.#own].filter(({ startsAt }) => startsAt > atMs)
      .sort((a, b) => a.startsAt - b.startsAt || (a.row.region < b.row.region ? -1 : 1)).map(({ row }) =>
        row
      );
  }

  /** The seeds of a place, newest first. */
  seedsOf(region: string): readonly PolicyRow[] {
    return this.#seeds.filter(({ row }) => row.region === region).map(({ row }) => row).toReversed();
  }

  /**
   * The row that governs a region. The most specific place wins, `US-FL` over `US` over `*`. An unknown
   * place gets the strictest row in force anywhere, and a country with an unknown state the strictest of
   * its states, unless the fallback names the region that counts instead (readings.md "Age, cards, law").
   * Throws when no row is in force everywhere.
   */
  decide(region: string, atMs: number): Deciding {
    const place = seemingPlace(region);
    if (place === region) return this.#decide(region, atMs);
    const decided = this.#decide(place, atMs);
    const { vpnClass } = decided.row;
    if (vpnClass === 'as_place') return decided;
    return this.#decide(vpnClass === 'strictest' ? STRICTEST_REGION : REFUSED_REGION, atMs);
  }

  /** The region that counts for a request: its place, or what the place's class makes of a hidden one. */
  regionOf(region: string, atMs: number): string {
    const place = seemingPlace(region);
    if (place === region) return region;
    const { vpnClass } = this.#decide(place, atMs).row;
    if (vpnClass === 'as_place') return place;
    return vpnClass === 'strictest' ? STRICTEST_REGION : REFUSED_REGION;
  }

  #decide(region: string, atMs: number): Deciding {
    const rows = this.inForce(atMs);
    const everywhere = rows.get('*');
    if (!everywhere) throw new Error(`the region table has no row for * at ${new Date(atMs).toISOString()}`);
    const exact = (place: string): Deciding => {
      const own = rows.get(place);
      if (own) return { row: own, why: place === '*' ? 'everywhere' : 'own' };
      const country = rows.get(place.split('-')[0] ?? place);
      return country ? { row: country, why: 'country' } : { row: everywhere, why: 'everywhere' };
    };
    const isStrict = this.#fallback === STRICT_FALLBACK;
    const all = (): PolicyRow => strictest([...rows.values()]);
    if (region === STRICTEST_REGION) return { row: all(), why: 'vpn_strictest' };
    if (region === REFUSED_REGION) {
      return { row: { ...everywhere, region, rule: 'blocked', methods: [] }, why: 'vpn_refused' };
    }
    if (region === UNKNOWN_REGION) {
      return isStrict ? { row: all(), why: 'unknown' } : { ...exact(this.#fallback), why: 'fallback' };
    }
    const decided = exact(region);
    if (region.includes('-') || !isStrict) return decided;
    const states = [...rows.values()].filter((row) => row.region.startsWith(`${region}-`));
    const row = strictest([decided.row, ...states]);
    return row === decided.row ? decided : { row, why: 'strictest_state' };
  }
}
