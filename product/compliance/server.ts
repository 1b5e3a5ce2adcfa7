import { handleCall, subscribe, type CallHandler, type Slice } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import { implement, type Extensions } from '#platform/contract/extension-point.ts';
import type { Data, OperatorScope, Tx } from '#platform/data/data.ts';
import type { RequestFacts } from '#platform/http/host-port.ts';
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
import { DEFAULT_LOCALE } from '#product/site/rules.ts';
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
import {
  invalidBlockList,
  MAX_BLOCKED_REGIONS,
  MAX_PERCEIVED,
  perceives,
  visibilityKey,
  type GateState,
  type PerformerState,
  type PerformerStatus,
  type ProofOfAge,
} from './rules.ts';
import { audiencesOf, lobbyTopic, roomsTopic } from './rules/entry-topics.ts';
import type { PolicyRow } from './rules/policy-table.ts';
import {
  CLEARANCE_EXPIRY,
  clearanceHandlers,
  clearPerson,
  isListed,
  keyOf,
  publishRevoked,
} from './server/clearances.ts';
import type { ComplianceDependencies } from './server/dependencies.ts';
import { createGate, type Gate, type Viewer } from './server/gate.ts';
import { hiddenHandlers } from './server/hidden.ts';
import { policyDeadlines, policyHandlers, policySubscriptions, startPolicies } from './server/policies.ts';
import { PolicyBook } from './server/policy-book.ts';
import { regionResolver } from './server/regions.ts';
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

export interface ComplianceService {
  /** Region of a request: where it comes from, or `vpn:` and a place for networks that hide theirs. */
  readonly regionOf: (request: RequestFacts) => string;
  /**
   * Resolves when the current policies of an operator are in memory: before any of its requests is
   * answered.
   */
  readonly ready: (scope: OperatorScope) => Promise<void>;
  /** Changes whenever other policies are in force than before: what was decided before counts no more. */
  readonly epoch: () => string;
  /** Topics of the lobby of a page: what concerns everybody at its place. */
  readonly lobbyTopics: (context: CallContext) => readonly string[];
  /** Topics, of sockets in rooms, at which {@link policyStarted} of their place arrives. */
  readonly roomTopics: (context: CallContext) => readonly string[];
  readonly viewerOf: (context: CallContext) => Viewer;
  /** The same viewer under the policies in force now, for what outlasts a request: players, sockets. */
  readonly viewerNow: (scope: OperatorScope, viewer: Viewer) => Viewer;
  /** A person as a viewer from a region now, with everything that they can prove to this site. */
  readonly viewerIn: (tx: Tx, personId: number, region: string) => Promise<Viewer>;
  /** The visibility rule for listings, rooms, thumbnails, media, search and feeds. */
  readonly mayPerceive: (tx: Tx, viewer: Viewer, performerId: number, surface: Surface) => Promise<boolean>;
  /** The same for many performers: the ids of those that may be shown. */
  readonly perceivable: (
    tx: Tx,
    viewer: Viewer,
    performerIds: readonly number[],
    surface: Surface,
  ) => Promise<ReadonlySet<number>>;
  /**
   * Gives this browser a pass for what was proved, if the policy of its region accepts that; returns the
   * state of its gate then. Only `age-checks` calls it, with a proof that a provider gave for this browser.
   */
  readonly grant: (context: CallContext, proof: ProofOfAge) => GateState;
  /** The policy of an operator that governs a region now. */
  readonly policyOf: (scope: OperatorScope, region: string) => PolicyRow;
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

export type { Viewer };
export type ComplianceSlice = Slice<ComplianceService>;

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
  const book = new PolicyBook(deps);
  const gate = createGate(data, book, settings, extensions);
  const policies = { data, accounts, book };
  const statesOf = statesWith(accounts);
  const perceivable = visibilityRule(statesOf);
  const service: ComplianceService = {
    regionOf: regionResolver(settings),
    ready: (scope) => book.ready(scope),
    epoch: () => book.epoch(),
    lobbyTopics: ({ region }) => audiencesOf(region).map(lobbyTopic),
    roomTopics: ({ region }) => audiencesOf(region).map(roomsTopic),
    policyOf: gate.policyOf,
    viewerOf: gate.viewerOf,
    viewerNow: gate.viewerNow,
    viewerIn: gate.viewerIn,
    grant: gate.grant,
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
      implement(verification, identityWith(extensions)),
      implement(settingsPart, blockedPlaces(service)),
      implement(avatarAccess, avatarRule(service)),
    ],
    callHandlers: [
      ...entryHandlers(gate),
      ...clearanceHandlers(deps),
      ...blockHandlers(data, service),
      ...hiddenHandlers(data),
      ...policyHandlers(policies),
    ],
    subscriptions: [
      ...policySubscriptions(policies),
      subscribe(personRegistered, 'compliance.enrol')(async ({ operatorId, at, payload }) => {
        if (payload.type === 'model') await data.tx({ operatorId }, (tx) => enrol(tx, payload.personId, at));
      }),
      subscribe(becamePerformer, 'compliance.enrolMember')(({ operatorId, at, payload }) =>
        data.tx({ operatorId }, (tx) => enrol(tx, payload.personId, at))
      ),
    ],
    start: async () => {
      await book.start();
      await startPolicies(policies, await deps.site.operators());
    },
    warm: () => book.start(),
    stop: async () => book.stop(),
    deadlineHandlers: [
      ...policyDeadlines(policies),
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

/** The status of a person's clearance, as they see it. */
const identityWith = (extensions: Extensions): Verification => async (tx, personId) => {
  const decided = await statusOf(tx, personId);
  const { statusOf: shownStatusOf } = extensions.one(extensionPoints.clearanceEvidence);
  const status = decided === null ? null : await shownStatusOf(tx, personId, decided);
  return { compliance_status: status, identity_confirmed: status === 'cleared' };
};

function entryHandlers(gate: Gate): CallHandler[] {
  return [
    handleCall(getEntry)(async (_input, context) => {
      const { gate: state, region } = gate.viewerOf(context);
      const { minimumAge, texts } = gate.policyOf(context.scope, context.region);
      const changesAt = gate.changesAt(context.scope);
      return {
        gate: state,
        region,
        minimumAge,
        notice: texts[context.locale] ?? texts[DEFAULT_LOCALE] ?? null,
        changes_at: Number.isFinite(changesAt) ? new Date(changesAt).toISOString() : null,
      };
    }),
    handleCall(declareAge)(async (_input, context) => {
      const { rule } = gate.policyOf(context.scope, context.region);
      if (rule === 'blocked') return context.refuse(regionBlocked);
      if (rule === 'verify') return context.refuse(ageVerificationRequired);
      gate.setEntryCookie(context);
      return { status: 1, gate: 'open' };
    }),
  ];
}
