import type { AnyCall, InputOf } from '#platform/contract/call.ts';
import { listReports, sendReport } from '#product/moderation/contract.ts';
import { setSiteChatRules } from '#product/room-moderation/contract.ts';
import { clubMember, clubOwner, posts, setsClub } from '#product/testkit/fan-club.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { endFanclubMonths } from '#product/testkit/store/memberships.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deletePost,
  editPost,
  getPostPicture,
  listPosts,
  pinPost,
  publishPost,
  removePostPicture,
  uploadPostPicture,
} from './contract/posts.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const AUDIENCES = ['everyone', 'supporter', 'insider', 'legend'] as const;
const formOf = (bytes: Uint8Array) => {
  const form = new FormData();
  form.set('file', new Blob([Buffer.from(bytes)]));
  return { form };
};
const picture = (width = 90, height = 60): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#0af' } }).jpeg().toBuffer();
const illustrates = async (owner: Member, id: number, bytes?: Uint8Array) =>
  (await owner.call(uploadPostPicture, { id }, formOf(bytes ?? await picture()))).post;
const status = async (who: Visitor, url: string) => (await who.request({ method: 'GET', url })).statusCode;
const code = async <C extends AnyCall>(who: Visitor, call: C, input: InputOf<C>) =>
  (await who.refused(call, input)).errorType;

