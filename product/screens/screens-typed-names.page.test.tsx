import { uuidV4 } from '#platform/data/ids.ts';
import { updateProfile } from '#product/accounts/contract.ts';
import { saveSearch } from '#product/browse/contract/search.ts';
import { joinFanclub, saveOwnClub } from '#product/fanclubs/contract.ts';
import { follow } from '#product/messaging/contract.ts';
import { ignorePerson } from '#product/messaging/contract/ignores.ts';
import { closeReport, listReports, sendReport } from '#product/moderation/contract.ts';
import { listNotices } from '#product/notices/contract.ts';
import { moderate } from '#product/room-moderation/contract.ts';
import { sayInChat } from '#product/rooms/contract.ts';
import { highlightMessage, setSubject } from '#product/rooms/contract/controls.ts';
import { startGroupGoal } from '#product/shows/contract/group-goal.ts';
import { sendChat } from '#product/support/contract/chat.ts';
import { openAction } from '#product/testkit/pages/look/action-bar.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { offersTickets, sellsTickets } from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sendTip } from '#product/tips/contract.ts';
import { addGoal } from '#product/tips/contract/goals.ts';
import { saveTipMenu } from '#product/tips/contract/menu.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Written from right to left: unless isolated, they turn `12 + 5` beside them into `5 + 12`. */
const [STAR, FAN, WORDS] = ['نجمة', 'ليلى', 'أهلا بكم'] as const;

