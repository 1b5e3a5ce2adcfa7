import { listReports } from '#product/moderation/contract.ts';
import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { key } from '#product/testkit/payments/wallet.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendTip } from './contract.ts';

let site: TestSite;
let admin: Member;
let giver: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
  giver = await site.viewer({ username: 'secret-giver', tokens: 1_000 });
});
afterAll(() => site.close());

type Who = (performer: Member) => Promise<Member | Visitor>;
const READERS: readonly (readonly [who: string, reader: Who])[] = [
  ['a viewer', () => site.viewer()],
  ['a guest', () => site.visitor({ ofAge: true })],
  ['the performer, who moderates the room,', async (performer) => performer],
];

test.each(READERS)(
  '%s reports the comment of an anonymous tip, and never learns whose it is',
  async (_who, readerOf) => {
    const performer = await site.performer({ live: true });
    const reader = await readerOf(performer);
    const { username } = performer;
    const page = await openRoom(site, reader, performer);
    await giver.call(sendTip, { username, amount: 40, comment: 'Pay me elsewhere', anonymous: true }, key());
    await page.sees('Pay me elsewhere', { in: await page.find('list', 'Chat') });
    await page.press('Actions for Anonymous’s message');
    await page.find('menu', 'Actions for Anonymous’s message');
    expect(page.all('menuitem').map(({ textContent }) => textContent))
      .toEqual(['Report Anonymous’s message']);
    expect(await page.problems()).toEqual([]);
    await page.press('Report Anonymous’s message', { role: 'menuitem' });
    const dialog = await page.find('dialog', 'Report Anonymous’s message');
    await page.choose('What’s wrong?', 'Spam or a scam', { in: dialog });
    await page.press('Send report', { in: dialog });
    await page.sees(/^We’ve received your report\./u);
    const [report] = (await admin.call(listReports, {})).reports;
    expect(report).toMatchObject({
      kind: 'message',
      username: 'secret-giver',
      room: username,
      snapshot: 'Pay me elsewhere',
      reason: 'spam',
      reporter: 'username' in reader ? reader.username : null,
    });
    await page.idle();
    const { texts, answers, sent } = page.network;
    const received = JSON.stringify([texts, answers]);
    expect(received).toContain('Pay me elsewhere');
    expect([sent.some((text) => text.includes('/reports')), received.includes('secret-giver')])
      .toEqual([true, false]);
    expect(document.body.textContent).not.toContain('secret-giver');
  },
);

test('the menu of an anonymous tip is named in the language of its reader', async () => {
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, await site.viewer(), performer, { locale: 'de' });
  await giver.call(sendTip, { username: performer.username, amount: 40, anonymous: true }, key());
  await page.press('Aktionen für die Nachricht von Anonym');
  await page.find('menu', 'Aktionen für die Nachricht von Anonym');
  await page.find('menuitem', 'Nachricht von Anonym melden');
});
