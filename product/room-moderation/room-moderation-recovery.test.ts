import { logoutEverywhere } from '#product/accounts/contract.ts';
import { overtaken } from '#product/testkit/people/overtaking.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getModeration, moderate } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

it('nobody becomes a moderator by a request that a recovery of the performer overtook', async () => {
  const performer = await site.performer({ live: true });
  const thief = await site.viewer();
  await site.says(await thief.joins(performer), 'hello');
  const owner = await site.anotherTabOf(performer);
  const name = { username: performer.username, subject: thief.username, action: 'moderator' } as const;
  const { hasHappened, isAnswered } = await overtaken(
    site,
    () => performer.call(moderate, name),
    () => owner.call(logoutEverywhere, {}),
    0,
  );
  expect([hasHappened, isAnswered]).toEqual([true, false]);
  const admin = await site.admin();
  const list = await admin.call(getModeration, { username: performer.username, list: 'moderators' });
  expect(list.entries).toEqual([]);
});
