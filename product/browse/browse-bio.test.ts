import { updateProfile } from '#product/accounts/contract.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { decideClearance, saveBlockedRegions } from '#product/compliance/contract.ts';
import { hidePerformer } from '#product/messaging/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { setSiteChatRules } from '#product/room-moderation/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getBio, multiFilter } from './contract/search.ts';
import { BioSearch, fillBios } from './server/search/bios.ts';
import { findBios } from './store/bios.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite({ settings: { controlsToys: true } });
});
afterAll(() => site.close());

/** Results are remembered for half a minute. */
const REMEMBERED_MS = 30_000;
const settled = async (): Promise<void> => {
  await site.settle();
  await site.services.browse.settled();
};
const guest = () => site.visitor({ ofAge: true });
const found = async (who: Visitor, q: string, more: object = {}): Promise<readonly string[]> =>
  (await who.call(multiFilter, { q, ...more })).userList.map(({ username }) => username);

/** A performer who wrote a bio. */
async function writer(username: string, about: string): Promise<Member> {
  const performer = await site.performer({ username });
  await performer.call(updateProfile, { about });
  return performer;
}

describe('words of a bio', () => {
  it('find whoever wrote them, behind those whose name, topic or tags have them', async () => {
    const who = await guest();
    const named = await site.performer({ username: 'cello_fan' });
    const live = await writer('bow_and_string', 'I play the Cello, mostly Bach.\n\nAsk me for a piece.');
    const other = await writer('quiet_bach', 'Chess, and a cello on Sundays.');
    await live.goesLive();
    await settled();
    expect(await found(who, 'cello')).toEqual([named.username, live.username, other.username]);
    expect(await found(who, 'CELLO sundays')).toEqual([other.username]);
    // A name and a word of the bio together, and the beginning of a word.
    expect(await found(who, 'string bach')).toEqual([live.username]);
    expect(await found(who, 'chess su')).toEqual([other.username]);
    expect(await found(who, 'cello -chess')).toEqual([named.username, live.username]);
    expect(await found(who, 'cello', { perPage: 1, p: 3 })).toEqual([other.username]);
    expect((await who.call(multiFilter, { q: 'cello' })).totalCount).toBe(3);
    expect(await found(who, 'cello', { source: 'men' })).toEqual([]);
  });

  it('are found with accents or without, and as they are now', async () => {
    const who = await guest();
    const performer = await writer('patissiere', 'Crème brûlée at midnight');
    await settled();
    expect(await found(who, 'brulee')).toEqual([performer.username]);
    await performer.call(updateProfile, { about: 'Sourdough instead' });
    await settled();
    await site.passes(REMEMBERED_MS);
    expect([await found(who, 'brûlée'), await found(who, 'sourdough')]).toEqual([[], [performer.username]]);
  });

  it('find nobody who is hidden from this viewer', async () => {
    const [blocked, uncleared, suspended, shown, unwanted] = [
      await writer('bio_blocked', 'ocarina'),
      await writer('bio_uncleared', 'ocarina'),
      await writer('bio_suspended', 'ocarina'),
      await writer('bio_shown', 'ocarina'),
      await writer('bio_unwanted', 'ocarina'),
    ];
    const { compliance, accounts } = site.services;
    await blocked.call(saveBlockedRegions, { regions: ['RO'] });
    const admin = await site.admin();
    await admin.call(decideClearance, {
      username: uncleared.username,
      decision: 'revoke',
      reason: 'a test',
    });
    const order = { suspended: true, actorId: null, reason: 'a test' };
    await site.tx((tx) => accounts.suspend(tx, suspended.id, order));
    const viewer = await site.viewer();
    await viewer.call(hidePerformer, { username: unwanted.username });
    await settled();
    expect(compliance.policyOf(site.scope, 'RO').rule).toBe('declare');
    const everybody = [blocked, shown, unwanted].map(({ username }) => username);
    expect((await found(await guest(), 'ocarina')).toSorted()).toEqual(everybody);
    expect((await found(viewer, 'ocarina')).toSorted()).toEqual([blocked.username, shown.username]);
    const romanian = await site.visitor({ region: 'RO', ofAge: true });
    expect((await found(romanian, 'ocarina')).toSorted()).toEqual([shown.username, unwanted.username]);
    expect(await found(await site.visitor(), 'ocarina')).toEqual([]);
  });

  it('stay with one operator', async () => {
    await writer('only_here', 'theremin');
    await settled();
    const find = (operatorId: number) => site.data.tx({ operatorId }, (tx) => findBios(tx, ['theremin'], 9));
    expect(await find(site.scope.operatorId)).toHaveLength(1);
    expect(await find(site.scope.operatorId + 1)).toEqual([]);
  });

  it('cannot be words that the operator blocked, nor lead to whoever has written them before', async () => {
    const who = await guest();
    const before = await writer('wrote_before', 'I like gargoyles');
    await (await site.admin()).call(setSiteChatRules, { blocked_words: ['gargoyles'] });
    const after = await writer('writes_after', 'something');
    for (const about of ['Gargoyles!', 'g4rgoyles', 'no g a r g o y l e s']) {
      expect(await after.refused(updateProfile, { about })).toMatchObject({
        status: 422,
        errorType: 'about_blocked',
      });
    }
    // The words that searches refuse are remembered for some seconds.
    await settled();
    await site.passes(REMEMBERED_MS);
    expect([await found(who, 'gargoyles'), await found(who, 'gargoyle')]).toEqual([[], []]);
    const bio = await who.call(getBio, { username: after.username });
    expect([bio.about, before.username]).toEqual(['something', 'wrote_before']);
    await (await site.admin()).call(setSiteChatRules, { blocked_words: [] });
  });

  it('are written once of performers of before there was a table for them', async () => {
    const { operatorId } = site.scope;
    const performer = await writer('long_ago', 'hurdy-gurdy');
    await settled();
    await site.tx((tx) => sql`delete from browse.bios`.execute(tx.sql()));
    await site.tx((tx) => sql`delete from browse.bio_fills`.execute(tx.sql()));
    const who = await guest();
    expect(await found(who, 'hurdy')).toEqual([]);
    const deps = { data: site.data, accounts: site.services.accounts };
    await fillBios(deps, operatorId);
    await site.passes(REMEMBERED_MS);
    expect(await found(who, 'hurdy')).toEqual([performer.username]);
    // A second call fills nothing.
    await site.tx((tx) => sql`delete from browse.bios`.execute(tx.sql()));
    await fillBios(deps, operatorId);
    await site.passes(REMEMBERED_MS);
    expect(await found(who, 'hurdy')).toEqual([]);
    await site.tx((tx) => sql`delete from browse.bio_fills`.execute(tx.sql()));
    await fillBios(deps, operatorId);
  });
});

