import { handleCall, type CallHandler, type Slice } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { Scope } from '#platform/contract/context.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Blobs } from '#platform/data/blobs.ts';
import type { Data, OperatorScope, Tx } from '#platform/data/data.ts';
import type { HostPort, RequestFacts } from '#platform/http/host-port.ts';
import type { IdentityProvider } from '#platform/identities/identity-provider.ts';
import { getSiteConfig, reportSocketFailure, type Look, type SiteView } from './contract.ts';
import { changeOperatorRules, getOperatorRules, secondStepRuleChanged } from './contract/operator-rules.ts';
import { changeSeller, getSeller } from './contract/seller.ts';
import { changeSiteWords, getSiteWords } from './contract/site-words.ts';
import * as extensionPoints from './extension-points.ts';
import {
  chooseLocale,
  DEFAULT_LOCALE,
  DEFAULT_LOOK,
  DEFAULT_SCOPE,
  DEFAULT_SETTINGS,
  HOST_CACHE_MS,
  isDefaultHost,
  isLocale,
  LOCALE_COOKIE,
  LOCALES,
  MAX_CACHED_HOSTS,
  settingsErrors,
  yearWeek,
  type Company,
  type Locale,
  type Mode,
  type SiteSettings,
} from './rules.ts';
import { bannerHandlers, shownBanner } from './server/banner.ts';
import { BlobSweep, type SweepDependencies } from './server/blob-sweep.ts';
import { manifestHandler } from './server/manifest.ts';
import { redirectHandlers } from './server/redirects.ts';
import {
  demoSince,
  everyOperatorId,
  findHost,
  findSettings,
  findSite,
  insertOperator,
  insertSite,
  listHostOperators,
  mergeLook,
  mergeSettings,
  noteDemo,
  operatorName,
  siteNames,
  takeOperatorId,
  type NewSite,
  type SiteRow,
} from './store.ts';

export interface SiteService {
  /** Site of a host name (lower case, without port); null for an unknown name. */
  readonly resolveScope: HostPort['resolveScope'];
  /** The language of a request: `lang` of its document, its `locale` cookie, Accept-Language, English. */
  readonly localeOf: (request: RequestFacts) => Locale;
  /**
   * The site with its design, defaults filled in. Throws for a site that does not exist.
   * @param requested the origin of the current request, for absolute addresses
   */
  readonly viewOf: (scope: Scope, requested?: string) => Promise<SiteView>;
  /** The operator's rules for its sites, defaults filled in. */
  readonly settingsOf: (scope: OperatorScope) => Promise<SiteSettings>;
  /** The same within a unit of work. */
  readonly settingsIn: (tx: Tx) => Promise<SiteSettings>;
  /** Names of all the operator's sites, as shown. */
  readonly namesIn: (tx: Tx) => Promise<readonly string[]>;
  /** The name of the site, as shown, and those of all the operator's sites. */
  readonly namesOf: (scope: Scope) => Promise<{ readonly own: string; readonly all: readonly string[] }>;
  /** The seller, and the name people know the site by; the company's own for a site that is gone. */
  readonly sellerIn: (tx: Tx, siteId: number) => Promise<Company & { readonly brand: string }>;
  /** Changes the given settings and writes to the audit log; throws for wrong values. */
  readonly configure: (tx: Tx, settings: Partial<SiteSettings>, actorId: number | null) => Promise<void>;
  /** Sets a site's own names of listings, by the last part of their address. */
  readonly nameListings: (tx: Tx, siteId: number, names: Look['listing_names']) => Promise<void>;
  /**
   * The origin for links in the answer to a request: its host name, which belongs to the site, with scheme
   * and port as configured, since the caller controls the port of the request.
   */
  readonly linkOrigin: (requested: string) => string;
  /** Where a site is published, for links sent without a request. */
  readonly addressIn: (tx: Tx, siteId: number) => Promise<string>;
  /** Where people go after logging out, for sites with co-registration; else null. */
  readonly coRegistrationUrlOf: (scope: Scope) => Promise<string | null>;
  /** Ids of all operators: the default one, and those that have host names. */
  readonly operators: () => Promise<readonly number[]>;
  /** Marks the operator's data as a demo, in the unit of work that writes it. */
  readonly markDemo: (tx: Tx) => Promise<void>;
  /** Whether any operator holds demo data: production does not start on it. */
  readonly holdsDemo: () => Promise<boolean>;
  /** Creates an operator with its first site. */
  readonly addOperator: (name: string, site: NewSite) => Promise<Scope>;
  /** Adds a site to an operator. */
  readonly addSite: (operatorId: number, site: NewSite) => Promise<Scope>;
}

