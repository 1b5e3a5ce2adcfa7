import { setDetails } from '#product/broadcast/contract.ts';
import { setStandby, setStudio } from '#product/broadcast/contract/settings.ts';
import { changeOperatorRules, getOperatorRules } from '#product/site/contract/operator-rules.ts';
import { changeSiteWords, getSiteWords } from '#product/site/contract/site-words.ts';
import { servesDocuments } from '#product/testkit/pages/documents.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  await servesDocuments(site);
  admin = await site.admin();
});
afterAll(() => site.close());

/** Opens the rules as an admin does: the back office, then its navigation. */
async function opensRules() {
  const page = await openPage(site, admin, '/admin');
  await page.press('Sites', { role: 'link', in: await page.find('navigation', 'Back office') });
  await page.find('heading', 'Rules of all sites');
  return page;
}

describe('the rules of all sites', () => {
  test('are changed by admins with a reason, and apply at once', async () => {
    const page = await opensRules();
    const form = await page.find('region', 'Rules');
    expect(await page.field('Countries without tips', { in: form })).toHaveProperty('value', 'SE');
    expect(await page.problems()).toEqual([]);
    await page.fill('Countries without tips', 'SE, no', { in: form });
    await page.fill('Standby: studios', 'Night Owls', { in: form });
    await page.fill('Space for recordings per performer (MB)', '5000', { in: form });
    await page.fill('Server for 180-degree cameras', 'rtmp://vr.example/live', { in: form });
    expect(await page.field('Streams with B-frames', { in: form })).toHaveProperty('value', 'transcode');
    await page.choose('Streams with B-frames', 'Refuse: tell the performer what to change', { in: form });
    expect(await page.field('Ask for cookie consent', { in: form })).toHaveProperty('value', 'everywhere');
    await page.choose(
      'Ask for cookie consent',
      'In the EU, EEA, United Kingdom, and Switzerland only',
      { in: form },
    );
    await page.press('Refuse email addresses of throwaway mailboxes', { role: 'checkbox', in: form });
    await page.press(/^At most three accounts per mailbox/u, { role: 'checkbox', in: form });
    await page.fill('Reason', 'the lawyer says so', { in: form });
    await page.press('Save', { in: form });
    await page.sees('Saved');
    expect(await admin.call(getOperatorRules, {})).toEqual({
      standby_domains: [],
      standby_studios: ['Night Owls'],
      tip_blocked_countries: ['NO', 'SE'],
      recording_quota_mb: 5_000,
      dreamcam_server: 'rtmp://vr.example/live',
      b_frames: 'refuse',
      support_phone: null,
      support_chat_for_all: false,
      refuse_disposable_emails: false,
      limit_mailboxes: true,
      require_two_factor: false,
      consent_asked: 'europe',
      support_script: null,
      support_script_origins: [],
      redirect_hosts: [],
    });
    const streamer = await site.performer();
    const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, streamer.id));
    expect(await site.rtmp.publishes(key)).toMatchObject({ admitted: true, bFrames: 'refuse' });
    const again = await opensRules();
    expect(await again.field('Streams with B-frames')).toHaveProperty('value', 'refuse');
    expect(await again.field('Countries without tips')).toHaveProperty('value', 'NO SE');
    const [viewer, performer] = [await site.viewer({ tokens: 100 }), await site.performer({ live: true })];
    await site.anotherTabOf(viewer, { region: 'NO' });
    await expect(viewer.tips(performer, 10)).rejects.toThrow(/tip/iu);
    await admin.call(changeOperatorRules, { tip_blocked_countries: ['SE'], reason: 'he changed his mind' });
    expect((await viewer.tips(performer, 10)).tokens).toBe(90);
  });

  test('say what is wrong with a domain, a country or a server, and change nothing then', async () => {
    const before = await admin.call(getOperatorRules, {});
    const page = await opensRules();
    await page.fill('Standby: domains', 'Not a domain');
    await page.fill('Countries without tips', 'Sweden');
    await page.fill('Server for 180-degree cameras', 'somewhere');
    const form = await page.find('region', 'Rules');
    await page.fill('Reason', 'a slip of the finger', { in: form });
    await page.press('Save', { in: form });
    await page.sees('Enter domains in lower case, such as cam.example.');
    await page.sees('Enter two-letter country codes, such as SE.');
    await page.sees('Enter an address, such as rtmp://vr.example/live.');
    expect(await admin.call(getOperatorRules, {})).toEqual(before);
  });

  test('and the studio of a performer are for admins alone', async () => {
    const performer = await site.performer();
    for (const who of [await site.viewer(), performer, await site.viewer({ roles: ['site_mod'] })]) {
      expect((await who.refused(getOperatorRules, {})).status).toBe(403);
      const own = { username: performer.username, studio: 'Mine' };
      expect((await who.refused(changeOperatorRules, { reason: 'mine' })).status).toBe(403);
      expect((await who.refused(setStudio, own)).status).toBe(403);
    }
    const page = await openPage(site, await site.viewer(), '/admin/site', { mayPrint: /403/u });
    await page.find('heading', 'You don’t have access');
  });
});

