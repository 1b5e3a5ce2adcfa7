import { setDetails } from '#product/broadcast/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { createSite, Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  casaSalsaVoyeurs,
  getExperiments,
  getTrackers,
  logAnalytics,
  trackThumb,
} from './contract/trackers.ts';
import { bucketOf, variantOf, visitorKey } from './rules/reports/experiments.ts';
import { trackedPath } from './rules/reports/trackers.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('the thumbnail tracker', () => {
  it('counts a click on a performer’s thumbnail [B-324]', async () => {
    const [performer, other] = [await site.performer(), await site.performer()];
    await site.settle();
    const [admin, guest] = [await site.admin(), await site.visitor({ ofAge: true })];
    for (const thumbUrl of [`/thumbs/t/${performer.username}/1`, `/thumbs/t/${performer.username}`]) {
      expect(await guest.call(trackThumb, { thumbUrl })).toEqual({ success: true });
    }
    await guest.call(trackThumb, { thumbUrl: `/cdn/thumbs-picked/${other.username}` });
    expect((await admin.call(getTrackers, {})).thumbs).toEqual([
      { username: performer.username, kind: 't', clicks: 2 },
      { username: other.username, kind: 'picked', clicks: 1 },
    ]);
    expect(await guest.refused(getTrackers, {})).toMatchObject({ status: 401 });
    expect(await performer.refused(getTrackers, {})).toMatchObject({ status: 403 });
  });

  it('refuses other addresses, and counts nobody whom the caller may not perceive [B-290]', async () => {
    const suspended = await site.performer();
    const guest = await site.visitor({ ofAge: true });
    const admin = await site.admin();
    const before = (await admin.call(getTrackers, {})).thumbs;
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, suspended.id, {
        suspended: true,
        actorId: null,
        reason: 'test',
      })
    );
    await site.settle();
    for (const thumbUrl of [`/portraits/${suspended.username}`, '/thumbs/x', 'thumbs-picked']) {
      expect(await guest.refused(trackThumb, { thumbUrl }))
        .toMatchObject({ status: 422, errorType: 'thumb_untracked' });
    }
    for (const username of [suspended.username, 'nobody', '']) {
      expect(await guest.call(trackThumb, { thumbUrl: `/thumbs/t/${username}` })).toEqual({ success: true });
    }
    expect((await admin.call(getTrackers, {})).thumbs).toEqual(before);
  });

  it('is sent the path alone, without host, query and extension [B-290]', () => {
    expect(trackedPath('https://cdn.example/thumbs/t/ann.webp?v=3')).toBe('/thumbs/t/ann');
    expect(trackedPath('/thumbs-picked/ann/2.jpg')).toBe('/thumbs-picked/ann/2');
    expect(trackedPath('/portraits/ann?v=3')).toBeNull();
  });
});

describe('log/analytics', () => {
  it('counts a change of the home layout by day, and knows no other events [B-325]', async () => {
    const [guest, admin] = [await site.visitor({ ofAge: true }), await site.admin()];
    const day = site.clock.now().toISOString().slice(0, 10);
    for (const layout of ['classic', 'custom', 'section', 'custom'] as const) {
      expect(await guest.call(logAnalytics, { event: `browse_layout_change_${layout}` }))
        .toEqual({ success: true });
    }
    expect((await admin.call(getTrackers, {})).events).toEqual([
      { event: 'browse_layout_change_classic', day, times: 1 },
      { event: 'browse_layout_change_custom', day, times: 2 },
      { event: 'browse_layout_change_section', day, times: 1 },
    ]);
    for (const event of ['browse_layout_change_', 'browse_layout_change_odd', 'anything']) {
      expect(await guest.refused(logAnalytics, { event })).toMatchObject({ status: 422 });
    }
  });
});

