import { saveOwnClub } from '#product/fanclubs/contract.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { textOf } from '#product/testkit/pages/look/read-text.ts';
import { seesToast, toastsOf } from '#product/testkit/pages/look/toasts.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { boughtBy } from '#product/testkit/payments/wallet.ts';
import { endsPrivate, mediaPasses, startsPrivate, watches } from '#product/testkit/shows/private-show.ts';
import { offersSpying, spiedShow, spies } from '#product/testkit/shows/spying.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { getShowSettings, saveShowSettings } from './contract/settings.ts';
import { endSpying, spyEnded, startSpying } from './contract/spying.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const SPY = 'Spy for 12 tokens a minute';
/** Clicks the offer, and confirms the question. */
const starts = async (page: Awaited<ReturnType<typeof openRoom>>): Promise<void> => {
  await page.press(SPY);
  const asked = await page.find('alertdialog', /^Spy on/u);
  await page.press(SPY, { in: asked });
};
const OVER = 'The spy chat has ended, sending you back to public chat.';
const modeOf = async (spy: Member, { username }: Member): Promise<string> =>
  (await spy.call(getRoom, { username })).chat.mode;
/** What the video panel shows, by the name of its status. */
const faceOf = (): string | undefined =>
  document.querySelector<HTMLElement>('[data-stream-status]')?.dataset['streamStatus'];

test('a viewer spies from the room, sees what it costs, and ends it [A-010, B-008]', async () => {
  const { performer } = await spiedShow(site);
  const spy = await site.viewer({ tokens: 200 });
  const page = await openRoom(site, spy, performer);
  const panel = await page.find('region', 'Spying');
  await page.sees('($1.20)', { in: panel });
  await page.sees('10 s', { in: panel });
  expect(await page.problems()).toEqual([]);
  await page.press(SPY, { in: panel });
  // The meter starts when the question is confirmed, not when it is shown.
  const asked = await page.find('alertdialog', `Spy on ${performer.person.displayName}’s private show?`);
  for (const words of ['($1.20)', /You pay for each second/u]) await page.sees(words, { in: asked });
  expect(await page.problems()).toEqual([]);
  await page.press('Not now', { in: asked });
  await page.gone('alertdialog', /^Spy on/u);
  expect(await modeOf(spy, performer)).toBe('public');
  await starts(page);
  await page.sees(`Spying on ${performer.person.displayName}`);
  await page.until(async () => expect(await modeOf(spy, performer)).toBe('spy'));
  await watches(spy, performer);
  await mediaPasses(site, performer, 35);
  await page.sees('25 s', { in: panel });
  await page.sees('5 tokens', { in: panel });
  expect(await page.problems()).toEqual([]);
  await page.press('Stop spying', { in: panel });
  await page.sees('You stopped spying.', { in: panel });
  await page.find('button', SPY);
  expect(await modeOf(spy, performer)).toBe('public');
  expect((await spy.call(getBalance, {})).tokens).toBe(195);
});

test('the room has the spy controls while a show can be spied on, not without [B-111, C-004]', async () => {
  const { performer, viewer } = await spiedShow(site);
  const spy = await site.viewer({ tokens: 200 });
  const page = await openRoom(site, spy, performer);
  await page.press(SPY);
  await page.press(/^Don’t ask again at this price/u, { role: 'checkbox' });
  await page.press(SPY, { in: await page.find('alertdialog', /^Spy on/u) });
  await page.press('Stop spying');
  // A viewer who chose that is not asked again, unless the price rises.
  await page.press(SPY);
  await page.press('Stop spying');
  await performer.call(saveShowSettings, { spy: { pricePerMinuteInToken: 13 } });
  await site.settle();
  await page.press('Spy for 13 tokens a minute');
  await page.press('Not now', { in: await page.find('alertdialog', /^Spy on/u) });
  await performer.call(saveShowSettings, { spy: { pricePerMinuteInToken: 12 } });
  await site.settle();
  await page.find('button', SPY);
  await page.gone('button', 'Stop spying');
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
  await other.sees('The performer isn’t available for a private show right now.');
  await other.idle();
  expect(other.all('button', SPY)).toEqual([]);
});

