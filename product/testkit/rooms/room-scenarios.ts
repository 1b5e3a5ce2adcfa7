import { expect } from 'vitest';
import { topicPersonChannel } from '../../../platform/contract/event.ts';
import { MINUTE_MS } from '../../../platform/time/units.ts';
import { logout } from '../../accounts/contract.ts';
import { chatKicked, reseated, sayInChat } from '../../rooms/contract.ts';
import { roomTopic } from '../../rooms/rules.ts';
import { Page } from '../page.ts';
import type { Member, TestSite } from '../site.ts';
import type { Topology } from '../topology.ts';

/** What a room promises, on however many gateways. */
export interface RoomScenario {
  readonly title: string;
  readonly play: (on: Topology) => Promise<void>;
}

/** Longest wait for a fact: people of a killed process are gone after 9 s at most, told 5 s later at most. */
const WAIT = { timeout: 25_000, interval: 20 };

/** A room, and pages of fresh viewers in it, dealt to the gateways in turns. */
async function roomWith(
  on: Topology, viewers: number,
): Promise<{ performer: Member; pages: readonly Page[]; leave: () => void }> {
  const performer = await on.site.performer({ live: true });
  const pages: Page[] = [];
  for (let at = 0; at < viewers; at += 1) {
    pages.push(new Page(on, await on.site.viewer(), performer.username, at));
  }
  await joined(pages);
  return { performer, pages, leave: () => pages.forEach((page) => page.leaves()) };
}

const joined = (pages: readonly Page[]): Promise<void> =>
  expect.poll(() => pages.map(({ room }) => room.phase()), WAIT).toEqual(pages.map(() => 'joined'));

async function hear(pages: readonly Page[], texts: readonly string[]): Promise<void> {
  await expect.poll(() => pages.map((page) => page.texts), WAIT).toEqual(pages.map(() => texts));
  expect(pages.map(({ doubled }) => doubled)).toEqual(pages.map(() => 0));
}

const numbered = (count: number, word: string): string[] =>
  Array.from({ length: count }, (_none, at) => `${word} ${at}`);

/** Says lines one after the other, each when the one before is heard by whoever says it. */
async function says(page: Page, texts: readonly string[]): Promise<void> {
  for (const message of texts) {
    expect(page.room.send(sayInChat, { message })).toBe(true);
    await expect.poll(() => page.texts, WAIT).toContain(message);
  }
}

const tellSeat = (site: TestSite, { id }: Member, owner: Member, what: 'kick' | 'reseat'): Promise<void> =>
  site.tx(async (tx) => {
    const seat = topicPersonChannel(roomTopic(owner.id), id);
    if (what === 'reseat') return tx.send(seat, reseated, {});
    return tx.send(seat, chatKicked, {
      room: owner.username, reason: null, until: new Date(tx.now.getTime() + MINUTE_MS).toISOString(),
    });
  });

