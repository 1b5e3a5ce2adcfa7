import { uuidV4 } from '#platform/data/ids.ts';
import { Pictures } from '#platform/images/pictures.ts';
import { requestDeletion } from '#product/accounts/contract/life/deletion.ts';
import { declareAge } from '#product/compliance/contract.ts';
import { listNotices } from '#product/notices/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fansError,
  joinFanclub,
  listMembers,
  listMemberships,
  planMembership,
  saveOwnClub,
  type ClubView,
  type MembershipView,
} from './contract.ts';
import { fanclubsSlice } from './server.ts';

const DAY_MS = 86_400_000;
const MONTH_MS = 30 * DAY_MS;
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const CLUB: ClubView = {
  enabled: true,
  description: '',
  prices: { supporter: 100, insider: 250, legend: 500 },
  perks: { supporter: [], insider: [], legend: [] },
};
const key = (): { idempotencyKey: string } => ({ idempotencyKey: uuidV4() });
const tokensOf = ({ id }: Member): Promise<number> => site.tx((tx) => site.services.ledger.balance(tx, id));
/** Logs a member in again, and confirms their age, after their session and age check have expired. */
async function returns(member: Member): Promise<Member> {
  await member.opens();
  await member.enters();
  await member.call(declareAge, { of_age: true });
  return member;
}

interface Joined {
  readonly performer: Member;
  readonly viewer: Member;
  readonly id: number;
}
/** A viewer who joined a new performer's club as an insider, and has this many tokens left. */
async function joined(left: number): Promise<Joined> {
  const performer = await site.performer();
  await performer.call(saveOwnClub, CLUB);
  const viewer = await site.viewer({ tokens: 250 + left });
  const { membership: { id } } = await viewer.call(joinFanclub, {
    username: performer.username,
    level: 'insider',
    price: 250,
  }, key());
  await site.settle();
  return { performer, viewer, id };
}

const ownOf = async ({ viewer, id }: Joined): Promise<MembershipView | undefined> =>
  (await (await returns(viewer)).call(listMemberships, {})).memberships.find((item) => item.id === id);
const levelOf = ({ viewer, performer }: Joined): Promise<unknown> =>
  site.tx((tx) => site.services.fanclubs.levelOf(tx, viewer.id, performer.id));
const earningsOf = async ({ performer }: Joined): Promise<number> => {
  const { rows } = await site.tx((tx) =>
    sql<{ sum: number }>`select coalesce(sum(tokens), 0)::bigint as sum
    from ledger.postings where account = 'earnings' and person_id = ${performer.id}`.execute(tx.sql())
  );
  return rows[0]?.sum ?? 0;
};
/** Grants somebody tokens, as if they had bought them. */
const buys = ({ id }: Member, tokens: number): Promise<void> =>
  site.tx((tx) => site.services.ledger.grant(tx, id, tokens, 'test', uuidV4()));
/** Runs the renewal job for one membership, as a repeated delivery of its deadline would. */
const runs = async (id: number): Promise<void> => {
  const { deadlineHandlers: [job] = [] } = fanclubsSlice({
    ...site.services,
    data: site.data,
    extensions: site.extensions,
    blobs: site.blobs,
    pictures: new Pictures(),
  });
  await job?.handle({ operatorId: 1, key: String(id), at: site.clock.now(), payload: null });
};

