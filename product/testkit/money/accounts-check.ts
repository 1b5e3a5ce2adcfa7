import type { PoolClient } from 'pg';
import type { ReferenceLedger } from './reference-ledger.ts';

/** Balances, postings and holds of an operator as the database sees them. */
interface AccountsReport {
  readonly breaches: Readonly<Record<string, readonly unknown[] | null>>;
  readonly balances: Readonly<Record<string, number>> | null;
  readonly money: Readonly<Record<string, number>> | null;
  readonly lots: readonly (readonly [person: number, isPromotional: boolean, left: number])[] | null;
  readonly booked: number;
  readonly entries: number;
  readonly cover: { readonly owed: number; readonly covered: number };
  readonly overdue: number;
}

/** Queries that return a row for each broken invariant. */
const BREACHES = {
  'postings that do not sum to zero': `select journal_id from ledger.postings
    where operator_id = $1 group by journal_id having sum(tokens) <> 0`,
  'money that does not sum to zero': `select journal_id, currency from ledger.money_postings
    where operator_id = $1 group by journal_id, currency having sum(minor) <> 0`,
  'balances that are not the sum of their postings': `select a.person_id, a.account, a.balance, p.tokens
    from ledger.accounts a
    full join (select person_id, account, sum(tokens) as tokens from ledger.postings
      where operator_id = $1 and person_id is not null group by 1, 2) p
      on p.person_id = a.person_id and p.account = a.account
    where coalesce(a.operator_id, $1) = $1 and coalesce(a.balance, 0) <> coalesce(p.tokens, 0)`,
  'balances on the wrong side of zero': `select person_id, account from ledger.accounts
    where operator_id = $1 and case when account = 'debt' then balance > 0 else balance < 0 end`,
  'lots that do not add up to the balance': `select a.person_id from ledger.accounts a
    where a.operator_id = $1 and a.account = 'tokens' and a.balance <> (
      select coalesce(sum(l.tokens_left), 0) from ledger.lots l
      where l.operator_id = $1 and l.person_id = a.person_id)`,
  'lots that do not match their draws': `select l.id from ledger.lots l
    left join (select lot_id, sum(tokens) as tokens from ledger.draws where operator_id = $1 group by 1) d
      on d.lot_id = l.id
    where l.operator_id = $1 and l.tokens - l.tokens_left <> coalesce(d.tokens, 0)`,
  'held tokens without a hold': `select coalesce(a.person_id, h.person_id) from (
      select person_id, balance from ledger.accounts
      where operator_id = $1 and account = 'held' and balance <> 0) a
    full join (select person_id, sum(tokens_left) as tokens from ledger.holds
      where operator_id = $1 and closed_at is null group by 1 having sum(tokens_left) <> 0) h
      on h.person_id = a.person_id
    where coalesce(a.balance, 0) <> coalesce(h.tokens, 0)`,
  'marketing that does not match the coverage': `select * from (select
      coalesce((select booked_cents from ledger.marketing where operator_id = $1), 0) as booked,
      (select coalesce(sum(marketing_cents), 0) from ledger.coverage where operator_id = $1) as summed) m
    where booked <> summed`,
} as const;

const breaches = Object.entries(BREACHES)
  .map(([name, query]) => `'${name}', (select json_agg(row_to_json(f)) from (${query}) f)`).join(',\n');

/** One statement, since the check runs after each batch. Holds may be open until $2. */
const REPORT = `select json_build_object(
  'breaches', json_build_object(${breaches}),
  'balances', (select json_object_agg(name, tokens) from (
    select concat_ws(' ', person_id, account) as name, sum(tokens) as tokens from ledger.postings
    where operator_id = $1 group by person_id, account) b),
  'money', (select json_object_agg(name, minor) from (
    select account || ' ' || currency as name, sum(minor) as minor from ledger.money_postings
    where operator_id = $1 group by account, currency) m),
  'lots', (select json_agg(json_build_array(person_id, promotional, tokens_left)
      order by person_id, id) from ledger.lots where operator_id = $1 and tokens_left > 0),
  'booked', coalesce((select booked_cents from ledger.marketing where operator_id = $1), 0),
  'entries', (select count(*) from ledger.journal where operator_id = $1),
  'cover', (select json_build_object('owed', coalesce(sum(a.balance) * $3, 0), 'covered', (
      select coalesce(sum(cash_cents + marketing_cents), 0) from ledger.coverage where operator_id = $1))
    from ledger.accounts a where a.operator_id = $1),
  'overdue', (select count(*) from ledger.holds
    where operator_id = $1 and closed_at is null and expires_at <= $2)) as report`;

