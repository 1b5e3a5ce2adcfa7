import { uuidV4 } from '#platform/data/ids.ts';
import { listReports } from '#product/moderation/contract.ts';
import { clubMember, clubOwner } from '#product/testkit/fan-club.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import {
  endsPrivate,
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sendTip } from '#product/tips/contract.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

/** The reader of a page, and the person named there. */
interface Named {
  readonly reader: Member;
  readonly named: Member;
  readonly at: string;
}

/** A paid show that is over. */
async function pastShow(): Promise<{ readonly performer: Member; readonly viewer: Member }> {
  const performer = await privatePerformer(site);
  const viewer = await site.viewer({ tokens: 1_000 });
  await startsPrivate(viewer, performer);
  await watches(viewer, performer);
  await mediaPasses(site, performer, 20);
  await endsPrivate(viewer, performer);
  await site.settle();
  return { performer, viewer };
}

const PAGES: Readonly<Record<string, () => Promise<Named>>> = {
  'members of the own fan club': async () => {
    const reader = await clubOwner(site);
    return { reader, named: await clubMember(site, reader, 'supporter'), at: '/account/fanclub' };
  },
  'tips received': async () => {
    const [reader, named] = [await site.performer({ live: true }), await site.viewer({ tokens: 100 })];
    await named.call(sendTip, { username: reader.username, amount: 20 }, { idempotencyKey: uuidV4() });
    await site.settle();
    return { reader, named, at: '/account/tips' };
  },
  'receipts of shows': async () => {
    const { performer, viewer } = await pastShow();
    return { reader: performer, named: viewer, at: '/account/shows' };
  },
  earnings: async () => {
    const { performer, viewer } = await pastShow();
    return { reader: performer, named: viewer, at: '/account/earnings' };
  },
};

/** Presses a name, reports its person on the card, and finds them in the queue. */
async function reportsByName(page: Page, text: string, named: Member): Promise<void> {
  await page.press(text);
  const card = await page.find('dialog');
  await page.sees(`@${named.username}`, { in: card });
  await page.press(`Report ${named.username}`, { in: card });
  const dialog = await page.find('dialog', `Report ${named.username}`);
  await page.choose('What’s wrong?', 'Spam or a scam', { in: dialog });
  await page.press('Send report', { in: dialog });
  await page.sees(/^We’ve received your report\./u);
  const { reports } = await admin.call(listReports, {});
  expect(reports[0]).toMatchObject({ kind: 'person', username: named.username, reason: 'spam' });
}

for (const [place, make] of Object.entries(PAGES)) {
  test(`a name opens a card that reports its person: ${place}`, async () => {
    const { reader, named, at } = await make();
    const page = await openPage(site, reader, at);
    if (at === '/account/earnings') {
      // A day of the list is collapsed until somebody opens it.
      const [day] = (await page.find('list', 'Earnings by day')).getElementsByTagName('summary');
      if (day) await page.click(day);
    }
    await reportsByName(page, named.username, named);
    expect(await page.problems()).toEqual([]);
  });
}

test('in the chat of a room a mention and the line of a moderation open the card', async () => {
  const performer = await site.performer({ live: true });
  const [author, mentioned, silenced] = [await site.viewer(), await site.viewer(), await site.viewer()];
  await silenced.joins(performer);
  await site.says(await author.joins(performer), `Hello @${mentioned.username}, are you here?`);
  const page = await openRoom(site, admin, performer);
  await performer.moderates('silence', silenced);
  await site.settle();
  const line = await page.find('button', new RegExp(`^${silenced.person.displayName} .*silenced`, 'u'));
  for (const [text, who] of [[`@${mentioned.username}`, mentioned], [line.textContent, silenced]] as const) {
    await page.press(text);
    const card = await page.find('dialog');
    await page.sees(`@${who.username}`, { in: card });
    await page.find('button', `Report ${who.username}`, { in: card });
    await page.press('Close', { in: card });
  }
});