export type SiteSlice = Slice<SiteService>;

export interface SiteOptions {
  readonly data: Data;
  readonly extensions: Extensions;
  readonly blobs: Blobs;
  readonly mode: Mode;
  /** Version of the program, as in package.json. */
  readonly version: string;
  /** Where the installation is published, e.g. `https://cam.example`; null on a developer's machine. */
  readonly publicUrl: string | null;
  /** Where a developer's machine shows the site, with its port: for links sent without a request. */
  readonly localUrl: string;
  /** The identity providers for logging in at the site of a host name. */
  readonly identityProvidersAt: (host: string) => readonly Pick<IdentityProvider, 'name'>[];
  /** A page could not reach the sockets of a host for 10 s; null for a host that is not a site here. */
  readonly onSocketFailure: (host: string | null) => void;
  readonly onForeignBlobs: SweepDependencies['onForeignBlobs'];
}

/** Operators and their sites: which site a request belongs to, its design and its language. */
export function siteSlice(options: SiteOptions): SiteSlice {
  const { data, mode, version } = options;
  const addSite: SiteService['addSite'] = async (operatorId, site) => {
    const siteId = await data.tx({ operatorId }, (tx) => insertSite(tx, site));
    return { operatorId, siteId };
  };
  const operators = async (): Promise<readonly number[]> => {
    const listed = await data.tx(DEFAULT_SCOPE, listHostOperators);
    return [...new Set([DEFAULT_SCOPE.operatorId, ...listed])];
  };
  const service: SiteService = {
    resolveScope: hostResolver(options),
    localeOf: ({ cookie, headers, language }) => (language && isLocale(language)
      ? language
      : chooseLocale(cookie(LOCALE_COOKIE), headers['accept-language'] ?? null)),
    viewOf: (scope, origin) => viewOf(options, scope, origin),
    linkOrigin: (requested) => linkOrigin(options, requested),
    addressIn: async (tx, siteId) => addressOf(options, await findSite(tx, siteId), null),
    settingsOf: (scope) => data.tx(scope, settingsIn),
    settingsIn,
    namesIn: siteNames,
    namesOf: namesFrom(data),
    nameListings: (tx, siteId, names) => mergeLook(tx, siteId, { listing_names: names }),
    sellerIn: async (tx, siteId) => {
      const company = await companyIn(tx);
      return { ...company, brand: (await findSite(tx, siteId))?.display_name ?? company.name };
    },
    configure,
    coRegistrationUrlOf: async (scope) => (await rowOf(data, scope)).co_registration_url,
    addOperator: async (name, site) => {
      const operatorId = await data.tx(DEFAULT_SCOPE, takeOperatorId);
      await data.tx({ operatorId }, (tx) => insertOperator(tx, name));
      return addSite(operatorId, site);
    },
    addSite,
    operators,
    markDemo: noteDemo,
    holdsDemo: async () => holdsDemo(data, await operators()),
  };
  const callHandlers = [
    handleCall(getSiteConfig)(async (
      { id: advertId = null, custom_promo_test: promoTest = null },
      { scope, csrf, locale, region, origin },
    ) => {
      if (csrf === null) throw new Error('the host starts a session before this call');
      const now = data.clock.now();
      const asked = { advertId, promoTest };
      const [row, promoted] = await data.read(scope, (tx) =>
        Promise.all([
          rowIn(tx, scope.siteId),
          options.extensions.one(extensionPoints.promotions)(tx, region, asked),
        ]));
      return {
        version,
        csrf,
        mode,
        site: viewOfRow(options, row, origin),
        banner: shownBanner(row, now.getTime()),
        locale: isLocale(locale) ? locale : DEFAULT_LOCALE,
        locales: [...LOCALES],
        oauthAvailable: availableAt(options, origin),
        recaptchaPublicKey: null,
        time: { yearWeek: yearWeek(now), now: now.toISOString() },
        ...promoted,
      };
    }),
    handleCall(reportSocketFailure)(async ({ server }) => {
      const host = server.replace(PORT, '');
      // Only names of sites here are logged, never a caller's own text.
      options.onSocketFailure(await service.resolveScope(host) ? host : null);
      return { success: true as const };
    }),
    ...sellerHandlers(data),
    ...rulesHandlers(data),
    ...wordsHandlers(data),
    ...bannerHandlers(data),
    manifestHandler(service.viewOf),
    ...redirectHandlers({ data, settingsIn, linkOrigin: service.linkOrigin }),
  ];
  const sweep = new BlobSweep({
    ...options,
    operators: () => data.tx(DEFAULT_SCOPE, everyOperatorId),
  });
  return { name: 'site', service, extensionPoints, callHandlers, ...sweep.parts() };
}

