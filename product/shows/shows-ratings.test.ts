import { uuidV4 } from '#platform/data/ids.ts';
import { chatMessage, getRoom } from '#product/rooms/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sendTip } from '#product/tips/contract.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getOwnRating, ratePerformer } from './contract/ratings.ts';

const DAY_MS = 86_400_000;
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** A viewer who tipped a performer this many tokens. */
async function tipper(performer: Member, tokens = 25): Promise<Member> {
  const viewer = await site.viewer({ tokens: 200 });
  await viewer.tips(performer, tokens);
  await site.settle();
  return viewer;
}

const rateToday = async (viewer: Visitor, { username }: Member): Promise<unknown> =>
  (await viewer.call(getRoom, { username }) as { auth: { rateToday?: unknown } }).auth.rateToday;
const ratingIn = async (viewer: Visitor, { username }: Member): Promise<unknown> =>
  (await viewer.call(getRoom, { username }) as { user: { ratings?: { user: unknown } } }).user.ratings?.user;

describe('a rating', () => {
  it('is a vote of who tipped 25 tokens in 24 hours, refused to who tipped 24 [B-273, B-296]', async () => {
    const performer = await site.performer();
    const { username } = performer;
    const viewer = await tipper(performer, 24);
    const refused = await viewer.refused(ratePerformer, { username, vote: 'RATE_UP' });
    expect(refused).toMatchObject({
      status: 403,
      errorType: 'too_few_tips',
      needed: 25,
      recent_tips: 24,
      message: 'Tip at least 25 tokens in 24 hours before you rate.',
    });
    expect(await rateToday(viewer, performer)).toBe('RATE_NO');
    // Tips to another performer do not count, and a guest has no tips.
    await viewer.tips(await site.performer(), 30);
    await site.settle();
    expect(await viewer.refused(ratePerformer, { username, vote: 'RATE_DOWN' }))
      .toMatchObject({ errorType: 'too_few_tips', recent_tips: 24 });
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.refused(ratePerformer, { username, vote: 'RATE_UP' })).status).toBe(401);
    await viewer.tips(performer, 1);
    await site.settle();
    expect(await viewer.call(ratePerformer, { username, vote: 'RATE_UP' }))
      .toEqual({ username, rate_today: 'RATE_UP', recent_tips: 25, rating: null });
    const generous = await tipper(performer, 90);
    expect(await generous.call(ratePerformer, { username, vote: 'RATE_DOWN' }))
      .toEqual({ username, rate_today: 'RATE_DOWN', recent_tips: 90, rating: null });
    // The tips count as recent for 24 hours, and no longer.
    await site.passes(DAY_MS - 60_000);
    await generous.call(ratePerformer, { username, vote: 'RATE_UP' });
    await viewer.call(ratePerformer, { username, vote: 'RATE_DOWN' });
    await site.passes(61_000);
    for (const one of [viewer, generous]) {
      expect((await one.refused(ratePerformer, { username, vote: 'RATE_UP' })).errorType)
        .toBe('too_few_tips');
    }
  });

  it('counts one\'s own anonymous tips, which nobody else reads', async () => {
    const performer = await site.performer();
    const { username } = performer;
    const viewer = await site.viewer({ tokens: 200 });
    const console = await performer.joins(performer);
    await viewer.call(sendTip, { username, amount: 20, anonymous: true }, { idempotencyKey: uuidV4() });
    await viewer.tips(performer, 5);
    await site.settle();
    expect((await viewer.call(getOwnRating, { username })).recent_tips).toBe(25);
    expect(await viewer.call(getRoom, { username })).toMatchObject({ auth: { recentTips: 25 } });
    expect(await viewer.call(ratePerformer, { username, vote: 'RATE_UP' }))
      .toMatchObject({ recent_tips: 25 });
    const said = await site.says(await viewer.joins(performer), 'a line of mine');
    expect(await console.waitFor(chatMessage, ({ id }) => id === said.id))
      .toMatchObject({ username: viewer.username, recentTips: 5 });
  });

  it('says of today that there is none, that it is good, or that it is bad [B-181]', async () => {
    const performer = await site.performer();
    const { username } = performer;
    const viewer = await tipper(performer, 60);
    expect(await rateToday(viewer, performer)).toBe('RATE_NO');
    for (const vote of ['RATE_DOWN', 'RATE_UP'] as const) {
      await viewer.call(ratePerformer, { username, vote });
      expect(await rateToday(viewer, performer)).toBe(vote);
      expect(await viewer.call(getOwnRating, { username }))
        .toEqual({ username, rate_today: vote, recent_tips: 60, rating: null });
    }
    expect((await viewer.refused(ratePerformer, { username, vote: 'RATE_NO' })).status).toBe(422);
    expect(await rateToday(await site.viewer(), performer)).toBe('RATE_NO');
    await site.passes(DAY_MS);
    expect(await rateToday(viewer, performer)).toBe('RATE_NO');
  });

  it('is the newest vote of each viewer, of 0 to 5, once there are three', async () => {
    const performer = await site.performer();
    const { username } = performer;
    const fans = [await tipper(performer), await tipper(performer), await tipper(performer)] as const;
    const [first, second, third] = fans;
    await first.call(ratePerformer, { username, vote: 'RATE_DOWN' });
    await first.call(ratePerformer, { username, vote: 'RATE_UP' });
    await second.call(ratePerformer, { username, vote: 'RATE_UP' });
    expect(await ratingIn(third, performer)).toBe(null);
    await third.call(ratePerformer, { username, vote: 'RATE_DOWN' });
    expect(await ratingIn(await site.visitor({ ofAge: true }), performer)).toBe(3.3);
    await site.passes(DAY_MS);
    await third.tips(performer, 25);
    await site.settle();
    expect((await third.call(ratePerformer, { username, vote: 'RATE_UP' })).rating).toBe(5);
    // Performers change: after 90 days no vote counts any longer.
    await site.passes(91 * DAY_MS);
    expect(await ratingIn(await site.visitor({ ofAge: true }), performer)).toBe(null);
  });

  it(
    'is no business of guests, of the performer, and of who may not enter the room [B-294, B-302]',
    async () => {
      const performer = await site.performer();
      const { username } = performer;
      const guest = await site.visitor({ ofAge: true });
      for (const one of [ratePerformer, getOwnRating]) {
        expect((await guest.refused(one, { username, vote: 'RATE_UP' })).status).toBe(401);
      }
      expect(await performer.refused(ratePerformer, { username, vote: 'RATE_UP' }))
        .toMatchObject({ status: 403, errorType: 'own_rating' });
      const banned = await tipper(performer);
      await performer.moderates('ban', banned);
      expect((await banned.refused(ratePerformer, { username, vote: 'RATE_DOWN' })).errorType)
        .toBe('room_banned');
      expect((await banned.refused(ratePerformer, { username: 'nobody', vote: 'RATE_UP' })).errorType)
        .toBe('room_unknown');
      const votes = await site.tx((tx) =>
        tx.sql<{ 'shows.votes': { performer_id: number } }>()
          .selectFrom('shows.votes').select('performer_id').where('performer_id', '=', performer.id).execute()
      );
      expect(votes).toEqual([]);
    },
  );
});
