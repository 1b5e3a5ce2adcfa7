import { listReports } from '#product/moderation/contract.ts';
import { clubMember, clubOwner, posts } from '#product/testkit/fan-club.ts';
import { textOf } from '#product/testkit/pages/look/read-text.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deletePost, editPost, listPosts, uploadPostPicture } from './contract/posts.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
const pageOf = ({ username }: Member): string => `/${username}/fanclub`;
/** The posts in the list, from the top. */
const shown = (page: Page): string[] =>
  page.all('list', 'Posts').flatMap((list) => [...list.children].map(({ textContent }) => textContent));
const shows = (page: Page, ...texts: readonly RegExp[]): Promise<void> =>
  page.until(() => {
    const list = shown(page);
    expect(list).toHaveLength(texts.length);
    for (const [at, text] of texts.entries()) expect(list[at]).toMatch(text);
  });
const file = async (): Promise<File> => {
  const bytes = await sharp({ create: { width: 90, height: 60, channels: 3, background: '#0af' } }).jpeg()
    .toBuffer();
  return new File([new Uint8Array(bytes)], 'rain.jpg', { type: 'image/jpeg' });
};
const ownPosts = async (owner: Member) => {
  const { pinned, posts: rest } = await owner.call(listPosts, { username: owner.username });
  return [...(pinned ? [pinned] : []), ...rest];
};

describe('readers of a fan club', () => {
  test('see public posts, and which level opens the others; joining it shows them', async () => {
    const owner = await clubOwner(site);
    await posts(owner, 'Good morning, world');
    const { id } = await posts(owner, 'Only insiders know', 'insider');
    const form = new FormData();
    form.set('file', await file());
    await owner.call(uploadPostPicture, { id }, { form });
    await posts(owner, 'Only legends know', 'legend');
    const guest = await openPage(site, await site.visitor({ ofAge: true }), pageOf(owner), { width: 320 });
    await shows(
      guest,
      /Join as Legend to read this post\./u,
      /Join as Insider to read this post\. It comes with a picture\./u,
      /Good morning, world/u,
    );
    expect(await guest.problems()).toEqual([]);
    await guest.press('Unlock as Insider');
    await guest.sees('Log in to join the fan club. You stay on this page.');
    const page = await openPage(site, await site.viewer({ tokens: 400 }), pageOf(owner));
    await shows(page, /Unlock as Legend/u, /Unlock as Insider/u, /Good morning/u);
    await page.press('Unlock as Insider');
    await page.press('Pay 250 tokens');
    await shows(page, /Unlock as Legend/u, /Only insiders know/u, /Good morning/u);
    await page.find('img', `Picture in a post by ${owner.person.displayName}`);
    expect(document.body.innerHTML).not.toContain('Only legends know');
    expect(await page.problems()).toEqual([]);
    expect(page.all('button', 'Edit')).toEqual([]);
  });

  test('see what a higher level costs a month and now, and why it was refused, at the post', async () => {
    const owner = await clubOwner(site);
    const supporter = await clubMember(site, owner, 'supporter');
    await posts(owner, 'Only insiders know', 'insider');
    const page = await openPage(site, supporter, pageOf(owner));
    await shows(page, /Unlock as Insider.*250 tokens.*a month.*150 tokens/u);
    await page.idle();
    const mends = page.network.fails(/fanclubs\/[^/]+\/join/u);
    await page.press('Unlock as Insider');
    const asked = await page.find('alertdialog', /^Go up to Insider/u);
    // The difference is for this month; each month after it has the whole price.
    expect(
      [...asked.querySelectorAll('dt')].map((name) => [name.textContent, textOf(name.nextElementSibling!)]),
    ).toEqual([
      ['You pay now', '150 tokens· $15.00'],
      ['Then every 30 days', '250 tokens· $25.00'],
      ['Renews on', 'February 14, 2026'],
    ]);
    await page.press('Pay 150 tokens', { in: asked });
    await page.sees(/We got no answer/u, { in: asked });
    await page.press('Not now', { in: asked });
    await shows(page, /Unlock as Insider.*We got no answer/u);
    mends();
  });

  test('report a post that they may read', async () => {
    const owner = await clubOwner(site);
    const viewer = await site.viewer();
    const { id } = await posts(owner, 'Write me elsewhere');
    await posts(owner, 'Only legends know', 'legend');
    const page = await openPage(site, viewer, pageOf(owner));
    await shows(page, /Unlock as Legend/u, /Write me elsewhere/u);
    await page.press('Report this post');
    const dialog = await page.find('dialog', 'Report this post');
    await page.choose('What’s wrong?', 'Spam or a scam', { in: dialog });
    await page.press('Send report', { in: dialog });
    await page.find('dialog', 'Thank you');
    expect((await (await site.admin()).call(listReports, {})).reports).toMatchObject([{
      kind: 'post',
      username: owner.username,
      target_id: id,
      reason: 'spam',
      reporter: viewer.username,
      snapshot: 'Write me elsewhere',
    }]);
  });

  test('find older posts below', async () => {
    const owner = await clubOwner(site);
    for (let nth = 1; nth <= 12; nth += 1) await posts(owner, `Post number ${nth}.`);
    const page = await openPage(site, await site.viewer(), pageOf(owner));
    await page.until(() => expect(shown(page)).toHaveLength(10));
    await page.press('Show more');
    await page.until(() => expect(shown(page)).toHaveLength(12));
    expect(shown(page).at(-1)).toContain('Post number 1.');
    expect(page.all('button', 'Show more')).toEqual([]);
  });
});

