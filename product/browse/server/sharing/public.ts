import type { Caller, Scope } from '#platform/contract/context.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { UNKNOWN_REGION } from '#product/compliance/rules.ts';
import type { ComplianceService, Viewer } from '#product/compliance/server.ts';
import type { SiteView } from '#product/site/contract.ts';
import type { DirectoryEntry } from '../../rules/listing/entry.ts';
import type { Browsing } from '../dependencies.ts';
import type { Sees } from '../directory/directory.ts';

const NOBODY: Caller = { kind: 'guest', personId: null, sessionId: null, username: null, roles: ['guest'] };

/**
 * Programs that read for unknown people: crawlers, feed readers, calendars. In an unknown region performers
 * who block any region are hidden, so the answers may be shown anywhere.
 */
const PROGRAM: Viewer = { caller: NOBODY, region: UNKNOWN_REGION, gate: 'open' };

/** Performers who may be shown to everybody everywhere. */
export function publicSees(compliance: Pick<ComplianceService, 'seesOf'>): Sees {
  const sees = compliance.seesOf(PROGRAM);
  return ({ id, state }) => sees(id, state);
}

/** Performers who may be shown in a region to people who passed its gate; none in a closed region. */
export function regionSees(
  compliance: Pick<ComplianceService, 'seesOf' | 'policyOf'>,
  scope: Scope,
  region: string | undefined,
): Sees {
  if (region === undefined) return publicSees(compliance);
  if (compliance.policyOf(scope, region).rule === 'blocked') return () => false;
  const sees = compliance.seesOf({ caller: NOBODY, region, gate: 'open' });
  return ({ id, state }) => sees(id, state);
}

/** A performer who may be shown to everybody; queries the database, so that the latest changes count. */
export async function publicEntry(
  { data, compliance, directoryOf }: Browsing,
  scope: Scope,
  username: string,
): Promise<DirectoryEntry | null> {
  const entry = (await directoryOf(scope.operatorId)).named(normalizeUsername(username));
  if (!entry) return null;
  const isShown = await data.tx(scope, (tx) => compliance.mayPerceive(tx, PROGRAM, entry.id, 'feed'));
  return isShown ? entry : null;
}

/** The address of a path on the main site. */
export const addressOf = ({ main_domain_url: origin }: SiteView, path: string): string =>
  `${origin.replace(/\/$/u, '')}${path}`;

/** How long a cache may store an answer for everybody. */
export const cachedFor = (seconds: number): Record<string, string> => ({
  'cache-control': `public, max-age=${seconds}`,
});
