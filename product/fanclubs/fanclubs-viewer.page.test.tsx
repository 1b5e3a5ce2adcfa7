import { uuidV4 } from '#platform/data/ids.ts';
import { getBalance } from '#product/ledger/contract.ts';
import { sayInChat } from '#product/rooms/contract.ts';
import { textOf } from '#product/testkit/pages/look/read-text.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { joinFanclub, listMembers, listMemberships, saveOwnClub, type ClubView } from './contract.ts';

const DAY_MS = 86_400_000;
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const CLUB: ClubView = {
  enabled: true,
  description: 'A club for people who like rain.',
  prices: { supporter: 100, insider: 250, legend: 501 },
  perks: { supporter: ['A postcard'], insider: ['A picture a week'], legend: ['A song of your own'] },
};
const tokensOf = async (member: Member): Promise<number> => (await member.call(getBalance, {})).tokens;

async function clubOwner(options: { readonly live?: boolean } = {}): Promise<Member> {
  const performer = await site.performer(options);
  await performer.call(saveOwnClub, CLUB);
  return performer;
}

describe('the page of a fan club', () => {
  test('shows levels and benefits, and takes a member at the price shown [A-047, C-041]', async () => {
    const performer = await clubOwner();
    const { username, person: { displayName: name } } = performer;
    const viewer = await site.viewer({ tokens: 400 });
    const page = await openPage(site, viewer, `/${username}/fanclub`);
    await page.find('heading', `${name}’s fan club`);
    await page.sees('A club for people who like rain.');
    const tiers = await page.find('list', 'Levels');
    const shown = [...tiers.children].map(({ textContent }) => textContent);
    expect(shown.map((text) => /^(?:Supporter|Insider|Legend)/u.exec(text)?.[0]))
      .toEqual(['Supporter', 'Insider', 'Legend']);
    for (const [at, words] of [
      ['100', '$10.00', 'Badge beside your name', 'A postcard'],
      [
        '250',
        '$25.00',
        'Badge beside your name',
        '10% of every private show back',
        'Free spying',
        'A picture a week',
      ],
      [
        '501',
        '$50.10',
        'Badge beside your name',
        '25% of every private show back',
        'Free spying',
        'A song of your own',
      ],
    ].entries()) for (const word of words) expect(shown[at]).toContain(word);
    expect(await page.problems()).toEqual([]);
    // Nothing is charged before the question is confirmed.
    await page.press('Join as Insider');
    const asked = await page.find('alertdialog', `Join ${name}’s fan club as Insider?`);
    const terms = [...asked.querySelectorAll('dt')].map((
      name,
    ) => [name.textContent, textOf(name.nextElementSibling!)]);
    expect(terms).toEqual([
      ['You pay now', '250 tokens· $25.00'],
      ['Then every 30 days', '250 tokens· $25.00'],
      ['Renews on', 'February 14, 2026'],
    ]);
    await page.sees(
      'Cancel any time here or in your account under Fan clubs. '
        + 'You stay a member until the end of the month you’ve paid for.',
      { in: asked },
    );
    expect(await page.problems()).toEqual([]);
    await page.press('Not now', { in: asked });
    await page.gone('alertdialog', /Join/u);
    expect(await tokensOf(viewer)).toBe(400);
    await page.press('Join as Insider');
    await page.press('Pay 250 tokens');
    await page.sees(`You’re in ${name}’s fan club: Insider`);
    const own = await page.find('region', 'Your membership');
    await page.sees('Your level: Insider. It renews on February 14, 2026 · 250 tokens', { in: own });
    expect(await tokensOf(viewer)).toBe(150);
    expect(page.all('button', /^Join as/u)).toEqual([]);
    await page.find('button', 'Go up to Legend');
    expect(await page.problems()).toEqual([]);
    // Cancelling asks once, and all benefits stay until the month is over.
    await page.press('Cancel membership');
    const dialog = await page.find('dialog', `Cancel your membership of ${name}’s fan club?`);
    await page.sees(/February 14, 2026$/u, { in: dialog });
    await page.press('Cancel membership', { in: dialog });
    await page.sees('Your level: Insider. It ends on February 14, 2026');
    // Resuming asks too: it costs tokens from then on.
    await page.press('Keep Insider');
    const keep = await page.find('alertdialog', `Keep Insider in ${name}’s fan club?`);
    expect(
      [...keep.querySelectorAll('dt')].map((term) => [term.textContent, textOf(term.nextElementSibling!)]),
    ).toEqual([
      ['Next payment on', 'February 14, 2026'],
      ['Then, and every 30 days', '250 tokens· $25.00'],
    ]);
    await page.sees(/^Cancel any time here or in your account/u, { in: keep });
    await page.press('Not now', { in: keep });
    await page.gone('alertdialog', /Keep/u);
    await page.sees('Your level: Insider. It ends on February 14, 2026');
    await page.press('Keep Insider');
    await page.press('Keep Insider', { in: await page.find('alertdialog', /^Keep Insider/u) });
    await page.sees('Your level: Insider. It renews on February 14, 2026 · 250 tokens');
  });

  test('asks once before a membership goes down, with the price of the lower level and the day', async () => {
    const performer = await clubOwner();
    const { username, person: { displayName: name } } = performer;
    const viewer = await site.viewer({ tokens: 250 });
    const join = { username, level: 'insider', price: 250 } as const;
    const { membership: { id } } = await viewer.call(joinFanclub, join, { idempotencyKey: uuidV4() });
    const page = await openPage(site, viewer, `/${username}/fanclub`, { mayPrint: /409/u });
    const title = `Go down to Supporter in ${name}’s fan club?`;
    const own = async () => (await viewer.call(listMemberships, {})).memberships.find((one) => one.id === id);
    const terms = (asked: HTMLElement) =>
      [...asked.querySelectorAll('dt')].map((term) => [term.textContent, textOf(term.nextElementSibling!)]);
    await page.press('Go down to Supporter');
    let asked = await page.find('alertdialog', title);
    expect(terms(asked)).toEqual([
      ['Next payment on', 'February 14, 2026'],
      ['Then, and every 30 days', '100 tokens· $10.00'],
    ]);
    await page.sees(/^Cancel any time here or in your account/u, { in: asked });
    expect(await page.problems()).toEqual([]);
    await page.press('Not now', { in: asked });
    await page.gone('alertdialog', title);
    expect((await own())?.next_level).toBe(null);
    // The price has risen since the page read it: the call is refused, and the question has the new price.
    await performer.call(saveOwnClub, {
      ...CLUB,
      prices: { supporter: 9_998, insider: 9_999, legend: 10_000 },
    });
    await page.press('Go down to Supporter');
    asked = await page.find('alertdialog', title);
    await page.press('Go down to Supporter', { in: asked });
    await page.sees(/^The price has changed to 9,?998 tokens\. Nothing was charged\./u);
    await page.sees(/9,998 tokens/u, { in: asked });
    expect((await own())?.next_level).toBe(null);
    await page.press('Not now', { in: asked });
    await performer.call(saveOwnClub, CLUB);
    const again = await openPage(site, viewer, '/account/fanclubs');
    await again.press('Go down to Supporter');
    asked = await again.find('alertdialog', title);
    expect(terms(asked)[1]).toEqual(['Then, and every 30 days', '100 tokens· $10.00']);
    await again.press('Go down to Supporter', { in: asked });
    await again.sees('Your level: Insider. It goes on as Supporter on February 14, 2026 · 100 tokens');
    expect(await own()).toMatchObject({ next_level: 'supporter', next_price: 100 });
  });

  test('asks guests to log in, and offers tokens to who has too few', async () => {
    const performer = await clubOwner();
    const path = `/${performer.username}/fanclub`;
    const guest = await openPage(site, await site.visitor({ ofAge: true }), path);
    await guest.press('Join as Supporter');
    await guest.sees('Log in to join the fan club. You stay on this page.');
    const viewer = await site.viewer({ tokens: 99 });
    const page = await openPage(site, viewer, path, { mayPrint: /402/u });
    await page.press('Join as Supporter');
    await page.press('Pay 100 tokens');
    await page.until(() => expect(page.all('dialog').length).toBe(1));
    expect([await tokensOf(viewer), (await performer.call(listMembers, {})).members]).toEqual([99, []]);
  });

  test('says so where there is no club, and nobody of the name', async () => {
    const performer = await site.performer();
    const { username, person: { displayName: name } } = performer;
    const viewer = await site.viewer();
    const page = await openPage(site, viewer, `/${username}/fanclub`);
    await page.sees(`${name} has no fan club right now.`);
    expect(page.all('button', /^Join/u)).toEqual([]);
    const nobody = await openPage(site, viewer, '/nobody_at_all/fanclub', { mayPrint: /404/u });
    await nobody.sees('There’s no one with this name here.');
  });
});

