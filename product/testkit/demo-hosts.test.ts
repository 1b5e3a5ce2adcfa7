import { chatUpdate } from '#product/rooms/contract.ts';
import { privateStarted } from '#product/shows/contract.ts';
import { requestPrivate, withdrawPrivate } from '#product/shows/contract/private-show.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startHosts } from './demo/hosts.ts';
import { privatePerformer } from './shows/private-show.ts';
import { createSite, type TestSite } from './site.ts';

let site: TestSite;
const errors: unknown[] = [];
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

it('performers of the demo accept who asks first and did not withdraw; others accept nobody', async () => {
  const [host, person] = [await privatePerformer(site), await privatePerformer(site)];
  const stop = startHosts({
    bus: site.data.bus,
    clock: site.clock,
    performers: [host.username],
    enters: async () => host,
    onError: (error) => errors.push(error),
  });
  const [gone, viewer, waits] = [
    await site.viewer({ tokens: 100 }),
    await site.viewer({ tokens: 100 }),
    await site.viewer({ tokens: 100 }),
  ];
  const [room, other] = [await viewer.joins(host), await waits.joins(person)];
  await gone.call(requestPrivate, { username: host.username, price: 30 });
  await viewer.call(requestPrivate, { username: host.username, price: 30 });
  await waits.call(requestPrivate, { username: person.username, price: 30 });
  await gone.call(withdrawPrivate, { username: host.username });
  await site.settle();
  await site.passes(4_000);
  // Accepting is a separate call whose events are delivered after it ends.
  await expect.poll(async () => {
    await site.settle();
    return room.received(privateStarted).map(({ username, broadcaster }) => [username, broadcaster]);
  }).toEqual([[viewer.username, host.username]]);
  await site.settle();
  expect(other.received(chatUpdate).map(({ status }) => status)).not.toContain('private');
  expect(errors).toEqual([]);
  stop();
});
