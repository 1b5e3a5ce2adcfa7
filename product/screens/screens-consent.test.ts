import type { Consent } from '#platform/contract/context.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { getForYouLearned, getViewHistory } from '#product/browse/contract/history.ts';
import { getHome } from '#product/browse/contract/home.ts';
import { getExperiments, getTrackers, logAnalytics, trackThumb } from '#product/browse/contract/trackers.ts';
import {
  listClientLines,
  listClientReports,
  logPurchase,
  reportClientError,
  reportToast,
  sendConsole,
  sendLogs,
  setRemoteLogging,
} from '#product/client-logs/contract.ts';
import { saveConsent } from '#product/consent/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let site: TestSite;
let admin: Member;
let performer: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
  performer = await site.performer({ live: true });
  await site.settle();
});
afterAll(() => site.close());

const FIREFOX = 'Mozilla/5.0 (X11; rv:130.0) Gecko/20100101 Firefox/130.0';
const NONE: Consent = { preferences: false, statistics: false, marketing: false };
const ALL: Consent = { preferences: true, statistics: true, marketing: true };
const except = (purpose: keyof Consent): Consent => ({ ...ALL, [purpose]: false });
const chooses = (who: Member, consent: Consent) =>
  who.call(saveConsent, { ...consent, chosen_in: 'settings' });

/** Rows of history and of what the site learned about somebody. */
async function remembered({ id }: Member): Promise<{ readonly views: number; readonly learned: number }> {
  const { rows: [row] } = await site.tx((tx) =>
    sql<{ views: number; learned: number }>`
    select (select count(*) from browse.views where viewer_id = ${id})::int as views,
      (select count(*) from browse.learned_performers where viewer_id = ${id})::int as learned`
      .execute(tx.sql<object>())
  );
  return row ?? { views: -1, learned: -1 };
}

/** Somebody watches for ten minutes; `meanwhile` happens in the room. */
async function watches(
  viewer: Member,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const socket = await viewer.joins(performer);
  await site.settle();
  await meanwhile();
  await site.passes(10 * MINUTE_MS);
  await socket.leaves();
  // The room's count drops after the visit was written.
  await expect.poll(() => site.gateway?.size() ?? 0).toBe(0);
  await site.settle();
}

describe('without “preferences”', () => {
  it.each([
    ['an answer', null],
    ['a yes', NONE],
    ['that one purpose', except('preferences')],
  ])('nobody’s visits are written and learned from: without %s', async (_what, consent) => {
    const viewer = await site.viewer({ consent });
    await watches(viewer);
    expect(await remembered(viewer)).toEqual({ views: 0, learned: 0 });
    expect((await viewer.call(getViewHistory, {})).userList).toEqual([]);
  });

  it('and with it they are', async () => {
    const viewer = await site.viewer({ consent: { ...NONE, preferences: true } });
    await watches(viewer);
    await expect.poll(() => remembered(viewer)).toEqual({ views: 1, learned: 1 });
    expect((await viewer.call(getForYouLearned, {})).performerList)
      .toMatchObject([{ username: performer.username }]);
  });

  it('nothing is added or used from the moment it is withdrawn, in a room that is open too', async () => {
    const viewer = await site.viewer();
    await watches(viewer, () => chooses(viewer, except('preferences')));
    expect(await remembered(viewer)).toEqual({ views: 1, learned: 0 });
    await chooses(viewer, ALL);
    await watches(viewer);
    // The end of a visit is written after its socket has gone.
    await expect.poll(() => remembered(viewer)).toEqual({ views: 1, learned: 1 });
    expect((await viewer.call(getHome, {})).forYou?.userList.map(({ username }) => username))
      .toContain(performer.username);
    await chooses(viewer, except('preferences'));
    expect((await viewer.call(getHome, {})).forYou).toBeNull();
    // What is stored stays until the person deletes it.
    expect(await remembered(viewer)).toEqual({ views: 1, learned: 1 });
  });

  it('withdrawing in one browser holds for the socket of another', async () => {
    const viewer = await site.viewer();
    const elsewhere = await site.anotherTabOf(viewer);
    await watches(viewer, () => chooses(elsewhere, NONE));
    expect((await remembered(viewer)).learned).toBe(0);
  });
});

