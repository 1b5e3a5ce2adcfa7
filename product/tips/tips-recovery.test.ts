import { changePassword, logoutEverywhere } from '#product/accounts/contract.ts';
import { makeBrowserKey, rotateStreamKey } from '#product/broadcast/contract.ts';
import { overtaken } from '#product/testkit/people/overtaking.ts';
import { createSite, Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeOverlay } from './contract/overlay.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const RECOVERIES: Readonly<Record<string, (who: Member) => Promise<unknown>>> = {
  'a new password': (who) =>
    who.call(changePassword, {
      current: 'correct horse battery',
      next: 'eleven blue tortoises',
    }),
  'a log-out everywhere': (who) => who.call(logoutEverywhere, {}),
};

/** Number of a performer's remaining stream keys and overlay addresses. */
const leftOf = ({ id }: Member) =>
  site.tx(async (tx) =>
    (await sql<{ secrets: number }>`select
  (select count(*) from broadcast.stream_keys where performer_id = ${id})
  + (select count(*) from tips.overlays where performer_id = ${id}) as secrets`
      .execute(tx.sql())).rows[0]?.secrets
  );

const OUTCOME = '%s ends stream keys and addresses of overlays';
it.each(Object.entries(RECOVERIES))(OUTCOME, async (_name, recovers) => {
  const performer = await site.performer();
  await performer.call(rotateStreamKey, {});
  await performer.call(makeOverlay, {});
  expect(await leftOf(performer)).toBe(2);
  await recovers(performer);
  expect(await leftOf(performer)).toBe(0);
});

it.each(
  [
    ['stream key', rotateStreamKey],
    ['key of a browser', makeBrowserKey],
    ['overlay', makeOverlay],
  ] as const,
)('a request for a %s that a recovery overtakes gets none', async (_name, call) => {
  const performer = await site.performer();
  const owner = new Member(site, performer.person, { address: await site.address() });
  await owner.opens();
  await owner.logsIn();
  const end = await overtaken(
    site,
    () => performer.call(call, {}),
    () => owner.call(logoutEverywhere, {}),
    0,
  );
  expect(end).toEqual({ hasHappened: true, isAnswered: false });
  expect(await leftOf(performer)).toBe(0);
});
