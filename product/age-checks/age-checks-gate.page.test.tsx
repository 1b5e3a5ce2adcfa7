import { openAgeCheckedSite } from '#product/testkit/age-checks/age-checks.ts';
import { CARD_ONLY, withCardOnly } from '#product/testkit/age-checks/card-only.ts';
import { choosesProvider, opensAgeModal, pathOf } from '#product/testkit/pages/age-modal.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { describe, expect, test } from 'vitest';
import { askSupport } from './contract.ts';

type Page = Awaited<ReturnType<typeof openPage>>;

const { site, providers } = await openAgeCheckedSite({ settings: withCardOnly });

const PICKER = 'Verify your age';
const GATE = 'Age verification required';
/** The ways in a dialog, by name and in order: each has a description. */
const waysIn = (page: Page, dialog: HTMLElement): readonly string[] =>
  page.all('button', undefined, { in: dialog }).filter((button) => button.hasAttribute('aria-describedby'))
    .map((button) =>
      document.getElementById(button.getAttribute('aria-labelledby') ?? '')?.textContent ?? ''
    );
const isOpen = (page: Page) => page.until(() => expect(page.all('heading', GATE)).toEqual([]));

describe('the modal of age verification, from the entry gate', () => {
  test('has a guest sign up, and goes on with the member [A-093, A-260]', async () => {
    const guest = await site.visitor({ region: 'GB' });
    const page = await openPage(site, guest, '/');
    const dialog = await opensAgeModal(page, 'Sign up and verify your age');
    expect(await page.problems()).toEqual([]);
    await page.press('Sign up', { in: dialog });
    const form = await page.find('dialog', 'Sign up');
    await page.fill('Username', 'newcomer', { in: form });
    await page.fill('Email', 'newcomer@people.example', { in: form });
    await page.fill('Password', 'correct horse battery', { in: form });
    const birth = await page.find('group', 'Birth date', { in: form });
    for (const [part, value] of [['Day', '28'], ['Month', 'February'], ['Year', '1990']] as const) {
      await page.choose(part, value, { in: birth });
    }
    await page.click(await page.find('checkbox', undefined, { in: form }));
    await page.press('Sign up', { in: form });
    const next = await page.find('dialog', PICKER);
    await page.find('button', 'Credit card', { in: next });
    expect(page.all('button', 'Sign up', { in: next })).toEqual([]);
  });

  test('offers a guest what needs no account at once, and a log-in for the rest [A-260]', async () => {
    const page = await openPage(site, await site.visitor({ region: 'GB' }), '/', { width: 390 });
    const dialog = await opensAgeModal(page, 'Sign up and verify your age');
    const card = await page.find('button', 'Credit card', { in: dialog });
    await page.sees('Needs an account', { in: card });
    await page.press('Credit card', { in: dialog });
    await page.find('dialog', 'Sign up');
    await page.keys('{Escape}');
    await page.gone('dialog', 'Sign up');
    expect(page.path).toBe('/');
    const left = await choosesProvider(page, dialog, 'ID document with Yoti');
    expect(left).toMatch(/\/yoti\b/u);
  });

  test('lets a member choose among the ways that the region accepts [A-263, C-082]', async () => {
    const page = await openPage(site, await site.viewer({ region: 'GB' }), '/');
    const dialog = await opensAgeModal(page, PICKER);
    await page.find('button', 'Credit card', { in: dialog });
    expect(waysIn(page, dialog)).toEqual([
      'Credit card',
      'ID document with Yoti',
      'ID document with Incode',
      'Ask support',
      'Face age estimation with Incode',
      'Yoti app',
    ]);
    // What happens, how long it takes, what is stored, and who learns what.
    const yoti = await page.find('button', 'ID document with Yoti', { in: dialog });
    await page.sees(/photograph an ID document and take a selfie\. Takes about three minutes\./u, {
      in: yoti,
    });
    await page.sees(/We get only the result\. Not anonymous/u, { in: yoti });
    const incode = await page.find('button', 'Face age estimation with Incode', { in: dialog });
    await page.sees('Anonymous', { in: incode });
    expect(page.shows('Anonymous', { in: yoti })).toBe(false);
    expect(await page.problems()).toEqual([]);
  });

  test('differs in Florida, where no card counts, and in France, where all must be anonymous', async () => {
    const inFlorida = await openPage(site, await site.viewer({ region: 'US-FL' }), '/');
    const florida = await opensAgeModal(inFlorida, PICKER);
    await inFlorida.find('button', 'Yoti app', { in: florida });
    expect(waysIn(inFlorida, florida)).not.toContain('Credit card');
    const inFrance = await openPage(site, await site.viewer({ region: 'FR' }), '/');
    const france = await opensAgeModal(inFrance, PICKER);
    await inFrance.find('button', 'Face age estimation with Incode', { in: france });
    expect(waysIn(inFrance, france)).toEqual(['Face age estimation with Incode']);
  });

  test('is that of the card where nothing else counts [A-261]', async () => {
    const page = await openPage(site, await site.viewer({ region: CARD_ONLY }), '/');
    const dialog = await opensAgeModal(page, 'Verify your age by card');
    await page.find('button', 'Credit card', { in: dialog });
    expect(waysIn(page, dialog)).toEqual(['Credit card']);
    await page.press('Credit card', { in: dialog });
    await page.until(() => expect(page.path).toBe('/verify-age/card'));
    await page.find('dialog', 'Card details');
  });

  test('is that of the card there, whatever is pending [A-261]', async () => {
    const viewer = await site.viewer({ region: 'GB' });
    await viewer.call(askSupport, { message: 'My camera is broken.' });
    const there = await site.anotherTabOf(viewer, { region: CARD_ONLY });
    const page = await openPage(site, there, '/');
    const dialog = await opensAgeModal(page, 'Verify your age by card');
    await page.find('button', 'Credit card', { in: dialog });
    expect(waysIn(page, dialog)).toEqual(['Credit card']);
  });

  test('waits in another browser of the member, and for support, too [A-262, C-084]', async () => {
    const viewer = await site.viewer({ region: 'GB' });
    const first = await openPage(site, viewer, '/');
    const url = await choosesProvider(first, await opensAgeModal(first, PICKER), 'ID document with Incode');
    const elsewhere = await site.anotherTabOf(viewer, { region: 'GB' });
    const page = await openPage(site, elsewhere, '/');
    const dialog = await opensAgeModal(page, 'Your age check is under way');
    await page.sees(/Waiting for the result: ID document with Incode/u, { in: dialog });
    await providers.finishes(url, 30);
    await providers.settle();
    await site.passes(3_000);
    await isOpen(page);
    const asking = await site.viewer({ region: 'GB' });
    await asking.call(askSupport, { message: 'My camera is broken.' });
    const waiting = await openPage(site, asking, '/');
    const other = await opensAgeModal(waiting, 'Your age check is under way');
    expect(waysIn(waiting, other)).toEqual([]);
    // Support may take days: the other ways are there meanwhile.
    await waiting.press('Choose another way', { in: other });
    const picker = await waiting.find('dialog', PICKER);
    await waiting.find('button', 'Yoti app', { in: picker });
    expect(waysIn(waiting, picker)).not.toContain('Ask support');
  });

  test('waits while a check is pending, and closes when it is passed [A-262, C-084]', async () => {
    const viewer = await site.viewer({ region: 'GB' });
    const first = await openPage(site, viewer, '/');
    const url = await choosesProvider(first, await opensAgeModal(first, PICKER), 'Yoti app');
    const page = await openPage(site, viewer, '/');
    const dialog = await opensAgeModal(page, 'Your age check is under way');
    await page.sees('Waiting for the result: Yoti app. This page goes on by itself.', { in: dialog });
    expect(waysIn(page, dialog)).toEqual([]);
    expect(await page.problems()).toEqual([]);
    await providers.finishes(url, 30);
    await providers.settle();
    await site.passes(3_000);
    await page.gone('dialog');
    await isOpen(page);
    await page.sees('Your age is verified');
  });

  test('lets somebody with a pending check choose another way', async () => {
    const viewer = await site.viewer({ region: 'GB' });
    const first = await openPage(site, viewer, '/');
    await choosesProvider(first, await opensAgeModal(first, PICKER), 'Yoti app');
    const page = await openPage(site, viewer, '/');
    await opensAgeModal(page, 'Your age check is under way');
    await page.press('Choose another way');
    const dialog = await page.find('dialog', PICKER);
    await page.find('button', 'Yoti app', { in: dialog });
  });

  test('stops asking after two minutes, and says what to do', async () => {
    const viewer = await site.viewer({ region: 'GB' });
    const first = await openPage(site, viewer, '/');
    await choosesProvider(first, await opensAgeModal(first, PICKER), 'Yoti app');
    const page = await openPage(site, viewer, '/');
    const dialog = await opensAgeModal(page, 'Your age check is under way');
    const asked = () => page.network.sent.filter((sent) => sent.includes('/age-verification/finish')).length;
    const passesUntil = (look: () => void) =>
      page.until(async () => {
        await site.passes(3_000);
        look();
      });
    await passesUntil(() => expect(asked()).toBeGreaterThanOrEqual(20));
    await passesUntil(() =>
      expect(page.shows(/^Yoti app takes longer than usual/u, { in: dialog })).toBe(true)
    );
    await site.passes(60_000);
    await page.idle();
    expect(asked()).toBe(40);
    await page.press('Check again', { in: dialog });
    await page.until(() => expect(asked()).toBe(41));
  });

  test('opens at the picker with a notice after a failed check [C-103]', async () => {
    const viewer = await site.viewer({ region: 'GB' });
    const first = await openPage(site, viewer, '/');
    const dialog = await opensAgeModal(first, PICKER);
    await first.find('button', 'Yoti app', { in: dialog });
    const NOTICE = 'Your last check didn’t work. Try again, or choose another way.';
    expect(first.shows(NOTICE)).toBe(false);
    const url = await choosesProvider(first, dialog, 'ID document with Yoti');
    await providers.finishes(url, 16);
    await providers.settle();
    const page = await openPage(site, viewer, '/');
    const again = await opensAgeModal(page, PICKER);
    await page.sees(NOTICE, { in: again });
    await page.find('button', 'Yoti app', { in: again });
    // The answer that it follows, as the specification names its field.
    expect(page.network.answers.some((text) => text.includes('"has_failed_attempts":true'))).toBe(true);
  });

  test('asks support for somebody whom no other way suits', async () => {
    const viewer = await site.viewer({ region: 'GB' });
    const page = await openPage(site, viewer, '/', { width: 390 });
    const dialog = await opensAgeModal(page, PICKER);
    await page.press('Ask support', { in: dialog });
    const form = await page.find('dialog', 'Ask support');
    await page.press('Send message', { in: form });
    await page.until(() => expect(page.focused?.getAttribute('aria-invalid')).toBe('true'));
    await page.fill('Message', 'I have no papers with me.', { in: form });
    expect(await page.problems()).toEqual([]);
    await page.press('Send message', { in: form });
    const pending = await page.find('dialog', 'Your age check is under way');
    await page.sees(/^Support has your message/u, { in: pending });
    expect(page.network.sent).toContain(
      'POST /api/v1/age-verification/support {"message":"I have no papers with me."}',
    );
  });
});

