import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** How browsers report the key that ends a composition. */
type Order = 'chromium' | 'safari' | 'key 229';
const ORDERS: readonly Order[] = ['chromium', 'safari', 'key 229'];
/** Browsers that report the key after the end of the composition. */
const AFTER: readonly Order[] = ['safari', 'key 229'];

/**
 * A key that the input method takes, as each browser reports it; returns whether the page prevented it. Only
 * Safari's key would still have its usual effect in a field.
 */
function takesWord(field: HTMLElement, key: string, order: Order): boolean {
  const press = (more: KeyboardEventInit): boolean =>
    !field.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
  const end = () => field.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));
  field.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
  if (order === 'chromium') {
    const isTaken = press({ isComposing: true });
    end();
    return isTaken;
  }
  end();
  // Safari's event is no longer `isComposing`; in most versions it has key code 229.
  return press(order === 'key 229' ? { keyCode: 229 } : {});
}

test.each(ORDERS)('a word of an input method takes no mention, sends nothing: %s', async (order) => {
  setsVendor(order);
  const performer = await site.performer({ live: true });
  const viewer = await site.viewer();
  await site.says(await (await site.viewer()).joins(performer), 'hello');
  const page = await openRoom(site, viewer, performer);
  await page.fill('Message', `@${performer.username.slice(0, 3)}`);
  const field = await page.find('textbox', 'Message');
  await page.find('listbox');
  for (const key of ['Enter', 'Tab', 'ArrowDown', 'Escape']) {
    expect([key, takesWord(field, key, order)]).toEqual([key, order === 'safari']);
    await page.idle();
    expect(field).toHaveProperty('value', `@${performer.username.slice(0, 3)}`);
    expect(page.all('listbox')).toHaveLength(1);
  }
});

test.each(AFTER)('such a word is not sent to support: %s', async (order) => {
  setsVendor(order);
  const page = await openPage(site, await site.performer(), '/support/chat');
  const field = await page.find('textbox', 'Your message to support');
  await page.fill('Your message to support', 'こんに');
  page.network.forgets();
  // Safari would start a new line, or submit the form.
  expect(takesWord(field, 'Enter', order)).toBe(order === 'safari');
  await page.idle();
  const posts = () => page.network.sent.filter((text) => text.startsWith('POST'));
  expect(posts()).toEqual([]);
  expect(field).toHaveProperty('value', 'こんに');
  // The next Enter is a real one, pressed by the person.
  const next = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true });
  Object.defineProperty(next, 'timeStamp', { value: next.timeStamp + 100 });
  field.focus();
  field.dispatchEvent(next);
  await page.until(() => expect(posts().join('\n')).toContain('こんに'));
});

test('such a word begins no search, and closes no dialog', async () => {
  const order = 'safari';
  setsVendor(order);
  const page = await openPage(site, await site.viewer(), '/legal');
  const field = await page.find('combobox', 'Search');
  await page.fill('Search', 'an', { in: await page.find('search') });
  takesWord(field, 'Enter', order);
  await page.idle();
  expect(page.path).toBe('/legal');
  await page.press(/Get tokens$/u, { in: await page.find('banner') });
  const dialog = await page.find('dialog');
  takesWord(dialog, 'Escape', order);
  await page.idle();
  expect(page.all('dialog')).toHaveLength(1);
});

test('keys of an input method are hidden before the code that watches the page begins', async () => {
  const reached: string[] = [];
  const whenWatched = (): Promise<void> => {
    const listens = (press: Event): void => void reached.push((press as KeyboardEvent).key);
    document.body.addEventListener('keydown', listens);
    for (const [key, isComposing] of [['Enter', true], ['a', false]] as const) {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, isComposing, bubbles: true }));
    }
    document.body.removeEventListener('keydown', listens);
    return Promise.resolve();
  };
  // The page watch registers the worker of the site before all else.
  Object.defineProperty(navigator, 'serviceWorker', { configurable: true, value: { register: whenWatched } });
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'serviceWorker'));
  const page = await openPage(site, await site.viewer(), '/legal');
  await page.until(() => expect(reached).toEqual(['a']));
});

/** Called before the page is opened, since the page asks only once which browser it is in. */
function setsVendor(order: Order): void {
  Object.defineProperty(navigator, 'vendor', {
    configurable: true,
    value: order === 'safari' ? 'Apple Computer, Inc.' : '',
  });
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'vendor'));
}