test('the tip to start is in the offer and the question, and a dearer one is asked about again', async () => {
  const { performer } = await spiedShow(site, { spy: { startupTipInToken: 7 } });
  const spy = await site.viewer({ tokens: 900 });
  const page = await openRoom(site, spy, performer);
  const panel = await page.find('region', 'Spying');
  const tipIn = (where: Element): readonly string[] =>
    [...where.querySelectorAll('dt')]
      .filter(({ textContent }) => textContent === 'Tip to start')
      .map((name) => textOf(name.nextElementSibling!));
  await page.until(() => expect(tipIn(panel)).toEqual(['7 tokens($0.70)']));
  await page.press(SPY, { in: panel });
  const asked = await page.find('alertdialog', /^Spy on/u);
  expect(tipIn(asked)).toEqual(['7 tokens($0.70)']);
  await page.press(/^Don’t ask again at this price/u, { role: 'checkbox', in: asked });
  await page.press(SPY, { in: asked });
  await page.press('Stop spying');
  // What was agreed to is not asked about again, and a dearer tip is: a minute costs what it did.
  await page.press(SPY);
  await page.press('Stop spying');
  await performer.call(saveShowSettings, { spy: { startupTipInToken: 500 } });
  await site.settle();
  await page.until(() => expect(tipIn(panel)).toEqual(['500 tokens($50.00)']));
  await page.press(SPY);
  const again = await page.find('alertdialog', /^Spy on/u);
  expect(tipIn(again)).toEqual(['500 tokens($50.00)']);
  await page.press('Not now', { in: again });
  await page.gone('alertdialog', /^Spy on/u);
  expect(await modeOf(spy, performer)).toBe('public');
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
  const { username } = performer;
  const spy = await site.viewer({ tokens: 200 });
  const spoken: string[] = [];
  for (const changes of [{ spy: { pricePerMinuteInToken: 13 } }, { spy: { isEnabled: false } }]) {
    const page = await openRoom(site, spy, performer);
    await page.find('button', SPY);
    // The page is not notified of the change, so its call is refused.
    const passes = page.network.stalls(`/ws/room/${username}`);
    await performer.call(saveShowSettings, changes);
    const { message } = await spy.refused(startSpying, { username, price: 12 });
    await starts(page);
    await seesToast(page, 'error', message);
    expect(toastsOf(page)).toEqual([['error', message]]);
    expect(page.shows(/^Spying on/u)).toBe(false);
    spoken.push(message);
    passes();
    page.leave();
    await performer.call(saveShowSettings, { spy: { isEnabled: true, pricePerMinuteInToken: 12 } });
    await site.settle();
  }
  expect(spoken).toEqual([
    'The price has changed: a minute of spying costs 13 tokens now.',
    'Spying isn’t offered here.',
  ]);
  const poor = await spies(site, performer, { tokens: 0 });
  await mediaPasses(site, performer, 12);
  const page = await openRoom(site, poor.spy, performer);
  const { message } = await poor.spy.refused(startSpying, { username });
  await starts(page);
  await seesToast(page, 'error', message);
});

test('the end of spying says so, and the room is back in public [C-385, B-197]', async () => {
  for (const who of ['viewer', 'spy'] as const) {
    const { performer, viewer } = await spiedShow(site);
    const { spy } = await spies(site, performer);
    const page = await openRoom(site, spy, performer);
    await mediaPasses(site, performer, 12);
    await page.sees(`Spying on ${performer.person.displayName}`);
    expect(toastsOf(page)).toEqual([]);
    if (who === 'viewer') {
      await endsPrivate(viewer, performer);
      await site.settle();
    } else await page.press('Stop spying');
    await seesToast(page, 'success', OVER);
    expect(toastsOf(page)).toEqual([['success', OVER]]);
    await page.sees(who === 'viewer' ? 'The private show is over.' : 'You stopped spying.');
    await page.gone('button', 'Stop spying');
    expect(await modeOf(spy, performer)).toBe('public');
    await page.until(() => expect(faceOf()).toBe(who === 'viewer' ? 'online' : 'private'));
  }
});

