import { savePictures, uploadPicture } from '#product/performers/contract/pictures.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listReports, sendReport } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Text and target of each name of the newest report in the queue. */
const linksOf = (queue: Awaited<ReturnType<typeof openPage>>) => {
  const [newest] = queue.all('listitem', undefined, { in: queue.all('list', 'Reports')[0] as HTMLElement });
  return queue.all('link', undefined, { in: newest as HTMLElement })
    .map((link) => [link.textContent, link.getAttribute('href')]);
};

test('a viewer reports a message from its menu, and an admin closes the report', async () => {
  const [performer, author] = [await site.performer({ live: true }), await site.viewer()];
  await site.says(await author.joins(performer), 'Send me money');
  const { displayName: name } = author.person;
  const [reader, admin] = [await site.viewer(), await site.admin()];
  const page = await openRoom(site, reader, performer);
  await page.press(`Actions for ${name}’s message`);
  await page.press(`Report ${name}’s message`, { role: 'menuitem' });
  const dialog = await page.find('dialog', `Report ${name}’s message`);
  expect(await page.problems()).toEqual([]);
  await page.choose('What’s wrong?', 'Something else', { in: dialog });
  await page.press('Send report', { in: dialog });
  // “Something else” needs details; the chosen reason stays.
  await page.until(() => expect(page.focused?.getAttribute('name')).toBe('details'));
  await page.fill('What happened?', 'They ask everybody', { in: dialog });
  await page.press('Send report', { in: dialog });
  await page.sees(/^We’ve received your report\./u);
  await page.press('Done', { in: await page.find('dialog', 'Thank you') });
  expect((await admin.call(listReports, {})).reports[0]).toMatchObject({
    kind: 'message',
    username: author.username,
    snapshot: 'Send me money',
    reason: 'other',
    details: 'They ask everybody',
    reporter: reader.username,
  });
  const queue = await openPage(site, admin, '/admin/reports');
  await queue.sees('Send me money');
  // A member has no room: the name leads to the account, and only the performer's to a room.
  expect(linksOf(queue)).toEqual([
    [`@${author.username}`, `/admin/people?username=${author.username}`],
    [`@${performer.username}`, `/${performer.username}`],
  ]);
  await queue.press(`@${author.username}`, { role: 'link' });
  await queue.find('heading', new RegExp(`@${author.username}$`, 'u'));
  await queue.back();
  await queue.press(/^Close report \d+$/u);
  const closing = await queue.find('dialog', /^Close report/u);
  await queue.choose('Outcome', 'Warned', { in: closing });
  await queue.fill('Note', 'First time', { in: closing });
  expect(await queue.problems()).toEqual([]);
  await queue.press('Close report', { in: closing });
  await queue.sees('No reports are waiting.');
  await queue.press('Closed reports', { role: 'checkbox' });
  await queue.sees('First time');
});

test(
  'a guest reports a message from its menu, which has only the card beside it, and it is in the queue',
  async () => {
    const [performer, author] = [await site.performer({ live: true }), await site.viewer()];
    await site.says(await author.joins(performer), 'Pay me elsewhere');
    const { displayName: name } = author.person;
    const page = await openRoom(site, await site.visitor({ ofAge: true }), performer);
    await page.press(`Actions for ${name}’s message`);
    await page.find('menuitem', `Report ${name}’s message`);
    expect(page.all('menuitem').map(({ textContent }) => textContent))
      .toEqual([`About ${name}`, `Report ${name}’s message`]);
    await page.press(`Report ${name}’s message`, { role: 'menuitem' });
    const dialog = await page.find('dialog', `Report ${name}’s message`);
    await page.choose('What’s wrong?', 'Spam or a scam', { in: dialog });
    expect(await page.problems()).toEqual([]);
    await page.press('Send report', { in: dialog });
    await page.sees(/^We’ve received your report\./u);
    const admin = await site.admin();
    expect((await admin.call(listReports, {})).reports[0]).toMatchObject({
      kind: 'message',
      username: author.username,
      snapshot: 'Pay me elsewhere',
      reason: 'spam',
      reporter: null,
    });
    await (await openPage(site, admin, '/admin/reports')).sees('Pay me elsewhere');
  },
);

