import type { InputOf } from '#platform/contract/call.ts';
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { proposal, type Proposal } from '#product/testkit/people/policies.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declareAge, getEntry } from './contract.ts';
import {
  approvePolicy,
  listPolicies,
  listPolicyHistory,
  previewPolicy,
  proposePolicy,
  rejectPolicy,
  withdrawPolicy,
} from './contract/policies.ts';

let site: TestSite;
let counsel: Member;
let second: Member;
beforeAll(async () => {
  site = await createSite();
  counsel = await site.admin();
  second = await site.admin();
});
afterAll(() => site.close());

/** Two people put a policy in force. */
async function inForce(change: Partial<Proposal>): Promise<number> {
  const { id } = await counsel.call(proposePolicy, proposal(change));
  if (id === null) throw new Error('a proposal has no id');
  await second.call(approvePolicy, { id, reason: 'read with counsel' });
  return id;
}
const entryIn = async (region: string) => (await site.visitor({ region })).call(getEntry, {});
const gateIn = async (region: string) => (await entryIn(region)).gate;

describe('a policy', () => {
  it('is in force once a second person has approved it, and not before', async () => {
    expect(await gateIn('NO')).toBe('declare');
    const proposed = await counsel.call(
      proposePolicy,
      proposal({ texts: { en: 'Read this first.', de: 'Lies das zuerst.' } }),
    );
    expect(proposed).toMatchObject({
      region: 'NO',
      state: 'proposed',
      time_zone: 'Europe/Oslo',
      starts_at: '2026-01-14T23:00:00.000Z',
      ends_at: null,
      proposed_by: counsel.username,
      decided_by: null,
    });
    expect(await gateIn('NO')).toBe('declare');
    const id = proposed.id ?? 0;
    const { waiting } = await second.call(listPolicies, {});
    expect(waiting).toMatchObject([{
      policy: { id },
      instead_of: { region: '*', state: 'seed' },
      is_laxer: false,
    }]);
    expect(waiting[0]?.is_own).toBe(false);
    const approved = await second.call(approvePolicy, { id, reason: 'read with counsel' });
    expect(approved).toMatchObject({ state: 'approved', decided_by: second.username });
    expect(await gateIn('NO')).toBe('verify');
    expect(await gateIn('SE')).toBe('declare');
    const german = await site.visitor({ region: 'NO', language: 'de' });
    expect((await german.call(getEntry, {})).notice).toBe('Lies das zuerst.');
    const french = await site.visitor({ region: 'NO', language: 'fr' });
    expect((await french.call(getEntry, {})).notice).toBe('Read this first.');
    const { in_force: rows, waiting: left } = await counsel.call(listPolicies, {});
    expect(rows.find(({ region }) => region === 'NO')).toMatchObject({
      id,
      is_confirmed: true,
      state: 'approved',
    });
    expect(rows.find(({ region }) => region === 'GB')).toMatchObject({
      id: null,
      is_confirmed: false,
      state: 'seed',
    });
    expect(left).toEqual([]);
  });

  it('asks for a verified age in some states, which an operator adds to and takes from [C-244]', async () => {
    const verifies = async (region: string) => {
      const visitor = await site.visitor({ region });
      const isRefused = (await visitor.refused(declareAge, { of_age: true })).errorType;
      return [(await visitor.call(getEntry, {})).gate, isRefused];
    };
    const verified = ['verify', 'age_verification_required'];
    expect([await verifies('US-TX'), await verifies('US-FL')]).toEqual([verified, verified]);
    expect(await gateIn('US-OR')).toBe('declare');
    await inForce({ region: 'US-OR', methods: ['id_document'], time_zone: 'UTC' });
    await inForce({ region: 'US-TX', rule: 'declare', methods: [], time_zone: 'UTC' });
    expect(await verifies('US-OR')).toEqual(verified);
    expect(await gateIn('US-TX')).toBe('declare');
  });

  it('is never approved or rejected by who proposed it, not even in the database', async () => {
    const { id } = await counsel.call(proposePolicy, proposal({ region: 'FI' }));
    const own = { id: id ?? 0, reason: 'I know what I do' };
    for (const call of [approvePolicy, rejectPolicy]) {
      expect(await counsel.refused(call, own)).toMatchObject({ status: 403, errorType: 'policy_own' });
    }
    const otherTab = await site.anotherTabOf(counsel);
    expect(await otherTab.refused(approvePolicy, own)).toMatchObject({ errorType: 'policy_own' });
    const forced = site.tx((tx) =>
      sql`update compliance.region_policies set state = 'approved', decided_by = proposed_by,
        decided_at = proposed_at where id = ${own.id}`.execute(tx.sql())
    );
    await expect(forced).rejects.toThrow(/check/);
    const undecided = site.tx((tx) =>
      sql`update compliance.region_policies set state = 'approved' where id = ${own.id}`.execute(tx.sql())
    );
    await expect(undecided).rejects.toThrow(/check/);
    const deleted = site.tx((tx) => sql`delete from compliance.region_policies`.execute(tx.sql()));
    await expect(deleted).rejects.toThrow(/permission denied/);
    expect(await gateIn('FI')).toBe('declare');
    expect(await second.call(rejectPolicy, { id: own.id, reason: 'the law is repealed' })).toMatchObject({
      state: 'rejected',
      decided_reason: 'the law is repealed',
    });
    expect(await second.refused(approvePolicy, own)).toMatchObject({
      status: 409,
      errorType: 'policy_decided',
    });
    expect(await gateIn('FI')).toBe('declare');
  });

  it('is for admins alone', async () => {
    const { id } = await counsel.call(proposePolicy, proposal({ region: 'DK' }));
    const moderator = await site.viewer({ roles: ['site_mod', 'model_admin'] });
    for (const someone of [await site.viewer(), await site.performer(), moderator]) {
      const tries = [
        someone.refused(proposePolicy, proposal()),
        someone.refused(approvePolicy, { id: id ?? 0, reason: 'why not' }),
        someone.refused(rejectPolicy, { id: id ?? 0, reason: 'why not' }),
        someone.refused(withdrawPolicy, { id: id ?? 0, reason: 'why not' }),
        someone.refused(listPolicies, {}),
        someone.refused(listPolicyHistory, { region: 'DK' }),
        someone.refused(previewPolicy, { region: 'DK' }),
      ];
      for (const problem of await Promise.all(tries)) expect(problem).toMatchObject({ status: 403 });
    }
    expect(await (await site.visitor()).refused(listPolicies, {})).toMatchObject({ status: 401 });
    await counsel.call(withdrawPolicy, { id: id ?? 0, reason: 'a mistake' });
  });

  it('stays with one operator', async () => {
    await site.services.site.addOperator('Lagoon', {
      displayName: 'Lagoon',
      sitecode: 'lagoon',
      hosts: ['lagoon.example'],
    });
    await inForce({ region: 'IS', rule: 'blocked', methods: [] });
    expect(await gateIn('IS')).toBe('blocked');
    const elsewhere = await site.visitor({ region: 'IS', host: 'lagoon.example' });
    expect((await elsewhere.call(getEntry, {})).gate).toBe('declare');
  });

  it('is refused, each fault with its reason', async () => {
    const faults: readonly [Partial<Proposal>, string][] = [
      [{ region: 'ZZ' }, 'policy_place_unknown'],
      [{ region: 'US-ZZ' }, 'policy_place_unknown'],
      [{ region: 'demo' }, 'policy_place_unknown'],
      [{ region: 'no' }, 'policy_place_unknown'],
      [{ time_zone: 'Mars/Olympus' }, 'policy_zone_unknown'],
      [{ from: '2026-03-01', until: '2026-02-28' }, 'policy_days_reversed'],
      [{ from: '2025-01-01', until: '2026-01-14' }, 'policy_over'],
      [{ methods: [] }, 'policy_methods_wrong'],
      [{ rule: 'blocked' }, 'policy_methods_wrong'],
      // Asks for less than France’s, from yesterday on.
      [{ region: 'FR', from: '2026-01-14', proof_lasts: 'session' }, 'policy_day_past'],
      [{ region: 'FR', from: '2026-01-14', rule: 'declare', methods: [] }, 'policy_day_past'],
    ];
    for (const [change, code] of faults) {
      expect(await counsel.refused(proposePolicy, proposal(change)), JSON.stringify(change))
        .toMatchObject({ status: 422, errorType: code });
    }
    const invalid: readonly Record<string, unknown>[] = [
      { minimum_age: 17 },
      { minimum_age: 18.5 },
      { minimum_age: 100 },
      { from: '15.1.2026' },
      { from: '2026-02-30' },
      { proof_lasts: 0 },
      { proof_lasts: 401 },
      { methods: ['palm_reading'] },
      { source: 'a law' },
      { texts: { en: 'x'.repeat(501) } },
      { texts: { xx: 'hello' } },
      { texts: { en: '\u202eevil' } },
      { note: 'x'.repeat(1_001) },
      { state: 'approved' },
      { proposed_by: 1 },
    ];
    for (const change of invalid) {
      expect(await counsel.refused(proposePolicy, { ...proposal(), ...change }), JSON.stringify(change))
        .toMatchObject({ status: 422, errorType: 'invalid_input' });
    }
  });

  it('that asks for more may name a day in the past, and applies at once', async () => {
    await inForce({
      region: 'FR',
      from: '2026-01-01',
      methods: ['digital_id'],
      proof_lasts: 'session',
      anonymous: true,
    });
    expect(site.services.compliance.policyOf(site.scope, 'FR').methods).toEqual(['digital_id']);
  });

  it('that asks for less is proposed again when its first day passed before its approval', async () => {
    const lax: Partial<Proposal> = { region: 'IT', rule: 'declare', methods: [] };
    const { id } = await counsel.call(proposePolicy, proposal(lax));
    site.clock.advance(DAY_MS);
    const late = await second.refused(approvePolicy, { id: id ?? 0, reason: 'read with counsel' });
    expect(late).toMatchObject({ status: 422, errorType: 'policy_day_past' });
    await counsel.call(withdrawPolicy, { id: id ?? 0, reason: 'its day has passed' });
    expect(await gateIn('IT')).toBe('verify');
  });

  it('begins and ends at midnight of its place', async () => {
    await inForce({ region: 'US-CA', from: '2026-02-01', until: '2026-02-02' });
    const after = async (moment: string) => {
      site.clock.advance(Date.parse(moment) - site.clock.now().getTime());
      return gateIn('US-CA');
    };
    expect(await after('2026-02-01T07:59:59Z')).toBe('declare');
    expect(await after('2026-02-01T08:00:00Z')).toBe('verify');
    expect(await after('2026-02-03T07:59:59Z')).toBe('verify');
    expect(await after('2026-02-03T08:00:00Z')).toBe('declare');
  });

  it('that was approved can be withdrawn until it begins', async () => {
    const tomorrow = new Date(site.clock.now().getTime() + DAY_MS).toISOString().slice(0, 10);
    const id = await inForce({ region: 'PT', from: tomorrow });
    const { next } = await counsel.call(listPolicies, {});
    expect(next.map((row) => row.id)).toContain(id);
    const withdrawn = await second.call(withdrawPolicy, { id, reason: 'the law was postponed' });
    expect(withdrawn).toMatchObject({ state: 'withdrawn', withdrawn_by: second.username });
    await site.passes(2 * DAY_MS);
    expect(await gateIn('PT')).toBe('declare');
    const begun = await inForce({ region: 'PT', from: site.clock.now().toISOString().slice(0, 10) });
    expect(await gateIn('PT')).toBe('verify');
    const problem = await second.refused(withdrawPolicy, { id: begun, reason: 'too late' });
    expect(problem).toMatchObject({ status: 409, errorType: 'policy_begun' });
    expect(await second.refused(withdrawPolicy, { id: 999_999, reason: 'which' })).toMatchObject({
      status: 404,
    });
  });

  it('leaves a history of its place, a page at a time, and lines in the audit log', async () => {
    const ids: number[] = [];
    for (let at = 0; at < 21; at += 1) {
      const { id } = await counsel.call(
        proposePolicy,
        proposal({ region: 'GB', from: '2030-01-01', note: `try ${at}` }),
      );
      ids.push(id ?? 0);
      await second.call(rejectPolicy, { id: id ?? 0, reason: 'not this one' });
    }
    const first = await counsel.call(listPolicyHistory, { region: 'GB' });
    expect(first.policies.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 20));
    expect(first.policies[0]).toMatchObject({
      state: 'rejected',
      note: 'try 20',
      decided_by: second.username,
    });
    expect(first.seeds).toMatchObject([{ from: '2025-07-25', state: 'seed', is_confirmed: false }]);
    const rest = await counsel.call(listPolicyHistory, { region: 'GB', before: first.next ?? 0 });
    expect([rest.policies.map(({ id }) => id), rest.next]).toEqual([[ids[0]], null]);
    const audit = await site.tx(async (tx) =>
      (await sql<{ action: string; actor_id: number; reason: string | null; detail: unknown }>`
        select action, actor_id, reason, detail from platform.audit where subject = ${`policy:${ids[0]}`}
        order by id`.execute(tx.sql())).rows
    );
    const detail = { region: 'GB', from: '2030-01-01', rule: 'verify' };
    expect(audit).toEqual([
      { action: 'compliance.proposePolicy', actor_id: counsel.id, reason: null, detail },
      { action: 'compliance.rejectPolicy', actor_id: second.id, reason: 'not this one', detail },
    ]);
  });
});

