import { uuidV4 } from '#platform/data/ids.ts';
import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { updateProfile } from '#product/accounts/contract.ts';
import { listReports } from '#product/moderation/contract.ts';
import { sayInShow, showChatState, showMessage } from '#product/rooms/contract/show-chat.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { endsPrivate } from '#product/testkit/shows/private-show.ts';
import { spiedShow } from '#product/testkit/shows/spying.ts';
import {
  offersTickets,
  sellsTickets,
  startsTicketShow,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sendTip } from '#product/tips/contract.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endTicketShow } from './contract/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** The performer, or whoever is in it, says something in the running show. */
async function saysInShow(performer: Member, message: string, who = performer): Promise<void> {
  const socket = await who.joins(performer);
  await site.settle();
  const { chat } = await socket.waitFor(showChatState, (state) => state.chat !== null);
  socket.send(sayInShow, { chat: chat?.key ?? '', message });
  for (let tries = 0; tries < 500 && socket.received(showMessage).length === 0; tries += 1) {
    await site.settle();
  }
}
/** The newest report as admins read it. */
async function newest(): Promise<object> {
  const { kind, snapshot, within, username } = (await (await site.admin()).call(listReports, {})).reports[0]
    ?? { kind: null, snapshot: null, within: null, username: null };
  return { kind, snapshot, within: within?.split(':')[0], username };
}

test('from the receipt of a private show its viewer reports what was said in it', async () => {
  const { performer, viewer } = await spiedShow(site);
  await saysInShow(performer, 'pay me elsewhere');
  await endsPrivate(viewer, performer);
  await site.settle();
  const page = await openPage(site, viewer, '/account/shows');
  await page.press('What was said', { role: 'link' });
  await page.sees('pay me elsewhere', { in: await page.find('list', 'Messages from the show') });
  await page.press(/^Report/u, { in: await page.find('list', 'Messages from the show') });
  const dialog = await page.find('dialog', /^Report/u);
  await page.choose('What’s wrong?', 'Spam or a scam', { in: dialog });
  await page.press('Send report', { in: dialog });
  await page.until(async () =>
    expect(await newest()).toEqual({
      kind: 'message',
      snapshot: 'pay me elsewhere',
      within: 'private',
      username: performer.username,
    })
  );
  expect(await page.problems()).toEqual([]);
});

test(
  'from a ticket what was said is read for a day, and nobody reports what they said themselves',
  async () => {
    const [performer, holder] = [await ticketPerformer(site), await site.viewer({ tokens: 200 })];
    await offersTickets(performer, { minutes: 5 });
    await sellsTickets(performer, holder);
    await startsTicketShow(performer);
    await saysInShow(performer, 'thanks for coming');
    await performer.call(endTicketShow, {});
    await site.settle();
    for (const [who, reports] of [[holder, true], [performer, false]] as const) {
      const page = await openPage(site, who, '/account/shows');
      await page.press('What was said', { role: 'link' });
      await page.sees('thanks for coming', { in: await page.find('list', 'Messages from the show') });
      expect(page.all('button', /^Report/u).length > 0).toBe(reports);
    }
    // The page may stay open as long: the link goes when nothing is stored any more.
    const open = await openPage(site, holder, '/account/shows');
    await open.find('link', 'What was said');
    await site.passes(DAY_MS - MINUTE_MS);
    expect(open.all('link', 'What was said')).toHaveLength(1);
    await site.passes(MINUTE_MS);
    await open.until(() => expect(open.all('link', 'What was said')).toEqual([]));
    await open.find('table', 'Tickets');
    const page = await openPage(site, holder, '/account/shows');
    await page.find('table', 'Tickets');
    expect(page.all('link', 'What was said')).toEqual([]);
  },
);

const NAME = 'Anna Staffel';

test('namesakes in what was said differ by their badges, and by the username behind each', async () => {
  const performer = await ticketPerformer(site);
  const [holder, staff] = [
    await site.viewer({ tokens: 200 }),
    await site.viewer({ tokens: 200, roles: ['site_mod'] }),
  ];
  const people = [staff, performer, holder];
  for (const who of people) await who.call(updateProfile, { display_name: NAME });
  await offersTickets(performer, { minutes: 5 });
  await sellsTickets(performer, holder, staff);
  await startsTicketShow(performer);
  for (const who of people) await saysInShow(performer, `words of ${who.username}`, who);
  await holder.call(sendTip, {
    username: performer.username,
    amount: 5,
    comment: 'words of nobody',
    anonymous: true,
  }, { idempotencyKey: uuidV4() });
  await performer.call(endTicketShow, {});
  await site.settle();
  const page = await openPage(site, holder, '/account/shows');
  await page.press('What was said', { role: 'link' });
  const list = await page.find('list', 'Messages from the show');
  const rowOf = (words: string): HTMLElement =>
    page.all('listitem', undefined, { in: list }).find((row) => row.textContent?.includes(words))!;
  await page.sees('words of nobody', { in: list });
  for (const [who, isStaff, isPerformer] of [
    [staff, true, false],
    [performer, false, true],
    [holder, false, false],
  ] as const) {
    const row = rowOf(`words of ${who.username}`);
    expect(row.querySelectorAll('[data-staff]')).toHaveLength(isStaff ? 1 : 0);
    expect((row.textContent ?? '').startsWith('Performer')).toBe(isPerformer);
    await page.press(/^(?:Staff\s*)?Anna Staffel$/u, { in: row });
    const card = await page.find('dialog');
    await page.sees(new RegExp(`@${who.username}$`, 'u'), { in: card });
    expect(card.querySelectorAll('[data-staff]')).toHaveLength(isStaff ? 1 : 0);
    await page.keys('{Escape}');
    await page.gone('dialog');
  }
  const hidden = rowOf('words of nobody');
  expect(hidden.textContent).toContain('Anonymous');
  expect(hidden.textContent).not.toContain(NAME);
  expect(page.all('button', /Anonymous$/u, { in: hidden })).toEqual([]);
  const german = await openPage(site, holder, '/account/shows', { locale: 'de' });
  await german.press('Was gesagt wurde', { role: 'link' });
  const said = await german.find('list', 'Nachrichten aus der Show');
  await german.sees('Anonym', { in: said });
});