/** The port of a host. */
const PORT = /:\d+$/;

async function settingsIn(tx: Tx): Promise<SiteSettings> {
  const own = await findSettings(tx);
  const faults = settingsErrors(own);
  if (faults.length > 0) {
    throw new Error(`settings of operator ${tx.operatorId} have wrong values: ${faults.join(', ')}`);
  }
  return { ...DEFAULT_SETTINGS, ...own };
}

/** The seller an admin set, else the operator's own name. */
async function companyIn(tx: Tx): Promise<Company> {
  const { seller } = await settingsIn(tx);
  return seller ?? { name: await operatorName(tx), address: '' };
}

const sellerHandlers = (data: Data): CallHandler[] => [
  handleCall(getSeller)((_input, { scope }) => data.tx(scope, companyIn)),
  handleCall(changeSeller)(({ reason, ...seller }, { scope, caller }) =>
    data.tx(scope, async (tx) => {
      const before = await companyIn(tx);
      await mergeSettings(tx, { seller });
      await tx.audit({
        action: changeSeller.name,
        actorId: caller.personId,
        subject: `operator:${tx.operatorId}`,
        reason,
        detail: {
          fields: (['name', 'address'] as const).filter((name) => before[name] !== seller[name]).map((
            name,
          ) => ({ name, before: JSON.stringify(before[name]), after: JSON.stringify(seller[name]) })),
        },
      });
      return companyIn(tx);
    })
  ),
];

const BYTES_PER_MB = 1_000_000;

type OperatorRules = OutputOf<typeof getOperatorRules>;

const rulesView = (settings: SiteSettings): OperatorRules => ({
  standby_domains: [...settings.standby.domains],
  standby_studios: [...settings.standby.studios],
  tip_blocked_countries: [...settings.tipBlockedCountries],
  recording_quota_mb: settings.recordingQuotaBytes === null
    ? null
    : Math.floor(settings.recordingQuotaBytes / BYTES_PER_MB),
  dreamcam_server: settings.dreamcamServer,
  b_frames: settings.bFrames,
  support_phone: settings.supportPhone,
  support_chat_for_all: settings.supportChatForAll,
  support_script: settings.supportScript,
  support_script_origins: [...settings.supportOrigins],
  redirect_hosts: [...settings.redirectHosts],
  refuse_disposable_emails: settings.refuseDisposableEmails,
  limit_mailboxes: settings.limitMailboxes,
  require_two_factor: settings.twoFactorSince !== null,
  consent_asked: settings.consentAsked,
});