test('the event of the end makes the mode of the page public: it may spy again [B-346, C-116]', async () => {
  const { performer, viewer } = await spiedShow(site);
  const { spy } = await spies(site, performer);
  const socket = await spy.joins(performer);
  const page = await openRoom(site, spy, performer);
  await mediaPasses(site, performer, 12);
  await page.sees(`Spying on ${performer.person.displayName}`);
  expect(faceOf()).toBe('online');
  // From here on the page learns its mode from events alone.
  page.network.holds(/\/chat\/react\//u);
  const receipt = await spy.call(endSpying, { username: performer.username });
  await page.find('button', SPY);
  expect(faceOf()).toBe('private');
  expect(await socket.waitFor(spyEnded)).toEqual({ reason_ended: 'user_ended', receipt });
  // The show's stream is no longer played, and the former spy must not see the next show's.
  await endsPrivate(viewer, performer);
  await site.settle();
  await page.until(() => expect(faceOf()).toBe('online'));
  await startsPrivate(viewer, performer);
  await page.until(() => expect(faceOf()).toBe('private'));
});

test('the event of the start makes the mode of the page spy, and gives it the video [C-114]', async () => {
  const { performer, viewer } = await spiedShow(site);
  const [spy, other] = [await site.viewer({ tokens: 200 }), await site.viewer({ tokens: 200 })];
  const page = await openRoom(site, spy, performer);
  await page.find('button', SPY);
  expect(faceOf()).toBe('private');
  page.network.holds(/\/chat\/react\//u);
  await starts(page);
  await page.sees(`Spying on ${performer.person.displayName}`);
  expect(faceOf()).toBe('online');
  await page.gone('button', SPY);
  const modes = [];
  for (const one of [spy, other, viewer]) modes.push(await modeOf(one, performer));
  expect(modes).toEqual(['spy', 'public', 'private']);
});

test('a member of the fan club spies for nothing from the room, and sees so [B-008]', async () => {
  const performer = await offersSpying(site);
  await performer.call(saveOwnClub, {
    enabled: true,
    description: '',
    prices: { supporter: 100, insider: 250, legend: 500 },
    perks: { supporter: [], insider: [], legend: [] },
  });
  await spiedShow(site, { performer });
  const { username, person: { displayName: name } } = performer;
  const spy = await site.viewer({ tokens: 400 });
  const club = await openPage(site, spy, `/${username}/fanclub`);
  await club.press('Join as Insider');
  await club.press('Pay 250 tokens');
  await club.sees(`You’re in ${name}’s fan club: Insider`);
  const page = await openRoom(site, spy, performer);
  const panel = await page.find('region', 'Spying');
  await page.sees(`You can spy on ${name}’s private show.`, { in: panel });
  await page.press('Spy for free', { in: panel });
  await page.sees(`Spying on ${name}`);
  await watches(spy, performer);
  await mediaPasses(site, performer, 75);
  await page.sees('1 min 15 s', { in: panel });
  await page.sees('Free', { in: panel });
  expect(await page.problems()).toEqual([]);
  await page.press('Stop spying', { in: panel });
  await page.sees('You stopped spying.', { in: panel });
  expect((await spy.call(getBalance, {})).tokens).toBe(150);
  // A viewer who is not in the fan club pays the full price for the same show.
  const other = await openRoom(site, await site.viewer({ tokens: 400 }), performer);
  await other.find('button', SPY);
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

test('the warning goes when the spying ends', async () => {
  const { performer } = await spiedShow(site);
  const { spy } = await spies(site, performer, { tokens: 14 });
  const page = await openRoom(site, spy, performer);
  await mediaPasses(site, performer, 21);
  await page.sees(/^Spying ends in /u);
  await page.press('Stop spying');
  await seesToast(page, 'success', OVER);
  expect(toastsOf(page)).toEqual([['success', OVER]]);
});

test('the warning goes when its spy has more tokens', async () => {
  const { performer } = await spiedShow(site);
  const { spy } = await spies(site, performer, { tokens: 14 });
  const page = await openRoom(site, spy, performer);
  await mediaPasses(site, performer, 21);
  await page.sees(/^Spying ends in /u);
  await site.tx((tx) => site.services.ledger.post(tx, [boughtBy(spy, 100)]));
  await mediaPasses(site, performer, 10);
  await page.until(() => expect(toastsOf(page)).toEqual([]));
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
  const spied = await settings.find('table', 'Spying receipts');
  expect(settings.all('button', undefined, { in: spied })).toEqual([]);
  expect(await settings.problems()).toEqual([]);
  const own = await openPage(site, spy, '/account/shows');
  await own.press(performer.username, { in: await own.find('table', 'Spying receipts') });
  await own.sees(`@${performer.username}`, { in: await own.find('dialog') });
  expect(await own.problems()).toEqual([]);
});

test('listings of a gender have who can be spied on, and nobody in an exclusive show [B-046]', async () => {
  // A site of its own: performers of the tests above must not appear in the listing.
  const own = await createSite();
  onTestFinished(() => own.close());
  const shows: (readonly [string, string, Member])[] = [];
  for (const [gender, section, who] of [
    ['f', 'girls', 'Girls'],
    ['m', 'men', 'Men'],
    ['t', 'trans', 'Trans performers'],
    ['c', 'couples', 'Couples'],
  ] as const) {
    const performer = await offersSpying(own, {}, { gender });
    await spiedShow(own, { performer });
    shows.push([section, who, performer]);
  }
  await spiedShow(own, { exclusive: true });
  await spiedShow(own, { spy: { isEnabled: false } });
  await offersSpying(own);
  await own.settle();
  const viewer = await own.viewer();
  for (const [section, who, performer] of shows) {
    const page = await openPage(own, viewer, `/${section}/private-shows/spy-cam-shows`);
    await page.find('heading', `${who} in private shows you can spy on`, { level: 1 });
    await page.sees(performer.person.displayName);
    await page.idle();
    expect([...new Set(page.all('article').map((tile) => tile.querySelector('a')?.getAttribute('href')))])
      .toEqual([`/${performer.username}`]);
    // An empty listing would be followed by other listings.
    expect(page.all('region', 'Live now, and maybe for you')).toEqual([]);
  }
  expect(own.log).toEqual([]);
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