describe('without “statistics”', () => {
  const counted = async () => {
    const [{ events, thumbs }, reports, { batches }] = [
      await admin.call(getTrackers, {}),
      await admin.call(listClientReports, {}),
      await admin.call(listClientLines, {}),
    ];
    const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);
    const of = (kind: string) =>
      sum(reports.reports.filter((report) => report.kind === kind).map(({ count }) => count));
    return {
      events: sum(events.map(({ times }) => times)),
      clicks: sum(thumbs.map(({ clicks }) => clicks)),
      toasts: of('toast'),
      purchases: of('purchase'),
      crashes: of('error'),
      lines: batches.length,
    };
  };
  const does = async (who: Member): Promise<void> => {
    const done = { success: true };
    expect(await who.call(logAnalytics, { event: 'browse_layout_change_classic' })).toEqual(done);
    const thumbUrl = `/thumbs/t/${performer.username}`;
    expect(await who.call(trackThumb, { thumbUrl })).toEqual(done);
    expect(
      await who.call(reportToast, {
        appearance: 'error',
        content: 'It did not work',
        title: 'Oh',
        url: 'http://localhost/',
      }),
    ).toEqual({ success: true });
    expect(await who.call(logPurchase, { link: 'https://biller.example/pay' })).toEqual({ success: true });
    expect(await who.call(sendLogs, { logs: ['a note'] })).toEqual({ success: true });
    await who.call(reportClientError, {
      clientVersion: '0.1.0',
      errorMessage: 'x is undefined',
      stack: 'at y',
      time: '2026-01-01T00:00:00.000Z',
      url: 'http://localhost/',
    });
  };
  const watched = async (consent: Consent | null, objects = false): Promise<Member> => {
    const viewer = await site.viewer({ consent, objects });
    await admin.call(setRemoteLogging, { username: viewer.username, on: true, reason: 'ticket 7' });
    return viewer;
  };

  it.each([
    ['an answer', null, false],
    ['a yes', NONE, false],
    ['that one purpose', except('statistics'), false],
    ['the browser’s objection being heard', ALL, true],
  ])('nothing of a page is counted but crashes: without %s', async (_what, consent, objects) => {
    const viewer = await watched(consent, objects);
    const before = await counted();
    await does(viewer);
    expect(await viewer.refused(sendConsole, { lines: [{ level: 'log', text: 'a line' }] }))
      .toMatchObject({ status: 403, errorType: 'remote_logging_off' });
    expect(await counted()).toEqual({ ...before, crashes: before.crashes + 1 });
    // Logs sent on request need no consent: sending them is the person's own wish.
    await viewer.call(sendLogs, { logs: ['please help'], on_request: true });
    expect((await counted()).lines).toBe(before.lines + 1);
  });

  it('and with it all of it is, until it is withdrawn', async () => {
    const viewer = await watched({ ...NONE, statistics: true });
    const before = await counted();
    await does(viewer);
    await viewer.call(sendConsole, { lines: [{ level: 'log', text: 'a line' }] });
    const after = await counted();
    expect(after).toEqual({
      events: before.events + 1,
      clicks: before.clicks + 1,
      toasts: before.toasts + 1,
      purchases: before.purchases + 1,
      crashes: before.crashes + 1,
      lines: before.lines + 2,
    });
    await chooses(viewer, except('statistics'));
    await does(viewer);
    expect(await counted()).toEqual({ ...after, crashes: after.crashes + 1 });
    expect(await viewer.refused(sendConsole, { lines: [{ level: 'log', text: 'a line' }] }))
      .toMatchObject({ errorType: 'remote_logging_off' });
  });

  it('everybody has the control variant and no group; with it all variants are drawn', async () => {
    const drawn = async (consent: Consent | null) => {
      const variants = new Set<string>();
      for (let made = 0; made < 24; made += 1) {
        const { experiments, bucket } = await (await site.visitor({ consent })).call(getExperiments, {});
        expect(bucket).toBeNull();
        for (const { variant } of experiments) variants.add(variant);
      }
      return [...variants].toSorted();
    };
    expect(await drawn(null)).toEqual(['a']);
    expect(await drawn(except('statistics'))).toEqual(['a']);
    expect((await drawn({ ...NONE, statistics: true })).length).toBeGreaterThan(1);
    const [refusing, agreeing] = [await site.viewer({ consent: NONE }), await site.viewer()];
    expect((await refusing.call(getExperiments, {})).bucket).toBeNull();
    expect((await agreeing.call(getExperiments, {})).bucket).not.toBeNull();
  });

  it('visits of rooms in the SEO experiment are counted of crawlers and not of people', async () => {
    const visits = async () =>
      (await site.tx((tx) =>
        sql<{ people: number; crawlers: number }>`
      select coalesce(sum(people), 0)::int as people, coalesce(sum(crawlers), 0)::int as crawlers
      from browse.seo_visits`.execute(tx.sql<object>())
      )).rows[0];
    const sends = (cookie: string | undefined, headers: object = {}) =>
      site.services.browse.documentSent({
        operatorId: site.scope.operatorId,
        mark: 'seo-words:a',
        region: 'DE',
        headers: { 'user-agent': FIREFOX, cookie, ...headers },
      });
    const [none, all] = [await site.visitor({ consent: except('statistics') }), await site.visitor()];
    sends(undefined);
    sends(none.headers['cookie']);
    sends(all.headers['cookie'], { 'sec-gpc': '1' });
    sends(undefined, { 'user-agent': 'Googlebot/2.1' });
    sends(all.headers['cookie']);
    await site.passes(30_000);
    await expect.poll(visits).toEqual({ people: 1, crawlers: 1 });
  });
});
