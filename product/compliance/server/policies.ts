import {
  handleCall,
  subscribe,
  type CallHandler,
  type DeadlineHandler,
  type Subscription,
} from '#platform/contract/bind.ts';
import type { InputOf } from '#platform/contract/call.ts';
import { topicChannel } from '#platform/contract/event.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { HOUR_MS } from '#platform/time/units.ts';
import { dayIn, dayStartsAt } from '#platform/time/zones.ts';
import {
  approvePolicy,
  entryChanged,
  listPolicies,
  listPolicyHistory,
  policiesChanged,
  policyBegun,
  policyDayPast,
  policyDaysReversed,
  policyDecided,
  policyMethodsWrong,
  policyOver,
  policyOwn,
  policyPlaceUnknown,
  policyStarted,
  policyUnknown,
  policyZoneUnknown,
  previewPolicy,
  proposePolicy,
  rejectPolicy,
  tooManyPolicies,
  withdrawPolicy,
  type PolicyView,
} from '../contract/policies.ts';
import { audiencesIn, lobbyTopic } from '../rules/entry-topics.ts';
import { spanOf, throughVpn, type PolicyRow, type PolicyTable } from '../rules/policy-table.ts';
import {
  faultOfProposal,
  isLaxer,
  isPolicyPlace,
  MAX_NEXT_POLICIES,
  MAX_WAITING_POLICIES,
  POLICIES_PER_PAGE,
} from '../rules/proposals.ts';
import { zoneOf } from '../rules/zones.ts';
import {
  approvedPolicies,
  decideStored,
  findPolicies,
  insertPolicy,
  lockPolicy,
  policyHistory,
  policyOfRow,
  waitingPolicies,
  withdrawStored,
  type StoredPolicy,
} from '../store/policies.ts';
import type { ComplianceDependencies } from './dependencies.ts';
import type { PolicyBook } from './policy-book.ts';

const POLICY_BOUNDARY = 'compliance.policyBoundary';
/** Facts about policies keep their order. */
const KEY = 'policies';

interface PolicyDependencies extends Pick<ComplianceDependencies, 'data' | 'accounts'> {
  readonly book: PolicyBook;
}

const UNDECIDED = {
  note: '',
  proposed_by: null,
  proposed_at: null,
  decided_by: null,
  decided_at: null,
  decided_reason: null,
  withdrawn_by: null,
  withdrawn_at: null,
  withdrawn_reason: null,
} as const;

function fieldsOf(row: PolicyRow): Omit<PolicyView, keyof typeof UNDECIDED | 'state'> {
  const { startsAt, endsAt } = spanOf(row);
  return {
    id: row.id,
    region: row.region,
    from: row.from,
    until: row.until,
    time_zone: row.timeZone,
    starts_at: new Date(startsAt).toISOString(),
    ends_at: Number.isFinite(endsAt) ? new Date(endsAt).toISOString() : null,
    rule: row.rule,
    minimum_age: row.minimumAge,
    methods: [...row.methods],
    liveness: row.liveness,
    proof_lasts: row.proofLasts,
    anonymous: row.anonymous,
    vpn_class: row.vpnClass,
    texts: { ...row.texts },
    source: row.source,
    is_confirmed: row.isConfirmed,
  };
}

const seedView = (row: PolicyRow): PolicyView => ({ ...fieldsOf(row), ...UNDECIDED, state: 'seed' });