describe('what becomes of a post', () => {
  test('shows on open pages of the club: published, changed, locked and removed [C-338]', async () => {
    const owner = await clubOwner(site);
    const supporter = await clubMember(site, owner, 'supporter');
    const follower = await site.viewer();
    await site.tx((tx) => site.services.messaging.follow(tx, follower.id, owner.person));
    for (const [who, reads] of [[supporter, true], [follower, false]] as const) {
      const page = await openPage(site, who, pageOf(owner));
      // A page that joins the room reads the posts once more.
      await page.until(() => page.network.hasLobby);
      await page.idle();
      const before = shown(page).length;
      const { id } = await posts(owner, 'Rain tonight', 'supporter');
      await page.press('1 new post');
      const first = reads ? /Rain tonight/u : /Join as Supporter to read this post/u;
      await page.until(() => expect(shown(page)[0]).toMatch(first));
      await page.gone('button', /new post/u);
      await owner.call(editPost, { id, body: 'Rain tomorrow', audience: 'supporter' });
      await page.until(() => expect(shown(page)[0]).toMatch(reads ? /edited.*Rain tomorrow/u : /edited/u));
      await owner.call(editPost, { id, body: 'Rain tomorrow', audience: 'legend' });
      await page.until(() => expect(shown(page)[0]).toMatch(/For legends/u));
      expect(document.body.textContent).not.toContain('Rain tomorrow');
      await owner.call(deletePost, { id });
      await page.until(() => expect(shown(page)).toHaveLength(before));
      expect(page.all('button', /new post/u)).toEqual([]);
    }
  });

  test('shows in the room, to a guest too, and opens there [C-338]', async () => {
    const owner = await clubOwner(site, { live: true });
    const page = await openRoom(site, await site.visitor({ ofAge: true }), owner);
    const controls = await page.find('region', 'Fan club');
    await posts(owner, 'For everybody here');
    const { id } = await posts(owner, 'For legends alone', 'legend');
    await page.find('button', '2 new posts', { in: controls });
    expect(document.body.innerHTML).not.toContain('For legends alone');
    await owner.call(deletePost, { id });
    await page.press('1 new post', { in: controls });
    const dialog = await page.find('dialog', `${owner.person.displayName}’s fan club`);
    await page.sees('For everybody here', { in: dialog });
    await page.gone('button', /new post/u);
    await posts(owner, 'And one more');
    await page.press('1 new post', { in: dialog });
    await page.sees('And one more', { in: dialog });
    expect(await page.problems()).toEqual([]);
  });

  test('rings the bell of a member, which leads to it', async () => {
    const owner = await clubOwner(site);
    const member = await clubMember(site, owner, 'insider');
    const page = await openPage(site, member, '/tags');
    await page.find('link', 'Notifications');
    await posts(owner, 'Insiders first', 'insider');
    await page.press('Notifications, 1 unread', { role: 'link' });
    await page.press(`${owner.person.displayName} posted in the fan club`, { role: 'link' });
    await page.until(() => expect(page.path).toMatch(/\/fanclub$/u));
    await shows(page, /Insiders first/u);
  });

  test('shows in the feed while everybody reads it', async () => {
    const owner = await clubOwner(site, { gender: 'm' });
    await posts(owner, 'Come in, all of you');
    await site.settle();
    const page = await openPage(site, await site.visitor({ ofAge: true }), '/men/feed');
    await page.sees('Come in, all of you');
    await page.press(new RegExp(`${owner.person.displayName} posted in the fan club`, 'u'), { role: 'link' });
    await page.until(() => expect(page.path).toBe(pageOf(owner)));
    await shows(page, /Come in, all of you/u);
  });
});