describe('what a visitor from a place meets', () => {
  it('is the row in force that day, and why it decides', async () => {
    const day = '2027-03-01';
    await inForce({ region: 'NL', from: day, rule: 'blocked', methods: [], source: 'The Dutch law of 2027' });
    const seen = (input: InputOf<typeof previewPolicy>) => counsel.call(previewPolicy, input);
    expect(await seen({ region: 'NL' })).toMatchObject({
      gate: 'declare',
      why: 'everywhere',
      policy: { region: '*' },
    });
    expect(await seen({ region: 'NL', at: '2027-02-28' })).toMatchObject({ gate: 'declare' });
    expect(await seen({ region: 'NL', at: day })).toMatchObject({
      gate: 'blocked',
      why: 'own',
      policy: { region: 'NL', source: 'The Dutch law of 2027', proposed_by: counsel.username },
    });
    expect(await seen({ region: 'US-FL' })).toMatchObject({
      gate: 'verify',
      minimum_age: 18,
      methods: ['id_document', 'face_estimation', 'digital_id'],
      why: 'own',
      policy: { id: null, is_confirmed: false },
    });
    expect(await seen({ region: 'US' })).toMatchObject({ gate: 'verify', why: 'strictest_state' });
    expect(await seen({ region: 'unknown', at: '2026-12-01' })).toMatchObject({
      gate: 'blocked',
      why: 'unknown',
    });
  });
});

