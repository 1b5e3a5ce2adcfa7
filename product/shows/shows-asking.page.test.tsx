import { uuidV4 } from '#platform/data/ids.ts';
import { setLimits } from '#product/ledger/contract/limits.ts';
import { actionBar, openAction } from '#product/testkit/pages/look/action-bar.ts';
import { closesRatingCard, isAskedToRate, seesRatingCard } from '#product/testkit/pages/look/ratings.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import {
  cameraPasses,
  connectsSharecam,
  sharecamPerformer,
  sharecamWish,
} from '#product/testkit/shows/sharecam.ts';
import { spiedShow, spies } from '#product/testkit/shows/spying.ts';
import {
  offersTickets,
  sellsTickets,
  startsTicketShow,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sendTip } from '#product/tips/contract.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGroupGoal } from './contract/group-goal.ts';
import { endPrivate } from './contract/private-running.ts';
import { acceptPrivate } from './contract/private-show.ts';
import { saveShowSettings, setDiscount } from './contract/settings.ts';
import { acceptSharecam, requestSharecam } from './contract/sharecam.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openRoom>>;
const ASK = 'Ask for a private show';
const PHONE = { width: 360 };
const WARNING = /^Your private show ends in/u;
/** A whole show, second by second. */
const LONG = { timeout: 120_000 };

const offering = (): Promise<Member> => privatePerformer(site, { pricePerMinuteInToken: 60 });
const region = (page: Page): Promise<HTMLElement> => page.find('region', 'Your private show');
const asks = (page: Page, { person }: Member): Promise<HTMLElement> =>
  openAction(page, ASK, `Private show with ${person.displayName}`);

describe('a request for a private show', () => {
  test('names the budget that leaves too little to start, and sells nothing', async () => {
    const performer = await offering();
    for (const [budget, text] of [
      [{ week: 59 }, 'What your weekly budget leaves isn’t enough to start. It resets on Monday (UTC).'],
      [
        { month: 59, week: 59 },
        'What your monthly budget leaves isn’t enough to start. It resets on the first of the month (UTC).',
      ],
    ] as const) {
      const viewer = await site.viewer({ tokens: 875 });
      await viewer.call(setLimits, budget);
      const page = await openRoom(site, viewer, performer);
      const dialog = await asks(page, performer);
      await page.sees(text, { in: dialog });
      await page.idle();
      expect(page.all('button', /^(?:Buy tokens|Send request)$/u, { in: dialog })).toEqual([]);
      expect(page.shows(/^You need /u, { in: dialog })).toBe(false);
      expect(await page.problems()).toEqual([]);
    }
  });

  test('on a phone is a button of the bar above the field of the chat, where shows are offered', async () => {
    const performer = await offering();
    const page = await openRoom(site, await site.viewer({ tokens: 300 }), performer, PHONE);
    await page.field('Message');
    await page.find('button', ASK, { in: await actionBar(page) });
    await page.press('Send request', { in: await asks(page, performer) });
    await page.sees(/^Waiting for/u);
    await page.idle();
    expect(page.all('button', ASK)).toEqual([]);
    await performer.call(saveShowSettings, { private: { isEnabled: false } });
    const other = await openRoom(site, await site.viewer({ tokens: 300 }), performer, PHONE);
    await other.field('Message');
    await other.idle();
    expect(other.all('button', ASK)).toEqual([]);
  });

  test('shows the whole time of a discount that is set again as it was', async () => {
    const performer = await offering();
    const page = await openRoom(site, await site.viewer({ tokens: 300 }), performer);
    const offer = await page.find('region', 'Private show');
    // The price is the description of the button.
    const reads = (time: string) => page.until(() => expect(offer.textContent).toContain(time));
    await performer.call(setDiscount, { discountRate: 25, minutes: 10 });
    await reads('10 min 0 s');
    await site.passes(120_000);
    await reads('8 min 0 s');
    await performer.call(setDiscount, { discountRate: 25, minutes: 10 });
    await reads('10 min 0 s');
  });

  test('that was withdrawn leaves the discount as long as it is, and the request before it too', async () => {
    const performer = await offering();
    const page = await openRoom(site, await site.viewer({ tokens: 300 }), performer);
    const time = async (text: string) => {
      const offer = await page.find('region', 'Private show');
      await page.until(() => expect(offer.textContent).toContain(text));
    };
    await performer.call(setDiscount, { discountRate: 25, minutes: 10 });
    await time('10 min 0 s');
    await site.passes(60_000);
    await page.press('Send request', { in: await asks(page, performer) });
    await page.sees('2 min 0 s', { in: await region(page) });
    await site.passes(60_000);
    await page.sees('1 min 0 s', { in: await region(page) });
    await page.press('Withdraw request');
    await time('8 min 0 s');
  });
});