let site: TestSite;
let star: Member;
let fan: Member;
beforeAll(async () => {
  site = await createSite();
  [star, fan] = [await site.performer({ live: true }), await site.viewer({ tokens: 2_000 })];
  for (const [who, name] of [[star, STAR], [fan, FAN]] as const) {
    await who.call(updateProfile, { display_name: name });
  }
  await site.settle();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;
/** Checks that texts are isolated wherever a page shows them. */
async function isolates(page: Page, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) expect.soft(await page.loose(text)).toEqual([]);
}

test('a name and a message in the chat, a tip, a reply and an alert stand isolated', async () => {
  const { username } = star;
  const socket = await fan.joins(star);
  const { id } = await site.says(socket, WORDS);
  const page = await openRoom(site, star, star);
  const chat = await page.find('list', 'Chat');
  await page.sees(/أهلا/u, { in: chat });
  await fan.call(sendTip, { username, amount: 12, comment: 'شكرا' }, { idempotencyKey: uuidV4() });
  await isolates(page, FAN, WORDS, 'شكرا');
  socket.send(sayInChat, { message: 'مرحبا', reply_to: id });
  await isolates(page, 'مرحبا');
  await star.call(highlightMessage, { username, message: 'انظروا' });
  await page.find('alertdialog');
  await isolates(page, STAR, 'انظروا');
});

test('the quoted message above a reply, and a performer\'s notice, stand isolated', async () => {
  const [words, notice] = ['متى الأغنية', 'العرض بعد قليل'];
  await site.says(await star.joins(star), words);
  await site.tx((tx) => site.services.rooms.notice(tx, star.id, notice));
  await site.settle();
  const page = await openRoom(site, fan, star);
  await isolates(page, words, notice);
  const chat = await page.find('list', 'Chat');
  const line = page.all('listitem', undefined, { in: chat }).find((one) => one.textContent?.includes(words));
  await page.click(line?.querySelector('[data-line-menu]') as HTMLElement);
  await page.press('Reply', { role: 'menuitem' });
  await page.sees(new RegExp(`^Reply to .*${STAR}`, 'u'));
  await isolates(page, words);
});

test('a name in the list of users, on a card and in lists of moderation stands isolated', async () => {
  const { username } = star;
  await fan.joins(star);
  const page = await openRoom(site, star, star);
  await page.press(/^Users\b/u);
  const list = await page.find('list', 'In this room');
  const line = await page.find('button', new RegExp(FAN, 'u'), { in: list });
  await isolates(page, FAN);
  await page.click(line);
  await page.find('dialog', FAN);
  await isolates(page, FAN);
  await page.keys('{Escape}');
  await page.gone('dialog');
  await star.call(moderate, { username, subject: fan.username, action: 'moderator' });
  await page.press(/^Moderate\b/u);
  await page.press('People', { role: 'tab' });
  await page.choose('List', 'Moderators');
  await page.find('list', 'Moderators');
  await isolates(page, FAN);
  await star.call(moderate, { username, subject: fan.username, action: 'unmoderator' });
});

test('a topic, a goal, the menu and a group goal of a room stand isolated', async () => {
  const titles = { topic: 'رقصة الليلة', item: 'أغنية', goal: 'هدف اليوم', group: 'معا' };
  await star.call(setSubject, { username: star.username, subject: titles.topic });
  await star.call(saveTipMenu, { items: [{ title: titles.item, price: 15 }] });
  await star.call(addGoal, { title: titles.goal, target: 120 });
  await site.settle();
  const page = await openRoom(site, fan, star);
  await isolates(page, STAR, titles.topic, titles.goal);
  await page.press('Tip menu');
  await page.press(new RegExp(`^${titles.item}`, 'u'));
  await page.find('dialog', titles.item);
  await isolates(page, titles.item);
  await star.call(startGroupGoal, { title: titles.group, tokens: 100, minutes: 20 });
  await site.settle();
  await page.keys('{Escape}');
  await openAction(page, 'Group goal');
  await isolates(page, titles.group);
  const home = await openPage(site, fan, '/girls');
  await isolates(home, STAR, titles.topic);
});

test('names stand isolated in lists of people: members of a fan club, followed, ignored', async () => {
  const { username } = star;
  await star.call(saveOwnClub, {
    enabled: true,
    description: WORDS,
    prices: { supporter: 100, insider: 250, legend: 501 },
    perks: { supporter: ['بطاقة'], insider: [], legend: [] },
  });
  await fan.call(joinFanclub, { username, level: 'supporter', price: 100 }, { idempotencyKey: uuidV4() });
  await fan.call(follow, { username });
  await isolates(await openPage(site, star, '/account/fanclub'), FAN);
  await isolates(await openPage(site, fan, '/account/fanclubs'), STAR);
  await isolates(await openPage(site, fan, `/${username}/fanclub`), STAR, WORDS, 'بطاقة');
  await star.call(ignorePerson, { username: fan.username });
  await isolates(await openPage(site, star, '/account/ignored'), FAN);
});

test('words stand isolated in the history of tips and of tickets', async () => {
  const { username } = star;
  const [comment, show] = ['للأغنية', 'عرض النار'];
  await fan.call(sendTip, { username, amount: 12, comment }, { idempotencyKey: uuidV4() });
  // The history is written when the fact of the tip is delivered.
  await site.settle();
  await isolates(await openPage(site, fan, '/account/tips'), comment);
  await isolates(await openPage(site, star, '/account/tips'), comment);
  await offersTickets(star, { message: show });
  await sellsTickets(star, fan);
  await isolates(await openPage(site, fan, '/account/shows'), show);
});

test('words stand isolated in reports, in threads of support, in saved searches', async () => {
  const admin = await site.admin();
  const text = { details: 'سيء جدا', note: 'تم التحذير', help: 'أين رصيدي', search: 'بحثي' };
  await fan.call(sendReport, {
    kind: 'room',
    username: star.username,
    reason: 'other',
    details: text.details,
  });
  const { reports: [report] } = await admin.call(listReports, {});
  await isolates(await openPage(site, admin, '/admin/reports'), text.details);
  await admin.call(closeReport, { id: report?.id ?? 0, outcome: 'warned', note: text.note });
  const closed = await openPage(site, admin, '/admin/reports');
  await closed.press('Closed reports', { role: 'checkbox' });
  await isolates(closed, text.note);
  await star.call(sendChat, { text: text.help });
  await isolates(await openPage(site, admin, '/admin/support'), text.help);
  await isolates(await openPage(site, star, '/support/chat'), text.help);
  await fan.call(saveSearch, { name: text.search, query: 'tag=jazz', notify: false });
  await isolates(await openPage(site, fan, '/search'), text.search);
});

test('a name in a notice stands isolated, on the page and in what the server sends', async () => {
  const viewer = await site.viewer();
  await viewer.call(follow, { username: star.username });
  await site.tx((tx) =>
    site.services.notices.notify(tx, {
      // The names of kinds come from the texts, which the project of page tests does not read.
      personId: viewer.id,
      kind: 'browse:notices.searchMatched' as never,
      values: { name: STAR, search: '12 + 5' },
      link: '/tags',
    })
  );
  const { notices: [notice] } = await viewer.call(listNotices, {});
  expect(notice?.title).toBe(`\u2068${STAR}\u2069 matches “12 + 5”`);
  await isolates(await openPage(site, viewer, '/notifications'), STAR);
});
