import type { StreamedAnswer } from '#platform/contract/bind.ts';
import { API_BASE } from '#platform/contract/client.ts';
import { Refused, type Refusal, type RefusalDetail } from '#platform/contract/refusal.ts';
import type { Data } from '#platform/data/data.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { DAY_MS, HOUR_MS } from '#platform/time/units.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportHistory, getHistory, getStatement } from './contract.ts';
import { getHistoryEntries } from './contract/entries.ts';
import { MAX_BATCH } from './rules.ts';
import { PURCHASE } from './rules/kinds.ts';
import { BYTE_ORDER_MARK, EXPORT_BATCH_LINES, EXPORT_PAGE_LINES } from './rules/table.ts';
import type { Operation } from './server.ts';
import { exportHandler } from './server/history/export.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const tip = (from: Member, to: Member, tokens: number, comment = ''): Operation => ({
  id: uuidV4(),
  kind: 'tip',
  memo: { to: to.username, comment },
  parameterHash: '',
  facts: [],
  legs: [
    { account: { kind: 'person', personId: from.id, book: 'tokens' }, tokens: -tokens },
    { account: { kind: 'person', personId: to.id, book: 'earnings' }, tokens },
  ],
});
const purchase = (
  by: Member,
  tokens: number,
  backingCents: number,
  { minor, currency } = { minor: 0, currency: '' },
): Operation => ({
  id: uuidV4(),
  kind: 'purchase',
  memo: { product: 'pack' },
  parameterHash: '',
  facts: [],
  ...(minor > 0
    ? {
      money: [
        { account: 'biller:ccbill', minor, currency },
        { account: 'sales', minor: -minor, currency },
      ],
    }
    : {}),
  legs: [
    { account: { kind: 'operator', name: 'float' }, tokens: -tokens },
    {
      account: { kind: 'person', personId: by.id, book: 'tokens' },
      tokens,
      lot: { promotional: false, backingCents },
    },
  ],
});
const post = async (...operations: Operation[]): Promise<void> => {
  const outcomes = await site.tx((tx) => site.services.ledger.post(tx, operations));
  expect(outcomes.map(({ status }) => status)).toEqual(operations.map(() => 'posted'));
};
/** A person with tokens, and somebody to give them to. */
async function pair(tokens = 1_000): Promise<{ payer: Member; payee: Member }> {
  const [payer, payee] = [await site.viewer(), await site.viewer()];
  await post(purchase(payer, tokens, tokens * 10));
  return { payer, payee };
}
/** More than a month passes, and the person logs in again: sessions do not last that long. */
async function aMonthLater(member: Member): Promise<Member> {
  await site.passes(31 * DAY_MS);
  return site.anotherTabOf(member);
}
/** Parses a file strictly by RFC 4180: throws for anything else. */
function parsed(file: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/uy;
  while (field.lastIndex < file.length) {
    const found = field.exec(file);
    if (!found) throw new Error('this is no CSV');
    record.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
}
/** A whole file without its byte order mark. */
function unmarked(file: string): string {
  expect(file.startsWith(BYTE_ORDER_MARK)).toBe(true);
  return file.slice(1);
}
const csv = async (member: Member, input: { kind?: string; month?: string } = {}): Promise<string[][]> =>
  parsed(unmarked((await member.call(exportHistory, input)).body));

describe('history', () => {
  it('pages without gaps and repeats while new lines arrive', async () => {
    const { payer, payee } = await pair();
    for (let n = 0; n < 3; n += 1) await post(...[1, 2, 3, 4].map((more) => tip(payer, payee, n * 4 + more)));
    const seen: { id: number; tokens: number }[] = [];
    let before: number | undefined;
    do {
      const page = await payer.call(getHistory, { before, limit: 5 });
      seen.push(...page.lines);
      before = page.next ?? undefined;
      await post(tip(payer, payee, 50));
    } while (before !== undefined);
    const amounts = Array.from({ length: 12 }, (_, n) => -(12 - n));
    expect(seen.map(({ tokens }) => tokens)).toEqual([...amounts, 1_000]);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(13);
  });

  it('is a sum one can follow: each balance is the one before it and the change', async () => {
    const { payer, payee } = await pair();
    await post(...[5, 10, 1, 20].map((tokens) => tip(payer, payee, tokens)));
    await post(purchase(payer, 30, 300), tip(payer, payee, 40));
    const { lines } = await payer.call(getHistory, {});
    const oldest = lines.toReversed();
    let balance = 0;
    for (const line of oldest) {
      balance += line.tokens;
      expect(line.balance).toBe(balance);
    }
    expect(oldest.map(({ tokens }) => tokens)).toEqual([1_000, -5, -10, -1, -20, 30, -40]);
  });

  it('says what was paid in money, not what tokens are shown as, and what a refund undid', async () => {
    const [payer, payee] = [await site.viewer(), await site.viewer()];
    const order = uuidV4();
    const paid: Operation = {
      ...purchase(payer, 500, 4_999),
      kind: PURCHASE,
      memo: { order },
      money: [
        { account: 'biller:simulator', minor: 4_999, currency: 'USD' },
        { account: 'sales', minor: -4_999, currency: 'USD' },
      ],
    };
    const free: Operation = { ...purchase(payer, 50, 0), kind: PURCHASE, memo: { order } };
    await post(paid, free);
    const [bought, ...others] = (await payer.call(getHistoryEntries, {})).entries;
    expect([bought?.tokens, bought?.money, bought?.parts.map(({ tokens }) => tokens), others])
      .toEqual([550, { minor: 4_999, currency: 'USD' }, [50, 500], []]);
    expect((await csv(payer)).slice(1).map((line) => line.slice(-2))).toEqual([['49.99', 'USD'], ['', '']]);
    const mistaken = tip(payer, payee, 7);
    await post(mistaken);
    await site.tx((tx) =>
      site.services.ledger.reverse(tx, {
        id: uuidV4(),
        operation: mistaken.id,
        mode: 'refund',
        reason: 'for staff alone',
        actorId: payee.id,
      })
    );
    const [back, spent] = (await payer.call(getHistoryEntries, {})).entries;
    expect(back).toMatchObject({
      kind: 'refund',
      tokens: 7,
      money: null,
      reverses: { kind: 'tip', to: payee.username },
      parts: [],
    });
    expect(JSON.stringify(back)).not.toContain('for staff alone');
    expect([spent?.reverses, spent?.money]).toEqual([null, null]);
  });

  it(
    'puts turns on one show together with what expired of them, apart from a turn of the same number',
    async () => {
      const { payer, payee } = await pair();
      const hold = (tokens: number, memo: Record<string, unknown>): Operation => ({
        id: uuidV4(),
        kind: 'spy_hold',
        memo: { to: payee.username, ...memo },
        parameterHash: '',
        facts: [],
        legs: [
          { account: { kind: 'person', personId: payer.id, book: 'tokens' }, tokens: -tokens },
          { account: { kind: 'person', personId: payer.id, book: 'held' }, tokens },
        ],
        hold: { expiresAt: new Date(site.clock.now().getTime() + HOUR_MS) },
      });
      await post(hold(10, { show: 7, part_of: 3 }));
      await post(hold(20, { show: 3 }));
      await post(hold(30, { show: 8, part_of: 3 }));
      await site.passes(2 * HOUR_MS);
      const { entries } = await payer.call(getHistoryEntries, { kind: 'spy_show' });
      expect(
        entries.map(({ kind, tokens, parts }) => [
          kind,
          tokens,
          parts.map((part) => part.tokens).toSorted((a, b) => a - b),
        ]).toSorted(),
      )
        .toEqual([['spy_show', 0, [-20, 20]], ['spy_show', 0, [-30, -10, 10, 30]]]);
    },
  );

  it('filters by kind and by month, and pages inside the filter', async () => {
    const { payer: earlier, payee } = await pair();
    await post(tip(earlier, payee, 1), tip(earlier, payee, 2));
    const month = site.clock.now().toISOString().slice(0, 7);
    const payer = await aMonthLater(earlier);
    const later = site.clock.now().toISOString().slice(0, 7);
    await post(tip(payer, payee, 3), purchase(payer, 4, 40));
    const tokens = async (input: { kind?: string; month?: string }): Promise<number[]> =>
      (await payer.call(getHistory, input)).lines.map((line) => line.tokens);
    expect(await tokens({ kind: 'tip' })).toEqual([-3, -2, -1]);
    expect(await tokens({ month })).toEqual([-2, -1, 1_000]);
    expect(await tokens({ month: later, kind: 'tip' })).toEqual([-3]);
    expect(await tokens({ month: '1999-01' })).toEqual([]);
    const first = await payer.call(getHistory, { kind: 'tip', limit: 2 });
    expect(first.kinds).toEqual(['purchase', 'tip']);
    const second = await payer.call(getHistory, { kind: 'tip', limit: 2, before: first.next ?? 0 });
    expect(second).toMatchObject({ next: null, kinds: null, lines: [{ tokens: -1 }] });
  });

  it('shows nobody the lines of somebody else, whatever they ask for', async () => {
    const { payer, payee } = await pair();
    await post(tip(payer, payee, 7, 'between us'));
    const stranger = await site.viewer();
    const newest = (await payer.call(getHistory, {})).lines[0]?.id ?? 0;
    const month = site.clock.now().toISOString().slice(0, 7);
    for (const member of [stranger, payee]) {
      expect((await member.call(getHistory, { before: newest + 1 })).lines).toEqual([]);
      expect(await csv(member)).toHaveLength(1);
      expect(await member.call(getStatement, { month })).toMatchObject({
        opening: 0,
        closing: 0,
        kinds: [],
        purchased: { tokens: 0, money: [] },
        months: [],
      });
    }
    const smuggled = await stranger.request({ url: `/api/v1/tokens/history?personId=${payer.id}&person=1` });
    expect(smuggled.json()).toMatchObject({ lines: [] });
    const file = await stranger.request({ url: `/api/v1/tokens/history.csv?personId=${payer.id}&person=1` });
    expect(parsed(unmarked(file.body))).toHaveLength(1);
    const guest = await site.visitor();
    for (const call of [getHistory, exportHistory]) expect((await guest.refused(call, {})).status).toBe(401);
    expect((await guest.refused(getStatement, { month })).status).toBe(401);
  });

  it('keeps what staff wrote down from the person', async () => {
    const member = await site.viewer();
    await site.tx((tx) => site.services.ledger.grant(tx, member.id, 5, 'sorry about fraud case 7', uuidV4()));
    const { lines } = await member.call(getHistory, {});
    expect(lines).toMatchObject([{ kind: 'grant', memo: {} }]);
    expect((await member.call(exportHistory, {})).body).not.toContain('fraud');
  });

  it('refuses ranges that are none', async () => {
    const member = await site.viewer();
    for (const input of [
      { month: '2026-13' },
      { month: '2026-1' },
      { month: '2026-01\'--' },
      { limit: 0 },
      { limit: 1e9 },
      { before: 0 },
      { before: -1 },
      { before: 1e300 },
      { kind: 'Tip; drop' },
      { kind: 'x'.repeat(41) },
      { month: '0001-01' },
      { month: '9999-12' },
    ]) {
      expect(await member.refused(getHistory, input)).toMatchObject({ errorType: 'invalid_input' });
    }
    expect((await member.call(getHistory, { before: Number.MAX_SAFE_INTEGER })).lines).toEqual([]);
    expect((await member.call(getHistory, { month: '2999-12' })).lines).toEqual([]);
    expect((await member.call(getHistory, { month: '1000-01' })).lines).toEqual([]);
    expect((await member.call(getStatement, { month: '1000-01' })).months).toEqual([]);
  });
});

describe('the file', () => {
  it('has every line once, oldest first, with its value and balance', async () => {
    const { payer, payee } = await pair();
    await post(tip(payer, payee, 25, 'good, "loud"\nmusic'));
    const answer = await payer.call(exportHistory, {});
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="tokens-year.csv"',
      'cache-control': 'no-store',
    });
    const [columns, ...lines] = parsed(unmarked(answer.body));
    expect(columns).toEqual([
      'time',
      'operation',
      'kind',
      'tokens',
      'shown_value_usd',
      'balance',
      'details',
      'paid',
      'currency',
    ]);
    expect(lines.map(([, , ...rest]) => rest)).toEqual([
      ['purchase', '1000', '100', '1000', 'product: pack', '', ''],
      ['tip', '-25', '-2.5', '975', `to: ${payee.username}, comment: good, "loud"\nmusic`, '', ''],
    ]);
    const month = site.clock.now().toISOString().slice(0, 7);
    expect(await csv(payer, { kind: 'tip', month })).toHaveLength(2);
  });

  it('runs no formula, whatever somebody wrote', async () => {
    const { payer, payee } = await pair();
    const written = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '  =1', '\uFF1D1', '\'=1', '"=1'];
    for (const comment of written) {
      await post({ ...tip(payer, payee, 1), memo: { [comment]: comment } });
    }
    const details = (await csv(payer)).slice(2).map((line) => line[6] ?? '');
    expect(details).toHaveLength(written.length);
    for (const [n, text] of details.entries()) {
      expect(text).toContain(written[n]);
      expect(text).not.toMatch(/^[\s\uFEFF]*[=+\-@\uFF1D\t\r]/u);
    }
  });

  it('is asked for a few times a minute, not in a loop', async () => {
    const { payer } = await pair();
    const statuses: number[] = [];
    for (let n = 0; n < 32; n += 1) {
      statuses.push((await payer.request({ url: '/api/v1/tokens/history.csv' })).statusCode);
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    const page = await payer.request({ url: '/api/v1/tokens/history.csv', headers: { accept: 'text/html' } });
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.body).toContain('Too many requests. Try again in');
  });
});