describe('a performer', () => {
  it('writes plain text of at most 2,000 characters for an audience', async () => {
    const owner = await clubOwner(site);
    const { username } = owner;
    const post = await posts(owner, '  Hello\u202E\r\n\r\n\r\n\r\nthere <b>\u0007you</b>  ', 'insider');
    expect(post).toEqual({
      id: expect.any(Number),
      at: site.clock.now().toISOString(),
      changed_at: null,
      audience: 'insider',
      is_pinned: false,
      is_locked: false,
      body: 'Hello\n\nthere <b>you</b>',
      has_picture: false,
      picture: null,
    });
    expect((await posts(owner, 'a'.repeat(2_000))).body).toHaveLength(2_000);
    const before = await owner.call(listPosts, { username });
    for (const wrong of [
      { body: 'a'.repeat(2_001), audience: 'everyone' },
      { body: 'a', audience: 'friends' },
    ]) expect((await owner.refused(publishPost, wrong)).status).toBe(422);
    for (const body of ['', ' \n ', '\u200B']) {
      expect(await code(owner, publishPost, { body, audience: 'everyone' })).toBe('post_empty');
      expect(await code(owner, editPost, { id: post.id, body, audience: 'everyone' })).toBe('post_empty');
    }
    const admin = await site.admin();
    await admin.call(setSiteChatRules, { blocked_words: ['zounds'] });
    for (const body of ['oh ZOUNDS', 'z o u n d s']) {
      expect(await code(owner, publishPost, { body, audience: 'everyone' })).toBe('post_blocked');
      expect(await code(owner, editPost, { id: post.id, body, audience: 'everyone' })).toBe('post_blocked');
    }
    await admin.call(setSiteChatRules, { blocked_words: [] });
    expect(await owner.call(listPosts, { username })).toEqual(before);
  });

  it('needs a clearance and an open club, and has a thousand posts at most, twenty an hour', async () => {
    const draft = { body: 'Hello', audience: 'everyone' } as const;
    const uncleared = await clubOwner(site, { cleared: false });
    expect(await code(uncleared, publishPost, draft)).toBe('clearance_missing');
    expect(await code(await site.performer(), publishPost, draft)).toBe('club_closed');
    const owner = await clubOwner(site);
    const { id } = await posts(owner, 'First');
    await site.tx((tx) =>
      sql`insert into fanclubs.posts
      (performer_id, clearance_id, audience, body, created_at)
      select performer_id, clearance_id, audience, body, created_at from fanclubs.posts,
      generate_series(1, 999) where id = ${id}`.execute(tx.sql())
    );
    expect(await code(owner, publishPost, draft)).toBe('posts_full');
    await owner.call(deletePost, { id });
    await posts(owner, 'Last');
    const busy = await clubOwner(site);
    for (let nth = 0; nth < 20; nth += 1) await posts(busy, 'More');
    expect((await busy.refused(publishPost, draft)).status).toBe(429);
  });

  it('changes, pins and deletes a post', async () => {
    const owner = await clubOwner(site);
    const { username } = owner;
    const [first, second, third] = [
      await posts(owner, 'One'),
      await posts(owner, 'Two', 'legend'),
      await posts(owner, 'Three'),
    ];
    const shown = async () => {
      const { pinned, posts: rest } = await owner.call(listPosts, { username });
      return [pinned?.body ?? null, rest.map(({ body }) => body)];
    };
    expect(await shown()).toEqual([null, ['Three', 'Two', 'One']]);
    await site.passes(60_000);
    const { post } = await owner.call(editPost, { id: second.id, body: 'Two!', audience: 'insider' });
    expect(post).toMatchObject({
      body: 'Two!',
      audience: 'insider',
      at: second.at,
      changed_at: site.clock.now().toISOString(),
    });
    await owner.call(pinPost, { id: first.id, pinned: true });
    expect(await shown()).toEqual(['One', ['Three', 'Two!']]);
    await owner.call(pinPost, { id: third.id, pinned: true });
    expect(await shown()).toEqual(['Three', ['Two!', 'One']]);
    await owner.call(pinPost, { id: third.id, pinned: false });
    expect(await shown()).toEqual([null, ['Three', 'Two!', 'One']]);
    await owner.call(deletePost, { id: third.id });
    expect(await shown()).toEqual([null, ['Two!', 'One']]);
    expect(await code(owner, deletePost, { id: third.id })).toBe('post_unknown');
  });

  it(
    'changes nothing of another one\'s posts, and guests, viewers and who is suspended change none',
    async () => {
      const owner = await clubOwner(site);
      const { id } = await posts(owner, 'Mine', 'supporter');
      const before = await illustrates(owner, id);
      const attacks = (who: Visitor) =>
        Promise.all([
          code(who, editPost, { id, body: 'Yours', audience: 'everyone' }),
          code(who, deletePost, { id }),
          code(who, pinPost, { id, pinned: true }),
          code(who, removePostPicture, { id }),
          picture().then(async (bytes) =>
            (await who.refused(uploadPostPicture, { id }, formOf(bytes))).errorType
          ),
        ]);
      const rival = await clubOwner(site);
      expect(new Set(await attacks(rival))).toEqual(new Set(['post_unknown']));
      const guest = await site.visitor({ ofAge: true });
      expect(new Set(await attacks(guest))).toEqual(new Set(['not_authenticated']));
      const draft = { body: 'Spam', audience: 'everyone' } as const;
      expect(await code(guest, publishPost, draft)).toBe('not_authenticated');
      for (const who of [
        await site.viewer(),
        await clubMember(site, owner, 'legend'),
        await site.admin(),
      ]) {
        expect(new Set([...await attacks(who), await code(who, publishPost, draft)]))
          .toEqual(new Set(['forbidden']));
      }
      expect((await owner.call(listPosts, { username: owner.username })).posts).toEqual([before]);
      await site.tx((tx) =>
        site.services.accounts.suspend(tx, owner.id, {
          suspended: true,
          actorId: null,
          reason: 'test',
        })
      );
      await owner.opens();
      for (const errorType of await attacks(owner)) expect(errorType).toBe('not_authenticated');
      expect(await code(await site.viewer(), listPosts, { username: owner.username })).toBe('room_unknown');
    },
  );
});

