import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from 'kysely';
import { changePassword, logoutEverywhere } from '../accounts/contract.ts';
import { rotateStreamKey } from '../broadcast/contract.ts';
import { createSite, type Member, type TestSite } from '../testkit/site.ts';
import { makeOverlay } from './contract.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const RECOVERIES: Readonly<Record<string, (who: Member) => Promise<unknown>>> = {
  'a new password': (who) => who.call(changePassword, {
    current: 'correct horse battery', next: 'eleven blue tortoises',
  }),
  'a log-out everywhere': (who) => who.call(logoutEverywhere, {}),
};

const OUTCOME = '%s ends stream keys and addresses of overlays';
it.each(Object.entries(RECOVERIES))(OUTCOME, async (_name, recovers) => {
  const performer = await site.performer();
  await performer.call(rotateStreamKey, {});
  await performer.call(makeOverlay, {});
  const left = () => site.tx(async (tx) => (await sql<{ secrets: number }>`select
    (select count(*) from broadcast.stream_keys where performer_id = ${performer.id})
    + (select count(*) from tips.overlays where performer_id = ${performer.id}) as secrets`
    .execute(tx.sql())).rows[0]?.secrets);
  expect(await left()).toBe(2);
  await recovers(performer);
  expect(await left()).toBe(0);
});
