import { uuidV4 } from '#platform/data/ids.ts';
import { logout } from '#product/accounts/contract.ts';
import { getBalance, getHistory, tokenUpdate } from '#product/ledger/contract.ts';
import { chatHistory, chatMessage, sayInChat } from '#product/rooms/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listReceivedTips, sendTip, tipReceived } from './contract.ts';
import { joinSplit, startSplit } from './contract/splits.ts';
import { MAX_TIP_TOKENS } from './rules.ts';

let site: TestSite;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
  performer = await site.performer({ live: true });
});
afterAll(() => site.close());

const key = (): { idempotencyKey: string } => ({ idempotencyKey: uuidV4() });
const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;

interface Balances {
  readonly tokens: number;
  readonly earnings: number;
  readonly fees: number;
}
/** All tokens by account. Granted tokens are in somebody's balance, in earnings, or in the fees. */
async function balances(): Promise<Balances> {
  const { rows } = await site.tx((tx) =>
    sql<{ account: keyof Balances; sum: number }>`
    select account, sum(tokens)::bigint as sum from ledger.postings
    where account in ('tokens', 'earnings', 'fees') group by account`.execute(tx.sql())
  );
  const of = (account: keyof Balances): number => rows.find((row) => row.account === account)?.sum ?? 0;
  return { tokens: of('tokens'), earnings: of('earnings'), fees: of('fees') };
}
/** What one person has earned so far. */
async function earningsOf({ id }: Member): Promise<number> {
  const { rows } = await site.tx((tx) =>
    sql<{ sum: number }>`select coalesce(sum(tokens), 0)::bigint as sum
    from ledger.postings where person_id = ${id} and account = 'earnings'`.execute(tx.sql())
  );
  return rows[0]?.sum ?? 0;
}
const total = ({ tokens, earnings, fees }: Balances): number => tokens + earnings + fees;

describe('a tip', () => {
  it('takes tokens and gives the performer their share [A-008, A-348]', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    const before = await balances();
    const earned = await earningsOf(performer);
    const answered = await viewer.call(sendTip, {
      username: performer.username,
      amount: 25,
      comment: 'lovely',
      app_data: { item: 3 },
      source_id: 'room',
      type: 'app',
      vr: true,
    }, key());
    expect(answered).toEqual({
      status: 1,
      errorType: null,
      error: null,
      tip_id: expect.any(String),
      amount: 25,
      tokens: 75,
    });
    expect(await tokensOf(viewer)).toBe(75);
    expect(await balances()).toEqual({
      tokens: before.tokens - 25,
      earnings: before.earnings + 25,
      fees: before.fees,
    });
    expect(await earningsOf(performer)).toBe(earned + 25);
    const { lines } = await viewer.call(getHistory, {});
    const memo = { to: performer.username, comment: 'lovely', source: 'room', type: 'app', vr: true };
    expect(lines[0]).toMatchObject({ kind: 'tip', tokens: -25, balance: 75, memo });
    await site.settle();
    const { tips: [received] } = await performer.call(listReceivedTips, {});
    expect(received).toMatchObject({
      tip_id: answered.tip_id,
      tokens: 25,
      comment: 'lovely',
      type: 'app',
      sender_name: viewer.username,
    });
  });

  it('of a viewer in the room is the performer\'s, and nobody else\'s [B-006]', async () => {
    const [viewer, bystander] = [await site.viewer({ tokens: 40 }), await site.performer({ live: true })];
    const own = await site.performer({ live: true });
    await viewer.joins(own);
    await viewer.tips(own, 25);
    expect(await tokensOf(viewer)).toBe(15);
    const earned = await Promise.all([own, bystander, viewer].map(earningsOf));
    expect(earned).toEqual([25, 0, 0]);
    await viewer.tips(own, 5);
    expect(await earningsOf(own)).toBe(30);
  });

  it('divides what a performer earns with whom they share it', async () => {
    const [viewer, studio] = [await site.viewer({ tokens: 100 }), await site.viewer()];
    const shared = await site.performer({ live: true });
    await site.tx((tx) =>
      site.services.ledger.setSplit(
        tx,
        shared.id,
        site.clock.now(),
        [{ to: studio.id, percent: 40 }],
      )
    );
    await viewer.tips(shared, 50);
    const { rows } = await site.tx((tx) =>
      sql<{ person_id: number; tokens: number }>`
      select person_id, tokens from ledger.postings where account = 'earnings'
        and person_id in (${studio.id}, ${shared.id}) order by tokens`.execute(tx.sql())
    );
    expect(rows).toEqual([{ person_id: studio.id, tokens: 20 }, { person_id: shared.id, tokens: 30 }]);
  });

  it('of a viewer who watches live is seen by the whole room [C-329, C-341]', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    const [viewerSocket, other, performerSocket] = [
      await viewer.joins(performer),
      await (await site.viewer()).joins(performer),
      await performer.joins(performer),
    ];
    const { tip_id: tipId } = await viewer.call(
      sendTip,
      { username: performer.username, amount: 40, comment: '<b>wow</b>\u202E' },
      key(),
    );
    for (const socket of [viewerSocket, other, performerSocket]) {
      const received = await socket.waitFor(tipReceived, ({ tip_id: id }) => id === tipId);
      expect(received).toEqual({
        tip_id: tipId,
        tokens: 40,
        type: 'tip',
        comment: '<b>wow</b>',
        sender_name: viewer.username,
        receiver_name: performer.username,
        anonymous: false,
      });
      const line = await socket.waitFor(chatMessage, ({ username }) => username === viewer.username);
      expect(line).toMatchObject({
        is_tip: true,
        type: 'tip',
        value: 40,
        recent_tips: 40,
        message: '<b>wow</b>',
        error: false,
      });
    }
    expect(other.received(chatMessage).filter(({ username }) => username === viewer.username))
      .toHaveLength(1);
    expect(other.received(tipReceived).filter(({ tip_id: id }) => id === tipId)).toHaveLength(1);
  });

  it('reaches every tab of both people, with the new balance [A-387]', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    const tabs = [await site.socketOf(viewer), await site.socketOf(await site.anotherTabOf(viewer))];
    const performerSocket = await site.socketOf(performer);
    const stranger = await site.socketOf(await site.viewer());
    const { tip_id: tipId } = await viewer.call(
      sendTip,
      { username: performer.username, amount: 10, comment: 'lovely', type: 'app' },
      key(),
    );
    // Sockets of accounts: none of these people is in the room.
    for (const socket of [...tabs, performerSocket]) {
      expect(await socket.waitFor(tipReceived, ({ tip_id: id }) => id === tipId)).toEqual({
        tip_id: tipId,
        tokens: 10,
        receiver_name: performer.username,
        sender_name: viewer.username,
        type: 'app',
        comment: 'lovely',
        anonymous: false,
      });
    }
    for (const tab of tabs) {
      expect(await tab.waitFor(tokenUpdate))
        .toMatchObject({ tokens: 90, token_change: -10, username: viewer.username });
    }
    expect(performerSocket.received(tokenUpdate)).toEqual([]);
    expect(stranger.received(tipReceived)).toEqual([]);
  });
});

