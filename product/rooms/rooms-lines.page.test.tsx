import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRoom } from '../testkit/pages/open-page.tsx';
import { createSite, type Member, type TestSite } from '../testkit/site.ts';
import { highlightMessage } from './contract.ts';

type Page = Awaited<ReturnType<typeof openRoom>>;

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Types a message and sends it with Enter. */
async function says(page: Page, message: string): Promise<void> {
  await page.fill('Message', message);
  (await page.field('Message')).focus();
  await page.keys('{Enter}');
}

test('a message that is refused comes back into its field, with the reason in a toast', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const page = await openRoom(site, viewer, performer);
  await says(page, '/no_such_thing');
  await page.sees('Unknown command.');
  const field = await page.field('Message');
  await page.until(() => expect(field).toHaveProperty('value', '/no_such_thing'));
});

test('a highlighted message opens an alert with the name of who says it [B-130, B-400]', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const page = await openRoom(site, viewer, performer);
  const { username, person: { displayName } } = performer;
  for (const message of ['The goal is reached', 'Thank you all']) {
    await performer.call(highlightMessage, { username, message });
  }
  const alert = await page.find('dialog', `Message from "${displayName}"`);
  await page.sees('The goal is reached', { in: alert });
  expect(await page.problems()).toEqual([]);
  await page.press('OK', { in: alert });
  await page.sees('Thank you all', { in: await page.find('dialog', `Message from "${displayName}"`) });
  await page.keys('{Escape}');
  await page.gone('dialog');
});

test('a moderation names its subject to the subject, performer, admins and moderators [B-234, B-235]',
  async () => {
    const performer = await site.performer({ live: true });
    const reads = async (who: Member, subject: Member): Promise<readonly boolean[]> => {
      const page = await openRoom(site, who, performer);
      await performer.moderates('silence', subject);
      const list = await page.find('list', 'Chat');
      await page.sees(/was silenced\./u, { in: list });
      return [
        page.shows(`${subject.person.displayName} was silenced.`, { in: list }),
        page.shows('A user was silenced.', { in: list }),
      ];
    };
    const staff = [performer, await site.admin(), await site.viewer({ roles: ['site_mod'] })];
    for (const who of staff) expect(await reads(who, await site.viewer())).toEqual([true, false]);
    const subject = await site.viewer();
    expect(await reads(subject, subject)).toEqual([true, false]);
    for (const who of [await site.viewer(), await site.performer()]) {
      expect(await reads(who, await site.viewer())).toEqual([false, true]);
    }
  });

test('a message is answered by keys alone, and who is called by name is offered', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const marco = await site.viewer({ username: 'marco_polo' });
  const page = await openRoom(site, viewer, performer);
  await site.says(await marco.joins(performer), 'is that lamp new?');
  const list = await page.find('list', 'Chat');
  await page.sees(/is that lamp new\?/u, { in: list });
  list.focus();
  await page.keys('{ArrowUp}');
  await page.keys('{Enter}');
  await page.find('menuitem', 'Reply');
  await page.keys('{Enter}');
  await page.sees(`Reply to ${marco.person.displayName}:`);
  (await page.field('Message')).focus();
  await page.keys('ask @marc');
  await page.find('option', 'marco_polo');
  await page.keys('{Tab}');
  const field = await page.field('Message');
  await page.until(() => expect(field).toHaveProperty('value', 'ask @marco_polo '));
  await page.keys('{Escape}');
  await page.until(() => expect(page.shows(/^Reply to/u)).toBe(false));
});
