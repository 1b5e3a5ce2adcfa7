import { systemClock } from '#platform/data/clock.ts';
import { setDetails } from '#product/broadcast/contract.ts';
import { saveListingProfile } from '#product/performers/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getHome } from './contract/home.ts';
import { getTrackers } from './contract/trackers.ts';

let site: TestSite;
beforeEach(async () => {
  site = await createSite();
});
afterEach(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

const named = ({ username }: { readonly username: string }): RegExp => new RegExp(username, 'u');
/** Titles of the rows of the page, in order, without the featured show. */
const rowsOf = (page: Page): (string | undefined)[] =>
  page.all('region').slice(1)
    .map((region) => region.querySelector('h2')?.textContent ?? undefined);
/** A live performer who belongs to three sections. */
async function liveInThree(): Promise<Member> {
  const performer = await site.performer({ live: true });
  await performer.call(setDetails, { title: 'Evening music', tags: ['music'] });
  await performer.call(saveListingProfile, { country: 'RO', voyeur_room: 'kitchen' });
  await site.settle();
  return performer;
}
/** What pages of a browser reported about themselves. */
const eventsIn = (page: Page): string[] =>
  page.network.sent
    .flatMap((sent) => (/^POST \S*\/log\/analytics (.*)$/u.exec(sent)?.[1] ?? []));

test('/ has a featured show with its reason, a first row, filters and everybody [B-019, C-023]', async () => {
  const performer = await liveInThree();
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/');
  const featured = await page.find('region', 'Featured show');
  const link = await page.find('link', /Why this show: new here, just came online/u, { in: featured });
  expect(link.getAttribute('href')).toBe(`/${performer.username}`);
  await page.sees('Evening music', { in: featured });
  await page.find('region', 'New and trending');
  await page.find('heading', 'Live now', { level: 1 });
  await page.find('group', 'Filters');
  const heading = await page.find('heading', 'Live now', { level: 1 });
  const grid = heading.closest('div.mx-auto') as HTMLElement;
  await page.find('link', named(performer), { in: grid });
  expect(await page.problems()).toEqual([]);
  await page.press('Sections', { in: await page.find('group', 'Layout') });
  await page.find('button', 'Sections', { pressed: true });
  await page.find('region', 'Tags: music');
  await page.find('link', /Why this show/u, { in: await page.find('region', 'Featured show') });
  await page.gone('group', 'Filters');
  await page.press(/Why this show/u, { role: 'link' });
  await page.until(() => expect(page.path).toBe(`/${performer.username}`));
});

test('there are three layouts, and a change reports itself [B-088, B-325]', async () => {
  await liveInThree();
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/');
  const layouts = await page.find('group', 'Layout');
  const pressed = (): (string | null)[] =>
    page.all('button', undefined, { in: layouts, pressed: true })
      .map((button) => button.getAttribute('aria-label'));
  expect(page.all('button', undefined, { in: layouts }).map((button) => button.getAttribute('aria-label')))
    .toEqual(['Everyone', 'Sections', 'My sections']);
  expect(pressed()).toEqual(['Everyone']);
  const shown: (boolean | number)[][] = [];
  for (const name of ['Sections', 'My sections', 'Everyone']) {
    await page.press(name, { in: await page.find('group', 'Layout') });
    await page.find('button', name, { pressed: true });
    await page.find('region', 'New and trending');
    await page.idle();
    shown.push([
      page.all('group', 'Filters').length > 0,
      page.all('region', 'Tags: music').length > 0,
      page.all('button', 'Choose sections').length,
    ]);
  }
  expect(shown).toEqual([[false, true, 0], [false, true, 1], [true, false, 0]]);
  expect(eventsIn(page)).toEqual([
    '{"event":"browse_layout_change_section"}',
    '{"event":"browse_layout_change_custom"}',
    '{"event":"browse_layout_change_classic"}',
  ]);
  const { events } = await (await site.admin()).call(getTrackers, {});
  expect(events.map(({ event, times }) => [event, times]).toSorted()).toEqual([
    ['browse_layout_change_classic', 1],
    ['browse_layout_change_custom', 1],
    ['browse_layout_change_section', 1],
  ]);
  const { statusCode } = await page.visitor.request({
    method: 'POST',
    url: '/api/v1/log/analytics',
    payload: { event: 'browse_layout_change_grid' },
  });
  expect(statusCode).toBe(422);
});

test('a guest finds the layout again on coming back, a member on every device [B-019, B-325]', async () => {
  await liveInThree();
  const guest = await site.visitor({ ofAge: true });
  const first = await openPage(site, guest, '/');
  await first.press('Sections', { in: await first.find('group', 'Layout') });
  await first.find('region', 'Tags: music');
  const again = await openPage(site, guest, '/');
  await again.find('button', 'Sections', { pressed: true });
  await again.find('region', 'Tags: music');
  const viewer = await site.viewer();
  const own = await openPage(site, viewer, '/');
  await own.press('My sections', { in: await own.find('group', 'Layout') });
  await own.sees('Preference updated.');
  expect(eventsIn(own)).toEqual(['{"event":"browse_layout_change_custom"}']);
  const elsewhere = await openPage(site, await site.anotherTabOf(viewer), '/');
  await elsewhere.find('button', 'My sections', { pressed: true });
});

test('a member chooses sections and their order, by keys and buttons [B-017, B-103]', async () => {
  await liveInThree();
  const viewer = await site.viewer();
  const page = await openPage(site, viewer, '/');
  await page.find('region', 'New and trending');
  await page.press('My sections', { in: await page.find('group', 'Layout') });
  await page.find('region', 'Voyeur cams');
  expect(rowsOf(page)).toEqual(['New and trending', 'Tags: music', 'Country: Romania', 'Voyeur cams']);
  await page.press('Choose sections');
  const dialog = await page.find('dialog', 'Your sections');
  expect(await page.problems()).toEqual([]);
  for (const section of [
    'Favorites and history',
    'Top rated models',
    'Top rated privates',
    'Models near goal',
    'Language',
    'Age range',
    'Ethnicity',
    'Continent',
    'New and trending',
  ]) await page.press(`Remove: ${section}`, { in: dialog });
  await page.press('Move up: Voyeur cams', { in: dialog });
  await page.press('Add: Language', { in: dialog });
  (await page.find('button', /^Drag Tags/u, { in: dialog })).focus();
  await page.keys('{Enter}');
  const isAtEnd = (): boolean => page.focused?.getAttribute('aria-label') === 'Insert after Language';
  for (let gaps = 0; gaps < 10 && !isAtEnd(); gaps += 1) await page.keys('{ArrowDown}');
  await page.keys('{Enter}');
  await page.press('Save sections', { in: dialog });
  await page.sees('Preference updated.');
  await page.until(() =>
    expect(page.network.sent).toContain(
      'POST /api/v1/browse/react/home/custom/setting '
        + '{"sectionList":["voyeur_cams","country","language","tags"]}',
    )
  );
  await page.gone('dialog', 'Your sections');
  await page.until(() => expect(rowsOf(page)).toEqual(['Voyeur cams', 'Country: Romania', 'Tags: music']));
  expect(await viewer.call(getHome, {})).toMatchObject({
    sectionList: ['voyeur_cams', 'country', 'language', 'tags'],
  });
});

test('saving posts the list of sections and says so [B-326, B-327]', async () => {
  const viewer = await site.viewer();
  viewer.setCookie('home_layout', 'custom');
  const page = await openPage(site, viewer, '/');
  await page.press('Choose sections');
  const dialog = await page.find('dialog', 'Your sections');
  const others = page.all('button', /^Remove: (?!Tags|Country)/u, { in: dialog });
  expect(others).toHaveLength(10);
  for (const button of others) await page.click(button);
  await page.press('Save sections', { in: dialog });
  await page.sees('Preference updated.');
  expect(page.network.sent.filter((sent) => sent.startsWith('POST'))).toEqual([
    'POST /api/v1/browse/react/home/custom/setting {"sectionList":["tags","country"]}',
  ]);
  expect(await viewer.call(getHome, {})).toMatchObject({ sectionList: ['tags', 'country'] });
});

/** Long enough, in real time, for a page to show what it already has. */
const RENDERS_MS = 50;

/**
 * Collects unhandled errors: in a page, those that reach its error handler.
 * @param look reads the page, a moment after each error
 */
function unhandled(look: () => readonly string[]): {
  readonly errors: readonly unknown[];
  readonly seen: readonly (readonly string[])[];
  readonly stop: () => void;
} {
  const before = process.listeners('unhandledRejection');
  const errors: unknown[] = [];
  const seen: (readonly string[])[] = [];
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (error) => {
    systemClock.after('a rejection', RENDERS_MS, () => {
      seen.push(look());
      errors.push(error);
    });
  });
  return {
    errors,
    seen,
    stop: () => {
      process.removeAllListeners('unhandledRejection');
      for (const listener of before) process.on('unhandledRejection', listener);
    },
  };
}