/** Views of stored rows, with the names of who proposed and decided. */
async function viewsOf(
  { accounts }: Pick<PolicyDependencies, 'accounts'>,
  tx: Tx,
  rows: readonly StoredPolicy[],
): Promise<PolicyView[]> {
  const ids = rows.flatMap((row) => [row.proposed_by, row.decided_by ?? 0, row.withdrawn_by ?? 0]);
  const people = await accounts.findMany(tx, [...new Set(ids)].filter((id) => id > 0));
  const nameOf = (id: number | null): string | null => people.get(id ?? 0)?.username ?? null;
  return rows.map((row) => ({
    ...fieldsOf(policyOfRow(row)),
    note: row.note,
    state: row.state,
    proposed_by: nameOf(row.proposed_by),
    proposed_at: row.proposed_at.toISOString(),
    decided_by: nameOf(row.decided_by),
    decided_at: row.decided_at?.toISOString() ?? null,
    decided_reason: row.decided_reason,
    withdrawn_by: nameOf(row.withdrawn_by),
    withdrawn_at: row.withdrawn_at?.toISOString() ?? null,
    withdrawn_reason: row.withdrawn_reason,
  }));
}

/** Views of rows in force, which are seeds or stored. */
async function viewsOfRows(
  deps: PolicyDependencies,
  tx: Tx,
  rows: readonly PolicyRow[],
): Promise<PolicyView[]> {
  const ids = [...new Set(rows.flatMap(({ id }) => id ?? []))];
  const stored = new Map(
    (await viewsOf(deps, tx, await findPolicies(tx, ids))).map((view) => [view.id, view]),
  );
  // The row that refuses VPNs is made of the one for everywhere, and named after neither.
  return rows.map((row) => ({ ...(stored.get(row.id) ?? seedView(row)), ...fieldsOf(row) }));
}

const todayAt = (nowMs: number) => (timeZone: string): string => dayIn(timeZone, nowMs);

/** A proposal as the row that it would be. */
const rowOfInput = (input: InputOf<typeof proposePolicy>): PolicyRow => ({
  id: null,
  region: input.region,
  from: input.from,
  until: input.until,
  timeZone: input.time_zone ?? zoneOf(input.region),
  rule: input.rule,
  minimumAge: input.minimum_age,
  methods: [...new Set(input.methods)],
  liveness: input.liveness,
  proofLasts: input.proof_lasts,
  anonymous: input.anonymous,
  vpnClass: input.vpn_class,
  texts: input.texts,
  source: input.source,
  isConfirmed: input.is_confirmed,
});

const FAULTS = {
  place: policyPlaceUnknown,
  zone: policyZoneUnknown,
  days: policyDaysReversed,
  over: policyOver,
  past: policyDayPast,
  methods: policyMethodsWrong,
} as const;

const auditOf = (action: string, actorId: number, row: StoredPolicy, reason?: string) => ({
  action: `compliance.${action}`,
  actorId,
  subject: `policy:${row.id}`,
  ...(reason === undefined ? {} : { reason }),
  detail: { region: row.region, from: row.from_day, rule: row.rule },
});

/** Sets a deadline at each beginning and end to come, for {@link policyDeadlines}. */
async function scheduleBoundaries(tx: Tx, table: PolicyTable): Promise<void> {
  for (const { at } of table.boundariesAfter(tx.now.getTime())) {
    await tx.schedule({ kind: POLICY_BOUNDARY, key: String(at), at: new Date(at), keepExisting: true });
  }
}

/** Sets the deadlines of every operator's rows: those of the committed table come with the program. */
export async function startPolicies(
  { data, book }: PolicyDependencies,
  operators: readonly number[],
): Promise<void> {
  for (const operatorId of operators) {
    await data.tx({ operatorId }, (tx) => scheduleBoundaries(tx, book.of({ operatorId })));
  }
}

export function policyHandlers(deps: PolicyDependencies): CallHandler[] {
  return [...readingHandlers(deps), proposing(deps), ...decisionHandlers(deps)];
}

