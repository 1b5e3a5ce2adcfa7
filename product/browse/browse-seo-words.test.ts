import { saveBlockedRegions } from '#product/compliance/contract.ts';
import { cookieOf } from '#product/consent/rules.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { changeSeoExperiment, getExperiments, getRoomWords, getSeoExperiment } from './contract/trackers.ts';
import { namesTyped, wordingOf } from './rules/reports/seo-words.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

let site: TestSite;
let admin: Member;
let performers: readonly Member[];
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
  performers = [await site.performer(), await site.performer(), await site.performer()];
  await site.settle();
});
afterAll(() => site.close());

const choose = (...usernames: string[]) =>
  admin.call(changeSeoExperiment, { usernames, reason: 'a trial of words' });
const chosen = async () =>
  (await admin.call(getSeoExperiment, {})).performers.map(({ username }) => username);
const namesOf = (people: readonly Member[]) => people.map(({ username }) => username);

describe('the list of performers in the SEO experiment', () => {
  it('is an admin’s: whole, without repetitions, each with a wording of its own, and audited', async () => {
    const [first, second, third] = namesOf(performers) as [string, string, string];
    const { performers: listed } = await choose(` ${first.toUpperCase()} `, second, first);
    expect(listed.map(({ username }) => username)).toEqual([first, second].toSorted());
    for (const { wording } of listed) expect(['a', 'b']).toContain(wording);
    await choose(third);
    expect(await chosen()).toEqual([third]);
    expect((await admin.call(getExperiments, {})).seoRooms).toBe(1);
    const lines = await site.tx(async (tx) =>
      (await sql<{ detail: object; reason: string }>`
      select detail, reason from platform.audit where action = 'browse.changeSeoExperiment'
      order by id desc
    `.execute(tx.sql())).rows
    );
    expect(lines[0]).toEqual({
      reason: 'a trial of words',
      detail: {
        fields: [{
          name: 'usernames',
          before: JSON.stringify([first, second].toSorted()),
          after: JSON.stringify([third]),
        }],
      },
    });
    await choose();
    expect(await chosen()).toEqual([]);
    expect((await admin.call(getExperiments, {})).seoRooms).toBe(0);
  });

  it('refuses names that no performer has, and more than a hundred: nothing changes [B-441]', async () => {
    const viewer = await site.viewer();
    await choose(...namesOf(performers));
    const before = await chosen();
    const wrong = { usernames: [...before, viewer.username, 'nobody_at_all'], reason: 'a slip' };
    expect(await admin.refused(changeSeoExperiment, wrong)).toMatchObject({
      status: 422,
      errorType: 'seo_names_unknown',
      message: `Nothing was saved: no performer has these names: ${viewer.username}, nobody_at_all. `
        + 'Check the spelling.',
    });
    const many = (count: number) => Array.from({ length: count }, (_, at) => `unknown${at}`);
    expect((await admin.refused(changeSeoExperiment, { usernames: many(100), reason: 'a slip' })).message)
      .toContain('unknown9, ….');
    expect(await admin.refused(changeSeoExperiment, { usernames: many(101), reason: 'a slip' }))
      .toMatchObject({ status: 422, errorType: 'invalid_input' });
    expect((await admin.refused(changeSeoExperiment, { usernames: before })).status).toBe(422);
    expect(await chosen()).toEqual(before);
  });

  it('is neither read nor changed by others, nor by a site in an admin’s browser [B-441]', async () => {
    await choose(...namesOf(performers));
    const before = await chosen();
    const attack = { usernames: [], reason: 'an attack' };
    const [guest, own] = [await site.visitor({ ofAge: true }), performers[0] as Member];
    for (const who of [guest, await site.viewer(), own, await site.viewer({ roles: ['site_mod'] })]) {
      const status = who === guest ? 401 : 403;
      expect((await who.refused(getSeoExperiment, {})).status).toBe(status);
      expect((await who.refused(changeSeoExperiment, attack)).status).toBe(status);
      expect(JSON.stringify(await who.call(getExperiments, {}))).not.toContain(performers[1]?.username);
    }
    const foreign = await admin.request({
      method: 'POST',
      url: '/api/v1/admin/seo_experiment',
      payload: JSON.stringify(attack),
      headers: { 'content-type': 'application/json', 'origin': 'https://evil.example' },
    });
    expect(foreign.statusCode).toBe(403);
    expect(await chosen()).toEqual(before);
  });
});

