import { handleCall, subscribe, type CallHandler, type Slice } from '#platform/contract/bind.ts';
import type { CallContext, Caller } from '#platform/contract/context.ts';
import { implement, type Extensions } from '#platform/contract/extension-point.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { seal, unseal } from '#platform/data/database/seal.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { networks } from '#platform/http/address.ts';
import type { RequestFacts } from '#platform/http/host-port.ts';
import { dayOf } from '#platform/time/days.ts';
import { DAY_MS } from '#platform/time/units.ts';
import { personRegistered } from '#product/accounts/contract.ts';
import { becamePerformer } from '#product/accounts/contract/performing.ts';
import {
  avatarAccess,
  personalData,
  settingsPart,
  verification,
  type AvatarAccess,
  type SettingsPart,
  type Verification,
} from '#product/accounts/extension-points.ts';
import { mayUse } from '#product/accounts/rules/permissions.ts';
import type { AccountsService } from '#product/accounts/server.ts';
import { isCountry, isSubdivision } from '#product/site/rules/places.ts';
import {
  ageVerificationRequired,
  declareAge,
  getBlockedRegions,
  getEntry,
  regionBlocked,
  regionsBlocked,
  saveBlockedRegions,
  type Surface,
} from './contract.ts';
import * as extensionPoints from './extension-points.ts';
import committedPolicies from './region-policies.json';
import {
  DEMO_REGION,
  ENTRY_DAYS,
  faultsOfTable,
  gateFor,
  invalidBlockList,
  MAX_BLOCKED_REGIONS,
  MAX_PERCEIVED,
  normalizeRegion,
  perceives,
  policyFor,
  readEntryPass,
  STRICT_FALLBACK,
  UNKNOWN_REGION,
  visibilityKey,
  type EntryPass,
  type GateState,
  type PerformerState,
  type PerformerStatus,
  type RegionPolicy,
} from './rules.ts';
import {
  CLEARANCE_EXPIRY,
  clearanceHandlers,
  clearPerson,
  isListed,
  keyOf,
  publishRevoked,
} from './server/clearances.ts';
import type { ComplianceDependencies, ComplianceSettings } from './server/dependencies.ts';
import { hiddenHandlers } from './server/hidden.ts';
import {
  clearedAmong,
  enrol,
  expireClearance,
  findBlocks,
  hiddenAmong,
  hiddenSince,
  replaceBlocks,
  statusOf,
  validClearance,
} from './store.ts';
import { ownRows } from './store/own-rows.ts';

/** A viewer: the caller, their region and their gate. */
export interface Viewer {
  readonly caller: Caller;
  readonly region: string;
  /** State of the entry gate for this browser. */
  readonly gate: GateState;
}

export interface ComplianceService {
  /** Region of a request: configured header or table; unknown places get the strictest rule. */
  readonly regionOf: (request: RequestFacts) => string;
  readonly viewerOf: (context: CallContext) => Viewer;
  /** A person as a viewer from a region now, with everything that they can prove to this site. */
  readonly viewerIn: (personId: number, region: string) => Viewer;
  /** The visibility rule for listings, rooms, thumbnails, media, search and feeds. */
  readonly mayPerceive: (tx: Tx, viewer: Viewer, performerId: number, surface: Surface) => Promise<boolean>;
  /** The same for many performers: the ids of those that may be shown. */
  readonly perceivable: (
    tx: Tx,
    viewer: Viewer,
    performerIds: readonly number[],
    surface: Surface,
  ) => Promise<ReadonlySet<number>>;
  /** The row of the region table that governs a region now. */
  readonly policyOf: (region: string) => RegionPolicy;
  /** What the rule reads about each performer. Others have no entry, and nobody perceives them. */
  readonly statesOf: (tx: Tx, ids: readonly number[]) => Promise<ReadonlyMap<number, PerformerState>>;
  /** The same rule without a query, for callers that already have the states. */
  readonly seesOf: (viewer: Viewer) => (performerId: number, state: PerformerState) => boolean;
  /** Viewers with the same key get the same result for a performer, so one result can be cached for all. */
  readonly visibilityKeyOf: (viewer: Viewer, performerId: number) => string;
  /** The id of the performer's valid clearance with all evidence it needs, for going live; or null. */
  readonly clearanceOf: (tx: Tx, performerId: number) => Promise<number | null>;
  /** The last decision about a person; null if they are not listed. */
  readonly decidedOf: (tx: Tx, personId: number) => Promise<PerformerStatus | null>;
  /** Whether a performer has hidden themselves; then nothing of theirs may begin. */
  readonly isHidden: (tx: Tx, performerId: number) => Promise<boolean>;
  /** Whether somebody's documents await a decision; until then they cannot buy anything. */
  readonly isPending: (tx: Tx, personId: number) => Promise<boolean>;
  /** Regions in which a performer is shown to nobody, e.g. `DE`, `US-FL`; replaces the list before it. */
  readonly blockRegions: (tx: Tx, performerId: number, regions: readonly string[]) => Promise<void>;
  /** Adds somebody whose documents need a check; they are pending until a decision. */
  readonly enrol: (tx: Tx, personId: number) => Promise<void>;
  /** Clears a performer or an enrolled person without HTTP (seeds); returns the clearance's id. */
  readonly clear: (tx: Tx, performerId: number, decidedBy: number | null, reason: string) => Promise<number>;
}