describe('a renewal', () => {
  it('charges the next month when the first is over, and the performer gets 80% of it', async () => {
    const one = await joined(600);
    await site.passes(MONTH_MS - 1);
    expect(await tokensOf(one.viewer)).toBe(600);
    await site.passes(1);
    expect([await tokensOf(one.viewer), await earningsOf(one)]).toEqual([350, 400]);
    expect(await ownOf(one)).toMatchObject({ state: 'active', level: 'insider', renews: true });
    await site.passes(MONTH_MS);
    expect([await tokensOf(one.viewer), await earningsOf(one)]).toEqual([100, 600]);
  });

  it('is charged once, however often the job runs', async () => {
    const one = await joined(2_000);
    site.clock.advance(MONTH_MS);
    await Promise.all([runs(one.id), runs(one.id), runs(one.id)]);
    await runs(one.id);
    await site.settle();
    expect([await tokensOf(one.viewer), await earningsOf(one)]).toEqual([1_750, 400]);
  });

  it('charges nothing after a cancellation, and the member stays until the month is over', async () => {
    const one = await joined(2_000);
    await one.viewer.call(planMembership, { id: one.id, renews: false });
    await site.passes(MONTH_MS - 1);
    expect(await levelOf(one)).toBe('insider');
    await site.passes(1);
    await runs(one.id);
    await site.passes(3 * MONTH_MS);
    expect([await tokensOf(one.viewer), await earningsOf(one), await levelOf(one)])
      .toEqual([2_000, 200, null]);
    // An ended membership cannot be resumed; the member joins again like anybody else.
    await returns(one.viewer);
    expect((await one.viewer.refused(planMembership, { id: one.id, renews: true })).errorType)
      .toBe('membership_unknown');
    const { username } = one.performer;
    expect((await one.viewer.call(joinFanclub, { username, level: 'insider', price: 250 }, key())).charged)
      .toBe(250);
    expect(await levelOf(one)).toBe('insider');
  });

  it('goes on after a cancellation that was taken back', async () => {
    const one = await joined(300);
    await one.viewer.call(planMembership, { id: one.id, renews: false });
    await one.viewer.call(planMembership, { id: one.id, renews: true });
    await site.passes(MONTH_MS);
    expect([await tokensOf(one.viewer), await levelOf(one)]).toEqual([50, 'insider']);
  });

  it('takes the lower level that was planned, at its price', async () => {
    const one = await joined(300);
    await one.viewer.call(planMembership, { id: one.id, renews: true, level: 'supporter', price: 100 });
    expect(await levelOf(one)).toBe('insider');
    await site.passes(MONTH_MS);
    expect([await tokensOf(one.viewer), await levelOf(one)]).toEqual([200, 'supporter']);
    expect(await ownOf(one)).toMatchObject({ price: 100, next_level: null, next_price: null });
  });

  it('takes the whole price of a level that its member went up to, and not the difference', async () => {
    const performer = await site.performer();
    await performer.call(saveOwnClub, CLUB);
    const viewer = await site.viewer({ tokens: 100 + 150 + 250 });
    const { username } = performer;
    const first = await viewer.call(joinFanclub, { username, level: 'supporter', price: 100 }, key());
    expect(first.charged).toBe(100);
    const up = await viewer.call(joinFanclub, { username, level: 'insider', price: 250 }, key());
    expect([up.charged, up.membership.price]).toEqual([150, 250]);
    await site.passes(MONTH_MS - 1);
    expect(await tokensOf(viewer)).toBe(250);
    await site.passes(1);
    const one: Joined = { performer, viewer, id: up.membership.id };
    expect([await tokensOf(viewer), await levelOf(one)]).toEqual([0, 'insider']);
    expect(await ownOf(one)).toMatchObject({ state: 'active', price: 250, renews: true });
  });

  it('takes the price of a lower level that was agreed to, whatever the club asks on the day', async () => {
    const [dear, cheap, old] = [await joined(20_000), await joined(20_000), await joined(20_000)];
    for (const { viewer, id } of [dear, cheap, old]) {
      const plan = { id, renews: true, level: 'supporter', price: 100 } as const;
      expect((await viewer.call(planMembership, plan)).membership)
        .toMatchObject({ next_level: 'supporter', next_price: 100 });
    }
    // Plans stored before members agreed to a price have none.
    await site.tx((tx) =>
      sql`update fanclubs.memberships set next_price = null where id = ${old.id}`
        .execute(tx.sql())
    );
    const [much, little] = [
      { supporter: 9_998, insider: 9_999, legend: 10_000 },
      { supporter: 60, insider: 250, legend: 500 },
    ];
    for (const { performer } of [dear, old]) await performer.call(saveOwnClub, { ...CLUB, prices: much });
    await cheap.performer.call(saveOwnClub, { ...CLUB, prices: little });
    await site.passes(MONTH_MS);
    expect(
      await Promise.all(
        [dear, cheap, old].map(async (item) => [20_000 - await tokensOf(item.viewer), await levelOf(item)]),
      ),
    )
      .toEqual([[100, 'supporter'], [60, 'supporter'], [250, 'supporter']]);
    // The agreed price also applies in the following month.
    await site.passes(MONTH_MS);
    expect(await tokensOf(dear.viewer)).toBe(19_800);
  });

  it('plans no lower level for more than the page showed', async () => {
    const one = await joined(20_000);
    const plan = { id: one.id, renews: true, level: 'supporter' } as const;
    await one.performer.call(saveOwnClub, {
      ...CLUB,
      prices: { supporter: 9_998, insider: 9_999, legend: 10_000 },
    });
    for (const shown of [{}, { price: 100 }, { price: 9_997 }]) {
      expect(await one.viewer.refused(planMembership, { ...plan, ...shown }))
        .toMatchObject({ status: 409, errorType: 'club_price_changed', price: 9_998 });
    }
    expect((await one.viewer.refused(planMembership, { ...plan, price: -1 })).status).toBe(422);
    expect(await ownOf(one)).toMatchObject({ next_level: null, next_price: null });
    // Agreeing to more than the price changes nothing: the site's price is stored.
    const { membership } = await one.viewer.call(planMembership, { ...plan, price: 10_000 });
    expect(membership).toMatchObject({ next_level: 'supporter', next_price: 9_998 });
    // A member who stays needs no price, and pays the previous one.
    await one.viewer.call(planMembership, { id: one.id, renews: true });
    await site.passes(MONTH_MS);
    expect([await tokensOf(one.viewer), await levelOf(one)]).toEqual([19_750, 'insider']);
  });

  it('never costs more than was agreed to, and less where the club got cheaper', async () => {
    const [dear, cheap] = [await joined(1_000), await joined(1_000)];
    await dear.performer.call(saveOwnClub, { ...CLUB, prices: { ...CLUB.prices, insider: 400 } });
    await cheap.performer.call(saveOwnClub, { ...CLUB, prices: { ...CLUB.prices, insider: 200 } });
    await site.passes(MONTH_MS);
    expect([await tokensOf(dear.viewer), await tokensOf(cheap.viewer)]).toEqual([750, 800]);
  });

  it('without enough tokens is tried for three days of grace, and then it is over', async () => {
    const one = await joined(249);
    await site.passes(MONTH_MS);
    expect([await tokensOf(one.viewer), await levelOf(one)]).toEqual([249, 'insider']);
    expect(await ownOf(one)).toMatchObject({
      state: 'grace',
      grace_until: new Date(site.clock.now().getTime() + 3 * DAY_MS).toISOString(),
    });
    const titles = async (): Promise<string[]> =>
      (await one.viewer.call(listNotices, {})).notices.map(({ title }) => title);
    const name = one.performer.person.displayName;
    expect(await titles()).toEqual([`Your membership of ${name}’s fan club wasn’t renewed`]);
    await site.passes(2 * DAY_MS);
    expect([await levelOf(one), (await titles()).length]).toEqual(['insider', 1]);
    await site.passes(DAY_MS);
    expect([await tokensOf(one.viewer), await levelOf(one), await earningsOf(one)]).toEqual([249, null, 200]);
    expect((await titles())[0]).toBe(`Your membership of ${name}’s fan club has ended`);
    expect((await (await returns(one.performer)).call(listMembers, {})).members).toEqual([]);
    // Tokens bought later are not taken.
    await buys(one.viewer, 1_000);
    await runs(one.id);
    await site.passes(2 * MONTH_MS);
    expect(await tokensOf(one.viewer)).toBe(1_249);
  });

  it('that a later try covers makes up for the days of grace', async () => {
    const one = await joined(0);
    const until = (await ownOf(one))?.paid_until ?? '';
    await site.passes(MONTH_MS + 1);
    await buys(one.viewer, 260);
    await site.passes(DAY_MS);
    expect([await tokensOf(one.viewer), await levelOf(one)]).toEqual([10, 'insider']);
    expect(new Date((await ownOf(one))?.paid_until ?? '').getTime())
      .toBe(new Date(until).getTime() + MONTH_MS);
  });

  it('is paid by the member in the grace, from where the unpaid month began', async () => {
    const one = await joined(0);
    await site.passes(MONTH_MS + DAY_MS);
    await buys(one.viewer, 1_000);
    const { username } = one.performer;
    const { charged, membership } = await (await returns(one.viewer)).call(joinFanclub, {
      username,
      level: 'insider',
      price: 250,
    }, key());
    expect(charged).toBe(250);
    await site.passes(DAY_MS);
    await runs(one.id);
    expect(await tokensOf(one.viewer)).toBe(750);
    expect(new Date(membership.paid_until).getTime())
      .toBe(site.clock.now().getTime() + MONTH_MS - 2 * DAY_MS);
  });

  it('charges nobody for a closed club, nor who is banned from it, and says so', async () => {
    const [closed, banned] = [await joined(1_000), await joined(1_000)];
    await closed.performer.call(saveOwnClub, { ...CLUB, enabled: false });
    await banned.performer.moderates('ban', banned.viewer);
    expect([await levelOf(closed), await levelOf(banned)]).toEqual(['insider', 'insider']);
    await site.passes(MONTH_MS);
    for (const one of [closed, banned]) {
      expect([await tokensOf(one.viewer), await levelOf(one)]).toEqual([1_000, null]);
      const { notices: [newest] } = await (await returns(one.viewer)).call(listNotices, {});
      expect(newest?.title).toMatch(/has ended$/u);
    }
  });

  it('that fails reaches the member on the chat socket as v3.fans.error, nobody else [C-324]', async () => {
    const one = await joined(10);
    const { performer, viewer } = one;
    const stranger = await site.viewer();
    const [own, other, hers] = [
      await viewer.joins(performer),
      await stranger.joins(performer),
      await performer.joins(performer),
    ];
    await site.passes(MONTH_MS);
    const error = await own.waitFor(fansError);
    expect(error).toEqual({
      username: performer.username,
      display_name: performer.person.displayName,
      errorType: 'not_enough_tokens',
      grace_until: new Date(site.clock.now().getTime() + 3 * DAY_MS).toISOString(),
    });
    await site.settle();
    expect([other.received(fansError), hers.received(fansError)]).toEqual([[], []]);
    expect(fansError.name).toBe('v3.fans.error');
    await site.passes(3 * DAY_MS);
    expect(own.received(fansError).at(-1))
      .toMatchObject({ errorType: 'not_enough_tokens', grace_until: null });
  });
});