describe('statement', () => {
  it('adds up: opening, totals by kind, closing, what was bought', async () => {
    const { payer: early, payee } = await pair(500);
    await post(tip(early, payee, 100));
    const first = site.clock.now().toISOString().slice(0, 7);
    const later = await aMonthLater(early);
    const second = site.clock.now().toISOString().slice(0, 7);
    await post(
      tip(later, payee, 30),
      tip(later, payee, 20),
      purchase(later, 60, 550),
      purchase(later, 270, 2_700, { minor: 2_500, currency: 'EUR' }),
      purchase(later, 108, 1_080, { minor: 1_000, currency: 'EUR' }),
      purchase(later, 50, 499, { minor: 499, currency: 'USD' }),
    );
    const payer = await aMonthLater(later);
    await post(tip(payer, payee, 1));
    const third = site.clock.now().toISOString().slice(0, 7);
    expect(await payer.call(getStatement, { month: second })).toEqual({
      month: second,
      opening: 400,
      closing: 838,
      credited: 488,
      spent: 50,
      kinds: [
        { kind: 'purchase', count: 4, credited: 488, spent: 0 },
        { kind: 'tip', count: 2, credited: 0, spent: 50 },
      ],
      // What billers charged, as it was paid: nothing is converted, or added up across currencies.
      purchased: {
        tokens: 488,
        money: [{ minor: 3_500, currency: 'EUR' }, { minor: 499, currency: 'USD' }],
      },
      months: [third, second, first],
    });
    const before = await payer.call(getStatement, { month: first });
    const after = await payer.call(getStatement, { month: third });
    expect([before.opening, before.closing, after.opening, after.closing]).toEqual([0, 400, 838, 837]);
    const empty = await payer.call(getStatement, { month: '1999-01' });
    expect(empty).toMatchObject({ opening: 0, closing: 0, kinds: [] });
  });
});

