import { isTimeZone } from '#platform/time/zones.ts';
import { isCountry, isSubdivision } from '#product/site/rules/places.ts';
import { LIVENESS_LEVELS, REGION_RULES, type RegionPolicy } from '../rules.ts';
import { proofDays, spanOf, VPN_CLASSES, type PolicyRow } from './policy-table.ts';

/** States of a row that people of an operator proposed. */
export const POLICY_STATES = ['proposed', 'approved', 'rejected', 'withdrawn'] as const;
export type PolicyState = (typeof POLICY_STATES)[number];

/** Nobody is 100 by law; a larger number is a mistake. */
export const MAX_MINIMUM_AGE = 99;
export const MIN_SOURCE_LENGTH = 8;
export const MAX_SOURCE_LENGTH = 500;
export const MAX_NOTE_LENGTH = 1_000;
/** A warning that a law prescribes is a few sentences; six languages of it fit into one request. */
export const MAX_TEXT_LENGTH = 500;
/** More proposals than these wait only where nobody decides. */
export const MAX_WAITING_POLICIES = 100;
/** Rows on one page of a place's history. */
export const POLICIES_PER_PAGE = 20;
/** Beginnings of the next years that the page shows; laws are passed months ahead. */
export const MAX_NEXT_POLICIES = 50;

/** Why a proposed row cannot be; each is a refusal of its own, at its field of the form. */
export type ProposalFault = 'place' | 'zone' | 'days' | 'over' | 'past' | 'methods';

/** Everywhere, a country, or a state that the lists of places have. */
export const isPolicyPlace = (region: string): boolean =>
  region === '*' || isCountry(region) || isSubdivision(region);

/** Whether a proof may be less in any one respect. */
const acceptsLess = (row: RegionPolicy, than: RegionPolicy): boolean =>
  (than.anonymous && !row.anonymous)
  || proofDays(row) > proofDays(than)
  || LIVENESS_LEVELS.indexOf(row.liveness) < LIVENESS_LEVELS.indexOf(than.liveness)
  || row.methods.some((method) => !than.methods.includes(method));

/** Whether somebody meets less under one policy than under another, in any one respect. */
export const isLaxer = (
  row: RegionPolicy & Pick<PolicyRow, 'vpnClass'>,
  than: RegionPolicy & Pick<PolicyRow, 'vpnClass'>,
): boolean =>
  REGION_RULES.indexOf(row.rule) < REGION_RULES.indexOf(than.rule)
  || row.minimumAge < than.minimumAge
  || VPN_CLASSES.indexOf(row.vpnClass) < VPN_CLASSES.indexOf(than.vpnClass)
  || (row.rule === 'verify' && than.rule === 'verify' && acceptsLess(row, than));

/**
 * The first fault of a row that is to be in force, or null.
 * @param current what decides for its place now; null where the place is unknown
 * @param todayThere the day at the place, `YYYY-MM-DD`
 */
export function faultOfProposal(
  row: PolicyRow,
  current: PolicyRow | null,
  todayThere: (timeZone: string) => string,
  nowMs: number,
): ProposalFault | null {
  if (!isPolicyPlace(row.region) || current === null) return 'place';
  if (!isTimeZone(row.timeZone)) return 'zone';
  if (row.until !== null && row.until < row.from) return 'days';
  if (spanOf(row).endsAt <= nowMs) return 'over';
  // What is asked for in addition may begin at once, whatever its day; what is asked for no more was asked
  // for until somebody approves it.
  if (row.from < todayThere(row.timeZone) && isLaxer(row, current)) return 'past';
  return (row.rule === 'verify') === row.methods.length > 0 ? null : 'methods';
}