describe('searches of bios at the same moment', () => {
  it('run one at a time; the newest waits, and those it overtakes find nobody', async () => {
    const performer = await writer('busy_person', 'accordion bassoon clarinet dulcimer');
    await settled();
    const errors: unknown[] = [];
    let [running, most, count] = [0, 0, 0];
    const search = new BioSearch({
      data: {
        ...site.data,
        clock: site.clock,
        tx: async (scope, work) => {
          [running, count] = [running + 1, count + 1];
          most = Math.max(most, running);
          return site.data.tx(scope, work).finally(() => {
            running -= 1;
          });
        },
      },
      onError: (error) => errors.push(error),
    });
    const ids = async (term: string) =>
      (await search.find(site.scope, [term]))
        .map(({ performerId }) => performerId);
    const asked = ['accordion', 'bassoon', 'clarinet', 'dulcimer', 'accordion'].map(ids);
    expect(await Promise.all(asked)).toEqual([[performer.id], [], [], [performer.id], [performer.id]]);
    expect([most, count, errors]).toEqual([1, 2, []]);
    // The overtaken search finds the performer when repeated, and is remembered then.
    expect([await ids('bassoon'), await ids('bassoon')]).toEqual([[performer.id], [performer.id]]);
    expect(count).toBe(3);
  });
});

describe('a bio', () => {
  it('says who a performer is, what shows cost, and when they mean to be live', async () => {
    const performer = await writer('mina_bio', '  Hello\r\n\r\n\r\n\r\nfrom   Mina\u200E ');
    await performer.call(updateProfile, { languages: ['ro', 'en'], display_name: 'Mina B' });
    await performer.call(setDetails, { title: 'Tea', tags: ['tea'] });
    await performer.call(saveListingProfile, {
      region: 'eastern-europe',
      country: 'RO',
      age_range: '23-29',
      private_price: 60,
      exclusive_price: 90,
      spy_price: 12,
      control_rate: 40,
      offers_cam2cam: true,
      time_zone: 'Europe/Bucharest',
      schedule: [{ day: 4, fromMinute: 1_320, minutes: 300 }],
    });
    await performer.goesLive();
    await settled();
    const { performer: shown, ...bio } = await (await guest()).call(getBio, { username: 'Mina_Bio' });
    expect(bio.schedule.map(({ startsAt }) => new Date(startsAt).getUTCDay())).toEqual([5]);
    expect({ ...bio, schedule: [] }).toEqual({
      about: 'Hello\n\nfrom Mina',
      exclusivePrice: 90,
      controlRate: 40,
      offersCam2Cam: true,
      isGroup: false,
      hasCalendar: true,
      schedule: [],
      pictures: [],
      studio: null,
      roleList: [],
      peopledList: [],
      socialMedia: { amazon: null, bluesky: null, instagram: null, twitter: null },
    });
    expect(shown).toMatchObject({
      username: 'mina_bio',
      displayName: 'Mina B',
      languages: ['ro', 'en'],
      tagList: ['tea'],
      region: 'eastern-europe',
      country: 'RO',
      ageRange: '23-29',
      privatePrice: 60,
      spyPrice: 12,
      status: 'online',
    });
  });

  it('of whoever may not be shown is that of nobody, at once after a region is blocked', async () => {
    const performer = await writer('leaves_home', 'x');
    const viewer = await site.viewer();
    const romanian = await site.visitor({ region: 'RO', ofAge: true });
    await settled();
    expect((await romanian.call(getBio, { username: performer.username })).about).toBe('x');
    await performer.call(saveBlockedRegions, { regions: ['RO'] });
    const unknown = await romanian.refused(getBio, { username: 'nobody_at_all' });
    const { reference: _reference, ...nobody } = unknown;
    expect(nobody).toMatchObject({ status: 404, errorType: 'performer_unknown' });
    expect(await romanian.refused(getBio, { username: performer.username })).toMatchObject(nobody);
    expect((await (await guest()).call(getBio, { username: performer.username })).hasCalendar).toBe(false);
    const unasked = await site.visitor();
    expect((await unasked.refused(getBio, { username: performer.username })).status).toBe(404);
    expect((await viewer.refused(getBio, { username: viewer.username })).status).toBe(404);
  });
});
