import { saveListingProfile } from '#product/performers/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { showsPart } from '#product/shows/contract.ts';
import { ratePerformer } from '#product/shows/contract/ratings.ts';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browseLive } from './contract.ts';

let site: TestSite;
/** Performers with private shows, and how many of their three viewers gave bad votes. */
let best: Member;
let good: Member;
/** Rated well only by viewers who were in no private show. */
let elsewhere: Member;
/** Rated as well as the best, but of another gender. */
let man: Member;
beforeAll(async () => {
  site = await createSite();
  [good, best, elsewhere, man] = [
    await privatePerformer(site),
    await privatePerformer(site),
    await privatePerformer(site),
    await privatePerformer(site, {}, { gender: 'm' }),
  ];
  await privatePerformer(site);
  for (let fan = 0; fan < 3; fan += 1) {
    const viewer = await site.viewer({ tokens: 500 });
    for (const performer of [good, best, man]) {
      await startsPrivate(viewer, performer);
      await watches(viewer, performer);
      await mediaPasses(site, performer, 1);
      await endsPrivate(viewer, performer);
      await site.settle();
      await rates(viewer, performer, performer === good && fan === 0 ? 'RATE_DOWN' : 'RATE_UP');
    }
    await rates(viewer, elsewhere, 'RATE_UP');
  }
  // Votes of viewers who were in no private show with the performer do not count there.
  for (let fan = 0; fan < 4; fan += 1) await rates(await site.viewer({ tokens: 50 }), best, 'RATE_DOWN');
  await site.settle();
});
afterAll(() => site.close());

async function rates(viewer: Member, performer: Member, vote: 'RATE_UP' | 'RATE_DOWN'): Promise<void> {
  await viewer.tips(performer, 25);
  await site.settle();
  await viewer.call(ratePerformer, { username: performer.username, vote });
}
const listed = async (path: string): Promise<readonly string[]> => {
  await site.settle();
  const { userList } = await (await site.visitor({ ofAge: true })).call(browseLive, { path });
  return userList.map(({ username }) => username);
};

describe('the top-rated private shows', () => {
  it('are of performers whom viewers of private shows rated, the best first [B-051, B-087]', async () => {
    expect(await listed('girls/private-shows/top-rated')).toEqual([best.username, good.username]);
    expect(await listed('men/private-shows/top-rated')).toEqual([man.username]);
    expect(await listed('trans/private-shows/top-rated')).toEqual([]);
    const viewer = await site.viewer();
    const ratings = [];
    for (const { username } of [good, best, elsewhere]) {
      ratings.push(readPart(await viewer.call(getRoom, { username }), showsPart).user.ratings);
    }
    expect(ratings).toMatchObject([
      { private: 3.3, user: 3.3 },
      { private: 5, user: 2.1 },
      { private: null, user: 5 },
    ]);
    // A performer who no longer offers private shows is not listed, however well rated.
    await best.call(saveListingProfile, { private_price: null });
    expect(await listed('girls/private-shows/top-rated')).toEqual([good.username]);
    await best.call(saveListingProfile, { private_price: 30 });
  });

  it('with cam2cam are of those who offer it [B-049]', async () => {
    expect(await listed('girls/private-shows/cam2cam/top-rated')).toEqual([]);
    await best.call(saveListingProfile, { offers_cam2cam: true });
    await elsewhere.call(saveListingProfile, { offers_cam2cam: true });
    expect(await listed('girls/private-shows/cam2cam/top-rated')).toEqual([best.username]);
    await good.call(saveListingProfile, { offers_cam2cam: true });
    expect(await listed('girls/private-shows/cam2cam/top-rated')).toEqual([best.username, good.username]);
    // Without private shows, or in a voyeur room, no show can be requested.
    await best.call(saveListingProfile, { private_price: null });
    expect(await listed('girls/private-shows/cam2cam/top-rated')).toEqual([good.username]);
    await best.call(saveListingProfile, { private_price: 30, voyeur_room: 'kitchen' });
    expect(await listed('girls/private-shows/cam2cam/top-rated')).toEqual([good.username]);
    await best.call(saveListingProfile, { voyeur_room: null });
    expect(await listed('girls/private-shows/cam2cam/top-rated')).toEqual([best.username, good.username]);
    expect(await listed('men/private-shows/cam2cam/top-rated')).toEqual([]);
    await man.call(saveListingProfile, { offers_cam2cam: true });
    expect(await listed('men/private-shows/cam2cam/top-rated')).toEqual([man.username]);
    expect(await listed('girls/private-shows/cam2cam/top-rated')).toEqual([best.username, good.username]);
  });
});