/** The settings that a change of the rules sets; omitted ones stay. */
function changedSettings(
  rules: Partial<OperatorRules>,
  before: SiteSettings,
  now: Date,
): Partial<SiteSettings> {
  const { standby_domains: domains, standby_studios: studios } = rules;
  const { tip_blocked_countries: countries, recording_quota_mb: quotaMb, dreamcam_server: dreamcam } = rules;
  const { b_frames: bFrames, support_phone: phone, support_chat_for_all: isForAll } = rules;
  const { refuse_disposable_emails: refuseDisposableEmails, limit_mailboxes: limitMailboxes } = rules;
  const { require_two_factor: isRequired, consent_asked: consentAsked, support_script: script } = rules;
  const { support_script_origins: origins, redirect_hosts: redirectHosts } = rules;
  return {
    ...(domains === undefined && studios === undefined ? {} : {
      standby: {
        domains: [...new Set(domains ?? before.standby.domains)],
        studios: [...new Set(studios ?? before.standby.studios)],
      },
    }),
    ...(countries === undefined ? {} : { tipBlockedCountries: [...new Set(countries)].toSorted() }),
    ...(quotaMb === undefined ? {} : {
      recordingQuotaBytes: quotaMb === null ? null : quotaMb * BYTES_PER_MB,
    }),
    ...(dreamcam === undefined ? {} : { dreamcamServer: dreamcam }),
    ...(bFrames === undefined ? {} : { bFrames }),
    ...(phone === undefined ? {} : { supportPhone: phone }),
    ...(isForAll === undefined ? {} : { supportChatForAll: isForAll }),
    ...(script === undefined ? {} : { supportScript: script }),
    ...(origins === undefined ? {} : { supportOrigins: [...new Set(origins)] }),
    ...(redirectHosts === undefined ? {} : { redirectHosts: [...new Set(redirectHosts)] }),
    ...(refuseDisposableEmails === undefined ? {} : { refuseDisposableEmails }),
    ...(limitMailboxes === undefined ? {} : { limitMailboxes }),
    ...(isRequired === undefined ? {} : {
      twoFactorSince: isRequired ? before.twoFactorSince ?? now.toISOString() : null,
    }),
    ...(consentAsked === undefined ? {} : { consentAsked }),
  };
}

const rulesHandlers = (data: Data): CallHandler[] => [
  handleCall(getOperatorRules)((_input, { scope }) =>
    data.tx(scope, async (tx) => rulesView(await settingsIn(tx)))
  ),
  handleCall(changeOperatorRules)(({ reason, ...rules }, { scope, caller }) =>
    data.tx(scope, async (tx) => {
      const before = await settingsIn(tx);
      await changeSettings(tx, changedSettings(rules, before, tx.now));
      const [old, now] = [rulesView(before), rulesView(await settingsIn(tx))];
      const names = Object.keys(old) as (keyof OperatorRules)[];
      await tx.audit({
        action: changeOperatorRules.name,
        actorId: caller.personId,
        reason,
        subject: `operator:${tx.operatorId}`,
        detail: {
          fields: names.filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name])).map((
            name,
          ) => ({ name, before: JSON.stringify(old[name]), after: JSON.stringify(now[name]) })),
        },
      });
      return now;
    })
  ),
];

async function wordsIn(tx: Tx, siteId: number): Promise<OutputOf<typeof getSiteWords>> {
  const custom = (await findSite(tx, siteId))?.custom ?? {};
  const { meta_title, meta_description, h1_content, listing_names } = { ...DEFAULT_LOOK, ...custom };
  return { meta_title, meta_description, h1_content, listing_names };
}

/** A site's own texts, for the site whose back office is open. */
const wordsHandlers = (data: Data): CallHandler[] => [
  handleCall(getSiteWords)((_input, { scope }) => data.tx(scope, (tx) => wordsIn(tx, scope.siteId))),
  handleCall(changeSiteWords)(({ reason, ...words }, { scope, caller }) =>
    data.tx(scope, async (tx) => {
      const before = await wordsIn(tx, scope.siteId);
      const { listing_names: listings, ...others } = words;
      await mergeLook(tx, scope.siteId, { ...others, ...(listings ? { listing_names: listings } : {}) });
      const names = Object.keys(words) as (keyof typeof words)[];
      await tx.audit({
        action: changeSiteWords.name,
        actorId: caller.personId,
        reason,
        subject: `site:${scope.siteId}`,
        detail: {
          fields: names.map((name) => ({
            name,
            before: JSON.stringify(before[name]),
            after: JSON.stringify(words[name]),
          }))
            .filter(({ before: was, after }) => was !== after),
        },
      });
      return wordsIn(tx, scope.siteId);
    })
  ),
];