describe('a room', () => {
  test('lets a viewer join the fan club at one of three levels [A-012, B-012]', async () => {
    const performer = await clubOwner({ live: true });
    const { displayName: name } = performer.person;
    for (const [level, tokens] of [['Supporter', 100], ['Insider', 250], ['Legend', 501]] as const) {
      const viewer = await site.viewer({ tokens: 600 });
      const page = await openRoom(site, viewer, performer);
      const controls = await page.find('region', 'Fan club');
      await page.press('Join the fan club', { in: controls });
      const dialog = await page.find('dialog', `${name}’s fan club`);
      await page.find('list', 'Levels', { in: dialog });
      await page.press(`Join as ${level}`, { in: dialog });
      await page.press(`Pay ${tokens} tokens`);
      await page.sees(`You’re in ${name}’s fan club: ${level}`);
      expect(await tokensOf(viewer)).toBe(600 - tokens);
      await site.settle();
      await page.keys('{Escape}');
      await page.find('button', `Fan club: ${level}`, { in: controls });
    }
    expect((await performer.call(listMembers, {})).members.map(({ level }) => level))
      .toEqual(['legend', 'insider', 'supporter']);
  });

  test('has fan club controls where there is a club, and none without one [B-115]', async () => {
    const performer = await clubOwner({ live: true });
    const viewed = await openRoom(site, await site.viewer({ tokens: 600 }), performer);
    const controls = await viewed.find('region', 'Fan club');
    await viewed.press('Join the fan club', { in: controls });
    await viewed.find('dialog', `${performer.person.displayName}’s fan club`);
    await viewed.find('button', 'Join as Supporter');
    const without = await site.performer({ live: true });
    const page = await openRoom(site, await site.viewer(), without);
    await page.field('Message');
    expect(page.all('region', 'Fan club')).toEqual([]);
    const own = await openRoom(site, performer, performer);
    await own.find('link', 'Fan club settings');
  });

  test('shows what members are beside their names in the chat', async () => {
    const performer = await clubOwner({ live: true });
    const [legend, stranger] = [await site.viewer({ tokens: 600 }), await site.viewer()];
    await legend.call(joinFanclub, { username: performer.username, level: 'legend', price: 501 }, {
      idempotencyKey: uuidV4(),
    });
    const page = await openRoom(site, stranger, performer);
    const [loud, plain] = [await legend.joins(performer), await stranger.joins(performer)];
    loud.send(sayInChat, { message: 'hello from a legend' });
    await site.settle();
    plain.send(sayInChat, { message: 'hello from nobody' });
    await site.settle();
    const line = async (text: string): Promise<string> =>
      (await page.sees(text)).closest('li')?.textContent ?? '';
    expect(await line('hello from a legend')).toContain('Fan club: Legend');
    expect(await line('hello from nobody')).not.toContain('Fan club');
  });

  test('notifies a member whose renewal failed', async () => {
    const performer = await clubOwner({ live: true });
    const viewer = await site.viewer({ tokens: 100 });
    await viewer.call(joinFanclub, { username: performer.username, level: 'supporter', price: 100 }, {
      idempotencyKey: uuidV4(),
    });
    await site.passes(29 * DAY_MS);
    for (const one of [viewer, performer]) {
      await one.opens();
      await one.enters();
    }
    const page = await openRoom(site, viewer, performer, { mayPrint: /./u });
    await site.passes(DAY_MS);
    const { displayName: name } = performer.person;
    await page.sees(`Your membership of ${name}’s fan club wasn’t renewed. Add tokens to keep it.`);
  });
});

