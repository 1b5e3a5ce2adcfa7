import { afterAll, beforeAll, expect, test } from 'vitest';
import { getBalance } from '../ledger/contract.ts';
import { getRoom } from '../rooms/contract.ts';
import { openPage, openRoom } from '../testkit/pages/open-page.tsx';
import { endsPrivate, mediaPasses, watches } from '../testkit/shows/private-show.ts';
import { offersSpying, spiedShow, spies } from '../testkit/shows/spying.ts';
import { createSite, type Member, type TestSite } from '../testkit/site.ts';
import { getShowSettings, saveShowSettings } from './contract/settings.ts';
import { endSpying, startSpying } from './contract/spying.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const SPY = 'Spy for 12 tokens a minute';
const OVER = 'The spy chat has ended, sending you back to public chat.';
const modeOf = async (spy: Member, { username }: Member): Promise<string> =>
  (await spy.call(getRoom, { username })).chat.mode;

test('a viewer spies from the room, sees what it costs, and ends it [A-010, B-008]', async () => {
  const { performer } = await spiedShow(site);
  const spy = await site.viewer({ tokens: 200 });
  const page = await openRoom(site, spy, performer);
  const panel = await page.find('region', 'Spying');
  await page.sees('($1.20)', { in: panel });
  await page.sees('0 min 10 s', { in: panel });
  expect(await page.problems()).toEqual([]);
  await page.press(SPY, { in: panel });
  await page.sees(`Spying on ${performer.person.displayName}`);
  await page.until(async () => expect(await modeOf(spy, performer)).toBe('spy'));
  await watches(spy, performer);
  await mediaPasses(site, performer, 35);
  await page.sees('0 min 25 s', { in: panel });
  await page.sees('5 tokens', { in: panel });
  expect(await page.problems()).toEqual([]);
  await page.press('Stop spying', { in: panel });
  await page.sees('You stopped spying.', { in: panel });
  await page.find('button', SPY);
  expect(await modeOf(spy, performer)).toBe('public');
  expect((await spy.call(getBalance, {})).tokens).toBe(195);
});

test('the room has the spy controls while a show can be spied on, and not without [B-111]', async () => {
  const { performer, viewer } = await spiedShow(site);
  const spy = await site.viewer({ tokens: 200 });
  const page = await openRoom(site, spy, performer);
  await page.find('button', SPY);
  await performer.call(saveShowSettings, { spy: { isEnabled: false } });
  await site.settle();
  await page.gone('button', SPY);
  await performer.call(saveShowSettings, { spy: { isEnabled: true } });
  await site.settle();
  await page.find('button', SPY);
  await endsPrivate(viewer, performer);
  await site.settle();
  await page.gone('button', SPY);
  const exclusive = await spiedShow(site, { exclusive: true });
  const other = await openRoom(site, await site.viewer({ tokens: 200 }), exclusive.performer);
  await other.sees(`${exclusive.performer.person.displayName} is in a private show`);
  await other.idle();
  expect(other.all('button', SPY)).toEqual([]);
});

test('a guest who wants to spy gets the login flow, and stays in the room [C-219]', async () => {
  const { performer } = await spiedShow(site);
  const guest = await site.visitor({ ofAge: true });
  expect(await guest.refused(startSpying, { username: performer.username }))
    .toMatchObject({ status: 401, errorType: 'not_authenticated' });
  const page = await openRoom(site, guest, performer);
  await page.press(SPY);
  await page.sees('Log in to spy on this show. You stay in this room.');
  expect(page.path).toBe(`/${performer.username}`);
});

test('a refused start shows the message of the server as an error toast [C-378]', async () => {
  const { performer } = await spiedShow(site);
  const spy = await site.viewer({ tokens: 200 });
  const page = await openRoom(site, spy, performer);
  await page.find('button', SPY);
  await performer.moderates('ban', spy);
  await page.press(SPY);
  const toast = await page.sees(/banned/iu);
  expect(toast).toBeTruthy();
});

test('the end of spying says so, and the room is back in public [C-385, B-197]', async () => {
  const { performer, viewer } = await spiedShow(site);
  const { spy } = await spies(site, performer);
  const page = await openRoom(site, spy, performer);
  await mediaPasses(site, performer, 12);
  await page.sees(`Spying on ${performer.person.displayName}`);
  await endsPrivate(viewer, performer);
  await site.settle();
  await page.sees(OVER);
  await page.sees('The private show is over.');
  await page.gone('button', 'Stop spying');
  expect(await modeOf(spy, performer)).toBe('public');
});

test('a spy is warned once that the tokens run out, and can buy more', async () => {
  const { performer } = await spiedShow(site);
  const { spy } = await spies(site, performer, { tokens: 14 });
  const page = await openRoom(site, spy, performer);
  await mediaPasses(site, performer, 12);
  expect(page.shows(/^Spying ends in /u)).toBe(false);
  await mediaPasses(site, performer, 9);
  const warning = await page.sees(/^Spying ends in /u);
  await page.press('Dismiss', { in: warning.parentElement as HTMLElement });
  await mediaPasses(site, performer, 5);
  expect(page.shows(/^Spying ends in /u)).toBe(false);
  expect(await page.problems()).toEqual([]);
});

test('a performer sees how many spy and what it brings, and sets what is offered', async () => {
  const { performer } = await spiedShow(site);
  const { spy } = await spies(site, performer);
  const page = await openRoom(site, performer, performer);
  await page.sees('1 viewer is spying');
  await mediaPasses(site, performer, 35);
  await spy.call(endSpying, { username: performer.username });
  await site.settle();
  await page.sees('0 viewers are spying');
  await page.sees('5 tokens');
  expect(document.body.textContent).not.toContain(spy.username);
  const settings = await openPage(site, performer, '/account/shows');
  const offer = await settings.find('region', 'Spying');
  await settings.fill('Spying price per minute (tokens)', '15', { in: offer });
  await settings.fill('Tip to start spying (tokens)', '4', { in: offer });
  await settings.press('Save spying', { in: offer });
  await settings.sees('Saved');
  expect((await performer.call(getShowSettings, {})).spy)
    .toEqual({ isEnabled: true, pricePerMinuteInToken: 15, startupTipInToken: 4 });
  await settings.find('table', 'Spying receipts');
  expect(await settings.problems()).toEqual([]);
});

test('listings have who can be spied on, and nobody in an exclusive show [B-046]', async () => {
  const open = await spiedShow(site);
  const exclusive = await spiedShow(site, { exclusive: true });
  const idle = await offersSpying(site);
  const page = await openPage(site, await site.viewer(), '/girls/private-shows/spy-cam-shows');
  await page.sees(open.performer.person.displayName);
  await page.idle();
  expect(page.shows(exclusive.performer.person.displayName)).toBe(false);
  expect(page.shows(idle.person.displayName)).toBe(false);
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
