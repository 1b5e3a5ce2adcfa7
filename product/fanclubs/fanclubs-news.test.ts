import { HOUR_MS } from '#platform/time/units.ts';
import { listNotices, listOutbox } from '#product/notices/contract.ts';
import { getPreferences, setPreference } from '#product/notices/contract/preferences.ts';
import { clubMember, clubOwner, posts, setsClub } from '#product/testkit/fan-club.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { crowd } from '#product/testkit/store/crowd.ts';
import { endFanclubMonths } from '#product/testkit/store/memberships.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deletePost, editPost, fanPost } from './contract/posts.ts';

const KIND = 'fanclubs:notices.newPost';
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const noticesOf = async (who: Member) =>
  (await who.call(listNotices, {})).notices.filter(({ kind }) => kind === KIND);
const countOf = async (who: Member): Promise<number> => (await noticesOf(who)).length;

describe('word of a post', () => {
  it(
    'reaches the room, members and followers by id and audience alone, when it is published, changed and '
      + 'removed',
    async () => {
      const owner = await clubOwner(site, { live: true });
      const { username } = owner;
      const supporter = await clubMember(site, owner, 'supporter');
      const [follower, stranger] = [await site.viewer(), await site.viewer()];
      await site.tx((tx) => site.services.messaging.follow(tx, follower.id, owner.person));
      const guest = await site.visitor({ ofAge: true });
      const watching = await site.socketOf(guest, username);
      const [own, member, following, nobody] = [
        await site.socketOf(owner),
        await site.socketOf(supporter),
        await site.socketOf(follower),
        await site.socketOf(stranger),
      ];
      const reached = [watching, own, member, following];
      const { id } = await posts(owner, 'Only legends know', 'legend');
      const word = { username, id };
      const steps = [
        ['published', 'legend', async () => undefined],
        ['changed', 'insider', () => owner.call(editPost, { id, body: 'Insiders too', audience: 'insider' })],
        ['removed', 'insider', () => owner.call(deletePost, { id })],
      ] as const;
      for (const [change, audience, happens] of steps) {
        await happens();
        await site.settle();
        for (const socket of reached) {
          expect(await socket.waitFor(fanPost, (item) => item.change === change))
            .toEqual({ ...word, change, audience });
        }
      }
      for (const socket of reached) {
        expect(socket.received(fanPost)).toHaveLength(3);
        expect(JSON.stringify(socket.events)).not.toMatch(/Only legends|Insiders too/u);
      }
      expect(nobody.received(fanPost)).toEqual([]);
    },
  );

  it('reaches no member whom the performer is away from, and nobody whose membership is over', async () => {
    const owner = await clubOwner(site);
    const [here, there, banned, lapsed] = [
      await clubMember(site, owner, 'legend'),
      await clubMember(site, owner, 'legend'),
      await clubMember(site, owner, 'legend'),
      await clubMember(site, owner, 'legend'),
    ];
    await site.anotherTabOf(here, { region: 'DE' });
    await site.anotherTabOf(there, { region: 'NL' });
    await site.tx((tx) => site.services.compliance.blockRegions(tx, owner.id, ['NL']));
    await owner.moderates('ban', banned);
    await endFanclubMonths(site, lapsed);
    const away = [await site.socketOf(there), await site.socketOf(banned), await site.socketOf(lapsed)];
    const open = await site.socketOf(here);
    await posts(owner, 'Hello', 'supporter');
    await site.settle();
    await open.waitFor(fanPost);
    for (const socket of away) expect(socket.received(fanPost)).toEqual([]);
    expect(await Promise.all([here, there, banned, lapsed].map(countOf))).toEqual([1, 0, 0, 0]);
  });
});

describe('word of a post does not reach', () => {
  it('followers who are banned, and of a closed club nobody but its members', async () => {
    const owner = await clubOwner(site, { live: true });
    const { username } = owner;
    const [banned, follower] = [await site.viewer(), await site.viewer()];
    for (const { id } of [banned, follower]) {
      await site.tx((tx) => site.services.messaging.follow(tx, id, owner.person));
    }
    await owner.moderates('ban', banned);
    const member = await clubMember(site, owner, 'supporter');
    const guest = await site.socketOf(await site.visitor({ ofAge: true }), username);
    const [out, following, inside] = [
      await site.socketOf(banned),
      await site.socketOf(follower),
      await site.socketOf(member),
    ];
    const { id } = await posts(owner, 'Hello');
    await site.settle();
    for (const socket of [guest, following, inside]) await socket.waitFor(fanPost);
    await setsClub(owner, false);
    await owner.call(editPost, { id, body: 'For those who paid', audience: 'supporter' });
    await site.settle();
    await inside.waitFor(fanPost, ({ change }) => change === 'changed');
    expect(out.received(fanPost)).toEqual([]);
    for (const socket of [guest, following]) expect(socket.received(fanPost)).toHaveLength(1);
  });
});