/** Changes the given settings, and publishes facts for slices that cache data made from them. */
async function changeSettings(tx: Tx, settings: Partial<SiteSettings>): Promise<void> {
  const before = await settingsIn(tx);
  await mergeSettings(tx, settings);
  const { twoFactorSince } = await settingsIn(tx);
  if (twoFactorSince === before.twoFactorSince) return;
  await tx.publish(secondStepRuleChanged, `operator:${tx.operatorId}`, {
    isRequired: twoFactorSince !== null,
  });
}

async function configure(tx: Tx, settings: Partial<SiteSettings>, actorId: number | null): Promise<void> {
  const faults = settingsErrors(settings);
  if (faults.length > 0) throw new Error(`these site settings have wrong values: ${faults.join(', ')}`);
  await changeSettings(tx, settings);
  const subject = `operator:${tx.operatorId}`;
  await tx.audit({ action: 'site.configure', actorId, subject, detail: { settings: Object.keys(settings) } });
}

/** Resolves host names with a short cache, so that a page of twenty calls queries the database once. */
function hostResolver({ data, mode, publicUrl }: SiteOptions): HostPort['resolveScope'] {
  const publicHost = publicUrl === null ? null : new URL(publicUrl).hostname;
  const known = new Map<string, { readonly scope: Scope; readonly untilMs: number }>();
  return async (host) => {
    const nowMs = data.clock.now().getTime();
    const cached = known.get(host);
    if (cached && cached.untilMs > nowMs) return cached.scope;
    known.delete(host);
    const listed = await data.tx(DEFAULT_SCOPE, (tx) => findHost(tx, host));
    const scope = listed ?? (isDefaultHost(host, mode, publicHost) ? DEFAULT_SCOPE : null);
    if (scope === null) return null;
    if (known.size >= MAX_CACHED_HOSTS) known.clear();
    known.set(host, { scope, untilMs: nowMs + HOST_CACHE_MS });
    return scope;
  };
}

/** The identity providers for logging in at the site of a request. */
function availableAt({ identityProvidersAt }: SiteOptions, origin: string) {
  const names = identityProvidersAt(new URL(origin).hostname).map(({ name }) => name);
  return { facebook: names.includes('facebook'), google: names.includes('google') };
}

function linkOrigin({ publicUrl }: SiteOptions, requested: string): string {
  // A developer's machine has no other address than the one in use.
  if (publicUrl === null) return requested;
  const origin = new URL(publicUrl);
  origin.hostname = new URL(requested).hostname;
  return origin.origin;
}

async function holdsDemo(data: Data, operators: readonly number[]): Promise<boolean> {
  for (const operatorId of operators) {
    if ((await data.tx({ operatorId }, demoSince)) !== null) return true;
  }
  return false;
}

/**
 * A site's own address, else that of the installation; on a developer's machine, which has neither, the one
 * in use. Every absolute address begins with it.
 * @param requested the origin of the request; null without a request
 */
const addressOf = (
  { publicUrl, localUrl }: SiteOptions,
  site: Pick<SiteRow, 'main_domain_url'> | null,
  requested: string | null,
): string => site?.main_domain_url ?? publicUrl ?? requested ?? localUrl;

async function rowIn(tx: Tx, siteId: number): Promise<SiteRow> {
  const row = await findSite(tx, siteId);
  if (!row) throw new Error(`operator ${tx.operatorId} has no site ${siteId}`);
  return row;
}

const rowOf = (data: Data, scope: Scope): Promise<SiteRow> =>
  data.read(scope, (tx) => rowIn(tx, scope.siteId));

const namesFrom = (data: Data): SiteService['namesOf'] => (scope) =>
  data.read(scope, async (tx) => {
    const [{ display_name: own }, all] = await Promise.all([rowIn(tx, scope.siteId), siteNames(tx)]);
    return { own, all };
  });

const viewOf = async (
  options: SiteOptions,
  scope: Scope,
  requested: string | null = null,
): Promise<SiteView> => viewOfRow(options, await rowOf(options.data, scope), requested);

function viewOfRow(
  options: SiteOptions,
  { co_registration_url: _own, banner: _banner, custom, ...row }: SiteRow,
  requested: string | null,
): SiteView {
  const url = addressOf(options, row, requested);
  const { hostname } = new URL(url);
  return { ...row, main_domain_url: url, domain_name: hostname, custom: { ...DEFAULT_LOOK, ...custom } };
}
