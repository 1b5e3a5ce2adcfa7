import type { Tx } from '#platform/data/data.ts';
import { DEFAULT_RULES, MAX_REPLACEMENTS, STEPS, type OperatorRules, type Step } from './rules.ts';
import { MISSING, type Workflow } from './rules/workflow.ts';
import type { IdentityTables } from './store/tables.ts';

const tables = (tx: Tx) => tx.sql<IdentityTables>();

export async function findRules(tx: Tx): Promise<OperatorRules> {
  const row = await tables(tx).selectFrom('identity.rules')
    .select(['requires_evidence', 'reviewers', 'minimum_age']).executeTakeFirst();
  return row
    ? {
      requiresEvidence: row.requires_evidence,
      reviewers: row.reviewers,
      minimumAge: row.minimum_age,
    }
    : DEFAULT_RULES;
}

export async function saveRules(
  tx: Tx,
  { requiresEvidence, reviewers, minimumAge }: OperatorRules,
): Promise<void> {
  const row = { requires_evidence: requiresEvidence, reviewers, minimum_age: minimumAge };
  await tables(tx).insertInto('identity.rules').values(row)
    .onConflict((conflict) => conflict.column('operator_id').doUpdateSet(row)).execute();
}

/** An application as stored: its workflow, and what stands beside it. */
export interface StoredApplication extends Workflow {
  readonly id: number;
  readonly handedInAt: Date | null;
  readonly retainUntil: Date | null;
  readonly legalHold: boolean;
  readonly erasedAt: Date | null;
  readonly payoutCountry: string | null;
  readonly givenAt: ReadonlyMap<Step, Date>;
  /** Ids of the decisions about the present hand-in, in their order. */
  readonly decisionIds: readonly number[];
}

type Found = { readonly id: number } | { readonly performerId: number };

/**
 * Finds an application with its steps and the decisions about its present hand-in; null for none.
 * @param asked the steps that the operator asks for now; null for those of the application so far
 * @param lock locks it until the unit of work ends
 */
export async function findApplication(
  tx: Tx,
  by: Found,
  asked: readonly Step[] | null,
  lock = false,
): Promise<StoredApplication | null> {
  const row = await tables(tx).selectFrom('identity.applications').selectAll()
    .$if('id' in by, (query) => query.where('id', '=', (by as { id: number }).id))
    .$if(
      'performerId' in by,
      (query) => query.where('performer_id', '=', (by as { performerId: number }).performerId),
    )
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row) return null;
  const steps = await tables(tx).selectFrom('identity.steps')
    .select(['step', 'state', 'reason', 'note', 'given_at', 'country'])
    .where('performer_id', '=', row.performer_id).execute();
  const decisions = await tables(tx).selectFrom('identity.decisions')
    .select(['id', 'reviewer_id', 'verdict'])
    .where('application_id', '=', row.id).where('hand_in', '=', row.hand_in).orderBy('id').execute();
  const byStep = new Map(steps.map((one) => [one.step, one]));
  return {
    id: row.id,
    performerId: row.performer_id,
    state: row.state,
    handIn: row.hand_in,
    steps: new Map((asked ?? STEPS.filter((step) => byStep.has(step))).map((step) => {
      const stored = byStep.get(step);
      return [step, stored ? { state: stored.state, reason: stored.reason, note: stored.note } : MISSING];
    })),
    decisions: decisions.map(({ reviewer_id, verdict }) => ({ reviewerId: reviewer_id, verdict })),
    decisionIds: decisions.map(({ id }) => id),
    handedInAt: row.handed_in_at,
    retainUntil: row.retain_until,
    legalHold: row.legal_hold,
    erasedAt: row.erased_at,
    payoutCountry: byStep.get('payout')?.country ?? null,
    givenAt: new Map(steps.flatMap(({ step, given_at: at }) => (at ? [[step, at] as const] : []))),
  };
}

/** Begins an application, once. */
export async function beginApplication(tx: Tx, performerId: number): Promise<void> {
  await tables(tx).insertInto('identity.applications').values({ performer_id: performerId, begun_at: tx.now })
    .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id']).doNothing()).execute();
}

/** Counts a replacement in a step since the last hand-in; false when there were as many as there may be. */
export async function countReplacement(tx: Tx, performerId: number, step: Step): Promise<boolean> {
  const row = await tables(tx).insertInto('identity.steps')
    .values({ performer_id: performerId, step, state: 'missing', replacements: 1 })
    .onConflict((conflict) =>
      conflict.columns(['operator_id', 'performer_id', 'step'])
        .doUpdateSet((set) => ({ replacements: set('identity.steps.replacements', '+', 1) }))
        .where('identity.steps.replacements', '<', MAX_REPLACEMENTS)
    ).returning('step').executeTakeFirst();
  return row !== undefined;
}