describe('recent tips', () => {
  it('are those of 24 hours', async () => {
    // A site of its own, because a day passes here.
    const slow = await createSite();
    try {
      const host = await slow.performer({ live: true });
      const viewer = await slow.viewer({ tokens: 100 });
      const viewerSocket = await viewer.joins(host);
      await viewer.tips(host, 30);
      await viewer.tips(host, 5);
      await slow.settle();
      const says = async (message: string): Promise<void> => {
        viewerSocket.send(sayInChat, { message });
        await expect.poll(async () => {
          await slow.settle();
          return viewerSocket.received(chatMessage).at(-1)?.message;
        }).toBe(message);
      };
      await says('today');
      await slow.passes(24 * 3_600_000 + 1);
      await says('tomorrow');
      expect(
        viewerSocket.received(chatMessage).map(({ recent_tips: recent }) => recent),
      ).toEqual([30, 35, 35, 0]);
    } finally {
      await slow.close();
    }
  });
});

describe('who may tip', () => {
  it('are logged-in members, and no guests [B-293, B-295]', async () => {
    const viewer = await site.viewer({ tokens: 10 });
    expect((await viewer.tips(performer, 10)).tokens).toBe(0);
    const before = await balances();
    const guest = await site.visitor({ ofAge: true });
    const refused = await guest.refused(sendTip, { username: performer.username, amount: 10 }, key());
    expect(refused).toMatchObject({ status: 401, errorType: 'not_authenticated' });
    const { username } = performer;
    for (const split of [
      await guest.refused(startSplit, { username, amount: 10, people: 2 }),
      await guest.refused(joinSplit, { username, id: uuidV4(), price: 5 }),
    ]) expect(split).toMatchObject({ status: 401, errorType: 'not_authenticated' });
    expect(await balances()).toEqual(before);
  });

  it('are no sessions that have ended, also with the cookie and token of before', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    const { headers } = viewer;
    await viewer.call(logout, {});
    const late = await viewer.request({
      method: 'POST',
      url: `/api/v1/tip/${performer.username}`,
      payload: { amount: 10 },
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': uuidV4() },
    });
    expect(late.statusCode).toBeGreaterThanOrEqual(401);
    expect(late.statusCode).toBeLessThanOrEqual(403);
    expect(await site.tx((tx) => site.services.ledger.balance(tx, viewer.id))).toBe(100);
  });

  it('have passed the entry gate of their region', async () => {
    const viewer = await site.viewer({ tokens: 100, ofAge: false });
    for (const username of [performer.username, 'nobody-has-this']) {
      expect(await viewer.refused(sendTip, { username, amount: 10 }, key()))
        .toMatchObject({ status: 403, errorType: 'age_verification_required' });
    }
    expect(await tokensOf(viewer)).toBe(100);
  });

  it('do not tip themselves', async () => {
    const own = await site.performer({ live: true, tokens: 100 });
    expect(await own.refused(sendTip, { username: own.username, amount: 10 }, key()))
      .toMatchObject({ status: 403, errorType: 'own_tip', error: 'You can’t tip yourself.' });
    expect(await tokensOf(own)).toBe(100);
    expect((await own.tips(performer, 10)).tokens).toBe(90);
  });
});

