import { afterAll, beforeAll, expect, test } from 'vitest';
import { listReports } from '#product/moderation/contract.ts';
import { sayInShow, showChatState, showMessage } from '#product/rooms/contract/show-chat.ts';
import { openPage } from '#product/testkit/pages/open-page.tsx';
import { endsPrivate } from '#product/testkit/shows/private-show.ts';
import { spiedShow } from '#product/testkit/shows/spying.ts';
import {
  offersTickets, sellsTickets, startsTicketShow, ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { endTicketShow } from './contract/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Sends a message of the performer in their running show. */
async function saysInShow(performer: Member, message: string): Promise<void> {
  const socket = await performer.joins(performer);
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
  await page.until(async () => expect(await newest()).toEqual({
    kind: 'message', snapshot: 'pay me elsewhere', within: 'private', username: performer.username,
  }));
  expect(await page.problems()).toEqual([]);
});

test('from a ticket what was said is read for a day, and nobody reports what they said themselves',
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
    await site.passes(86_400_000);
    const page = await openPage(site, holder, '/account/shows');
    await page.find('table', 'Tickets');
    expect(page.all('link', 'What was said')).toEqual([]);
  });