test('the home page has the words of its site, as text: title, description and heading', async () => {
  const page = await opensRules();
  const form = await page.find('region', 'Home page of Candela');
  await page.fill('Title', '  Cams & <b>more</b>  ', { in: form });
  await page.fill('Description', 'Live "rooms" <script>alert(1)</script>', { in: form });
  await page.fill('Heading', 'Welcome <i>in</i>', { in: form });
  await page.fill('Reason', 'a campaign', { in: form });
  expect(await page.problems()).toEqual([]);
  await page.press('Save home page', { in: form });
  await page.sees('Saved');
  const guest = await site.visitor({ ofAge: true });
  const home = await openPage(site, guest, '/');
  await home.find('heading', 'Welcome <i>in</i>', { level: 1 });
  home.leave();
  const read = async (url: string): Promise<string> =>
    (await guest.request({ url, headers: { accept: 'text/html' } })).body;
  const document = await read('/');
  expect([...document.matchAll(/<title>([^<]*)<\/title>/gu)].map(([, title]) => title))
    .toEqual(['Cams &amp; &lt;b&gt;more&lt;/b&gt;']);
  const described = /<meta name="description" content="([^"]*)"/gu;
  expect([...document.matchAll(described)].map(([, text]) => text))
    .toEqual(['Live &quot;rooms&quot; &lt;script&gt;alert(1)&lt;/script&gt;']);
  expect(document).not.toMatch(/<b>more|<script>alert|<i>in/u);
  // Other pages have their own.
  expect(await read('/girls')).toContain('<title>Girls live now · Candela Free Live Cams</title>');
  const again = await opensRules();
  const words = await again.find('region', 'Home page of Candela');
  expect(await again.field('Title', { in: words })).toHaveProperty('value', 'Cams & <b>more</b>');
  for (const name of ['Title', 'Description', 'Heading']) await again.fill(name, '', { in: words });
  await again.fill('Reason', 'it is over', { in: words });
  await again.press('Save home page', { in: words });
  await again.sees('Saved');
  expect(await admin.call(getSiteWords, {}))
    .toEqual({ meta_title: null, meta_description: null, h1_content: null, listing_names: {} });
  await (await openPage(site, guest, '/')).find('heading', 'Live now', { level: 1 });
  for (const who of [await site.viewer(), guest]) {
    const own = { meta_title: 'Mine', meta_description: null, h1_content: null, reason: 'mine' };
    expect((await who.refused(changeSiteWords, own)).status).toBeGreaterThanOrEqual(401);
    expect((await who.refused(getSiteWords, {})).status).toBeGreaterThanOrEqual(401);
  }
});

test('an admin renames listings in one field: their pages and the navigation have the names', async () => {
  for (const tag of ['casa-salsa', 'jb-cams']) {
    const performer = await site.performer();
    await performer.call(setDetails, { title: 'Hello', tags: [tag] });
    await performer.goesLive();
  }
  const guest = await site.visitor({ ofAge: true });
  /** Follows the navigation of girls to listings, and checks the names in the navigation and on the page. */
  const areCalled = async (...all: readonly (readonly [path: string, name: string])[]): Promise<void> => {
    const page = await openPage(site, guest, '/girls');
    const links = page.all('link', undefined, { in: await page.find('navigation', 'All listings') });
    expect(links.map((link) => [link.getAttribute('href'), link.textContent]))
      .toEqual(expect.arrayContaining(all.map((item) => [...item])));
    for (const [path, name] of all) {
      await page.goto(path);
      await page.find('heading', name, { level: 1 });
    }
    page.leave();
  };
  const names = async (text: string): Promise<void> => {
    const page = await opensRules();
    const form = await page.find('region', 'Home page of Candela');
    await page.fill('Names of listings', text, { in: form });
    await page.fill('Reason', 'a brand', { in: form });
    await page.press('Save home page', { in: form });
    await page.sees('Saved');
    page.leave();
    // The listings pick it up within a minute.
    await site.passes(61_000);
  };
  await areCalled(['/casa-salsa', 'Latin house'], ['/jb-cams', 'Studio house']);
  await names('casa-salsa: Villa Nueva\n\n  jb-cams:Harbour: the cams ');
  await areCalled(['/casa-salsa', 'Villa Nueva'], ['/jb-cams', 'Harbour: the cams']);
  const again = await opensRules();
  const region = await again.find('region', 'Home page of Candela');
  const field = await again.field('Names of listings', { in: region }) as HTMLTextAreaElement;
  expect(field.value.split('\n').toSorted())
    .toEqual(['casa-salsa: Villa Nueva', 'jb-cams: Harbour: the cams']);
  again.leave();
  // A listing removed from the field has its usual name again.
  await names('jb-cams: Harbour');
  await areCalled(['/casa-salsa', 'Latin house'], ['/jb-cams', 'Harbour']);
  await names('');
});

test('a performer gets standby by the studio that an admin names, and loses it with that', async () => {
  await admin.call(changeOperatorRules, { standby_studios: ['Night Owls'], reason: 'a contract' });
  const performer = await site.performer();
  expect((await performer.refused(setStandby, { on: true })).errorType).toBe('standby_not_allowed');
  const page = await opensRules();
  const form = await page.find('region', 'Studio of a performer');
  await page.fill('Performer’s username', 'nobody_like_that', { in: form });
  await page.fill('Studio', 'Night Owls', { in: form });
  await page.press('Save studio', { in: form });
  const field = await page.field('Performer’s username', { in: form });
  await page.until(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
  await page.fill('Performer’s username', performer.username, { in: form });
  await page.press('Save studio', { in: form });
  await page.sees(`${performer.username} now belongs to Night Owls.`);
  expect(await performer.call(setStandby, { on: true })).toMatchObject({ standby: true });
  await page.fill('Studio', '', { in: form });
  await page.press('Save studio', { in: form });
  await page.sees(`${performer.username} now belongs to no studio.`);
  expect((await performer.refused(setStandby, { on: true })).errorType).toBe('standby_not_allowed');
});
