import { updateSettings } from '#product/accounts/contract/settings.ts';
import { getHistory } from '#product/ledger/contract.ts';
import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { tokensOf } from '#product/testkit/payments/wallet.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { fireEvent } from '@testing-library/dom';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { saveTipMenu } from './contract/menu.ts';
import { startSplit } from './contract/splits.ts';

let site: TestSite;
let host: Member;
beforeAll(async () => {
  site = await createSite();
  host = await site.performer({ live: true });
  await host.call(saveTipMenu, { items: [{ title: 'Wave hello', price: 15 }] });
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openRoom>>;

/** Bodies of the tips that a page has sent. */
const sentTips = (page: Page): readonly unknown[] =>
  page.network.sent
    .filter((sent) => sent.startsWith('POST ') && sent.includes(`/tip/${host.username} `))
    .map((sent) => JSON.parse(sent.slice(sent.indexOf('{'))) as unknown);

test('a tip and an order of the menu send all fields of a tip [A-214, A-348]', async () => {
  const viewer = await site.viewer({ tokens: 100 });
  const page = await openRoom(site, viewer, host);
  await page.press('Tip menu');
  const form = await page.find('form', /^Tip /u);
  await page.fill('Tokens', '30', { in: form });
  await page.fill('Message (optional)', 'lovely', { in: form });
  await page.press('Tip 30', { in: form });
  await page.sees(/^You tipped .* 30 tokens\.$/u);
  await page.press(/^Wave hello/u);
  const question = await page.find('dialog', 'Wave hello');
  await page.sees('$1.50', { in: question });
  await page.press('Order for 15', { in: question });
  await page.sees('You ordered Wave hello.');
  const item = expect.any(Number) as number;
  expect(sentTips(page)).toEqual([
    { amount: 30, comment: 'lovely', source_id: 'room', vr: false, type: 'tip' },
    { amount: 15, comment: '', source_id: 'room', vr: false, type: 'menu', app_data: { item } },
  ]);
  expect(await tokensOf(viewer)).toBe(55);
  const { lines } = await viewer.call(getHistory, {});
  expect(lines.slice(0, 2)).toMatchObject([
    { tokens: -15, memo: { to: host.username, type: 'menu', title: 'Wave hello', source: 'room' } },
    { tokens: -30, memo: { to: host.username, type: 'tip', comment: 'lovely', source: 'room' } },
  ]);
});

test('an order of the menu above the balance opens Not enough tokens [A-400]', async () => {
  const page = await openRoom(site, await site.viewer({ tokens: 10 }), host);
  await page.press('Tip menu');
  await page.press(/^Wave hello/u);
  await page.press('Order for 15', { in: await page.find('dialog', 'Wave hello') });
  await page.find('dialog', 'Not enough tokens');
});

test(
  'a guest who orders, splits or joins a split is asked to log in, and nothing is sent [A-308, B-293]',
  async () => {
    const page = await openRoom(site, await site.visitor({ ofAge: true }), host);
    await page.press('Tip menu');
    for (const button of [/^Wave hello/u, 'Propose split', /^Tip \d/u, /^Join for/u]) {
      if (String(button).includes('Join')) {
        const member = await site.viewer({ tokens: 10 });
        await member.call(startSplit, { username: host.username, amount: 10, people: 2 });
      }
      await page.press(button);
      const prompt = await page.find('dialog', 'Log in');
      await page.sees('Log in to tip. You stay in this room.', { in: prompt });
      await page.keys('{Escape}');
      await page.gone('dialog', 'Log in');
    }
    expect(page.network.sent.filter((sent) => /POST \S*\/tips?\//u.test(sent))).toEqual([]);
  },
);

test('the volume of tips stands at 70 for guests and members, until it is changed [A-452]', async () => {
  const volume = async (page: Page): Promise<HTMLElement> => {
    await page.press('Chat settings');
    return page.find('slider', 'Volume');
  };
  const guests = await openRoom(site, await site.visitor({ ofAge: true }), host);
  expect(await volume(guests)).toHaveProperty('value', '70');
  const viewer = await site.viewer();
  const page = await openRoom(site, viewer, host);
  const slider = await volume(page);
  expect(slider).toHaveProperty('value', '70');
  expect(slider.getAttribute('aria-valuetext')).toBe('70%');
  await viewer.call(updateSettings, { volume_tip: 45 });
  const again = await openRoom(site, viewer, host);
  expect(await volume(again)).toHaveProperty('value', '45');
});

/** Tips shown over the video, as their tokens. */
const overVideo = (): readonly number[] =>
  [...document.querySelectorAll('[data-tip-seen]')].map((tip) => Number(tip.getAttribute('data-tip-seen')));

test.each([['member', 10], ['guest', 20]] as const)(
  'a tip flies over the video of a %s, unless they want calm or less motion',
  async (kind, from) => {
    onTestFinished(() => {
      localStorage.clear();
      vi.unstubAllGlobals();
    });
    const who = kind === 'member' ? await site.viewer() : await site.visitor({ ofAge: true });
    const tipper = await site.viewer({ tokens: 500 });
    const page = await openRoom(site, who, host);
    const chat = await page.find('list', 'Chat');
    const tips = async (more: number): Promise<void> => {
      const tokens = from + more;
      await tipper.tips(host, tokens);
      await page.sees(new RegExp(`tipped ${tokens} tokens`, 'u'), { in: chat });
    };
    await tips(1);
    await page.until(() => expect(overVideo()).toEqual([from + 1]));
    await page.press('Chat settings');
    const calm = await page.field('Calm mode: no tip animations') as HTMLInputElement;
    await page.click(calm);
    await page.until(() => expect(calm.checked).toBe(true));
    await tips(2);
    await page.idle();
    expect(overVideo()).toEqual([from + 1]);
    await page.click(calm);
    await page.until(() => expect(calm.checked).toBe(false));
    await tips(3);
    await page.until(() => expect(overVideo()).toEqual([from + 1, from + 3]));
    const { matchMedia } = globalThis;
    vi.stubGlobal(
      'matchMedia',
      (
        query: string,
      ) => (query === '(prefers-reduced-motion: reduce)' ? { matches: true } : matchMedia(query)),
    );
    await tips(4);
    await page.idle();
    expect(overVideo()).toEqual([from + 1, from + 3]);
    // The tip stays when one of its glyphs has flown off; only the end of its own animation removes it.
    const [first] = document.querySelectorAll('[data-tip-seen]');
    if (first?.lastElementChild) fireEvent.animationEnd(first.lastElementChild);
    await page.idle();
    expect(overVideo()).toEqual([from + 1, from + 3]);
    if (first) fireEvent.animationEnd(first);
    await page.until(() => expect(overVideo()).toEqual([from + 3]));
  },
);