describe('the way to a provider', () => {
  test.each([
    ['ID document with Yoti', 'TYPE_DOC_SCAN'],
    ['Yoti app', 'TYPE_DIGITAL_ID'],
  ])('of %s is the address that the site answers [C-308, C-082]', async (way, type) => {
    const page = await openPage(site, await site.viewer({ region: 'GB' }), '/');
    const dialog = await opensAgeModal(page, PICKER);
    const left = await choosesProvider(page, dialog, way);
    expect(page.network.sent).toContain(`GET /api/v1/yoti/url?type=${type}`);
    expect(page.network.answers).toContain(JSON.stringify({ url: left }));
    expect(left.startsWith(`${providers.origin}/yoti`)).toBe(true);
  });

  test('of Incode is the address of its flow [C-310]', async () => {
    for (const [way, call] of [
      ['Face age estimation with Incode', 'user-age-estimation'],
      ['ID document with Incode', 'user-age-verification'],
    ] as const) {
      const page = await openPage(site, await site.viewer({ region: 'GB' }), '/');
      const left = await choosesProvider(page, await opensAgeModal(page, PICKER), way);
      expect(page.network.sent).toContain(`GET /api/v1/incode/url/${call}`);
      expect(left.startsWith(`${providers.origin}/incode`)).toBe(true);
    }
  });
});