describe('a tip that is refused', () => {
  it('needs a target username [A-229]', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    for (const username of ['', ' ', '%20']) {
      const response = await viewer.request({
        method: 'POST',
        url: `/api/v1/tip/${username === '%20' ? username : encodeURIComponent(username)}`,
        payload: { amount: 10 },
        headers: { 'content-type': 'application/json', 'idempotency-key': uuidV4() },
      });
      expect(response.json()).toMatchObject({ errorType: 'receiver_missing', error: 'Something went wrong' });
    }
    expect(await tokensOf(viewer)).toBe(100);
  });

  it('answers with status, errorType and error, and takes no tokens [A-348]', async () => {
    const viewer = await site.viewer({ tokens: 9 });
    expect(await viewer.refused(sendTip, { username: performer.username, amount: 10 }, key()))
      .toMatchObject({
        status: 402,
        errorType: 'not_enough_tokens',
        error: 'You don’t have enough tokens.',
      });
    expect(await tokensOf(viewer)).toBe(9);
  });

  it('goes with the same key once there are enough', async () => {
    const viewer = await site.viewer();
    const same = key();
    await viewer.refused(sendTip, { username: performer.username, amount: 10 }, same);
    await site.tx((tx) => site.services.ledger.grant(tx, viewer.id, 10, 'test', uuidV4()));
    expect(await viewer.tips(performer, 10, same.idempotencyKey)).toMatchObject({ tokens: 0 });
  });

  it.each<[string, string]>([
    ['negative', '-10'],
    ['zero', '0'],
    ['fractional', '0.5'],
    ['nearly whole', '10.0000001'],
    ['above the limit', String(MAX_TIP_TOKENS + 1)],
    ['huge', '1e21'],
    ['beyond a double', '1e400'],
    ['beyond exactness', '9007199254740993'],
    ['not a number', 'NaN'],
    ['text', '"10"'],
    ['a list', '[10]'],
    ['nothing', 'null'],
    ['true', 'true'],
    ['an object', '{"valueOf":10}'],
  ])('is of an amount that is %s', async (_what, amount) => {
    const viewer = await site.viewer({ tokens: 100 });
    const before = await balances();
    const response = await viewer.request({
      method: 'POST',
      url: `/api/v1/tip/${performer.username}`,
      payload: `{"amount":${amount}}`,
      headers: { 'content-type': 'application/json', 'idempotency-key': uuidV4() },
    });
    expect([400, 422]).toContain(response.statusCode);
    expect(await balances()).toEqual(before);
  });

  it('has no key, or too much beside it', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    const tip = { username: performer.username, amount: 10 };
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`field${at}`, at]));
    expect((await viewer.refused(sendTip, tip)).status).toBe(422);
    for (const more of [{ comment: 'x'.repeat(201) }, { app_data: many }]) {
      expect((await viewer.refused(sendTip, { ...tip, ...more }, key())).status).toBe(422);
    }
    expect(await tokensOf(viewer)).toBe(100);
  });

  it('is refused to everybody there, without a reason', async () => {
    const hidden = await site.performer({ cleared: false });
    const viewer = await site.viewer({ tokens: 100 });
    const brand = { displayName: 'Other', sitecode: 'other', hosts: [] };
    const scope = await site.services.site.addOperator('Other', brand);
    await site.services.accounts.create(scope, {
      username: 'elsewhere',
      email: 'elsewhere@people.example',
      password: 'correct horse battery',
      birthDate: '1996-01-15',
      type: 'model',
    });
    const { username: member } = await site.viewer();
    const names = ['nobody-has-this', hidden.username, viewer.username, member, 'elsewhere'];
    const answers = await Promise.all(
      names.map((username) => viewer.refused(sendTip, { username, amount: 10 }, key())),
    );
    expect(answers[0]).toMatchObject({ status: 404, errorType: 'receiver_unknown' });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await tokensOf(viewer)).toBe(100);
  });
});