describe('a notice of a post', () => {
  it('goes to the members who can read it, once, and to others when they can', async () => {
    const owner = await clubOwner(site);
    const { displayName: name } = owner.person;
    const [supporter, insider, legend, viewer] = [
      await clubMember(site, owner, 'supporter'),
      await clubMember(site, owner, 'insider'),
      await clubMember(site, owner, 'legend'),
      await site.viewer(),
    ];
    const counts = () => Promise.all([supporter, insider, legend, viewer, owner].map(countOf));
    const { id } = await posts(owner, 'Hush', 'insider');
    await site.settle();
    expect(await counts()).toEqual([0, 1, 1, 0, 0]);
    expect((await noticesOf(legend))[0]).toMatchObject({
      title: `${name} posted in the fan club`,
      link: `/${owner.username}/fanclub`,
    });
    expect(JSON.stringify(await noticesOf(legend))).not.toContain('Hush');
    await owner.call(editPost, { id, body: 'Hush!', audience: 'insider' });
    await site.settle();
    expect(await counts()).toEqual([0, 1, 1, 0, 0]);
    await owner.call(editPost, { id, body: 'Hush!', audience: 'everyone' });
    await site.settle();
    expect(await counts()).toEqual([1, 1, 1, 0, 0]);
    // As if a process had died after a batch and before noting it: the same batch is due again.
    await site.tx((tx) =>
      tx.schedule({
        kind: 'fanclubs.postNews',
        key: 'again',
        at: tx.now,
        payload: {
          performerId: owner.id,
          notifies: true,
          afterId: 0,
          event: { username: owner.username, id, change: 'published', audience: 'everyone' },
        },
      })
    );
    await site.settle();
    expect(await counts()).toEqual([1, 1, 1, 0, 0]);
  });

  it('goes by what each member chose', async () => {
    const owner = await clubOwner(site);
    const [usual, quiet, mailed] = [
      await clubMember(site, owner, 'supporter'),
      await clubMember(site, owner, 'supporter'),
      await clubMember(site, owner, 'supporter'),
    ];
    const { kinds } = await usual.call(getPreferences, {});
    expect(kinds.map(({ kind }) => kind)).toContain(KIND);
    await quiet.call(setPreference, { kind: KIND, channel: 'app', on: false });
    await mailed.call(setPreference, { kind: KIND, channel: 'email', on: true });
    await posts(owner, 'Hello', 'supporter');
    await site.settle();
    expect(await Promise.all([usual, quiet, mailed].map(countOf))).toEqual([1, 0, 1]);
    const { mails } = await (await site.admin()).call(listOutbox, {});
    expect(mails.filter(({ kind }) => kind === KIND).map(({ to }) => to))
      .toEqual([`${mailed.username}@people.example`]);
  });

  it('reaches every member of a large club, in more than one batch', async () => {
    const owner = await clubOwner(site);
    const last = await clubMember(site, owner, 'supporter');
    const ids = await crowd(site, 260, 'crowd');
    await site.tx((tx) =>
      sql`insert into fanclubs.memberships (performer_id, member_id, level, price, paid,
      paid_from, paid_until, renews, payments, since)
      select ${owner.id}::bigint, id, 'supporter', 100, 100, ${tx.now}::timestamptz,
        ${new Date(tx.now.getTime() + HOUR_MS)}::timestamptz, true, 1, ${tx.now}::timestamptz
      from unnest(${[...ids]}::bigint[]) as id`.execute(tx.sql())
    );
    const latest = await clubMember(site, owner, 'supporter');
    await posts(owner, 'Hello all', 'supporter');
    await site.settle();
    const { rows } = await site.tx((tx) =>
      sql<{ count: number }>`
      select count(*)::int as count from notices.notices n
      join fanclubs.memberships m on m.member_id = n.person_id
      where m.performer_id = ${owner.id} and n.kind = ${KIND}`.execute(tx.sql())
    );
    expect([rows[0]?.count, await countOf(last), await countOf(latest)]).toEqual([262, 1, 1]);
  });
});
