import { endBroadcast } from '#product/broadcast/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { isAskedToRate } from '#product/testkit/pages/look/ratings.ts';
import { openRoom } from '#product/testkit/pages/open-page.tsx';
import {
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { endPrivate } from './contract/private-running.ts';
import { ratePerformer } from './contract/ratings.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openRoom>>;
/** The button beside the name: "Rate", or "Rated" once done, with the rating if there is one. */
const BUTTON = /^Rated?$/u;
const reminder = (page: Page): HTMLElement =>
  page.all('status').find((element) => /Enjoying/u.test(element.textContent)) as HTMLElement;
const reminders = (page: Page, performer: Member): boolean =>
  page.shows(`Enjoying the show? Rate ${performer.person.displayName}.`) || isAskedToRate(page, performer);

describe('rating in a room', () => {
  test('is a button beside the name that opens a dialog with two votes [B-015, B-116]', async () => {
    const performer = await site.performer({ live: true });
    const { username, person: { displayName: name } } = performer;
    const viewer = await site.viewer({ tokens: 100 });
    await viewer.tips(performer, 24);
    await site.settle();
    const page = await openRoom(site, viewer, performer);
    await page.press(BUTTON);
    let dialog = await page.find('dialog', `Rate ${name}`);
    await page.sees(/at least 25 tokens in the last 24 hours can rate .*You tipped 24\./u, { in: dialog });
    expect(page.all('button', 'I like it', { in: dialog })).toEqual([]);
    expect(await page.problems()).toEqual([]);
    await page.keys('{Escape}');
    await page.gone('dialog', `Rate ${name}`);
    await viewer.tips(performer, 1);
    await page.sees(`Enjoying the show? Rate ${name}.`);
    await page.press('Rate', { in: reminder(page) });
    dialog = await page.find('dialog', `Rate ${name}`);
    await page.press('I don’t like it', { in: dialog });
    await page.sees(`Thanks for rating ${name}.`);
    await page.gone('dialog', `Rate ${name}`);
    expect((await viewer.call(getRoom, { username }) as { auth: object }).auth)
      .toMatchObject({ rateToday: 'RATE_DOWN' });
    await page.press(BUTTON);
    dialog = await page.find('dialog', `Rate ${name}`);
    const pressed = (text: string) =>
      page.all('button', text, { in: dialog })[0]?.getAttribute('aria-pressed');
    expect([pressed('I like it'), pressed('I don’t like it')]).toEqual(['false', 'true']);
    expect(await page.problems()).toEqual([]);
    await page.press('I like it', { in: dialog });
    await page.gone('dialog', `Rate ${name}`);
    expect((await viewer.call(getRoom, { username }) as { auth: object }).auth)
      .toMatchObject({ rateToday: 'RATE_UP' });
  });

  test('asks guests to log in first [B-244]', async () => {
    const performer = await site.performer({ live: true });
    const name = performer.person.displayName;
    const guest = await openRoom(site, await site.visitor({ ofAge: true }), performer);
    await guest.press(BUTTON);
    await guest.sees('Log in to rate performers. You stay in this room.');
    expect(guest.all('dialog', `Rate ${name}`)).toEqual([]);
    // A guest who does not log in is asked nothing else.
    await guest.keys('{Escape}');
    await guest.gone('dialog', 'Log in');
    await guest.idle();
    expect(guest.all('dialog', `Rate ${name}`)).toEqual([]);
  });

  test('never asks the performer: no button, reminder, or dialog after a show [B-244, B-302]', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 500 });
    await viewer.tips(performer, 60);
    await site.settle();
    const own = await openRoom(site, performer, performer);
    await own.field('Message');
    expect(own.all('button', BUTTON)).toEqual([]);
    expect(reminders(own, performer)).toBe(false);
    for (const [who, other, words] of [
      [viewer, performer, 'The viewer ended the private show.'],
      [performer, viewer, 'You ended the private show.'],
    ] as const) {
      await startsPrivate(viewer, performer);
      await watches(viewer, performer);
      await mediaPasses(site, performer, 5);
      const panel = await own.find('region', 'Your private show');
      await own.sees('5 s', { in: panel });
      await who.call(endPrivate, { username: other.username });
      await own.sees(words, { in: panel });
      await own.idle();
      expect(own.all('dialog')).toEqual([]);
      expect(reminders(own, performer)).toBe(false);
      await own.press('Close', { in: panel });
    }
    expect(own.all('button', BUTTON)).toEqual([]);
  });
});