describe('a performer', () => {
  test('writes, illustrates, changes, pins and deletes posts in the settings of the club', async () => {
    const owner = await clubOwner(site);
    const page = await openPage(site, owner, '/');
    await page.press(/’s account$/u, { in: await page.find('banner') });
    await page.press('My fan club', { role: 'menuitem' });
    const part = await page.find('region', 'Posts');
    const form = await page.find('form', 'New post', { in: part });
    await page.sees('Posts will be listed here.', { in: part });
    await page.fill('Your post', 'The first one', { in: form });
    await page.choose('Who can read it', 'For everyone', { in: form });
    await page.attach('Add a picture', [await file()], { in: form });
    await page.sees('Picture chosen: rain.jpg', { in: form });
    await page.press('Publish post', { in: form });
    await page.sees('Your post is published');
    await shows(page, /The first one/u);
    await page.find('img', /^Picture in a post/u);
    expect((await ownPosts(owner))[0]).toMatchObject({
      body: 'The first one',
      audience: 'everyone',
      has_picture: true,
    });
    // The next post is for members again, unless another audience is chosen.
    await page.fill('Your post', 'The second one');
    await page.press('Publish post');
    await shows(page, /For supporters and up.*The second one/u, /The first one/u);
    expect(await page.problems()).toEqual([]);
    const [second, first] = [...(await page.find('list', 'Posts')).children] as [HTMLElement, HTMLElement];
    await page.press('Edit', { in: second });
    const editing = await page.find('dialog', 'Edit post');
    await page.fill('Your post', 'The second, better', { in: editing });
    await page.choose('Who can read it', 'For legends', { in: editing });
    await page.press('Save post', { in: editing });
    await page.sees('Post saved');
    await shows(page, /edited.*For legends.*The second, better/u, /The first one/u);
    await page.press('Remove picture', { in: first });
    await page.gone('img', /^Picture in a post/u);
    await page.press('Pin to the top', { in: first });
    await shows(page, /Pinned.*The first one/u, /The second, better/u);
    await page.press('Delete', { in: page.all('list', 'Posts')[0]!.children[0] as HTMLElement });
    const asked = await page.find('alertdialog', 'Delete this post?');
    await page.press('Keep post', { in: asked });
    expect(await ownPosts(owner)).toHaveLength(2);
    await page.press('Delete', { in: page.all('list', 'Posts')[0]!.children[0] as HTMLElement });
    await page.press('Delete post', { in: await page.find('alertdialog', 'Delete this post?') });
    await page.sees('Post deleted');
    await shows(page, /The second, better/u);
    expect((await ownPosts(owner)).map(({ body, audience }) => [body, audience]))
      .toEqual([['The second, better', 'legend']]);
  });

  test('writes on the page of the club, too, once the club is open', async () => {
    const closed = await openPage(site, await site.performer(), '/account/fanclub');
    await closed.sees('Open your fan club to publish posts.');
    expect(closed.all('button', 'Publish post')).toEqual([]);
    const owner = await clubOwner(site);
    const page = await openPage(site, owner, pageOf(owner), { width: 390 });
    await page.fill('Your post', 'Hello from here');
    await page.press('Publish post');
    await shows(page, /Hello from here/u);
    await page.find('button', 'Edit');
    expect(await page.problems()).toEqual([]);
  });
});