function readingHandlers(deps: PolicyDependencies): CallHandler[] {
  const { data, book } = deps;
  return [
    handleCall(listPolicies)(async (_input, { scope, personId }) =>
      data.read(scope, async (tx) => {
        const [nowMs, table] = [tx.now.getTime(), book.of(scope)];
        const rows = [...table.inForce(nowMs).values()].sort((a, b) => (a.region < b.region ? -1 : 1));
        const waiting = await waitingPolicies(tx);
        const current = waiting.map((row) => table.decide(row.region, nowMs).row);
        const currentViews = await viewsOfRows(deps, tx, current);
        const views = await viewsOf(deps, tx, waiting);
        return {
          in_force: await viewsOfRows(deps, tx, rows),
          next: await viewsOfRows(deps, tx, table.beginningAfter(nowMs).slice(0, MAX_NEXT_POLICIES)),
          waiting: waiting.flatMap((row, at) => {
            const [policy, insteadOf, before] = [views[at], currentViews[at], current[at]];
            if (!policy || !insteadOf || !before) return [];
            return [{
              policy,
              instead_of: insteadOf,
              is_laxer: isLaxer(policyOfRow(row), before),
              is_own: row.proposed_by === personId,
            }];
          }),
        };
      })
    ),
    handleCall(listPolicyHistory)(async ({ region, before = null }, { scope }) =>
      data.read(scope, async (tx) => {
        const rows = await policyHistory(tx, region, before);
        return {
          policies: await viewsOf(deps, tx, rows),
          next: rows.length === POLICIES_PER_PAGE ? rows.at(-1)?.id ?? null : null,
          seeds: book.of(scope).seedsOf(region).map(seedView),
        };
      })
    ),
    handleCall(previewPolicy)(async ({ region, at, vpn = false }, { scope }) =>
      data.read(scope, async (tx) => {
        const zone = zoneOf(region);
        const now = tx.now.getTime();
        const atMs = at === undefined || at === dayIn(zone, now) ? now : dayStartsAt(at, zone) + 12 * HOUR_MS;
        const { row, why } = book.of(scope).decide(vpn ? throughVpn(region) : region, atMs);
        const [policy] = await viewsOfRows(deps, tx, [row]);
        if (!policy) throw new Error('a row that decides has no view');
        return {
          gate: row.rule,
          minimum_age: row.minimumAge,
          methods: [...row.methods],
          texts: { ...row.texts },
          at: new Date(atMs).toISOString(),
          policy,
          why,
        };
      })
    ),
  ];
}

function proposing(deps: PolicyDependencies): CallHandler {
  const { data, book } = deps;
  return handleCall(proposePolicy)(async (input, { scope, personId, refuse }) =>
    data.tx(scope, async (tx) => {
      const row = rowOfInput(input);
      const now = tx.now.getTime();
      const current = isPolicyPlace(row.region) ? book.of(scope).decide(row.region, now).row : null;
      const fault = faultOfProposal(row, current, todayAt(now), now);
      if (fault !== null) return refuse(FAULTS[fault]);
      await tx.lock(KEY);
      if ((await waitingPolicies(tx)).length >= MAX_WAITING_POLICIES) return refuse(tooManyPolicies);
      const stored = await insertPolicy(tx, { ...row, note: input.note, proposedBy: personId });
      await tx.audit(auditOf('proposePolicy', personId, stored));
      const [view] = await viewsOf(deps, tx, [stored]);
      if (!view) throw new Error('a row just stored has no view');
      return view;
    })
  );
}

