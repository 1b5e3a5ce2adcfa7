import type { InputOf } from '#platform/contract/call.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { endBroadcast } from '#product/broadcast/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { bookOf as inBook, faultsOf } from '#product/testkit/store/ledger-accounts.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  endGroupGoal,
  getOwnGroupGoal,
  giveToGroupGoal,
  groupGoalChanged,
  groupGoalEnded,
  groupGoalGiven,
  startGroupGoal,
} from './contract/group-goal.ts';
import { nextGroupGoal, type GroupGoal, type GroupGoalEvent } from './rules/group-goal.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;
const bookOf = (member: Member, book: 'earnings' | 'held'): Promise<number> => inBook(site, member, book);
const key = (): { idempotencyKey: string } => ({ idempotencyKey: uuidV4() });

/** A live performer with a group goal of 100 tokens within 30 minutes. */
async function goalOf(goal: Partial<InputOf<typeof startGroupGoal>> = {}): Promise<Member> {
  const performer = await site.performer({ live: true });
  await site.settle();
  await performer.call(startGroupGoal, { title: 'A song together', tokens: 100, minutes: 30, ...goal });
  await site.settle();
  return performer;
}

describe('a group goal', () => {
  it('is seen by the room, and paid by everybody at once when it is reached', async () => {
    const performer = await goalOf();
    const { username } = performer;
    const [first, second] = [await site.viewer({ tokens: 80 }), await site.viewer({ tokens: 500 })];
    const [room, other] = [await first.joins(performer), await second.joins(performer)];
    expect(await first.call(giveToGroupGoal, { username, tokens: 70 }, key()))
      .toMatchObject({ given: 70, own: 70, tokens: 10, goal: { title: 'A song together', progress: 70 } });
    expect([await bookOf(first, 'held'), await bookOf(performer, 'earnings')]).toEqual([70, 0]);
    await site.settle();
    expect(await other.waitFor(groupGoalChanged)).toMatchObject({ tokens: 100, progress: 70 });
    expect(await room.waitFor(groupGoalGiven)).toMatchObject({ own: 70 });
    const seen = async (member: Member) =>
      (await member.call(getRoom, { username })) as never as {
        groupGoal: unknown;
      };
    expect((await seen(first)).groupGoal).toMatchObject({ progress: 70, own: 70 });
    expect((await seen(second)).groupGoal).toMatchObject({ progress: 70, own: 0 });
    // The last contribution is capped to what is missing.
    expect(await second.call(giveToGroupGoal, { username, tokens: 200 }, key()))
      .toMatchObject({ given: 30, own: 30, tokens: 470 });
    await site.settle();
    expect(await room.waitFor(groupGoalEnded)).toMatchObject({ reason_ended: 'reached', tokens: 100 });
    expect([await bookOf(first, 'held'), await bookOf(second, 'held'), await bookOf(performer, 'earnings')])
      .toEqual([0, 0, 100]);
    expect((await seen(first)).groupGoal).toBeNull();
    expect(await second.refused(giveToGroupGoal, { username, tokens: 1 }, key()))
      .toMatchObject({ status: 404, errorType: 'group_goal_over' });
  });

  it('takes a repeated request once, and two at once never more than it needs', async () => {
    const performer = await goalOf();
    const { username } = performer;
    const viewer = await site.viewer({ tokens: 500 });
    const again = key();
    const first = await viewer.call(giveToGroupGoal, { username, tokens: 60 }, again);
    expect(await viewer.call(giveToGroupGoal, { username, tokens: 60 }, again)).toEqual(first);
    expect((await viewer.refused(giveToGroupGoal, { username, tokens: 61 }, again)).status)
      .toBeGreaterThanOrEqual(400);
    expect([await tokensOf(viewer), await bookOf(viewer, 'held')]).toEqual([440, 60]);
    const others = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
    await Promise.allSettled(others.map((one) => one.call(giveToGroupGoal, { username, tokens: 60 }, key())));
    await site.settle();
    const left = [];
    for (const one of [viewer, ...others]) left.push(await tokensOf(one));
    expect(left.reduce((sum, tokens) => sum + tokens, 0)).toBe(1_400);
    expect(await bookOf(performer, 'earnings')).toBe(100);
  });

  it('gives everything back when it is over, withdrawn, or its performer stays away', async () => {
    const viewer = await site.viewer({ tokens: 300 });
    const late = await goalOf({ minutes: 5 });
    await viewer.call(giveToGroupGoal, { username: late.username, tokens: 99 }, key());
    const room = await viewer.joins(late);
    await site.passes(5 * MINUTE_MS + 1_000);
    expect(await room.waitFor(groupGoalEnded)).toMatchObject({ reason_ended: 'time_over' });
    expect([await tokensOf(viewer), await bookOf(viewer, 'held')]).toEqual([300, 0]);
    const withdrawn = await goalOf();
    await viewer.call(giveToGroupGoal, { username: withdrawn.username, tokens: 99 }, key());
    await withdrawn.call(endGroupGoal, {});
    expect(await tokensOf(viewer)).toBe(300);
    expect(await withdrawn.refused(endGroupGoal, {})).toMatchObject({ errorType: 'group_goal_over' });
    const gone = await goalOf();
    await viewer.call(giveToGroupGoal, { username: gone.username, tokens: 99 }, key());
    await gone.call(endBroadcast, {});
    await site.settle();
    await site.passes(10 * MINUTE_MS - 1_000);
    expect((await gone.call(getOwnGroupGoal, {})).goal).not.toBeNull();
    await site.passes(2_000);
    expect((await gone.call(getOwnGroupGoal, {})).goal).toBeNull();
    expect([await tokensOf(viewer), await bookOf(viewer, 'held')]).toEqual([300, 0]);
    for (const performer of [late, withdrawn, gone]) expect(await bookOf(performer, 'earnings')).toBe(0);
    expect(await faultsOf(site)).toEqual([]);
  });

  it('is refused twice, offline and untitled; gifts of guests, oneself, the poor, the banned', async () => {
    const performer = await goalOf();
    const { username } = performer;
    const goal = { title: 'More', tokens: 50, minutes: 10 };
    expect(await performer.refused(startGroupGoal, goal)).toMatchObject({ errorType: 'group_goal_running' });
    const offline = await site.performer();
    expect(await offline.refused(startGroupGoal, goal)).toMatchObject({ errorType: 'group_goal_not_live' });
    expect(await offline.refused(startGroupGoal, { ...goal, title: ' ' }))
      .toMatchObject({ errorType: 'group_goal_title_empty' });
    for (const wrong of [{ tokens: 9 }, { minutes: 4 }, { minutes: 121 }]) {
      expect((await offline.refused(startGroupGoal, { ...goal, ...wrong })).status).toBe(422);
    }
    const viewer = await site.viewer({ tokens: 50 });
    for (const call of [startGroupGoal, endGroupGoal]) {
      expect((await viewer.refused(call, call === startGroupGoal ? goal : {})).status).toBe(403);
    }
    const gives = { username, tokens: 60 };
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.refused(giveToGroupGoal, gives, key())).status).toBe(401);
    expect(await performer.refused(giveToGroupGoal, gives, key()))
      .toMatchObject({ errorType: 'own_group_goal' });
    expect(await viewer.refused(giveToGroupGoal, gives, key()))
      .toMatchObject({ errorType: 'not_enough_tokens' });
    expect((await viewer.refused(giveToGroupGoal, { username, tokens: 0 }, key())).status).toBe(422);
    for (let time = 0; time < 20; time += 1) {
      await viewer.call(giveToGroupGoal, { username, tokens: 1 }, key());
    }
    expect(await viewer.refused(giveToGroupGoal, { username, tokens: 1 }, key()))
      .toMatchObject({ errorType: 'group_goal_full' });
    const banned = await site.viewer({ tokens: 50 });
    await performer.moderates('ban', banned);
    expect(await banned.refused(giveToGroupGoal, { username, tokens: 1 }, key()))
      .toMatchObject({ errorType: 'room_banned' });
  });
});

it('is never more than it asks for, and reached only when every token is there', () => {
  const event: fc.Arbitrary<GroupGoalEvent> = fc.oneof(
    fc.record({ kind: fc.constant('given' as const), tokens: fc.integer({ min: -5, max: 80 }) }),
    fc.record({ kind: fc.constantFrom('withdrawn' as const, 'deadline' as const, 'away', 'back') }),
  );
  fc.assert(fc.property(
    fc.array(fc.tuple(event, fc.integer({ min: 0, max: 8 * MINUTE_MS })), { maxLength: 40 }),
    (events) => {
      let now = 0;
      let goal: GroupGoal = {
        tokens: 100,
        progress: 0,
        endsAt: 30 * MINUTE_MS,
        awaySince: null,
        endedAt: null,
        end: null,
      };
      for (const [one, ms] of events) {
        now += ms;
        const next = nextGroupGoal(goal, one, now);
        if (goal.end !== null) expect(next).toBe(goal);
        expect(next.progress).toBeGreaterThanOrEqual(goal.progress);
        expect(next.end === 'reached').toBe(next.progress === 100);
        expect(next.progress).toBeLessThanOrEqual(100);
        goal = next;
      }
    },
  ));
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