describe('the words of a room', () => {
  it('are shown before the gate of performers in the list alone, whom everybody may see', async () => {
    const [listed, shy, other] = performers as [Member, Member, Member];
    await choose(listed.username, shy.username);
    await shy.call(saveBlockedRegions, { regions: ['FR'] });
    await site.settle();
    const wordsOf = async ({ username }: Member, region: string) =>
      (await (await site.visitor({ region })).call(getRoomWords, { username })).words;
    for (const region of ['DE', 'US-FL']) {
      expect(await wordsOf(listed, region)).toMatchObject({
        username: listed.username,
        wording: wordingOf(listed.id),
        title: expect.stringContaining(listed.username),
      });
      expect([await wordsOf(shy, region), await wordsOf(other, region)]).toEqual([null, null]);
    }
    // Viewers who may perceive the room get the words from the room itself.
    const { seo } = await (await site.viewer()).call(getRoom, { username: shy.username });
    expect(seo.wording).toBe(wordingOf(shy.id));
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, listed.id, {
        suspended: true,
        actorId: null,
        reason: 'a test',
      })
    );
    await site.settle();
    expect(await wordsOf(listed, 'DE')).toBeNull();
    await site.tx((tx) =>
      site.services.accounts.suspend(tx, listed.id, {
        suspended: false,
        actorId: null,
        reason: 'a test',
      })
    );
  });

  it('are one of two for each performer, half of them each', () => {
    let first = 0;
    for (let id = 0; id < 10_000; id += 1) if (wordingOf(id) === 'a') first += 1;
    // Four standard deviations.
    expect(Math.abs(first - 5_000)).toBeLessThan(200);
  });

  it('belong to the names typed one per line, however they are pasted', () => {
    expect(namesTyped(' @Ann\r\nbob, ann\n\n')).toEqual(['ann', 'bob']);
    expect(namesTyped('\n')).toEqual([]);
  });
});

describe('visits', () => {
  const sent = (on: TestSite, wording: string, userAgent?: string, more: object = {}): void =>
    on.services.browse.documentSent({
      operatorId: on.scope.operatorId,
      mark: `seo-words:${wording}`,
      region: 'DE',
      headers: {
        cookie: `consent=${
          cookieOf({
            consent: ALLOWED,
            atMs: site.clock.now().getTime(),
            isOfAccount: false,
          })
        }`,
        ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
        ...more,
      },
    });
  const ALLOWED = { preferences: false, statistics: true, marketing: false };
  const stored = () =>
    site.tx(async (tx) =>
      (await sql<object>`
    select day::text, wording, people::int, crawlers::int from browse.seo_visits order by day, wording
  `.execute(tx.sql())).rows
    );
  const today = () => site.clock.now().toISOString().slice(0, 10);

  it('are written by every process twice a minute and when it stops, and none is lost', async () => {
    let isCut = false;
    const second = await createSite({
      clock: site.clock,
      roles: ['web'],
      data: {
        ...site.data,
        attach: async () => {},
        close: async () => {},
        tx: (scope, work) => {
          if (isCut) throw new Error('the database is away');
          return site.data.tx(scope, work);
        },
      },
    });
    for (const on of [site, second]) {
      for (const agent of [FIREFOX, FIREFOX, GOOGLEBOT, undefined]) sent(on, 'a', agent);
      sent(on, 'b', GOOGLEBOT);
      // Not counted: a prefetch, and documents with another mark.
      sent(on, 'b', FIREFOX, { 'sec-purpose': 'prefetch;prerender' });
      sent(on, 'c', FIREFOX);
    }
    expect(await stored()).toEqual([]);
    isCut = true;
    site.clock.advance(30_000);
    const day = today();
    const [a, b] = [{ day, wording: 'a' }, { day, wording: 'b' }];
    await vi.waitFor(async () =>
      expect(await stored())
        .toEqual([{ ...a, people: 2, crawlers: 2 }, { ...b, people: 0, crawlers: 1 }])
    );
    await vi.waitFor(() => expect(second.log.join('')).toContain('SeoVisits'));
    isCut = false;
    sent(second, 'b', FIREFOX);
    await second.close();
    const both = [{ ...a, people: 4, crawlers: 4 }, { ...b, people: 1, crawlers: 2 }];
    expect(await stored()).toEqual(both);
    expect((await admin.call(getSeoExperiment, {})).visits).toEqual(both);
    expect(site.log).toEqual([]);
  });

  it('are shown by day, newest first, and deleted after ninety days', async () => {
    const daysAgo = (days: number) =>
      new Date(site.clock.now().getTime() - days * 86_400_000).toISOString().slice(0, 10);
    await site.tx(async (tx) => {
      await sql`delete from browse.seo_visits`.execute(tx.sql());
      for (const days of [1, 90, 91]) {
        await sql`insert into browse.seo_visits (operator_id, day, wording, people, crawlers)
          values (${tx.operatorId}, ${daysAgo(days)}, 'a', 1, 1)`.execute(tx.sql());
      }
    });
    const shown = async () => (await admin.call(getSeoExperiment, {})).visits.map(({ day }) => day);
    expect(await shown()).toEqual([daysAgo(1), daysAgo(90)]);
    sent(site, 'b', GOOGLEBOT);
    expect(await shown()).toEqual([today(), daysAgo(1), daysAgo(90)]);
    expect(await stored()).toHaveLength(3);
  });
});