const sorted = (map: Readonly<Record<string, number>>): string =>
  JSON.stringify(Object.entries(map).filter(([, sum]) => sum !== 0).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Throws if the database breaks an invariant or differs from the reference. */
export async function checkAccounts(session: PoolClient, given: {
  readonly operatorId: number;
  readonly payoutCents: number;
  readonly reference: ReferenceLedger;
  /** No hold that expired before this may be open; null while deadlines may be undelivered. */
  readonly deliveredUntil: Date | null;
}): Promise<void> {
  const { operatorId, payoutCents, reference, deliveredUntil } = given;
  const { rows } = await session.query<{ report: AccountsReport }>(
    REPORT,
    [operatorId, deliveredUntil ?? new Date(0), payoutCents],
  );
  const report = rows[0]?.report;
  if (!report) throw new Error('the query returned no row');
  for (const [name, found] of Object.entries(report.breaches)) {
    if (found) throw new Error(`${name}: ${JSON.stringify(found)}`);
  }
  if (report.overdue > 0) throw new Error(`${report.overdue} holds are open after they expired`);
  // Debts are negative balances: they reduce what the operator owes.
  const { owed, covered } = report.cover;
  if (owed > covered) throw new Error(`${owed} cents would be paid out, ${covered} are covered`);
  expectSame('balances', sorted(report.balances ?? {}), sorted(Object.fromEntries(reference.balances)));
  expectSame('money', sorted(report.money ?? {}), sorted(Object.fromEntries(reference.money)));
  const lots = [...reference.lots].sort(([a], [b]) => a - b).flatMap(([, own]) =>
    own.filter(({ left }) => left > 0).map(({ person, promotional, left }) => [person, promotional, left])
  );
  expectSame('lots', JSON.stringify(report.lots ?? []), JSON.stringify(lots));
  expectSame('marketing', String(report.booked), String(reference.booked));
  expectSame('entries', String(report.entries), String(reference.entries.size + reference.caused));
}

/** Throws unless held tokens and money in suspense are zero. */
export function checkSettled(reference: ReferenceLedger): void {
  for (const [name, sum] of [...reference.balances, ...reference.money]) {
    const isPending = sum !== 0 && /\bheld$|^suspense /u.test(name);
    if (isPending) throw new Error(`${name} is ${sum} after everything settled`);
  }
}

interface Rebuilt {
  readonly person_id: number | null;
  readonly account: string;
  readonly tokens: number;
}

/** Throws unless the ledger's own checks find no fault, alarm or broken seal, and return the same sums. */
export async function checkProofs(session: PoolClient, given: {
  readonly now: Date;
  readonly payoutCents: number;
  readonly reference: ReferenceLedger;
}): Promise<void> {
  const { now, payoutCents, reference } = given;
  const read = async <Row extends object>(proof: string, ...values: unknown[]): Promise<Row[]> =>
    (await session.query<Row>(`select * from ledger.${proof}`, values)).rows;
  const findings = [await read('faults()'), await read('alarms($1)', now), await read('broken_seals()')];
  if (findings.flat().length > 0) throw new Error(`the ledger reports ${JSON.stringify(findings)}`);
  const at = await read<Rebuilt>('balances_at($1)', now);
  const rebuilt = Object.fromEntries(
    at.map((
      { person_id: person, account, tokens },
    ) => [person === null ? account : `${person} ${account}`, tokens]),
  );
  expectSame('rebuilt balances', sorted(rebuilt), sorted(Object.fromEntries(reference.balances)));
  const sumOf = (accounts: RegExp): number =>
    [...reference.balances]
      .reduce((sum, [name, tokens]) => sum + (accounts.test(name) ? tokens * payoutCents : 0), 0);
  const [cover] = await read<Record<string, number>>('cover()');
  const { marketing_cap_cents: _cap, ...covers } = cover ?? {};
  expectSame(
    'covers',
    JSON.stringify(covers),
    JSON.stringify({
      owed_cents: sumOf(/^\d+ earnings$/u),
      outstanding_cents: sumOf(/^\d+ (?:tokens|earnings|held)$/u),
      cash_cents: reference.cash,
      marketing_cents: reference.booked,
      receivable_cents: 0 - sumOf(/^\d+ debt$/u),
      loss_cents: 0 - sumOf(/^losses$/u),
    }),
  );
}

function expectSame(what: string, actual: string, wanted: string): void {
  if (actual !== wanted) throw new Error(`${what} differ\n  database:  ${actual}\n  reference: ${wanted}`);
}