/** Stores what changed between two states of a workflow. */
export async function saveWorkflow(
  tx: Tx,
  before: Workflow,
  after: Workflow,
  more: { readonly country?: string } = {},
): Promise<void> {
  const { performerId } = before;
  await tables(tx).updateTable('identity.applications')
    .set({
      state: after.state,
      hand_in: after.handIn,
      ...(after.handIn > before.handIn ? { handed_in_at: tx.now } : {}),
    })
    .where('performer_id', '=', performerId).execute();
  if (after.handIn > before.handIn) {
    await tables(tx).updateTable('identity.steps').set({ replacements: 0 })
      .where('performer_id', '=', performerId).execute();
  }
  for (const [step, { state, reason, note }] of after.steps) {
    const known = before.steps.get(step);
    if (known === after.steps.get(step)) continue;
    const row = {
      state,
      reason,
      note,
      ...(state === 'given' ? { given_at: tx.now } : {}),
      ...(step === 'payout' && more.country !== undefined ? { country: more.country } : {}),
    };
    await tables(tx).insertInto('identity.steps').values({ performer_id: performerId, step, ...row })
      .onConflict((conflict) => conflict.columns(['operator_id', 'performer_id', 'step']).doUpdateSet(row))
      .execute();
  }
}

export interface QueueRow {
  readonly id: number;
  readonly performerId: number;
  readonly state: Workflow['state'];
  readonly handIn: number;
  readonly handedInAt: Date;
  readonly isDecidedByMe: boolean;
}

/** Applications that wait, oldest first, after a key; one more than `limit` where there are. */
export async function queuePage(
  tx: Tx,
  reviewerId: number,
  after: { readonly at: Date; readonly id: number },
  limit: number,
): Promise<QueueRow[]> {
  const rows = await tables(tx).selectFrom('identity.applications as application')
    .select(['id', 'performer_id', 'state', 'hand_in', 'handed_in_at'])
    .select((query) =>
      query.exists(
        query.selectFrom('identity.decisions as decision').select('decision.id')
          .whereRef('decision.application_id', '=', 'application.id')
          .whereRef('decision.hand_in', '=', 'application.hand_in')
          .where('decision.reviewer_id', '=', reviewerId),
      ).as('decided')
    )
    .where('state', 'in', ['waiting', 'second'])
    .where((where) =>
      where.or([
        where('handed_in_at', '>', after.at),
        where.and([where('handed_in_at', '=', after.at), where('id', '>', after.id)]),
      ])
    )
    .orderBy('handed_in_at').orderBy('id').limit(limit + 1).execute();
  return rows.map((row) => ({
    id: row.id,
    performerId: row.performer_id,
    state: row.state,
    handIn: row.hand_in,
    handedInAt: row.handed_in_at as Date,
    isDecidedByMe: Boolean(row.decided),
  }));
}

export async function countWaiting(tx: Tx): Promise<number> {
  const { count } = await tables(tx).selectFrom('identity.applications')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('state', 'in', ['waiting', 'second']).executeTakeFirstOrThrow();
  return count;
}

/** Stops or lets go the clock of retention. */
export async function saveHold(tx: Tx, id: number, hold: boolean): Promise<void> {
  await tables(tx).updateTable('identity.applications').set({ legal_hold: hold }).where('id', '=', id)
    .execute();
}

/** Starts the clock of retention. */
export async function saveCeased(tx: Tx, performerId: number, retainUntil: Date): Promise<void> {
  await tables(tx).updateTable('identity.applications')
    .set({ ceased_at: tx.now, retain_until: retainUntil, state: 'open' })
    .where('performer_id', '=', performerId).execute();
}

/** Performers with one of these names, by its digest. */
export async function performersNamed(tx: Tx, digest: string, limit: number): Promise<readonly number[]> {
  const rows = await tables(tx).selectFrom('identity.names').select('performer_id')
    .where('digest', '=', digest).orderBy('performer_id').limit(limit).execute();
  return rows.map(({ performer_id: id }) => id);
}

/** Application id and state of several performers. */
export async function applicationsOf(
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlyMap<number, { readonly id: number; readonly state: Workflow['state'] }>> {
  if (performerIds.length === 0) return new Map();
  const rows = await tables(tx).selectFrom('identity.applications').select(['id', 'performer_id', 'state'])
    .where('performer_id', 'in', performerIds).execute();
  return new Map(rows.map(({ performer_id: performer, ...row }) => [performer, row]));
}
