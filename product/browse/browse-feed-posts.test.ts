import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { deletePost, editPost, listPosts, pinPost } from '#product/fanclubs/contract/posts.ts';
import { hidePerformer } from '#product/messaging/contract.ts';
import { clubOwner, posts, setsClub } from '#product/testkit/fan-club.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getFeed } from './contract/feed.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('the feed of a gender', () => {
  const feedOf = async (who: Visitor) =>
    (await who.call(getFeed, { gender: 'trans' })).items
      .filter(({ kind }) => kind === 'post').map(({ post }) => post?.body);

  it('has the posts that everybody reads, for as long as they do', async () => {
    const owner = await clubOwner(site, { gender: 't' });
    const guest = await site.visitor({ ofAge: true });
    const { id } = await posts(owner, 'Public');
    await posts(owner, 'Private', 'supporter');
    await site.settle();
    expect(await feedOf(guest)).toEqual(['Public']);
    expect(
      (await guest.call(getFeed, { gender: 'girls' })).items.filter(({ kind }) => kind === 'post')
        .map(({ performer }) => performer.id),
    ).not.toContain(owner.id);
    await owner.call(editPost, { id, body: 'Public still', audience: 'everyone' });
    await site.settle();
    expect(await feedOf(guest)).toEqual(['Public still']);
    // Even before the fact of a change is delivered, the feed shows the post's current state.
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
    // Somebody banned from the room reads none of its posts here.
    const banned = await site.viewer();
    expect(await feedOf(banned)).toEqual(['Again']);
    await owner.moderates('ban', banned);
    expect(await feedOf(banned)).toEqual([]);
    await owner.call(deletePost, { id });
    await site.settle();
    expect(await feedOf(guest)).toEqual([]);
  });

  it('has the newest of posts that follow each other, and each where it was published', async () => {
    const [owner, other] = [await clubOwner(site, { gender: 't' }), await clubOwner(site, { gender: 't' })];
    const guest = await site.visitor({ ofAge: true });
    await posts(owner, 'One');
    site.clock.advance(MINUTE_MS);
    const { id: two } = await posts(owner, 'Two');
    site.clock.advance(MINUTE_MS);
    const { id: secret } = await posts(other, 'Was for members', 'supporter');
    site.clock.advance(MINUTE_MS);
    const later = await clubOwner(site, { gender: 't' });
    await posts(later, 'Three');
    await site.settle();
    expect(await feedOf(guest)).toEqual(['Three', 'Two']);
    await other.call(editPost, { id: secret, body: 'For all now', audience: 'everyone' });
    await owner.call(pinPost, { id: two, pinned: true });
    await site.settle();
    expect(await feedOf(guest)).toEqual(['Three', 'For all now', 'Two']);
    await owner.call(deletePost, { id: two });
    await site.settle();
    expect(await feedOf(guest)).toEqual(['Three', 'For all now', 'One']);
    // A post older than the feed does not return to its top.
    const { posts: [old] } = await later.call(listPosts, { username: later.username });
    site.clock.advance(31 * DAY_MS);
    await (await site.anotherTabOf(later)).call(pinPost, { id: old!.id, pinned: true });
    await site.settle();
    expect(await feedOf(await site.visitor({ ofAge: true }))).toEqual([]);
  });
});