describe('exactly once', () => {
  it('answers the same to the same key, and pays and shows it once', async () => {
    const host = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 100 });
    const same = uuidV4();
    const first = await viewer.tips(host, 30, same);
    expect(await viewer.tips(host, 30, same)).toEqual(first);
    const another = await site.anotherTabOf(viewer);
    const again = await Promise.all(Array.from({ length: 8 }, () => another.tips(host, 30, same)));
    for (const answer of again) expect(answer).toEqual(first);
    expect(await tokensOf(viewer)).toBe(70);
    await site.settle();
    const { messages } = await (await viewer.joins(host)).waitFor(chatHistory);
    expect(messages.map(({ value }) => value)).toEqual([30]);
  });

  it('pays once when all of them come at the same moment', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    const same = uuidV4();
    const answers = await Promise.all(Array.from({ length: 8 }, () => viewer.tips(performer, 30, same)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await tokensOf(viewer)).toBe(70);
  });

  it('refuses a key that was used for another tip', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    const other = await site.performer({ live: true });
    const same = key();
    const tip = { username: performer.username, amount: 10 };
    await viewer.call(sendTip, tip, same);
    for (const changed of [
      { amount: 11 },
      { username: other.username },
      { comment: 'more' },
      { type: 'app' },
      { app_data: { item: 1 } },
    ]) {
      expect(await viewer.refused(sendTip, { ...tip, ...changed }, same))
        .toMatchObject({ status: 409, errorType: 'idempotency_key_reused' });
    }
    expect(await tokensOf(viewer)).toBe(90);
  });

  it('knows a tip again whose fields come in another order', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    const same = key();
    const tip = { username: performer.username, amount: 10, type: 'app' };
    const first = await viewer.call(sendTip, { ...tip, app_data: { b: 1, a: 2, c: 3 } }, same);
    expect(await viewer.call(sendTip, { ...tip, app_data: { c: 3, a: 2, b: 1 } }, same)).toEqual(first);
    expect(await viewer.refused(sendTip, { ...tip, app_data: { a: 1, b: 2, c: 3 } }, same))
      .toMatchObject({ errorType: 'idempotency_key_reused' });
    expect(await tokensOf(viewer)).toBe(90);
  });

  it('keeps the keys of different people apart', async () => {
    const [one, other] = [await site.viewer({ tokens: 100 }), await site.viewer({ tokens: 100 })];
    const same = uuidV4();
    const [first, second] = [await one.tips(performer, 10, same), await other.tips(performer, 20, same)];
    expect(first.tip_id).not.toBe(second.tip_id);
    expect([await tokensOf(one), await tokensOf(other)]).toEqual([90, 80]);
  });

  it('never spends what is not there, however many tips come at once', async () => {
    const viewer = await site.viewer({ tokens: 100 });
    const outcomes = await Promise.allSettled([60, 60].map((amount) => viewer.tips(performer, amount)));
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await tokensOf(viewer)).toBe(40);
  });

  it('keeps the sum of all balances, whatever is sent', async () => {
    const people = [
      await site.viewer({ tokens: 500 }),
      await site.viewer({ tokens: 50 }),
      await site.performer({ tokens: 100 }),
    ] as const;
    const hosts = [performer, people[2]];
    const before = total(await balances());
    const step = fc.record({
      from: fc.nat(people.length - 1),
      to: fc.nat(hosts.length - 1),
      amount: fc.integer({ min: -5, max: 120 }),
      again: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        for (const { from, to, amount, again } of steps) {
          const sender = people[from] as Member;
          const same = uuidV4();
          const balance = await tokensOf(sender);
          const host = hosts[to] as Member;
          const isGood = amount >= 1 && amount <= balance && host.id !== sender.id;
          for (let sent = 0; sent < (again ? 2 : 1); sent += 1) {
            await sender.tips(host, amount, same).catch(() => undefined);
          }
          expect(await tokensOf(sender)).toBe(isGood ? balance - amount : balance);
          expect(total(await balances())).toBe(before);
        }
      }),
      { numRuns: 8 },
    );
    expect(site.log).toEqual([]);
  });
});