describe('a network that hides its place', () => {
  it('gets what the policy of the place it ends in says', async () => {
    expect(await entryIn('vpn:BR')).toMatchObject({ gate: 'declare', region: 'BR' });
    await inForce({ region: 'BR', from: '2030-01-01', rule: 'declare', methods: [], vpn_class: 'strictest' });
    expect(await entryIn('vpn:BR')).toMatchObject({ gate: 'declare', region: 'BR' });
    const today = site.clock.now().toISOString().slice(0, 10);
    await inForce({ region: 'BR', from: today, rule: 'declare', methods: [], vpn_class: 'strictest' });
    expect(await entryIn('vpn:BR')).toMatchObject({ gate: 'blocked', region: 'strictest' });
    expect(await entryIn('BR')).toMatchObject({ gate: 'declare', region: 'BR' });
    await inForce({ region: 'AR', from: today, rule: 'declare', methods: [], vpn_class: 'refused' });
    const hidden = await site.visitor({ region: 'vpn:AR' });
    expect(await hidden.call(getEntry, {})).toMatchObject({ gate: 'blocked', region: 'refused' });
    expect(await hidden.refused(declareAge, { of_age: true })).toMatchObject({ errorType: 'region_blocked' });
    const preview = await counsel.call(previewPolicy, { region: 'AR', vpn: true });
    expect(preview).toMatchObject({ gate: 'blocked', why: 'vpn_refused' });
    site.clock.advance(HOUR_MS);
  });
});
