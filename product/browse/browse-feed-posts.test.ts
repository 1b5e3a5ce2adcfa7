import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deletePost, editPost } from '../fanclubs/contract/posts.ts';
import { hidePerformer } from '../messaging/contract.ts';
import { clubOwner, posts, setsClub } from '../testkit/fanclubs/fan-club.ts';
import { createSite, type TestSite } from '../testkit/site.ts';
import type { Visitor } from '../testkit/visitor.ts';
import { getFeed } from './contract/feed.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('the feed of a gender', () => {
  const feedOf = async (who: Visitor) => (await who.call(getFeed, { gender: 'trans' })).items
    .filter(({ kind }) => kind === 'post').map(({ post }) => post?.body);

  it('has the posts that everybody reads, for as long as they do', async () => {
    const owner = await clubOwner(site, { gender: 't' });
    const guest = await site.visitor({ ofAge: true });
    const { id } = await posts(owner, 'Public');
    await posts(owner, 'Private', 'supporter');
    await site.settle();
    expect(await feedOf(guest)).toEqual(['Public']);
    expect((await guest.call(getFeed, { gender: 'girls' })).items.filter(({ kind }) => kind === 'post')
      .map(({ performer }) => performer.id)).not.toContain(owner.id);
    await owner.call(editPost, { id, body: 'Public still', audience: 'everyone' });
    await site.settle();
    expect(await feedOf(guest)).toEqual(['Public still']);
    // Before the fact of a change is delivered, too, nothing shows what it no longer is.
    await owner.call(editPost, { id, body: 'Not now', audience: 'legend' });
    expect(await feedOf(guest)).toEqual([]);
    await site.settle();
    await owner.call(editPost, { id, body: 'Again', audience: 'everyone' });
    await site.settle();
    expect(await feedOf(guest)).toEqual(['Again']);
    await setsClub(owner, false);
    expect(await feedOf(guest)).toEqual([]);
    await setsClub(owner, true);
    const hider = await site.viewer();
    await hider.call(hidePerformer, { username: owner.username });
    await site.tx((tx) => site.services.compliance.blockRegions(tx, owner.id, ['BR']));
    await site.settle();
    expect(await feedOf(guest)).toEqual(['Again']);
    for (const who of [hider, await site.visitor({ region: 'BR', ofAge: true }), await site.visitor()]) {
      expect(await feedOf(who)).toEqual([]);
    }
    await owner.call(deletePost, { id });
    await site.settle();
    expect(await feedOf(guest)).toEqual([]);
  });
});