function decisionHandlers(deps: PolicyDependencies): CallHandler[] {
  const { data, book } = deps;
  const viewIn = async (tx: Tx, row: StoredPolicy): Promise<PolicyView> => {
    const [view] = await viewsOf(deps, tx, [row]);
    if (!view) throw new Error('a row just decided has no view');
    return view;
  };
  const changes = (tx: Tx, { region }: StoredPolicy, appliesNow: boolean): Promise<void> =>
    tx.publish(policiesChanged, KEY, { regions: [region], appliesNow });
  return [
    handleCall(approvePolicy)(async ({ id, reason }, { scope, personId, refuse }) => {
      const approved = await data.tx(scope, async (tx) => {
        const row = await lockPolicy(tx, id);
        if (!row) return refuse(policyUnknown);
        if (row.state !== 'proposed') return refuse(policyDecided);
        if (row.proposed_by === personId) return refuse(policyOwn);
        const [policy, now] = [policyOfRow(row), tx.now.getTime()];
        const fault = faultOfProposal(policy, book.of(scope).decide(row.region, now).row, todayAt(now), now);
        if (fault === 'over') return refuse(policyOver);
        if (fault === 'past') return refuse(policyDayPast);
        const stored = await decideStored(tx, id, { state: 'approved', by: personId, reason });
        await tx.audit(auditOf('approvePolicy', personId, stored, reason));
        await scheduleBoundaries(tx, book.with(await approvedPolicies(tx)));
        await changes(tx, stored, spanOf(policy).startsAt <= now);
        return viewIn(tx, stored);
      });
      // Who approved it reads it in force at once; the fact brings it to every process.
      if ('region' in approved) await book.changed(scope);
      return approved;
    }),
    handleCall(rejectPolicy)(async ({ id, reason }, { scope, personId, refuse }) =>
      data.tx(scope, async (tx) => {
        const row = await lockPolicy(tx, id);
        if (!row) return refuse(policyUnknown);
        if (row.state !== 'proposed') return refuse(policyDecided);
        if (row.proposed_by === personId) return refuse(policyOwn);
        const stored = await decideStored(tx, id, { state: 'rejected', by: personId, reason });
        await tx.audit(auditOf('rejectPolicy', personId, stored, reason));
        return viewIn(tx, stored);
      })
    ),
    handleCall(withdrawPolicy)(async ({ id, reason }, { scope, personId, refuse }) => {
      const withdrawn = await data.tx(scope, async (tx) => {
        const row = await lockPolicy(tx, id);
        if (!row) return refuse(policyUnknown);
        if (row.state !== 'proposed' && row.state !== 'approved') return refuse(policyDecided);
        const isApproved = row.state === 'approved';
        if (isApproved && spanOf(policyOfRow(row)).startsAt <= tx.now.getTime()) return refuse(policyBegun);
        const stored = await withdrawStored(tx, id, personId, reason);
        await tx.audit(auditOf('withdrawPolicy', personId, stored, reason));
        if (isApproved) await changes(tx, stored, false);
        return viewIn(tx, stored);
      });
      if ('region' in withdrawn) await book.changed(scope);
      return withdrawn;
    }),
  ];
}

/** Brings approved rows into the memory of every process, and then says what applies at once. */
export const policySubscriptions = ({ data, book }: PolicyDependencies): Subscription[] => [
  subscribe(policiesChanged, 'compliance.policiesChanged')(async ({ operatorId, payload }) => {
    const scope: OperatorScope = { operatorId };
    await book.changed(scope);
    if (!payload.appliesNow) return;
    await data.tx(scope, (tx) => tx.publish(policyStarted, KEY, { regions: payload.regions }));
  }),
  subscribe(policyStarted, 'compliance.policyStarted')(({ operatorId, payload }) =>
    data.tx({ operatorId }, async (tx) => {
      for (const audience of audiencesIn(payload.regions)) {
        await tx.send(topicChannel(lobbyTopic(audience)), entryChanged, {});
      }
    })
  ),
];

/** At each beginning and end of a row: who may be where is checked again. */
export const policyDeadlines = ({ data, book }: PolicyDependencies): DeadlineHandler[] => [{
  kind: POLICY_BOUNDARY,
  handle: ({ operatorId, key }) =>
    data.tx({ operatorId }, async (tx) => {
      // From the tables: the row may have been withdrawn since.
      const at = Number(key);
      const table = book.with(await approvedPolicies(tx));
      const boundary = table.boundariesAfter(at - 1).find((one) => one.at === at);
      if (boundary) await tx.publish(policyStarted, KEY, { regions: [...boundary.regions] });
    }),
}];