describe('leaving', () => {
  it('ends the renewals of a member, and closes the club of a performer', async () => {
    const [leaver, owner] = [await joined(1_000), await joined(1_000)];
    for (const who of [leaver.viewer, owner.performer]) {
      await who.call(requestDeletion, { username: who.username, password: 'correct horse battery' });
    }
    const { rows } = await site.tx((tx) =>
      sql<{ renews: boolean }>`
      select renews from fanclubs.memberships where id in (${leaver.id}, ${owner.id}) order by id`
        .execute(tx.sql())
    );
    expect(rows).toEqual([{ renews: false }, { renews: true }]);
    const ids = [leaver.performer.id, owner.performer.id];
    expect(await site.tx((tx) => site.services.fanclubs.openAmong(tx, ids))).toEqual(new Set([ids[0]]));
    // The member whose performer is leaving cancels, and is charged nothing.
    await owner.viewer.call(planMembership, { id: owner.id, renews: false });
    expect((await owner.viewer.call(listMemberships, {})).memberships)
      .toMatchObject([{ id: owner.id, username: null, renews: false }]);
    await site.passes(29 * DAY_MS);
    await site.passes(2 * DAY_MS);
    expect(await tokensOf(owner.viewer)).toBe(1_000);
    // An erased person is in no club.
    const left = await site.tx((tx) =>
      sql`
      select 1 from fanclubs.memberships where id = ${leaver.id}`.execute(tx.sql())
    );
    expect(left.rows).toEqual([]);
  });
});