describe('the page of age verification', () => {
  test('is there before the entry gate, and begins a check [A-044]', async () => {
    const page = await openPage(site, await site.visitor({ region: 'GB' }), '/verify-age');
    await page.find('heading', 'Age verification', { level: 1 });
    expect(page.all('heading', GATE)).toEqual([]);
    await page.press('Verify your age', { in: await page.find('main') });
    await page.find('dialog', 'Sign up and verify your age');
    expect(await page.problems()).toEqual([]);
  });

  test('is where providers return to, and goes on to where the person came from', async () => {
    const viewer = await site.viewer({ region: 'GB' });
    const gate = await openPage(site, viewer, '/tags?sort=name');
    const url = await choosesProvider(gate, await opensAgeModal(gate, PICKER), 'ID document with Yoti');
    const back = await providers.finishes(url, 30);
    const page = await openPage(site, viewer, pathOf(back));
    await page.until(() => expect(page.path).toBe('/tags?sort=name'));
    await isOpen(page);
  });

  test('goes on when a provider has reported the result before the browser is back', async () => {
    const guest = await site.visitor({ region: 'GB' });
    const gate = await openPage(site, guest, '/tags');
    const dialog = await opensAgeModal(gate, 'Sign up and verify your age');
    const url = await choosesProvider(gate, dialog, 'ID document with Yoti');
    const back = await providers.finishes(url, 30);
    await providers.settle();
    const page = await openPage(site, guest, pathOf(back));
    await page.until(() => expect(page.path).toBe('/tags'));
    await isOpen(page);
  });

  test('never goes on to another site, whatever is stored', async () => {
    for (const stored of [
      '//evil.example/',
      'https://evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
    ]) {
      const viewer = await site.viewer({ region: 'GB' });
      const gate = await openPage(site, viewer, '/');
      const url = await choosesProvider(gate, await opensAgeModal(gate, PICKER), 'Yoti app');
      gate.leave();
      viewer.storage.session.set('candela.verifyFrom', stored);
      const page = await openPage(site, viewer, pathOf(await providers.finishes(url, 30)));
      await page.until(() => expect(page.path).toBe('/'));
      expect(page.left).toEqual([]);
    }
  });

  test('says that nothing is needed where the age is only declared', async () => {
    const page = await openPage(site, await site.visitor(), '/verify-age');
    await page.sees('Where you are, you only confirm your age when you enter.');
    const open = await openPage(site, await site.visitor({ ofAge: true }), '/verify-age', { width: 390 });
    await open.sees('You don’t need to verify your age here now.');
    expect(await open.problems()).toEqual([]);
  });
});
