import { getOwnBroadcast } from '#product/broadcast/contract.ts';
import { browseLive } from '#product/browse/contract.ts';
import { getBlockedRegions } from '#product/compliance/contract.ts';
import { getListingProfile, getSchedule, saveListingProfile } from '#product/performers/contract.ts';
import { setSiteChatRules } from '#product/room-moderation/contract.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Opens the page as a performer does: from the account menu. */
async function opensListing(performer: Member) {
  const page = await openPage(site, performer, '/account/settings');
  await page.press(`${performer.username}’s account`);
  await page.press('How you’re listed', { role: 'menuitem' });
  await page.find('heading', 'How you’re listed', { level: 1 });
  return page;
}
type Page = Awaited<ReturnType<typeof openPage>>;

/** Saves a form, and waits for the save: a toast of an earlier one may still be there. */
async function saves(page: Page, button: string): Promise<void> {
  await page.press(button);
  await page.until(() => expect(page.all('button', button)[0]?.getAttribute('aria-busy')).toBeNull());
  await page.sees('Listing saved');
}

/** Waits for the preview, an image whose name is the text of the tile. */
const sees = async (page: Page, name: RegExp): Promise<HTMLElement> =>
  page.find('img', name, { in: await page.find('region', 'Preview') });
const saved = (performer: Member) => performer.call(getListingProfile, {});