describe('very many lines', () => {
  const most = 20_000;
  let payer: Member;
  beforeAll(async () => {
    const two = await pair(most * 2);
    payer = two.payer;
    for (let made = 1; made < most; made += MAX_BATCH) {
      await post(...Array.from({ length: Math.min(MAX_BATCH, most - made) }, () => tip(payer, two.payee, 1)));
    }
  });

  /** The handler's answer to the payer, on this database and with this limit. */
  const whole = (data: Data, limit?: number): Promise<unknown> => {
    const caller = { kind: 'person', personId: payer.id };
    const refuse = (refusal: Refusal, detail: RefusalDetail) => new Refused(refusal, detail);
    const context = { scope: site.scope, caller, personId: payer.id, locale: 'en', refuse } as never;
    return exportHandler(data, API_BASE, limit).handle({}, context);
  };

  it('stream as one file over the wire, every line once', async () => {
    const response = await fetch(`${await site.address()}/api/v1/tokens/history.csv`, {
      headers: Object.entries(payer.headers).filter((pair): pair is [string, string] => !!pair[1]),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBeNull();
    expect(response.headers.get('link')).toBeNull();
    // `text` strips the byte order mark.
    const lines = parsed(await response.text()).slice(1);
    expect(new Set(lines.map((line) => line[1])).size).toBe(most);
    expect(lines.at(-1)?.[5]).toBe(String(most + 1));
  });

  it('are read a batch for each part that is taken, and no more once the client has gone', async () => {
    let units = 0;
    const { parts } = await whole({
      clock: site.clock,
      driver: 'pglite',
      close: async () => {},
      read: site.data.read,
      tx: (scope, fn) => {
        units += 1;
        return site.data.tx(scope, fn);
      },
    }) as StreamedAnswer;
    const before = units;
    const reading = parts[Symbol.asyncIterator]();
    await reading.next();
    for (let taken = 1; taken <= 3; taken += 1) {
      const { value } = await reading.next() as { value: string };
      expect(parsed(value)).toHaveLength(EXPORT_BATCH_LINES);
      expect(units - before).toBe(taken);
    }
    await reading.return?.();
    expect(await reading.next()).toMatchObject({ done: true });
    expect(units - before).toBe(3);
  });

  it('come in pages with `after`, each named by the one before', async () => {
    const first = await payer.call(exportHistory, { after: 0 });
    const lines = parsed(first.body).slice(1);
    expect(lines).toHaveLength(EXPORT_PAGE_LINES);
    const next = /^<([^>]+)>; rel="next"$/u.exec(first.headers['link'] ?? '')?.[1] ?? '';
    const rest = parsed((await payer.request({ url: next })).body).slice(1);
    expect(new Set([...lines, ...rest].map((line) => line[1])).size).toBe(EXPORT_PAGE_LINES * 2);
    expect(rest[0]?.[5]).toBe(String(most * 2 - EXPORT_PAGE_LINES));
    const stranger = await site.viewer();
    expect(parsed((await stranger.request({ url: next })).body)).toHaveLength(1);
    const month = site.clock.now().toISOString().slice(0, 7);
    expect(await payer.call(getStatement, { month })).toMatchObject({ spent: most - 1, credited: most * 2 });
  });

  it('are refused when one file cannot hold them, instead of cut', async () => {
    const refused = await whole(site.data, most - 1);
    expect(refused).toMatchObject({
      refusal: { code: 'history_too_long' },
      detail: { values: { lines: '19,999' } },
    });
    expect(await whole(site.data, most)).toMatchObject({ status: 200 });
  });
});