describe('readers', () => {
  it('report a post with its picture, which admins see though it was deleted', async () => {
    const [owner, admin] = [await clubOwner(site), await site.admin()];
    const { username } = owner;
    const { id } = await posts(owner, 'For my insiders', 'insider');
    await illustrates(owner, id);
    const insider = await clubMember(site, owner, 'insider');
    await insider.call(sendReport, { kind: 'post', username, id, reason: 'illegal', details: '' });
    await owner.call(deletePost, { id });
    await site.settle();
    const [report] = (await admin.call(listReports, {})).reports;
    expect(report).toMatchObject({ kind: 'post', snapshot: 'For my insiders', has_picture: true });
    const copy = await admin.request({ method: 'GET', url: `/api/v1/admin/reports/${report?.id}/picture` });
    expect(await sharp(copy.rawPayload).metadata()).toMatchObject({ format: 'webp', width: 90, height: 60 });
  });

  it('get the text and picture of what their level reaches, and nothing else leaves the server', async () => {
    const owner = await clubOwner(site);
    const { username } = owner;
    const urls = new Map<string, string>();
    for (const audience of AUDIENCES) {
      const { id } = await posts(owner, `Secret of ${audience}.`, audience);
      urls.set(audience, (await illustrates(owner, id)).picture!.url);
    }
    const lapsed = await clubMember(site, owner, 'legend');
    await endFanclubMonths(site, lapsed);
    const elsewhere = await clubMember(site, await clubOwner(site), 'legend');
    const banned = await clubMember(site, owner, 'legend');
    await owner.moderates('ban', banned);
    for (const [who, reach] of [
      [await site.visitor({ ofAge: true }), 1],
      [await site.viewer(), 1],
      [lapsed, 1],
      [elsewhere, 1],
      [await clubOwner(site), 1],
      [await site.admin(), 1],
      [await clubMember(site, owner, 'supporter'), 2],
      [await clubMember(site, owner, 'insider'), 3],
      [await clubMember(site, owner, 'legend'), 4],
      [owner, 4],
    ] as const) {
      const whole = await who.request({ method: 'GET', url: `/api/v1/fanclubs/${username}/posts` });
      const said = AUDIENCES.filter((audience) => whole.body.includes(`Secret of ${audience}.`));
      expect(said).toEqual(AUDIENCES.slice(0, reach));
      expect(AUDIENCES.filter((audience) => whole.body.includes(urls.get(audience)!)))
        .toEqual(AUDIENCES.slice(0, reach));
      const { posts: seen } = await who.call(listPosts, { username });
      expect(
        seen.map((
          { audience, is_locked: isLocked, body, has_picture: has, picture: shown },
        ) => [audience, isLocked, body !== null, has, shown !== null]),
      )
        .toEqual(
          AUDIENCES.toReversed().map((audience) => {
            const reads = AUDIENCES.indexOf(audience) < reach;
            return [audience, !reads, reads, true, reads];
          }),
        );
      expect(await Promise.all(AUDIENCES.map((audience) => status(who, urls.get(audience)!))))
        .toEqual(AUDIENCES.map((_one, at) => (at < reach ? 200 : 404)));
    }
    expect(await code(banned, listPosts, { username })).toBe('room_banned');
    for (const url of urls.values()) expect(await status(banned, url)).toBe(404);
  });

  it(
    'see no posts of whom they may not perceive; where nobody knows a place the strictest rule holds',
    async () => {
      const owner = await clubOwner(site);
      const { username } = owner;
      const { id } = await posts(owner, 'For all the world');
      const { url } = (await illustrates(owner, id)).picture!;
      await site.tx((tx) => site.services.compliance.blockRegions(tx, owner.id, ['RO']));
      const blocked = await site.visitor({ region: 'RO', ofAge: true });
      expect(await code(blocked, listPosts, { username })).toBe('room_unknown');
      const [gated, unknown] = [await site.visitor(), await site.visitor({ region: 'unknown' })];
      for (const who of [gated, unknown]) {
        expect(await code(who, listPosts, { username })).toBe('room_forbidden');
      }
      for (const who of [blocked, gated, unknown]) expect(await status(who, url)).toBe(404);
      expect(await status(await site.viewer(), url)).toBe(200);
      // A member whose account is suspended has no session.
      const member = await clubMember(site, owner, 'legend');
      const locked = await posts(owner, 'Legends only', 'legend');
      await site.tx((tx) =>
        site.services.accounts.suspend(tx, member.id, {
          suspended: true,
          actorId: null,
          reason: 'test',
        })
      );
      const answer = await member.request({ method: 'GET', url: `/api/v1/fanclubs/${username}/posts` });
      expect(answer.body).not.toContain('Legends only');
      expect(locked.body).toBe('Legends only');
    },
  );

  it('of a closed club are its members alone', async () => {
    const owner = await clubOwner(site);
    const { username } = owner;
    const member = await clubMember(site, owner, 'supporter');
    const { id } = await posts(owner, 'Still here');
    const { url } = (await illustrates(owner, id)).picture!;
    await setsClub(owner, false);
    const bodies = async (who: Visitor) =>
      (await who.call(listPosts, { username })).posts.map(({ body }) => body);
    expect(await bodies(await site.viewer())).toEqual([]);
    expect(await status(await site.viewer(), url)).toBe(404);
    for (const who of [member, owner]) {
      expect(await bodies(who)).toEqual(['Still here']);
      expect(await status(who, url)).toBe(200);
    }
    await endFanclubMonths(site, member);
    expect(await bodies(member)).toEqual([]);
  });

  it('read ten at a time, newest first, the pinned one once', async () => {
    const owner = await clubOwner(site);
    const { username } = owner;
    const made: number[] = [];
    for (let nth = 0; nth < 13; nth += 1) made.unshift((await posts(owner, `Post ${nth}`)).id);
    const pinned = made[4]!;
    await owner.call(pinPost, { id: pinned, pinned: true });
    const viewer = await site.viewer();
    const first = await viewer.call(listPosts, { username });
    const second = await viewer.call(listPosts, { username, before: first.next! });
    expect([first.pinned?.id, first.posts.length, second.pinned, second.next])
      .toEqual([pinned, 10, null, null]);
    expect([...first.posts, ...second.posts].map(({ id }) => id)).toEqual(made.filter((id) => id !== pinned));
  });
});

