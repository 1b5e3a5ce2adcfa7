import { operation } from '#product/testkit/payments/wallet.ts';
import { runsPrivate } from '#product/testkit/shows/private-show.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { bookOf, faultsOf } from '#product/testkit/store/ledger-accounts.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getReceipts } from './contract/private-running.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const second = async (shows: readonly Awaited<ReturnType<typeof runsPrivate>>[]): Promise<void> => {
  for (const { performer } of shows) {
    const { stream } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
    if (stream !== null) site.engine.measure(stream);
  }
  await site.passes(1_000);
};

it('captures of many shows share a unit of work; what is refused of one ends that show alone', async () => {
  const shows = [await runsPrivate(site), await runsPrivate(site), await runsPrivate(site)];
  const [lost, ...others] = shows as [typeof shows[0], ...typeof shows];
  await second(shows);
  const [{ id }] = (await site.tx((tx) =>
    tx.sql<{ 'shows.privates': { id: number; viewer_id: number } }>()
      .selectFrom('shows.privates').select('id').where('viewer_id', '=', lost.viewer.id).execute()
  )) as [
    { id: number },
  ];
  // Another operation gives the hold back to the viewer: what falls due has no hold to be taken from.
  await site.tx((tx) =>
    site.services.ledger.post(tx, [operation('private_released', [], {
      settles: {
        hold: site.services.ledger.operationId(lost.viewer.id, 'shows.private', `${id} hold 1`),
        close: true,
      },
    })])
  );
  for (let at = 1; at < 11; at += 1) await second(shows);
  for (const { performer } of others) expect(await bookOf(site, performer, 'earnings')).toBe(5);
  expect(await bookOf(site, lost.performer, 'earnings')).toBe(0);
  const [receipt] = (await lost.viewer.call(getReceipts, {})).receipts;
  expect(receipt).toMatchObject({ reason_ended: 'out_of_tokens', tokens: 0 });
  for (const { viewer } of others) expect((await viewer.call(getReceipts, {})).receipts).toEqual([]);
  expect(await faultsOf(site)).toEqual([]);
});