export type ComplianceSlice = Slice<ComplianceService>;

const ENTRY_COOKIE = 'entry';
/** Passes of the gate cached at once; the oldest are dropped first. */
const MAX_PASSES = 10_000;
const ENTRY_SEAL = 'compliance.entry';
const TEST_REGION_HEADER = 'x-candela-test-region';

/** Finds the region of a request; see {@link ComplianceSettings}. */
function regionResolver(settings: ComplianceSettings): ComplianceService['regionOf'] {
  const isLoopback = networks(['127.0.0.0/8', '::1']);
  const isTrusted = networks(settings.trustedProxies ?? []);
  const trustsTests = settings.demo || settings.testRegions === true;
  const header = (request: RequestFacts, name: string): string | null => {
    const value = request.headers[name.toLowerCase()];
    return typeof value === 'string' ? value : null;
  };
  return (request) => {
    const claimed = trustsTests ? header(request, TEST_REGION_HEADER) : null;
    if (claimed !== null) return normalizeRegion(claimed);
    if (settings.geoHeader && isTrusted(request.peer ?? '')) {
      const region = normalizeRegion(header(request, settings.geoHeader));
      // The demo region is no place, so no proxy may set it.
      return region === DEMO_REGION ? UNKNOWN_REGION : region;
    }
    return settings.demo && isLoopback(request.address) ? DEMO_REGION : UNKNOWN_REGION;
  };
}

/** The checked region table of a site; throws with every error in it. */
function policiesOf(settings: ComplianceSettings): readonly RegionPolicy[] {
  const policies = settings.policies ?? (committedPolicies as readonly RegionPolicy[]);
  const faults = faultsOfTable(policies);
  if (faults.length > 0) throw new Error(`region table: ${faults.join('; ')}`);
  return policies;
}

/** The entry gate: the policy of a region, and what the browser's cookie proves. */
function createGate(data: Data, settings: ComplianceSettings) {
  const policies = policiesOf(settings);
  const fallback = settings.geoFallback ?? STRICT_FALLBACK;
  const policyOf = (region: string): RegionPolicy =>
    policyFor(region, dayOf(data.clock.now()), policies, fallback);
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
  const viewerOf = (context: CallContext): Viewer => {
    const pass = passOf(context.cookie(ENTRY_COOKIE));
    const gate = gateFor(policyOf(context.region), pass, context.scope.siteId, data.clock.now());
    return { caller: context.caller, region: context.region, gate };
  };
  const viewerIn: ComplianceService['viewerIn'] = (personId, region) => {
    const { rule } = policyOf(region);
    const caller: Caller = { kind: 'person', personId, sessionId: null, username: null, roles: [] };
    // So far, a declaration is all that anybody can prove to this site.
    return { caller, region, gate: rule === 'declare' ? 'open' : rule };
  };
  const setEntryCookie = (context: CallContext): void => {
    const policy = policyOf(context.region);
    const maxAgeSeconds = (ENTRY_DAYS * DAY_MS) / 1_000;
    const pass: EntryPass = {
      siteId: context.scope.siteId,
      region: policy.region,
      minimumAge: policy.minimumAge,
      rule: 'declare',
      expires: Math.floor(data.clock.now().getTime() / 1_000) + maxAgeSeconds,
    };
    const sealed = seal(settings.secret, ENTRY_SEAL, pass);
    context.setCookie(ENTRY_COOKIE, sealed, { maxAgeSeconds, httpOnly: true });
  };
  return { policyOf, viewerOf, viewerIn, setEntryCookie };
}
type Gate = ReturnType<typeof createGate>;

