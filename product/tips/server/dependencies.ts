import type { CallContext } from '#platform/contract/context.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import type { TextOf } from '#platform/text/message-keys.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import type { AccountsService, Person } from '#product/accounts/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import type { LedgerService } from '#product/ledger/server.ts';
import type { RoomsService } from '#product/rooms/server.ts';
import { DEFAULT_LOCALE, isLocale } from '#product/site/rules.ts';
import type { SiteService } from '#product/site/server.ts';

export interface TipsDependencies {
  readonly data: Data;
  readonly site: SiteService;
  readonly accounts: AccountsService;
  readonly ledger: LedgerService;
  readonly compliance: ComplianceService;
  readonly rooms: RoomsService;
  readonly text: TextOf;
  /** Whole percent of a tip that the performer earns; by default `PERFORMER_SHARE_PERCENT`. */
  readonly performerSharePercent?: number;
}

/**
 * The performer of a call. Refused with `gate` before the entry gate, whoever is named; with `missing`
 * without a name; with `unknown` for people who are not performers or may not be seen, all alike.
 */
export async function performerFor(
  { accounts, compliance }: Pick<TipsDependencies, 'accounts' | 'compliance'>,
  tx: Tx,
  context: CallContext,
  name: string,
): Promise<Person | 'gate' | 'missing' | 'unknown'> {
  const viewer = compliance.viewerOf(context);
  if (viewer.gate !== 'open') return 'gate';
  const username = normalizeUsername(name);
  if (username === '') return 'missing';
  const person = await accounts.findByUsername(tx, username);
  const isThere = person?.type === 'model'
    && (await compliance.mayPerceive(tx, viewer, person.id, 'room'));
  return isThere ? person : 'unknown';
}

/** Language of messages in a room: the first of its performer's languages that the site has. */
export const localeOf = ({ languages }: Pick<Person, 'languages'>): string =>
  languages.find((language) => isLocale(language)) ?? DEFAULT_LOCALE;

/**
 * Which side of a tip last logged in from a country where tipping is disabled; null for neither (spec 1 §4).
 */
export async function geoBlock(
  site: SiteService,
  tx: Tx,
  sender: Pick<Person, 'lastLoginCountry'>,
  receiver: Pick<Person, 'lastLoginCountry'>,
): Promise<'sender' | 'receiver' | null> {
  const { tipBlockedCountries: blocked } = await site.settingsIn(tx);
  const isBlocked = ({ lastLoginCountry: country }: Pick<Person, 'lastLoginCountry'>): boolean =>
    country !== null && blocked.includes(country);
  if (isBlocked(sender)) return 'sender';
  return isBlocked(receiver) ? 'receiver' : null;
}
