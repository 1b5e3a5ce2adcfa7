import type { OutputOf } from '#platform/contract/call.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  excludeSelf,
  getLimits,
  getSpendingState,
  setLimits,
  setSpendingState,
  takeCoolOff,
} from './contract/limits.ts';
import { MAX_BUDGET_TOKENS } from './rules.ts';
import type { PostOutcome } from './server.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Limits = OutputOf<typeof getLimits>;
const budgetOf = ({ budgets }: Limits, period: string): Limits['budgets'][number] | undefined =>
  budgets.find((budget) => budget.period === period);

/** Somebody with tokens, and how they spend some of them. */
async function spender(tokens = 1_000): Promise<{
  viewer: Member;
  spend: (tokens: number) => Promise<PostOutcome | undefined>;
}> {
  const [viewer, performer] = [await site.viewer({ tokens }), await site.viewer()];
  const spend = async (amount: number): Promise<PostOutcome | undefined> => {
    const [outcome] = await site.tx((tx) =>
      site.services.ledger.post(tx, [{
        id: uuidV4(),
        kind: 'tip',
        memo: {},
        parameterHash: '',
        facts: [],
        legs: [
          { account: { kind: 'person', personId: viewer.id, book: 'tokens' }, tokens: -amount },
          { account: { kind: 'person', personId: performer.id, book: 'earnings' }, tokens: amount },
        ],
      }])
    );
    return outcome;
  };
  return { viewer, spend };
}

describe('budgets', () => {
  it('are shown with what is spent and when they are new; without one there is none', async () => {
    const { viewer, spend } = await spender();
    expect(await viewer.call(getLimits, {})).toMatchObject({
      cooling_off_until: null,
      self_excluded_until: null,
      blocked: false,
      credit_tokens: 0,
      debt_tokens: 0,
    });
    await spend(30);
    const limits = await viewer.call(setLimits, { day: 100 });
    expect(limits.budgets.map(({ period, tokens }) => [period, tokens]))
      .toEqual([['day', 100], ['week', null], ['month', null]]);
    expect(budgetOf(limits, 'day')).toMatchObject({ spent: 30, next: null });
    await spend(20);
    expect(budgetOf(await viewer.call(getLimits, {}), 'day')).toMatchObject({ tokens: 100, spent: 50 });
    const midnight = new Date(Math.ceil(site.clock.now().getTime() / DAY_MS) * DAY_MS).toISOString();
    expect(budgetOf(limits, 'day')?.resets_at).toBe(midnight);
  });

  it('hold: nothing passes one, however it is cut, and the refusal says when it is new', async () => {
    const { viewer, spend } = await spender();
    const limits = await viewer.call(setLimits, { day: 100 });
    expect(await spend(60)).toMatchObject({ status: 'posted' });
    const until = new Date(budgetOf(limits, 'day')?.resets_at ?? '');
    expect(await spend(41)).toMatchObject({ status: 'over_budget', period: 'day', until });
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => spend(10)));
    expect(outcomes.filter((outcome) => outcome?.status === 'posted')).toHaveLength(4);
  });

  it('act at once when lower, and not for 24 hours when higher or gone', async () => {
    const { viewer, spend } = await spender();
    await viewer.call(setLimits, { day: 100, week: 200 });
    const raised = await viewer.call(setLimits, { day: 500, week: null });
    const at = new Date(site.clock.now().getTime() + DAY_MS).toISOString();
    expect(budgetOf(raised, 'day')).toMatchObject({ tokens: 100, next: { tokens: 500, at } });
    expect(budgetOf(raised, 'week')).toMatchObject({ tokens: 200, next: { tokens: null, at } });
    expect(await spend(101)).toMatchObject({ status: 'over_budget', period: 'day' });
    await site.passes(DAY_MS - 1);
    expect(await spend(101)).toMatchObject({ status: 'over_budget', period: 'day' });
    expect(budgetOf(await viewer.call(getLimits, {}), 'day')).toMatchObject({ tokens: 100, next: { at } });
    await site.passes(1);
    expect(budgetOf(await viewer.call(getLimits, {}), 'day')).toMatchObject({ tokens: 500, next: null });
    expect(await spend(101)).toMatchObject({ status: 'posted' });
    const lowered = await viewer.call(setLimits, { day: 50 });
    expect(budgetOf(lowered, 'day')).toMatchObject({ tokens: 50, next: null });
    expect(await spend(1)).toMatchObject({ status: 'over_budget' });
  });

  it('are not raised by asking many times, in parts, or by lowering in between', async () => {
    const { viewer, spend } = await spender();
    await viewer.call(setLimits, { day: 10 });
    for (const day of [11, 12, null, 1_000]) await viewer.call(setLimits, { day });
    expect(await spend(11)).toMatchObject({ status: 'over_budget' });
    await viewer.call(setLimits, { day: 5 });
    const back = await viewer.call(setLimits, { day: 10 });
    expect(budgetOf(back, 'day')).toMatchObject({ tokens: 5, next: { tokens: 10 } });
    expect(await spend(6)).toMatchObject({ status: 'over_budget' });
    expect(await spend(5)).toMatchObject({ status: 'posted' });
  });

  it('take whole numbers of a sane size, and only the own', async () => {
    const { viewer } = await spender();
    for (const day of [0, -1, 1.5, MAX_BUDGET_TOKENS + 1, '12', true]) {
      expect(await viewer.refused(setLimits, { day })).toMatchObject({ errorType: 'invalid_input' });
    }
    const stranger = await site.viewer();
    await stranger.request({
      method: 'POST',
      url: '/api/v1/tokens/limits',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ day: 1, personId: viewer.id }),
    });
    expect(budgetOf(await viewer.call(getLimits, {}), 'day')?.tokens).toBeNull();
    const guest = await site.visitor();
    expect((await guest.refused(setLimits, { day: 1 })).status).toBe(401);
    expect((await guest.refused(getLimits, {})).status).toBe(401);
  });
});