describe('experiments', () => {
  it('show one of four variants with equal chance, the same to the same visitor [C-407]', async () => {
    const sessionOf = (id: number): string =>
      createHash('sha256').update(`${id}`).digest('base64url').slice(0, 22);
    for (const keyOf of [
      (id: number) => visitorKey({ personId: null, sessionId: sessionOf(id) }, '127.0.0.1'),
      (id: number) => visitorKey({ personId: id, sessionId: sessionOf(9_000 - id) }, '127.0.0.1'),
    ]) {
      const drawn = new Map<string, number>();
      for (let id = 0; id < 8_000; id += 1) {
        const variant = variantOf('likeInvitation', keyOf(id));
        drawn.set(variant, (drawn.get(variant) ?? 0) + 1);
      }
      expect([...drawn.keys()].sort()).toEqual(['a', 'b', 'c', 'd']);
      // Four standard deviations of 8,000 draws with a chance of a quarter.
      for (const times of drawn.values()) expect(Math.abs(times - 2_000)).toBeLessThan(155);
    }
    const variantFor = async (who: Visitor) =>
      (await who.call(getExperiments, {})).experiments
        .find(({ name }) => name === 'likeInvitation')?.variant;
    for (const make of [() => site.visitor(), () => site.viewer()]) {
      const seen = new Set<string | undefined>();
      for (let more = 0; more < 40; more += 1) {
        const visitor = await make();
        const first = await variantFor(visitor);
        // The call answers with the variants measured above.
        if (visitor instanceof Member) {
          expect(first).toBe(variantOf('likeInvitation', `person:${visitor.id}`));
        }
        expect(await variantFor(visitor)).toBe(first);
        seen.add(first);
      }
      expect([...seen].sort()).toEqual(['a', 'b', 'c', 'd']);
    }
    for (let more = 0; more < 5; more += 1) {
      const viewer = await site.viewer();
      const other = await site.anotherTabOf(viewer);
      expect(await other.call(getExperiments, {})).toEqual(await viewer.call(getExperiments, {}));
    }
  });

  it('put people into ten groups by their id mod 100 [B-432]', async () => {
    const groups = [
      ['D', 0],
      ['D', 9],
      ['C', 10],
      ['C', 19],
      ['B', 20],
      ['B', 29],
      ['A7', 30],
      ['A7', 39],
      ['A1', 40],
      ['A1', 49],
      ['A2', 50],
      ['A2', 59],
      ['A3', 60],
      ['A3', 69],
      ['A4', 70],
      ['A4', 79],
      ['A5', 80],
      ['A5', 89],
      ['A6', 90],
      ['A6', 99],
    ] as const;
    for (const [group, rest] of groups) {
      for (const id of [rest, 100 + rest, 98_765_400 + rest]) expect(bucketOf(id)).toBe(group);
    }
    const viewer = await site.viewer();
    const names = ['D', 'C', 'B', 'A7', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6'];
    expect((await viewer.call(getExperiments, {})).bucket).toBe(names[Math.floor((viewer.id % 100) / 10)]);
    expect((await (await site.visitor()).call(getExperiments, {})).bucket).toBeNull();
  });
});

describe('the voyeur rooms of Casa Salsa', () => {
  it('are answered alone, by when they went live where that is wanted [C-252, C-415]', async () => {
    const voyeur = async (
      room: 'kitchen' | 'shower' | 'other' | null,
      tag: string,
      gender: 'f' | 'm' | 't' = 'f',
    ): Promise<Member> => {
      const performer = await site.performer({ gender });
      await performer.call(saveListingProfile, { voyeur_room: room });
      await performer.call(setDetails, { title: 'At home', tags: [tag] });
      return performer;
    };
    // The order of going live is neither that of signing up nor its reverse.
    const [first, second, third] = [
      await voyeur('kitchen', 'casa-salsa'),
      await voyeur('shower', 'casa-salsa'),
      await voyeur('other', 'casa-salsa'),
    ];
    for (const performer of [second, third, first]) {
      await performer.goesLive();
      await site.passes(60_000);
    }
    for (const other of [
      await voyeur(null, 'casa-salsa'),
      await voyeur('kitchen', 'other'),
      await voyeur('kitchen', 'casa-salsa', 'm'),
      await voyeur('kitchen', 'casa-salsa', 't'),
    ]) await other.goesLive();
    // Nobody who is offline.
    await voyeur('kitchen', 'casa-salsa');
    await site.settle();
    const viewer = await site.viewer();
    const socket = await viewer.joins(third);
    await site.settle();
    const names = async (input: object): Promise<string[]> =>
      (await viewer.call(casaSalsaVoyeurs, input)).userList.map(({ username }) => username);
    expect(await names({ sortByConnection: '1' })).toEqual([first.username, third.username, second.username]);
    expect(await names({})).toEqual([third.username, first.username, second.username]);
    expect(await viewer.call(casaSalsaVoyeurs, {})).toMatchObject({ totalCount: 3 });
    const answer = await viewer.request({
      method: 'GET',
      url: '/api/v1/browse/react/search/voyeurcam-casa-salsa?sortByConnection=1',
    });
    expect(answer.json<{ userList: { username: string }[] }>().userList.map(({ username }) => username))
      .toEqual([first.username, third.username, second.username]);
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, second.id, {
        suspended: true,
        actorId: null,
        reason: 'test',
      })
    );
    await site.settle();
    expect(await viewer.call(casaSalsaVoyeurs, {})).toMatchObject({ totalCount: 2 });
    await socket.leaves();
  });
});