describe('the own fan clubs', () => {
  test('are listed with how each goes on, and cancelled there', async () => {
    const performer = await clubOwner();
    const viewer = await site.viewer({ tokens: 600 });
    const page = await openPage(site, viewer, '/account/fanclubs');
    await page.sees('The fan clubs you join will be listed here.');
    // Events before the page is in the lobby do not reach it.
    await page.until(() => page.network.hasLobby);
    await page.idle();
    await viewer.call(joinFanclub, { username: performer.username, level: 'insider', price: 250 }, {
      idempotencyKey: uuidV4(),
    });
    await site.settle();
    await page.find('heading', performer.person.displayName);
    // A month from the day of joining: earlier tests moved the clock by 30 days.
    await page.sees('Your level: Insider. It renews on March 16, 2026 · 250 tokens');
    expect(await page.problems()).toEqual([]);
    await page.press('Cancel membership');
    await page.press('Cancel membership', { in: await page.find('dialog') });
    await page.sees('Your level: Insider. It ends on March 16, 2026');
  });
});

// This test is the last one, because it lets two months pass.
test('in the grace of a club that got dearer, the question has the price that stays', async () => {
  const performer = await clubOwner();
  const { username, person: { displayName: name } } = performer;
  const viewer = await site.viewer({ tokens: 250 });
  await viewer.call(joinFanclub, { username, level: 'insider', price: 250 }, { idempotencyKey: uuidV4() });
  await (await site.anotherTabOf(performer)).call(saveOwnClub, {
    ...CLUB,
    prices: { supporter: 100, insider: 400, legend: 900 },
  });
  await site.passes(31 * DAY_MS);
  await site.tx((tx) => site.services.ledger.grant(tx, viewer.id, 900, 'test', uuidV4()));
  const back = await site.anotherTabOf(viewer);
  const page = await openPage(site, back, `/${username}/fanclub`);
  await page.press('Join as Insider');
  const asked = await page.find('alertdialog', new RegExp(`${name}’s fan club`, 'u'));
  // The month begins where the unpaid one did, on March 16: the tests before took 30 days.
  expect(
    [...asked.querySelectorAll('dt')].map((term) => [term.textContent, textOf(term.nextElementSibling!)]),
  ).toEqual([
    ['You pay now', '250 tokens· $25.00'],
    ['Then every 30 days', '250 tokens· $25.00'],
    ['Renews on', 'April 15, 2026'],
  ]);
  await page.press('Pay 250 tokens', { in: asked });
  await page.sees(/It renews on April 15, 2026 · 250 tokens/u);
  // The next month costs what the question said.
  await site.passes(30 * DAY_MS);
  expect(await tokensOf(await site.anotherTabOf(viewer))).toBe(900 - 250 - 250);
});