/** Texts of the dismissible alert toasts in a dialog. */
const toastsIn = (page: Page, dialog: HTMLElement): string[] =>
  page.all('alert', undefined, { in: dialog })
    .flatMap((region) => page.all('button', 'Dismiss', { in: region }))
    .map((button) => button.parentElement?.textContent ?? '');
/** Waits for a toast with exactly these words; a slow machine may also show that live updates are lost. */
const showsToast = (page: Page, dialog: HTMLElement, words: string): Promise<void> =>
  page.until(() => expect(toastsIn(page, dialog).filter((text) => text === words)).toHaveLength(1));
/** Dismisses the toasts, which are in the dialog that covers the page, and closes it. */
async function dismissesToasts(page: Page, dialog: HTMLElement, words: string): Promise<void> {
  for (const button of page.all('button', 'Dismiss')) await page.click(button);
  await page.until(() => expect(toastsIn(page, dialog)).not.toContain(words));
  await page.keys('{Escape}');
  await page.gone('dialog', 'Your sections');
}

test('a failed save shows why, and is thrown again after the toast [B-396, B-397]', async () => {
  const viewer = await site.viewer();
  viewer.setCookie('home_layout', 'custom');
  let shown = (): readonly string[] => [];
  const { errors, seen, stop } = unhandled(() => shown());
  try {
    const page = await openPage(site, viewer, '/');
    await page.press('Choose sections');
    const dialog = await page.find('dialog', 'Your sections');
    await page.press('Remove: Tags', { in: dialog });
    shown = () => toastsIn(page, dialog);
    // The session ends without an event: an event would make the page a guest's before the answer arrives.
    const session = viewer.cookie('session') ?? '';
    viewer.setCookie('session', 'none');
    const person = page.network.holds(/\/user\/current/u);
    await page.press('Save sections', { in: dialog });
    await showsToast(page, dialog, 'Log in first.');
    viewer.setCookie('session', session);
    person();
    await page.until(() => expect(errors).toHaveLength(1));
    expect(errors[0]).toMatchObject({ name: 'CallFailed', problem: { status: 401 } });
    expect(seen[0]).toContain('Log in first.');
    // The choice is still there, to be saved again.
    await page.find('button', 'Add: Tags', { in: dialog });
    await dismissesToasts(page, dialog, 'Log in first.');
    await page.press('Choose sections');
    const again = await page.find('dialog', 'Your sections');
    await page.press('Remove: Tags', { in: again });
    shown = () => toastsIn(page, again);
    page.network.goesDown(true);
    await page.press('Save sections', { in: again });
    await showsToast(page, again, 'An error occurred, please retry.');
    await page.until(() => expect(errors).toHaveLength(2));
    expect(errors[1]).toMatchObject({ name: 'CallFailed', problem: { errorType: 'unreachable' } });
    await page.find('button', 'Add: Tags', { in: again });
    page.network.goesDown(false);
    await dismissesToasts(page, again, 'An error occurred, please retry.');
    expect(page.shows('Preference updated.')).toBe(false);
  } finally {
    stop();
  }
});