describe('a guest', () => {
  test('is asked to log in for the ticket, and stays in the room', async () => {
    const performer = await ticketPerformer(site);
    await offersTickets(performer);
    const page = await openRoom(site, await site.visitor({ ofAge: true }), performer);
    await page.press('Buy ticket', { in: await page.find('region', 'Ticket show') });
    await page.sees('Log in to buy a ticket. You stay in this room.');
    expect(page.path).toBe(`/${performer.username}`);
  });

  test('is asked to log in for the group goal, and stays in the room', async () => {
    const performer = await site.performer({ live: true });
    await performer.call(startGroupGoal, { title: 'A song', tokens: 100, minutes: 20 });
    const page = await openRoom(site, await site.visitor({ ofAge: true }), performer);
    await page.press('Chip in', { in: await openAction(page, 'Group goal') });
    await page.sees('Log in to chip in to the group goal. You stay in this room.');
    expect(page.path).toBe(`/${performer.username}`);
  });
});

describe('a private show', () => {
  test('that never began stays one that failed, and there is nothing to rate', LONG, async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 300 });
    const page = await openRoom(site, viewer, performer);
    const failed = 'The private show didn’t start. Nothing was charged.';
    await startsPrivate(viewer, performer);
    await page.sees(/^Starting\./u);
    await mediaPasses(site, performer, 31);
    await page.sees(failed, { in: await region(page) });
    await page.idle();
    expect([page.shows(failed), isAskedToRate(page, performer)]).toEqual([true, false]);
    // A later show that does run is rated.
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    await mediaPasses(site, performer, 5);
    await endsPrivate(viewer, performer);
    await seesRatingCard(page, performer);
    expect(page.shows(failed)).toBe(false);
  });

  test('is warned of once, and the next one again, begun while the room was left', LONG, async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 150 });
    const page = await openRoom(site, viewer, performer);
    const dismisses = async (): Promise<void> => {
      const warning = await page.sees(WARNING);
      await page.press('Dismiss', { in: warning.parentElement as HTMLElement });
      expect(page.shows(WARNING)).toBe(false);
    };
    await startsPrivate(viewer, performer, { limit: 80 });
    await watches(viewer, performer);
    await mediaPasses(site, performer, 21);
    await dismisses();
    await mediaPasses(site, performer, 5);
    expect(page.shows(WARNING)).toBe(false);
    page.follows('/tags');
    await page.find('heading', /tags/iu);
    await performer.call(endPrivate, { username: viewer.username });
    await site.settle();
    await startsPrivate(viewer, performer, { limit: 90 });
    await watches(viewer, performer);
    await mediaPasses(site, performer, 40);
    await page.back();
    await region(page);
    // The page joins the room again while seconds pass.
    await page.until(async () => {
      await mediaPasses(site, performer, 1);
      expect(page.shows(WARNING)).toBe(true);
    });
    await dismisses();
    await mediaPasses(site, performer, 5);
    expect(page.shows(WARNING)).toBe(false);
  });
});

test('after an anonymous tip only whoever gave it asks whether they may rate', async () => {
  const performer = await site.performer({ live: true });
  const [viewer, other] = [await site.viewer({ tokens: 100 }), await site.viewer({ tokens: 100 })];
  const asked = (page: Page): number =>
    page.network.sent.filter((text) => text.startsWith('GET ') && text.includes('/rate/')).length;
  const page = await openRoom(site, viewer, performer);
  const tips = (from: Member) =>
    from.call(sendTip, {
      username: performer.username,
      amount: 25,
      anonymous: true,
    }, { idempotencyKey: uuidV4() });
  await tips(other);
  await site.settle();
  await page.idle();
  expect(asked(page)).toBe(0);
  await tips(viewer);
  await page.until(() => expect(asked(page)).toBe(1));
  await page.idle();
  expect(asked(page)).toBe(1);
});

/** Whether scrolling moves an element out of sight: it is inside a scrolling container and not sticky. */
function scrollsAway(element: Element, isPhone: boolean): boolean {
  const here = isPhone ? /^(?:max-lg:)?/u : /^(?:lg:)?/u;
  const has = ({ className }: Element, name: string): boolean =>
    className.split(/\s+/u).some((text) => text.replace(here, '') === name);
  for (let around: Element | null = element; around; around = around.parentElement) {
    if (has(around, 'sticky')) return false;
    if (has(around, 'overflow-y-auto')) return true;
  }
  return false;
}