describe('breaks', () => {
  it('close spending until they are over', async () => {
    const { viewer, spend } = await spender();
    const { cooling_off_until: until } = await viewer.call(takeCoolOff, { hours: 6 });
    expect(until).toBe(new Date(site.clock.now().getTime() + 6 * HOUR_MS).toISOString());
    expect(await spend(1)).toMatchObject({ status: 'cooling_off', until: new Date(until ?? '') });
    await site.passes(6 * HOUR_MS - 1);
    expect(await spend(1)).toMatchObject({ status: 'cooling_off' });
    await site.passes(1);
    expect(await spend(1)).toMatchObject({ status: 'posted' });
    expect((await viewer.call(getLimits, {})).cooling_off_until).toBeNull();
  });

  it('are prolonged and never shortened', async () => {
    const { viewer } = await spender();
    const { cooling_off_until: long } = await viewer.call(takeCoolOff, { hours: 72 });
    expect(await viewer.refused(takeCoolOff, { hours: 6 }))
      .toMatchObject({ errorType: 'exclusion_shortened', until: long });
    expect((await viewer.call(getLimits, {})).cooling_off_until).toBe(long);
    const longer = await viewer.call(takeCoolOff, { hours: 168 });
    expect(new Date(longer.cooling_off_until ?? 0).getTime()).toBeGreaterThan(new Date(long ?? 0).getTime());
    for (const hours of [0, 1, -6, 7, 1e9]) {
      expect(await viewer.refused(takeCoolOff, { hours })).toMatchObject({ errorType: 'invalid_input' });
    }
  });

  it('cannot be shortened by a self-exclusion, nor that by a break, a budget or staff', async () => {
    const { viewer, spend } = await spender();
    const { self_excluded_until: until } = await viewer.call(excludeSelf, { days: 90 });
    expect(until).toBe(new Date(site.clock.now().getTime() + 90 * DAY_MS).toISOString());
    expect(await viewer.refused(excludeSelf, { days: 30 }))
      .toMatchObject({ errorType: 'exclusion_shortened', until });
    await viewer.call(takeCoolOff, { hours: 6 });
    await viewer.call(setLimits, { day: null });
    const admin = await site.admin();
    for (const blocked of [true, false]) {
      await admin.call(setSpendingState, { username: viewer.username, blocked, reason: 'asked by phone' });
    }
    expect((await viewer.call(getLimits, {})).self_excluded_until).toBe(until);
    await site.passes(6 * HOUR_MS);
    expect(await spend(1)).toMatchObject({ status: 'self_excluded' });
    const longer = await viewer.call(excludeSelf, { days: 365 });
    expect(Date.parse(longer.self_excluded_until ?? '')).toBeGreaterThan(Date.parse(until ?? ''));
    expect(await viewer.refused(excludeSelf, { days: 1 })).toMatchObject({ errorType: 'invalid_input' });
  });

  it('stay the longest one when many are taken at the same time', async () => {
    const { viewer } = await spender();
    const started = site.clock.now().getTime();
    await Promise.all(
      ([30, 365, 90, 180] as const).map((days) => viewer.call(excludeSelf, { days }).catch(() => null)),
    );
    const { self_excluded_until: until } = await viewer.call(getLimits, {});
    expect(Date.parse(until ?? '')).toBe(started + 365 * DAY_MS);
  });

  it('leave a line in the audit log', async () => {
    const { viewer } = await spender();
    await viewer.call(setLimits, { day: 40 });
    await viewer.call(takeCoolOff, { hours: 24 });
    await viewer.call(excludeSelf, { days: 30 });
    const lines = await site.tx(async (tx) =>
      (await sql<{ action: string }>`
      select action from platform.audit where subject = ${`person:${viewer.id}`} order by id`
        .execute(tx.sql())).rows
    );
    expect(lines.map(({ action }) => action))
      .toEqual(['ledger.setLimits', 'ledger.takeCoolOff', 'ledger.excludeSelf']);
  });
});