describe('how a performer is listed', () => {
  test('is said on one page, is saved, and shows in the preview at once [A-185, A-189]', async () => {
    const performer = await site.performer();
    const page = await opensListing(performer);
    await sees(page, /, New/u);
    expect(await page.problems()).toEqual([]);

    const about = await page.find('region', 'About you');
    await page.choose('Region', 'Eastern Europe', { in: about });
    await page.choose('Country', 'Romania', { in: about });
    await page.choose('Age range', '23-29', { in: about });
    await page.choose('Ethnicity', 'White', { in: about });
    expect(page.all('img', /Voyeur/u)).toEqual([]);
    await page.choose('Voyeur room', 'Kitchen', { in: about });
    await sees(page, /Voyeur/u);
    await page.click(await page.field('I work without a studio', { in: about }));
    await saves(page, 'Save profile');
    expect(await saved(performer)).toMatchObject({
      region: 'eastern-europe',
      country: 'RO',
      age_range: '23-29',
      ethnicity: 'white',
      voyeur_room: 'kitchen',
      is_independent: true,
      private_price: null,
    });

    const prices = await page.find('region', 'Prices');
    await page.fill('Private show', '60', { in: prices });
    expect((await sees(page, /60 tokens a minute/u)).textContent).toContain('60');
    await page.fill('Spying on a private show', '12', { in: prices });
    await page.fill('Exclusive private show', '90', { in: prices });
    await page.click(await page.field(/Cam2Cam/u, { in: prices }));
    await saves(page, 'Save prices');
    expect(await saved(performer)).toMatchObject({
      private_price: 60,
      exclusive_price: 90,
      spy_price: 12,
      control_rate: null,
      offers_cam2cam: true,
      region: 'eastern-europe',
      ethnicity: 'white',
    });

    // Later the page shows what was saved, and withdrawn values are gone.
    const again = await opensListing(performer);
    expect(await again.field('Country')).toHaveProperty('value', 'RO');
    await again.choose('Ethnicity', 'Not shown');
    await saves(again, 'Save profile');
    await again.fill('Private show', '');
    await again.click(await again.field(/Cam2Cam/u));
    await saves(again, 'Save prices');
    expect(await saved(performer)).toMatchObject({
      ethnicity: null,
      private_price: null,
      offers_cam2cam: false,
      country: 'RO',
    });
  });

  test('has topic, tags and languages', async () => {
    const performer = await site.performer();
    const page = await opensListing(performer);
    await page.fill('Topic', 'Morning coffee');
    await page.fill('Tags', 'tea,  #new');
    const tile = await sees(page, /Morning coffee, #tea, #new/u);
    expect(tile.textContent).toMatch(/Morning coffee.*#tea #new/u);
    await page.press('Save topic');
    await page.sees('Saved. Viewers see it now.');
    expect(await performer.call(getOwnBroadcast, {})).toMatchObject({
      title: 'Morning coffee',
      tags: ['tea', 'new'],
    });

    const spoken = await page.find('region', 'Languages you speak');
    await page.sees(/No languages yet/u, { in: spoken });
    for (const language of ['Romanian', 'English']) {
      await page.choose('Add a language', language, { in: spoken });
      await page.press('Add', { in: spoken });
    }
    await page.press('Remove Romanian', { in: spoken });
    await page.choose('Add a language', 'German', { in: spoken });
    await page.press('Add', { in: spoken });
    expect((await sees(page, /English, German/u)).textContent).toContain('en de');
    await saves(page, 'Save languages');
    const person = await site.tx((tx) => site.services.accounts.findById(tx, performer.id));
    expect(person?.languages).toEqual(['en', 'de']);
  });

  test('refuses a price that is none, at its field, and nothing is saved', async () => {
    const performer = await site.performer();
    const page = await opensListing(performer);
    await page.fill('Private show', '0');
    await page.press('Save prices');
    const wrong = await page.sees('Enter a whole number from 1 to 999, or leave it empty.');
    expect((await page.field('Private show')).getAttribute('aria-describedby')).toContain(wrong.id);
    expect((await saved(performer)).private_price).toBeNull();
  });
});

describe('a schedule', () => {
  test('is edited in the time zone of the browser, and viewers see the next times', async () => {
    const performer = await site.performer();
    const page = await opensListing(performer);
    const schedule = await page.find('region', 'Schedule');
    await page.sees(/No times yet/u, { in: schedule });
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    expect(await page.field('Time zone', { in: schedule })).toHaveProperty('value', timeZone);
    await page.choose('Time zone', 'Europe/Bucharest', { in: schedule });
    await page.press('Add time', { in: schedule });
    const first = await page.find('group', 'Time 1');
    await page.choose('Day', 'Friday', { in: first });
    await page.fill('From', '22:00', { in: first });
    await page.fill('Until', '03:00', { in: first });
    await page.sees('Until the next day', { in: first });
    await page.press('Add time', { in: schedule });
    const second = await page.find('group', 'Time 2');
    await page.fill('From', '08:00', { in: second });
    await page.fill('Until', '08:10', { in: second });
    await page.press('Save schedule', { in: schedule });
    await page.sees('Enter both times, at least 15 minutes apart.', { in: second });
    expect((await saved(performer)).schedule).toEqual([]);
    await page.press('Remove time 2', { in: schedule });
    await saves(page, 'Save schedule');
    const guest = await site.visitor({ ofAge: true });
    expect(await guest.call(getSchedule, { username: performer.username })).toEqual({
      time_zone: 'Europe/Bucharest',
      schedule: [{ day: 4, fromMinute: 1_320, minutes: 300 }],
      // The virtual clock begins on Thursday, 15 January 2026.
      next: [{ starts_at: '2026-01-16T20:00:00.000Z', ends_at: '2026-01-17T01:00:00.000Z' }],
    });
    expect(await page.problems()).toEqual([]);
  });
});

describe('a bio', () => {
  test('is written on the same page, cleaned, and refused with a word that is blocked', async () => {
    const performer = await site.performer();
    await (await site.admin()).call(setSiteChatRules, { blocked_words: ['gargoyle'] });
    const page = await opensListing(performer);
    const bio = await page.find('region', 'Bio');
    await page.fill('About you', 'I collect gargoyles… and one gargoyle', { in: bio });
    await page.press('Save bio', { in: bio });
    await page.sees(/a word that isn’t allowed on this site/u, { in: bio });
    await page.fill('About you', 'I paint   watercolours.', { in: bio });
    await saves(page, 'Save bio');
    const person = await site.tx((tx) => site.services.accounts.findById(tx, performer.id));
    expect(person?.about).toBe('I paint watercolours.');
    expect(await page.problems()).toEqual([]);
    await page.press('See your profile page', { role: 'link', in: bio });
    await page.find('heading', 'In their own words');
    await page.sees('I paint watercolours.');
    expect(page.path).toBe(`/${performer.username}/bio`);
    await (await site.admin()).call(setSiteChatRules, { blocked_words: [] });
  });
});

describe('places', () => {
  test('are blocked and unblocked on the same page: nobody there finds the performer', async () => {
    const performer = await site.performer();
    await performer.goesLive();
    const romanian = await site.visitor({ region: 'RO', ofAge: true });
    const finds = async (who: Visitor): Promise<boolean> => {
      await site.settle();
      await site.services.browse.settled();
      return (await who.call(browseLive, { path: 'girls' })).userList.some(({ id }) => id === performer.id);
    };
    expect(await finds(romanian)).toBe(true);
    const page = await opensListing(performer);
    const places = await page.find('region', 'Places you block');
    await page.sees('You’re shown everywhere.', { in: places });
    await page.choose('Country to block', 'Romania', { in: places });
    await page.press('Block', { in: places });
    await page.choose('Country to block', 'United States', { in: places });
    await page.choose('State or province to block', 'Florida', { in: places });
    await page.press('Block', { in: places });
    await page.sees('Not saved yet.', { in: places });
    expect(await finds(romanian)).toBe(true);
    await saves(page, 'Save blocked places');
    expect(await performer.call(getBlockedRegions, {})).toEqual({ regions: ['RO', 'US-FL'] });
    expect(await finds(romanian)).toBe(false);
    const view = await page.find('region', 'See yourself as a viewer');
    await page.choose('Viewer’s country', 'Romania', { in: view });
    await page.sees('Viewers in Romania can’t see you.', { in: view });
    await page.press('Unblock Romania', { in: places });
    await saves(page, 'Save blocked places');
    await page.sees('Viewers in Romania can see you.', { in: view });
    expect(await finds(romanian)).toBe(true);
    expect(await page.problems()).toEqual([]);
  });
});

describe('as a viewer', () => {
  test('a performer sees where they are shown, and why not', async () => {
    const performer = await site.performer();
    await site.tx((tx) => site.services.compliance.blockRegions(tx, performer.id, ['US-FL', 'CO']));
    const page = await opensListing(performer);
    const view = await page.find('region', 'See yourself as a viewer');
    await page.choose('Viewer’s country', 'Germany', { in: view });
    await page.sees('Viewers in Germany can see you.', { in: view });
    await page.sees(/the law there asks for proof that they’re at least 18/u, { in: view });
    expect(page.all('listitem', undefined, { in: view }).map(({ textContent }) => textContent)).toEqual([
      'ListingsShown',
      'SearchShown',
      'Your roomShown',
      'Live thumbnailsShown',
      'Pictures and videosShown',
      'FeedShown',
    ]);
    await page.choose('Viewer’s country', 'Colombia', { in: view });
    await page.sees('Viewers in Colombia can’t see you.', { in: view });
    await page.sees(/is blocked for your room/u, { in: view });
    expect(page.shows('Shown', { in: view })).toBe(false);
    await page.choose('Viewer’s country', 'United States', { in: view });
    await page.sees('Viewers in United States can’t see you.', { in: view });
    await page.choose('State or province', 'Texas', { in: view });
    await page.sees('Viewers in Texas can see you.', { in: view });
    await page.choose('State or province', 'Florida', { in: view });
    await page.sees('Viewers in Florida can’t see you.', { in: view });

    const uncleared = await site.performer({ cleared: false });
    const other = await opensListing(uncleared);
    await other.choose('Viewer’s country', 'Belgium');
    await other.sees(/aren’t on record yet/u);
    expect(await other.problems()).toEqual([]);
  });
});

describe('the page', () => {
  test('is refused to viewers and sends guests to log in', async () => {
    const page = await openPage(site, await site.viewer(), '/account/listing', { mayPrint: /403/u });
    await page.find('heading', 'You don’t have access');
    const guest = await site.visitor({ ofAge: true });
    const login = await openPage(site, guest, '/account/listing');
    await login.until(() => expect(login.path).toBe('/login?next=%2Faccount%2Flisting'));
  });

  test('keeps what was typed when the site cannot be reached', async () => {
    const performer = await site.performer();
    const page = await opensListing(performer);
    await page.fill('Private show', '75');
    page.network.goesDown(true);
    await page.press('Save prices');
    await page.sees(/We can’t reach/u);
    expect(await page.field('Private show')).toHaveProperty('value', '75');
    page.network.goesDown(false);
    await saves(page, 'Save prices');
    expect(await performer.call(saveListingProfile, {})).toMatchObject({ private_price: 75 });
  });
});