describe.each(
  [
    ['wide window', {}],
    ['phone', PHONE],
  ] as const,
)('the bar of actions in a %s', (_where, size) => {
  /**
   * Checks that the bar keeps what costs tokens and the button that ends it, whatever else the page shows.
   */
  async function stays(page: Page, end: string, ...figures: readonly (string | RegExp)[]): Promise<void> {
    const isPhone = 'width' in size;
    const seen = async (): Promise<void> => {
      const bar = await actionBar(page);
      const button = await page.find('button', end, { in: bar });
      for (const figure of figures) await page.sees(figure, { in: bar });
      // The bar makes room for the button and contains it.
      expect(bar.querySelector('[data-costs]')?.contains(button)).toBe(true);
      expect(scrollsAway(bar, isPhone)).toBe(false);
    };
    await seen();
    const [there, back] = isPhone ? ['About', 'Chat'] : ['Theatre view', 'Theatre view'];
    await page.press(there);
    await seen();
    await page.press(back);
    await seen();
  }

  test('has the show that is asked for and runs, and no way to ask for another', LONG, async () => {
    const performer = await offering();
    const viewer = await site.viewer({ tokens: 300 });
    const page = await openRoom(site, viewer, performer, size);
    const name = performer.person.displayName;
    await page.press('Send request', { in: await asks(page, performer) });
    await stays(page, 'Withdraw request', `Waiting for ${name} to answer. Nothing is charged yet.`);
    expect(page.all('button', ASK)).toEqual([]);
    await performer.call(acceptPrivate, { username: viewer.username });
    await watches(viewer, performer);
    await mediaPasses(site, performer, 20);
    await stays(page, 'End show', '20 s', '20 tokens');
    expect(page.all('button', ASK)).toEqual([]);
    await viewer.call(endPrivate, { username: performer.username });
    await closesRatingCard(page, performer);
    await page.press('Close', { in: await region(page) });
    await page.find('button', ASK, { in: await actionBar(page) });
  });

  test('has the spying, and no way to spy a second time', LONG, async () => {
    const { performer } = await spiedShow(site);
    const page = await openRoom(site, await site.viewer({ tokens: 200 }), performer, size);
    const spy = await page.find('button', /^Spy for/u, { in: await actionBar(page) });
    await page.click(spy);
    await page.press(/^Spy for/u, { in: await page.find('alertdialog', /^Spy on/u) });
    await page.find('button', 'Stop spying');
    await watches(page.visitor as Member, performer);
    await mediaPasses(site, performer, 35);
    await stays(page, 'Stop spying', '25 s', '5 tokens');
    expect(page.all('button', /^Spy for/u)).toEqual([]);
  });

  test('has the camera that is shown, beside what else costs', LONG, async () => {
    const performer = await sharecamPerformer(site);
    const viewer = await site.viewer({ tokens: 100 });
    const page = await openRoom(site, viewer, performer, size);
    await page.find('button', 'Share my camera', { in: await actionBar(page) });
    await viewer.call(requestSharecam, sharecamWish(performer));
    await stays(page, 'Withdraw request', /Your video isn’t sent yet\.$/u, 'Time to answer');
    await performer.call(acceptSharecam, { username: viewer.username });
    const { stream } = await connectsSharecam(viewer, performer);
    await cameraPasses(site, stream, 4);
    await stays(page, 'Stop sharing', '4 s', '2 tokens');
    expect(page.all('button', 'Share my camera')).toEqual([]);
  });

  test('has the ticket of a show, which cannot be bought again', async () => {
    const performer = await ticketPerformer(site);
    const viewer = await site.viewer({ tokens: 300 });
    await offersTickets(performer);
    const page = await openRoom(site, viewer, performer, size);
    await page.find('button', 'Ticket for 100 tokens', { in: await actionBar(page) });
    await sellsTickets(performer, viewer);
    await page.gone('button', 'Ticket for 100 tokens');
    const bar = await actionBar(page);
    const ticket = await page.find('region', 'Your ticket', { in: bar });
    await page.sees('Starts in', { in: ticket });
    await startsTicketShow(performer);
    await page.sees('You’re in the ticket show.', { in: ticket });
    expect(scrollsAway(bar, 'width' in size)).toBe(false);
  });
});

/**
 * Hidden texts positioned against the page although a scrolling panel contains them: they lengthen the page.
 */
function astray(): readonly string[] {
  const scrolls = ({ className }: Element): boolean =>
    /(?:^|\s)(?:max-lg:)?overflow-y-auto(?:\s|$)/u.test(className);
  return [...document.querySelectorAll('.sr-only')].flatMap((text) => {
    for (let around = text.parentElement; around; around = around.parentElement) {
      if (/(?:^|\s)(?:relative|fixed|absolute|sticky)(?:\s|$)/u.test(around.className)) return [];
      if (scrolls(around)) return [around.getAttribute('aria-label') ?? around.className];
    }
    return [];
  });
}

test('no hidden text of a panel lengthens the page of a phone', async () => {
  const { performer, viewer } = await spiedShow(site);
  const page = await openRoom(site, viewer, performer, PHONE);
  await mediaPasses(site, performer, 2);
  expect((await region(page)).querySelector('.sr-only')).not.toBeNull();
  expect(astray()).toEqual([]);
  const { spy } = await spies(site, performer);
  const spying = await openPage(site, spy, `/${performer.username}`, PHONE);
  await mediaPasses(site, performer, 12);
  await spying.sees(`Spying on ${performer.person.displayName}`);
  expect((await spying.find('region', 'Spying')).querySelector('.sr-only')).not.toBeNull();
  expect(astray()).toEqual([]);
  const tickets = await ticketPerformer(site);
  const holder = await site.viewer({ tokens: 300 });
  await offersTickets(tickets);
  await sellsTickets(tickets, holder);
  const bought = await openRoom(site, holder, tickets, PHONE);
  await bought.find('region', 'Your ticket');
  expect(astray()).toEqual([]);
});

test('nothing went wrong on the server', () => expect(site.log).toEqual([]));