/** For many performers with one query each of accounts, clearances and hidden performers. */
const statesWith = (accounts: AccountsService): ComplianceService['statesOf'] => async (tx, ids) => {
  const people = await accounts.findMany(tx, ids);
  const cleared = await clearedAmong(tx, ids);
  const hidden = await hiddenAmong(tx, ids);
  const performers = ids.flatMap((id) => people.get(id) ?? []).filter(({ type }) => type === 'model');
  return new Map(performers.map(({ id, inactiveSince }) => [id, {
    active: inactiveSince === null,
    cleared: cleared.has(id),
    isHidden: hidden.has(id),
    blockedRegions: cleared.get(id) ?? [],
  }]));
};

const seesOf: ComplianceService['seesOf'] =
  ({ caller: { personId, roles }, gate, region }) => (performerId, state) =>
    perceives({ gate, region, personId, roles }, performerId, state);

/**
 * The one visibility rule, for many performers. All surfaces have the same rule today; callers name theirs,
 * so that one can become stricter here.
 */
const visibilityRule =
  (statesOf: ComplianceService['statesOf']): ComplianceService['perceivable'] =>
  async (tx, viewer, performerIds, _surface) => {
    const count = performerIds.length;
    if (count > MAX_PERCEIVED) throw new Error(`${count} performers are too many to ask for at once`);
    const sees = seesOf(viewer);
    const states = await statesOf(tx, performerIds);
    return new Set([...states].filter(([id, state]) => sees(id, state)).map(([id]) => id));
  };

/**
 * An avatar is visible where its person is: a performer's by {@link ComplianceService.mayPerceive}, a
 * viewer's behind the entry gate, because it may show anything.
 */
const avatarRule = (
  { viewerOf, mayPerceive }: Pick<ComplianceService, 'viewerOf' | 'mayPerceive'>,
): AvatarAccess =>
async (tx, context, { id, type, inactiveSince }) => {
  const viewer = viewerOf(context);
  if (type === 'model') return mayPerceive(tx, viewer, id, 'thumbnail');
  const { personId, roles } = context.caller;
  return personId === id || mayUse('admin', roles) || (viewer.gate === 'open' && inactiveSince === null);
};

/** Age and identity, region rules, clearances and visibility. */
export function complianceSlice(deps: ComplianceDependencies): ComplianceSlice {
  const { data, accounts, settings, extensions } = deps;
  const gate = createGate(data, settings);
  const statesOf = statesWith(accounts);
  const perceivable = visibilityRule(statesOf);
  const service: ComplianceService = {
    regionOf: regionResolver(settings),
    policyOf: gate.policyOf,
    viewerOf: gate.viewerOf,
    viewerIn: gate.viewerIn,
    mayPerceive: async (tx, viewer, performerId, surface) =>
      (await perceivable(tx, viewer, [performerId], surface)).has(performerId),
    perceivable,
    statesOf,
    seesOf,
    visibilityKeyOf: ({ caller: { personId, roles }, gate: state, region }, performerId) =>
      visibilityKey({ gate: state, region, personId, roles }, performerId),
    clearanceOf: async (tx, performerId) => {
      const id = await validClearance(tx, performerId);
      const isBare = id !== null
        && await extensions.one(extensionPoints.clearanceEvidence).lacks(tx, performerId, id);
      return isBare ? null : id;
    },
    decidedOf: statusOf,
    isHidden: async (tx, performerId) => (await hiddenSince(tx, performerId)) !== null,
    isPending: async (tx, personId) => (await statusOf(tx, personId)) === 'pending',
    blockRegions: async (tx, performerId, regions) => {
      const fault = invalidBlockList(regions);
      if (fault !== null) throw new Error(`blocked regions: ${fault}`);
      await replaceBlocks(tx, performerId, regions);
      const person = await accounts.findById(tx, performerId);
      if (!person) throw new Error(`performer ${performerId} has no account`);
      const { username } = person;
      await tx.publish(regionsBlocked, keyOf(performerId), { performerId, username });
    },
    enrol: (tx, personId) => enrol(tx, personId, tx.now),
    clear: async (tx, performerId, decidedBy, reason) => {
      const person = await accounts.findById(tx, performerId);
      if (!person || !(await isListed(tx, person))) {
        throw new Error(`person ${performerId} is no performer and not enrolled`);
      }
      return clearPerson(tx, person, decidedBy, reason);
    },
  };

  return {
    name: 'compliance',
    service,
    extensionPoints,
    extensions: [
      implement(personalData, ownRows),
      implement(verification, verificationWith(gate, extensions)),
      implement(settingsPart, blockedPlaces(service)),
      implement(avatarAccess, avatarRule(service)),
    ],
    callHandlers: [
      ...entryHandlers(gate),
      ...clearanceHandlers(deps),
      ...blockHandlers(data, service),
      ...hiddenHandlers(data),
    ],
    subscriptions: [
      subscribe(personRegistered, 'compliance.enrol')(async ({ operatorId, at, payload }) => {
        if (payload.type === 'model') await data.tx({ operatorId }, (tx) => enrol(tx, payload.personId, at));
      }),
      subscribe(becamePerformer, 'compliance.enrolMember')(({ operatorId, at, payload }) =>
        data.tx({ operatorId }, (tx) => enrol(tx, payload.personId, at))
      ),
    ],
    deadlineHandlers: [
      {
        kind: CLEARANCE_EXPIRY,
        handle: ({ operatorId, key }) =>
          data.tx({ operatorId }, async (tx) => {
            const performerId = await expireClearance(tx, Number(key));
            const person = performerId === null ? null : await accounts.findById(tx, performerId);
            if (person) await publishRevoked(tx, person);
          }),
      },
    ],
  };
}