test('an admin sees a reported picture when they ask for it, though it was deleted', async () => {
  const performer = await site.performer({ live: true });
  const form = new FormData();
  const bytes = await sharp({ create: { width: 80, height: 60, channels: 3, background: '#31c3b4' } })
    .png().toBuffer();
  form.set('file', new File([new Uint8Array(bytes)], 'me.png', { type: 'image/png' }));
  await performer.call(uploadPicture, {}, { form });
  const { username } = performer;
  const bio = await openPage(site, await site.viewer(), `/${username}/bio`);
  await bio.press('Picture 1');
  await bio.press('Report this picture');
  const dialog = await bio.find('dialog', /^Report/u);
  await bio.choose('What’s wrong?', 'Illegal, or dangerous', { in: dialog });
  await bio.press('Send report', { in: dialog });
  await bio.sees(/^We’ve received your report\./u);
  await performer.call(savePictures, { pictures: [] });
  const queue = await openPage(site, await site.admin(), '/admin/reports');
  await queue.find('button', 'Show the picture');
  expect(linksOf(queue)).toEqual([
    [`@${username}`, `/admin/people?username=${username}`],
    [`@${username}`, `/${username}`],
  ]);
  expect(queue.all('img', /^Picture of report/u)).toEqual([]);
  await queue.press('Show the picture');
  const shown = await queue.find('img', /^Picture of report \d+$/u);
  const [report] = (await (await site.admin()).call(listReports, {})).reports;
  expect(shown.getAttribute('src')).toBe(`/api/v1/admin/reports/${report?.id}/picture`);
  expect(await queue.problems()).toEqual([]);
});

test('the room, the bio and the card of a person have the way to a report; one’s own have none', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const { username, person: { displayName: name } } = performer;
  await site.says(await performer.joins(performer), 'Welcome');
  const page = await openRoom(site, await site.visitor({ ofAge: true }), performer);
  await page.find('button', `Report ${name}’s room`);
  // A name opens the card, which shows the username.
  await page.press(name, { in: await page.find('list', 'Chat') });
  const card = await page.find('dialog', name);
  await page.sees(`@${username}`, { in: card });
  await page.press(`Report ${name}`, { in: card });
  const dialog = await page.find('dialog', `Report ${name}`);
  await page.choose('What’s wrong?', 'Somebody may be under 18', { in: dialog });
  await page.sees(/call the police first/u, { in: dialog });
  await page.press('Send report', { in: dialog });
  await page.sees(/^We’ve received your report\./u);
  const bio = await openPage(site, viewer, `/${username}/bio`);
  await bio.find('button', `Report ${name}’s bio`);
  const own = await openPage(site, performer, `/${username}/bio`);
  await own.find('link', 'Edit your listing');
  expect(own.all('button', /^Report/u)).toEqual([]);
});

test('the room and the bio are reported by buttons of their own, and the queue says which', async () => {
  const performer = await site.performer({ live: true });
  const { username, person: { displayName: name } } = performer;
  const admin = await site.admin();
  for (const kind of ['room', 'bio'] as const) {
    const reporter = await site.viewer();
    const page = kind === 'room'
      ? await openRoom(site, reporter, performer)
      : await openPage(site, reporter, `/${username}/bio`);
    await page.press(`Report ${name}’s ${kind}`);
    const dialog = await page.find('dialog', `Report ${name}’s ${kind}`);
    await page.choose('What’s wrong?', 'Spam or a scam', { in: dialog });
    await page.press('Send report', { in: dialog });
    await page.sees(/^We’ve received your report\./u);
    expect((await admin.call(listReports, {})).reports[0]).toMatchObject({
      kind,
      username,
      reason: 'spam',
      reporter: reporter.username,
    });
  }
});

test('a report that is not sent says so, and keeps what was typed', async () => {
  const performer = await site.performer({ live: true });
  const { username, person: { displayName: name } } = performer;
  const page = await openPage(site, await site.viewer(), `/${username}/bio`, { mayPrint: /./u });
  await page.press(`Report ${name}’s bio`);
  const dialog = await page.find('dialog', `Report ${name}’s bio`);
  await page.choose('What’s wrong?', 'Spam or a scam', { in: dialog });
  await page.fill('What happened? (optional)', 'The links', { in: dialog });
  const mends = page.network.fails(/api\/v1\/reports/u);
  await page.press('Send report', { in: dialog });
  await page.find('alert', undefined, { in: dialog });
  mends();
  expect(await page.field('What happened? (optional)', { in: dialog })).toHaveProperty('value', 'The links');
  await page.press('Send report', { in: dialog });
  await page.sees(/^We’ve received your report\./u);
  const own = { kind: 'bio', username, reason: 'spam', details: '' } as const;
  expect((await performer.refused(sendReport, own)).errorType).toBe('own_report');
});