describe('restrictions for staff', () => {
  it('is closed and opened by staff, with a reason the person does not read', async () => {
    const { viewer, spend } = await spender();
    const admin = await site.admin();
    const reason = 'stolen card, case 12';
    expect(await admin.call(setSpendingState, { username: viewer.username, blocked: true, reason }))
      .toEqual({ status: 1, blocked: true });
    expect(await spend(1)).toEqual({ status: 'blocked' });
    const limits = await viewer.call(getLimits, {});
    expect(limits.blocked).toBe(true);
    expect(JSON.stringify(limits)).not.toContain('case 12');
    await admin.call(setSpendingState, { username: viewer.username, blocked: false, reason: 'paid' });
    expect(await spend(1)).toMatchObject({ status: 'posted' });
  });

  it('is read by staff as it is: what closes it, since when and why, the line and the debt', async () => {
    const { viewer, spend } = await spender(10);
    const admin = await site.admin();
    const read = () => admin.call(getSpendingState, { username: viewer.username });
    const open = {
      username: viewer.username,
      tokens: 10,
      earned: null,
      blocked: null,
      credit_tokens: 0,
      debt_tokens: 0,
      cooling_off_until: null,
      self_excluded_until: null,
    };
    expect(await read()).toEqual(open);
    await site.tx((tx) => site.services.ledger.setCredit(tx, viewer.id, 50));
    await spend(30);
    await admin.call(setSpendingState, { username: viewer.username, blocked: true, reason: 'case 12' });
    const { cooling_off_until: until } = await viewer.call(takeCoolOff, { hours: 6 });
    await viewer.call(setLimits, { day: 77 });
    const closed = await read();
    expect(closed).toEqual({
      ...open,
      tokens: 0,
      credit_tokens: 50,
      debt_tokens: 20,
      cooling_off_until: until,
      blocked: { cause: 'staff', reason: 'case 12', at: site.clock.now().toISOString() },
    });
    // Only the person sees their budgets.
    expect(JSON.stringify(closed)).not.toContain('77');
    await admin.call(setSpendingState, { username: viewer.username, blocked: false, reason: 'paid' });
    expect((await read()).blocked).toBeNull();
    for (const member of [viewer, await site.viewer({ roles: ['site_mod'] })]) {
      expect((await member.refused(getSpendingState, { username: viewer.username })).status).toBe(403);
    }
    expect((await admin.refused(getSpendingState, { username: 'nobody_here' })).errorType)
      .toBe('person_unknown');
  });

  it('is nobody else\'s to set', async () => {
    const { viewer } = await spender();
    const order = { username: viewer.username, blocked: true, reason: 'because' };
    for (const member of [viewer, await site.performer(), await site.viewer({ roles: ['site_mod'] })]) {
      expect((await member.refused(setSpendingState, order)).status).toBe(403);
    }
    const admin = await site.admin();
    expect(await admin.refused(setSpendingState, { ...order, username: 'nobody_here' }))
      .toMatchObject({ errorType: 'person_unknown' });
    expect(await admin.refused(setSpendingState, { ...order, reason: '  ' }))
      .toMatchObject({ errorType: 'invalid_input' });
    expect((await viewer.call(getLimits, {})).blocked).toBe(false);
  });
});