describe('the reminder to rate', () => {
  test('comes with 25 recent tips and no vote of today, not with 24, and stays [B-403]', async () => {
    const performer = await site.performer({ live: true });
    const { username } = performer;
    const tipper = async (tokens: number): Promise<Member> => {
      const viewer = await site.viewer({ tokens: 100 });
      await viewer.tips(performer, tokens);
      await site.settle();
      return viewer;
    };
    const yesterday = await tipper(25);
    await yesterday.call(ratePerformer, { username, vote: 'RATE_UP' });
    await site.passes(86_400_000);
    await yesterday.tips(performer, 25);
    const [less, enough, more] = [await tipper(24), await tipper(25), await tipper(90)];
    const [liked, disliked] = [await tipper(90), await tipper(90)];
    const elsewhere = await site.viewer({ tokens: 100 });
    await elsewhere.tips(await site.performer({ live: true }), 90);
    await site.settle();
    await liked.call(ratePerformer, { username, vote: 'RATE_UP' });
    await disliked.call(ratePerformer, { username, vote: 'RATE_DOWN' });
    for (const [viewer, comes] of [
      [less, false],
      [elsewhere, false],
      [liked, false],
      [disliked, false],
      [yesterday, true],
      [more, true],
      [enough, true],
    ] as const) {
      const page = await openRoom(site, viewer, performer);
      await page.field('Message');
      await page.idle();
      expect(reminders(page, performer)).toBe(comes);
      if (!comes) continue;
      await site.passes(60_000);
      await page.idle();
      expect(reminders(page, performer)).toBe(true);
    }
    // A day later no tip is recent any longer.
    await site.passes(86_400_000);
    const page = await openRoom(site, enough, performer);
    await page.field('Message');
    await page.idle();
    expect(reminders(page, performer)).toBe(false);
  });

  test('covers nothing of a show while it costs, and is there again when the show is over', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 500 });
    await viewer.tips(performer, 25);
    await site.settle();
    const page = await openRoom(site, viewer, performer);
    await page.sees(`Enjoying the show? Rate ${performer.person.displayName}.`);
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    await mediaPasses(site, performer, 5);
    await page.find('button', 'End show');
    await page.until(() => expect(reminders(page, performer)).toBe(false));
    await viewer.call(endPrivate, { username: performer.username });
    await page.gone('button', 'End show');
    await page.until(() => expect(reminders(page, performer)).toBe(true));
  });

  test('does not come by itself while the performer is offline, but once they are live', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 50 });
    await viewer.tips(performer, 25);
    await performer.call(endBroadcast, {});
    await site.settle();
    const page = await openRoom(site, viewer, performer);
    await page.field('Message');
    await page.idle();
    expect(reminders(page, performer)).toBe(false);
    await site.passes(60_000);
    await page.idle();
    expect(reminders(page, performer)).toBe(false);
    expect(viewer.cookie('rating_reminder')).toBeNull();
    await performer.goesLive();
    await site.settle();
    await page.until(() => expect(reminders(page, performer)).toBe(true));
  });

  test('keeps the time in a cookie, and comes again 86,400 milliseconds later [B-404, B-405]', async () => {
    const performer = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 50 });
    await viewer.tips(performer, 25);
    await site.settle();
    const comes = async (): Promise<boolean> => {
      const page = await openRoom(site, viewer, performer);
      await page.field('Message');
      await page.idle();
      return reminders(page, performer);
    };
    const written = vi.spyOn(viewer, 'writesCookie');
    expect(await comes()).toBe(true);
    const cookies = written.mock.calls.map(([text]) => text)
      .filter((text) => text.includes('rating_reminder'));
    expect(cookies).toEqual([expect.stringContaining('Max-Age=87;')]);
    const nowMs = site.clock.now().getTime();
    expect(viewer.cookie('rating_reminder')).toBe(String(nowMs));
    for (const [ago, again] of [[0, false], [86_399, false], [86_400, true]] as const) {
      viewer.setCookie('rating_reminder', String(nowMs - ago));
      expect([ago, await comes()]).toEqual([ago, again]);
    }
  });
});