test('a guest logs in before choosing sections', async () => {
  const guest = await site.visitor({ ofAge: true });
  guest.setCookie('home_layout', 'custom');
  const page = await openPage(site, guest, '/');
  await page.press('Choose sections');
  await page.find('dialog', 'Log in');
  expect(page.all('dialog', 'Your sections')).toEqual([]);
});

test('on an empty site the page says so, and what to do', async () => {
  const guest = await site.visitor({ ofAge: true });
  guest.setCookie('home_layout', 'section');
  const page = await openPage(site, guest, '/');
  await page.sees(/No one is live yet/u);
  const link = await page.find('link', 'Become a performer', { in: await page.find('main') });
  expect(link.getAttribute('href')).toBe('/models/signup');
  expect(await page.problems()).toEqual([]);
  const classic = await openPage(site, await site.visitor({ ofAge: true }), '/');
  await classic.sees('No one is live here right now.');
  expect(classic.all('region', 'Featured show')).toEqual([]);
});

test('arrow keys lead along a row, with one stop for Tab', async () => {
  const [first, second] = [await liveInThree(), await liveInThree()];
  const guest = await site.visitor({ ofAge: true });
  guest.setCookie('home_layout', 'section');
  const page = await openPage(site, guest, '/', { width: 390 });
  const row = await page.find('region', 'Tags: music');
  const tiles = page.all('link', /performer/u, { in: row })
    .filter((element) => element.dataset['tile'] !== undefined);
  expect(tiles.map(({ tabIndex }) => tabIndex)).toEqual([0, -1]);
  tiles[0]?.focus();
  await page.keys('{ArrowRight}');
  expect(page.focused).toBe(tiles[1]);
  await page.keys('{Home}');
  expect(page.focused).toBe(tiles[0]);
  expect([first, second].every((one) => tiles.some((tile) => named(one).test(tile.textContent)))).toBe(true);
});

test(
  'a performer takes themselves off the home page in their settings, and stays in other lists [A-184]',
  async () => {
    const [performer, other] = [await liveInThree(), await site.performer({ live: true })];
    const settings = await openPage(site, performer, '/account/settings');
    const room = await settings.find('region', 'Your room');
    const box = await settings.field('Show me on the home page', { in: room });
    expect(box).toHaveProperty('checked', true);
    await settings.sees(/^When this is off, you’re still in all other lists/u, { in: room });
    await settings.click(box);
    await settings.press('Save', { in: room });
    await settings.sees('Settings saved');
    expect(await settings.problems()).toEqual([]);
    await site.settle();
    const page = await openPage(site, await site.visitor({ ofAge: true }), '/');
    for (const layout of ['Everyone', 'Sections']) {
      await page.press(layout, { in: await page.find('group', 'Layout') });
      await page.find('button', layout, { pressed: true });
      await page.idle();
      const links = page.all('link').map((link) => link.getAttribute('href'));
      expect([links.includes(`/${other.username}`), links.includes(`/${performer.username}`)])
        .toEqual([true, false]);
    }
    await page.goto('/girls');
    await page.find('link', named(performer), { in: await page.find('main') });
    const again = await openPage(site, performer, '/account/settings');
    expect(await again.field('Show me on the home page')).toHaveProperty('checked', false);
  },
);
