import { uuidV4 } from '#platform/data/ids.ts';
import { getEarnings } from '#product/ledger/contract/earnings.ts';
import { getHistoryEntries } from '#product/ledger/contract/entries.ts';
import { endsPrivate, mediaPasses, watches } from '#product/testkit/shows/private-show.ts';
import { spiedShow, spies, stopsSpying } from '#product/testkit/shows/spying.ts';
import { endsRecorded, runsRecorded, sellsRecordings } from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { giveToGroupGoal, startGroupGoal } from './contract/group-goal.ts';
import { startSpying } from './contract/spying.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** A performer after a private show of 40 seconds on which two viewers spied beyond their preview. */
async function spiedOn(): Promise<Member> {
  const { performer, viewer } = await spiedShow(site);
  await spies(site, performer);
  await spies(site, performer);
  await mediaPasses(site, performer, 40);
  await endsPrivate(viewer, performer);
  await site.settle();
  return performer;
}

it('two turns of one spy on a show are one line, to whoever earns by them and to whoever spies', async () => {
  const { performer, viewer } = await spiedShow(site);
  const { spy } = await spies(site, performer);
  await mediaPasses(site, performer, 40);
  await stopsSpying(spy, performer);
  await spy.call(startSpying, { username: performer.username });
  await site.settle();
  await watches(spy, performer);
  await mediaPasses(site, performer, 30);
  await stopsSpying(spy, performer);
  await endsPrivate(viewer, performer);
  await site.settle();
  const { days } = await performer.call(getEarnings, {});
  expect((days[0]?.shows ?? []).filter(({ kind }) => kind === 'spy_show').map(({ tokens }) => tokens))
    .toEqual([12]);
  const { entries } = await spy.call(getHistoryEntries, { kind: 'spy_show' });
  expect(entries.map(({ tokens, parts }) => [tokens, parts.length])).toEqual([[-12, 4]]);
});

it('what a performer earns by a show of each kind is one line, and adds up to the kind', async () => {
  const performer = await spiedOn();
  const { username } = performer;
  const [one, other] = [await site.viewer({ tokens: 500 }), await site.viewer({ tokens: 500 })];
  const { stream } = await runsRecorded(site, performer, one, other);
  await sellsRecordings(performer, one);
  await endsRecorded(site, performer, stream);
  await performer.call(startGroupGoal, { title: 'A song together', tokens: 100, minutes: 30 });
  for (const [viewer, tokens] of [[one, 60], [other, 40]] as const) {
    await viewer.call(giveToGroupGoal, { username, tokens }, { idempotencyKey: uuidV4() });
  }
  await site.settle();
  const { days, total } = await performer.call(getEarnings, {});
  expect(days).toHaveLength(1);
  const byKind = (all: readonly { readonly kind: string; readonly tokens: number }[]) =>
    all.map(({ kind, tokens }) => [kind, tokens]).toSorted();
  const each = [
    ['group_goal', 100],
    ['private_show', 20],
    ['spy_show', 12],
    ['ticket_recording', 50],
    ['ticket_show', 200],
  ];
  expect(byKind(days[0]?.shows ?? [])).toEqual(each);
  expect(byKind(days[0]?.kinds ?? [])).toEqual(each);
  expect(days[0]?.more_shows).toBe(0);
  expect(total.tokens).toBe(382);
});