describe('the picture of a post', () => {
  it('is encoded again, and goes with what replaces it and with its post', async () => {
    const owner = await clubOwner(site);
    const { id } = await posts(owner, 'Look', 'supporter');
    const wide = (await illustrates(owner, id, await picture(3_200, 1_600))).picture!;
    expect(wide).toMatchObject({ width: 1_600, height: 800 });
    const key = wide.url.slice('/fan-posts/'.length);
    expect(await owner.call(getPostPicture, { key })).toMatchObject({ status: 200 });
    const { headers, rawPayload } = await owner.request({ method: 'GET', url: wide.url });
    expect([headers['cache-control'], (await sharp(rawPayload).metadata()).format])
      .toEqual(['private, no-store', 'webp']);
    const blobs = async () =>
      (await site.tx((tx) =>
        sql<{ blob: string }>`select picture_blob as blob
      from fanclubs.posts where id = ${id}`.execute(tx.sql())
      )).rows.map(({ blob }) => blob);
    const [before] = await blobs();
    const small = (await illustrates(owner, id)).picture!;
    await site.settle();
    expect([await status(owner, wide.url), await status(owner, small.url)]).toEqual([404, 200]);
    expect(await site.blobs.get(before!)).toBeNull();
    const { post } = await owner.call(removePostPicture, { id });
    expect([post.has_picture, post.picture, post.body]).toEqual([false, null, 'Look']);
    await illustrates(owner, id);
    const [last] = await blobs();
    await owner.call(deletePost, { id });
    await site.settle();
    expect(await site.blobs.get(last!)).toBeNull();
  });

  it('is a picture', async () => {
    const owner = await clubOwner(site);
    const { id } = await posts(owner, 'Look');
    for (const [file, why] of [['<svg/>', 'picture_type'], ['text', 'picture_not_image']] as const) {
      const refused = await owner.refused(uploadPostPicture, { id }, formOf(Buffer.from(file)));
      expect(refused.errorType).toBe(why);
    }
    expect((await owner.call(listPosts, { username: owner.username })).posts[0]?.has_picture).toBe(false);
  });
});