/** The same list for one process and for two gateways; the last ends a gateway for good. */
export const roomScenarios: readonly RoomScenario[] = [
  {
    title: 'what anybody says everybody hears once, and all in one order',
    play: async (on) => {
      const { pages, leave } = await roomWith(on, 4);
      await Promise.all(pages.map((page, at) => says(page, numbered(3, `from ${at}:`))));
      await expect.poll(() => pages.map(({ lines }) => lines.length), WAIT).toEqual([12, 12, 12, 12]);
      await hear(pages, pages[0]?.texts ?? []);
      expect(new Set(pages[0]?.texts).size).toBe(12);
      leave();
    },
  },
  {
    title: 'who comes later holds what was said before, by whichever gateway',
    play: async (on) => {
      const { performer, pages: [first], leave } = await roomWith(on, 1);
      await says(first as Page, numbered(4, 'early'));
      const late = [0, 1].map((gateway) => new Page(on, (first as Page).member, performer.username, gateway));
      await hear(late, numbered(4, 'early'));
      late.forEach((page) => page.leaves());
      leave();
    },
  },
  {
    title: 'after the loss of a gateway everybody is back, and no line is lost or doubled',
    play: async (on) => {
      const { pages, leave } = await roomWith(on, 4);
      const [even, odd, , other] = pages as [Page, Page, Page, Page];
      await says(odd, numbered(2, 'before'));
      await hear(pages, numbered(2, 'before'));
      const goOn = async (): Promise<void> => {
        await says(odd, numbered(2, 'meanwhile'));
        await says(other, numbered(2, 'and then'));
      };
      const killed = on.kills(0);
      // On the other gateway the room goes on while half of its people are away.
      if (on.gateways > 1) await goOn();
      await killed;
      await joined(pages);
      if (on.gateways === 1) await goOn();
      await says(even, numbered(2, 'after'));
      await hear(pages, [
        ...numbered(2, 'before'), ...numbered(2, 'meanwhile'), ...numbered(2, 'and then'),
        ...numbered(2, 'after'),
      ]);
      await on.returns(0);
      leave();
    },
  },
  {
    title: 'people are counted once and listed alike, and whoever a dead gateway held is gone',
    play: async (on) => {
      const { performer, pages, leave } = await roomWith(on, 3);
      const admin = await on.site.admin();
      const desks = [performer, admin].map((member, at) => new Page(on, member, performer.username, at));
      // A second tab of somebody, by the other gateway, is nobody else.
      const tab = new Page(on, (pages[0] as Page).member, performer.username, 1);
      const everybody = [...pages, ...desks, tab];
      await joined(everybody);
      desks.forEach((desk) => desk.lists());
      const names = [...pages, desks[1] as Page].map(({ member }) => member.username).toSorted();
      const seen = (): unknown => [
        everybody.map(({ count }) => count), desks.map(({ users }) => [...users].toSorted()),
      ];
      await expect.poll(seen, WAIT).toEqual([everybody.map(() => 4), [names, names]]);
      // The third viewer is at gateway 0, like the first: they do not come back, their tabs elsewhere stay.
      const [first, , third] = pages as [Page, Page, Page];
      if (on.gateways > 1) await on.kills(0);
      third.leaves();
      first.leaves();
      const left = everybody.filter((page) => page !== third && page !== first);
      const stay = names.filter((name) => name !== third.member.username);
      const known = (): unknown => [
        left.map(({ count }) => count), [...(desks[1] as Page).users].toSorted(),
      ];
      await expect.poll(known, WAIT).toEqual([left.map(() => 3), stay]);
      if (on.gateways > 1) await on.returns(0);
      left.forEach((page) => page.leaves());
      leave();
    },
  },
  {
    title: 'while what joins processes is away sockets stay, and what was said comes afterwards, once',
    play: async (on) => {
      const { pages, leave } = await roomWith(on, 4);
      const [one] = pages as [Page, Page, Page, Page];
      await says(one, ['before']);
      await hear(pages, ['before']);
      await on.redis?.dies();
      expect(one.room.send(sayInChat, { message: 'meanwhile' })).toBe(true);
      // Nobody is thrown out for it.
      expect(pages.map(({ room }) => room.phase())).toEqual(pages.map(() => 'joined'));
      await on.redis?.returns();
      await hear(pages, ['before', 'meanwhile']);
      await joined(pages);
      await says(one, ['after']);
      await hear(pages, ['before', 'meanwhile', 'after']);
      leave();
    },
  },
  {
    title: 'logging out closes every socket of the session, and nobody else\'s',
    play: async (on) => {
      const { performer, pages, leave } = await roomWith(on, 2);
      const [one, two] = pages as [Page, Page];
      const tab = new Page(on, one.member, performer.username, 1);
      await joined([tab]);
      await one.member.call(logout, {});
      await expect.poll(() => [one.told, tab.told], WAIT).toEqual([['logged out'], ['logged out']]);
      await says(two, ['still here']);
      expect([two.told, tab.texts]).toEqual([[], []]);
      tab.leaves();
      leave();
    },
  },
  {
    title: 'whoever is put out is put out of every gateway, and of this room only',
    play: async (on) => {
      const { performer, pages, leave } = await roomWith(on, 2);
      const [one, two] = pages as [Page, Page];
      const other = await on.site.performer({ live: true });
      const tabs = [1, 0].map((gateway) => new Page(on, one.member, performer.username, gateway));
      const elsewhere = new Page(on, one.member, other.username, 1);
      await joined([...tabs, elsewhere]);
      await tellSeat(on.site, one.member, performer, 'kick');
      const out = [one, ...tabs];
      await expect.poll(() => out.map(({ told, room }) => [told, room.phase()]), WAIT)
        .toEqual(out.map(() => [['kicked'], 'refused']));
      await says(two, ['without one']);
      expect([elsewhere.room.phase(), two.told]).toEqual(['joined', []]);
      [...tabs, elsewhere].forEach((page) => page.leaves());
      leave();
    },
  },
  {
    title: 'who is sent back comes back at once and misses nothing',
    play: async (on) => {
      const { performer, pages, leave } = await roomWith(on, 2);
      const [one, two] = pages as [Page, Page];
      await says(two, ['before']);
      const phases: string[] = [];
      one.room.watch((phase) => void phases.push(phase));
      await tellSeat(on.site, one.member, performer, 'reseat');
      await says(two, ['meanwhile']);
      await expect.poll(() => phases, WAIT).toContain('joined');
      await hear(pages, ['before', 'meanwhile']);
      leave();
    },
  },
  {
    title: 'a gateway that ends says so first, and its viewers come back by another',
    play: async (on) => {
      const { pages, leave } = await roomWith(on, 2);
      const [one, two] = pages as [Page, Page];
      await says(one, ['before']);
      await on.ends(0);
      await expect.poll(() => one.told, WAIT).toEqual(['restarting']);
      if (on.gateways > 1) {
        await joined(pages);
        await says(two, ['after']);
        await hear(pages, ['before', 'after']);
        expect(two.told).toEqual([]);
      }
      leave();
    },
  },
];