const isPart = (region: string): boolean => region.includes('-');

/** The settings for places where a performer is shown to nobody: countries, and states and provinces. */
const blockedPlaces = ({ blockRegions }: Pick<ComplianceService, 'blockRegions'>): SettingsPart => ({
  keys: ['blocked_countries', 'blocked_states'],
  read: async (tx, { id, type }) => {
    if (type !== 'model') return {};
    const regions = await findBlocks(tx, id);
    return {
      blocked_countries: regions.filter((region) => !isPart(region)),
      blocked_states: regions.filter(isPart),
    };
  },
  check: async (_tx, { type }, { blocked_countries: countries = [], blocked_states: states = [] }) => {
    if (type !== 'model') return 'setting_refused';
    return countries.every(isCountry) && states.every(isSubdivision) ? null : 'place_unknown';
  },
  write: async (tx, { id }, { blocked_countries: countries, blocked_states: states }) => {
    const before = await findBlocks(tx, id);
    const after = [
      ...countries ?? before.filter((region) => !isPart(region)),
      ...states ?? before.filter(isPart),
    ];
    await blockRegions(tx, id, [...new Set(after)].slice(0, MAX_BLOCKED_REGIONS));
  },
});

/** Calls for the performer's own list of places where they are shown to nobody. */
function blockHandlers(data: Data, { blockRegions }: Pick<ComplianceService, 'blockRegions'>): CallHandler[] {
  return [
    handleCall(getBlockedRegions)((_input, context) =>
      data.tx(context.scope, async (tx) => ({ regions: [...await findBlocks(tx, context.personId)] }))
    ),
    handleCall(saveBlockedRegions)((input, context) =>
      data.tx(context.scope, async (tx) => {
        const regions = [...new Set(input.regions)].sort();
        await blockRegions(tx, context.personId, regions);
        return { regions };
      })
    ),
  ];
}

const verificationWith =
  (gate: Gate, extensions: Extensions): Verification => async (tx, personId, region) => {
    const decided = await statusOf(tx, personId);
    const { statusOf: shownStatusOf } = extensions.one(extensionPoints.clearanceEvidence);
    const status = decided === null ? null : await shownStatusOf(tx, personId, decided);
    return {
      compliance_status: status,
      identity_confirmed: status === 'cleared',
      ageVerification: { required: gate.policyOf(region).rule === 'verify', creditCardRequired: false },
    };
  };

function entryHandlers(gate: Gate): CallHandler[] {
  return [
    handleCall(getEntry)(async (_input, context) => ({
      gate: gate.viewerOf(context).gate,
      region: context.region,
      minimumAge: gate.policyOf(context.region).minimumAge,
    })),
    handleCall(declareAge)(async (_input, context) => {
      const { rule } = gate.policyOf(context.region);
      if (rule === 'blocked') return context.refuse(regionBlocked);
      if (rule === 'verify') return context.refuse(ageVerificationRequired);
      gate.setEntryCookie(context);
      return { status: 1, gate: 'open' };
    }),
  ];
}
