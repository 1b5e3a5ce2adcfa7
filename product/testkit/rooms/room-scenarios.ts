import { topicPersonChannel } from '#platform/contract/event.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { logout } from '#product/accounts/contract.ts';
import { reconnectRequired, sayInChat } from '#product/rooms/contract.ts';
import { chatKicked } from '#product/rooms/contract/moderation.ts';
import { sayInShow } from '#product/rooms/contract/show-chat.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { expect } from 'vitest';
import { Page } from '../page.ts';
import { endsPrivate, privatePerformer, startsPrivate, watches } from '../shows/private-show.ts';
import type { Member, TestSite } from '../site.ts';
import type { Topology } from '../topology.ts';

/** A guarantee of a room, on any number of gateways. */
export interface RoomScenario {
  readonly title: string;
  readonly play: (on: Topology) => Promise<void>;
}

/** People of a killed process leave after 9 s at most; the room is notified 5 s later at most. */
const WAIT = { timeout: 25_000, interval: 20 };

/** A room with pages of new viewers, spread over the gateways in turns. */
async function roomWith(
  on: Topology,
  viewers: number,
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

async function expectLines(pages: readonly Page[], texts: readonly string[]): Promise<void> {
  await expect.poll(() => pages.map((page) => page.texts), WAIT).toEqual(pages.map(() => texts));
  expect(pages.map(({ doubled }) => doubled)).toEqual(pages.map(() => 0));
}

const numbered = (count: number, word: string): string[] =>
  Array.from({ length: count }, (_none, at) => `${word} ${at}`);

/** Says lines one after the other, each after the sender has received the one before. */
async function says(page: Page, texts: readonly string[]): Promise<void> {
  for (const message of texts) {
    expect(page.room.send(sayInChat, { message })).toBe(true);
    await expect.poll(() => page.texts, WAIT).toContain(message);
  }
}

const sendToPerson = (
  site: TestSite,
  { id }: Member,
  owner: Member,
  what: 'kick' | 'reseat',
): Promise<void> =>
  site.tx(async (tx) => {
    const channel = topicPersonChannel(roomTopic(owner.id), id);
    if (what === 'reseat') return tx.send(channel, reconnectRequired, {});
    return tx.send(channel, chatKicked, {
      room: owner.username,
      reason: null,
      until: new Date(tx.now.getTime() + MINUTE_MS).toISOString(),
    });
  });

/** Run on one process and on two gateways; the last scenario ends a gateway for good. */
export const roomScenarios: readonly RoomScenario[] = [
  {
    title: 'everybody receives every line once, and all in the same order',
    play: async (on) => {
      const { pages, leave } = await roomWith(on, 4);
      await Promise.all(pages.map((page, at) => says(page, numbered(3, `from ${at}:`))));
      await expect.poll(() => pages.map(({ lines }) => lines.length), WAIT).toEqual([12, 12, 12, 12]);
      await expectLines(pages, pages[0]?.texts ?? []);
      expect(new Set(pages[0]?.texts).size).toBe(12);
      leave();
    },
  },
  {
    title: 'a viewer who joins later gets the earlier lines, on either gateway',
    play: async (on) => {
      const { performer, pages: [first], leave } = await roomWith(on, 1);
      await says(first as Page, numbered(4, 'early'));
      const late = [0, 1].map((gateway) => new Page(on, (first as Page).member, performer.username, gateway));
      await expectLines(late, numbered(4, 'early'));
      late.forEach((page) => page.leaves());
      leave();
    },
  },
  {
    title: 'everybody is back after the loss of a gateway, and no line is lost or doubled',
    play: async (on) => {
      const { pages, leave } = await roomWith(on, 4);
      const [even, odd, , other] = pages as [Page, Page, Page, Page];
      await says(odd, numbered(2, 'before'));
      await expectLines(pages, numbered(2, 'before'));
      const goOn = async (): Promise<void> => {
        await says(odd, numbered(2, 'meanwhile'));
        await says(other, numbered(2, 'and then'));
      };
      const killed = on.kills(0);
      // The room continues at the other gateway while half of its people are disconnected.
      if (on.gateways > 1) await goOn();
      await killed;
      await joined(pages);
      if (on.gateways === 1) await goOn();
      await says(even, numbered(2, 'after'));
      await expectLines(pages, [
        ...numbered(2, 'before'),
        ...numbered(2, 'meanwhile'),
        ...numbered(2, 'and then'),
        ...numbered(2, 'after'),
      ]);
      await on.returns(0);
      leave();
    },
  },
  {
    title: 'people are counted once and listed alike, and those of a dead gateway are gone',
    play: async (on) => {
      const { performer, pages, leave } = await roomWith(on, 3);
      const admin = await on.site.admin();
      const consoles = [performer, admin].map((member, at) => new Page(on, member, performer.username, at));
      // A second tab, at the other gateway, isn't counted again.
      const tab = new Page(on, (pages[0] as Page).member, performer.username, 1);
      const everybody = [...pages, ...consoles, tab];
      await joined(everybody);
      consoles.forEach((console) => console.lists());
      const names = [...pages, consoles[1] as Page].map(({ member }) => member.username).toSorted();
      const seen = (): unknown => [
        everybody.map(({ count }) => count),
        consoles.map(({ users }) => [...users].toSorted()),
      ];
      await expect.poll(seen, WAIT).toEqual([everybody.map(() => 4), [names, names]]);
      // The first and third viewers, at gateway 0, don't come back; a tab of the first at gateway 1 stays.
      const [first, , third] = pages as [Page, Page, Page];
      if (on.gateways > 1) await on.kills(0);
      third.leaves();
      first.leaves();
      const left = everybody.filter((page) => page !== third && page !== first);
      const stay = names.filter((name) => name !== third.member.username);
      const known = (): unknown => [
        left.map(({ count }) => count),
        [...(consoles[1] as Page).users].toSorted(),
      ];
      await expect.poll(known, WAIT).toEqual([left.map(() => 3), stay]);
      if (on.gateways > 1) await on.returns(0);
      left.forEach((page) => page.leaves());
      leave();
    },
  },
  {
    title: 'what is said in a private show reaches the two at either gateway, and nobody else',
    play: async (on) => {
      const performer = await privatePerformer(on.site);
      const viewer = await on.site.viewer({ tokens: 1_000 });
      const at = (member: Member, gateway: number): Page => new Page(on, member, performer.username, gateway);
      const inside = [at(viewer, 0), at(viewer, 1), at(performer, 1)];
      const outside = [
        at(await on.site.viewer(), 0),
        at(await on.site.viewer(), 1),
        at(await on.site.admin(), 1),
      ];
      await joined([...inside, ...outside]);
      await startsPrivate(viewer, performer);
      await watches(viewer, performer);
      const linesOf = (pages: readonly Page[]) => pages.map(({ show }) => show?.lines ?? null);
      await expect.poll(() => linesOf(inside), WAIT).toEqual(inside.map(() => []));
      const key = inside[0]?.show?.key ?? '';
      const said = ['this is between us', 'and so is this'];
      for (const [nth, page] of [inside[0], inside[2]].entries()) {
        expect(page?.room.send(sayInShow, { chat: key, message: said[nth] ?? '' })).toBe(true);
        await expect.poll(() => linesOf(inside), WAIT).toEqual(inside.map(() => said.slice(0, nth + 1)));
      }
      // Knowing the key does not let them in again.
      expect(outside[1]?.room.send(sayInShow, { chat: key, message: 'let me in' })).toBe(true);
      await on.kills(0);
      await joined([...inside, ...outside]);
      await expect.poll(() => linesOf(inside), WAIT).toEqual(inside.map(() => said));
      await says(outside[0] as Page, ['in the room']);
      await expectLines(outside, ['in the room']);
      expect(linesOf(outside)).toEqual(outside.map(() => null));
      await on.returns(0);
      await endsPrivate(viewer, performer);
      await expect.poll(() => linesOf(inside), WAIT).toEqual(inside.map(() => null));
      const again = at(await on.site.viewer(), 0);
      await expectLines([again], ['in the room']);
      expect(linesOf([again])).toEqual([null]);
      [...inside, ...outside, again].forEach((page) => page.leaves());
    },
  },
  {
    title: 'sockets stay open while Redis is down, and the lines said meanwhile arrive afterwards, once',
    play: async (on) => {
      const { pages, leave } = await roomWith(on, 4);
      const [one] = pages as [Page, Page, Page, Page];
      await says(one, ['before']);
      await expectLines(pages, ['before']);
      await on.redis?.dies();
      expect(one.room.send(sayInChat, { message: 'meanwhile' })).toBe(true);
      // Nobody is disconnected.
      expect(pages.map(({ room }) => room.phase())).toEqual(pages.map(() => 'joined'));
      await on.redis?.returns();
      await expectLines(pages, ['before', 'meanwhile']);
      await joined(pages);
      await says(one, ['after']);
      await expectLines(pages, ['before', 'meanwhile', 'after']);
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
      await expect.poll(() => [one.closings, tab.closings], WAIT).toEqual([['logged out'], ['logged out']]);
      await says(two, ['still here']);
      expect([two.closings, tab.texts]).toEqual([[], []]);
      tab.leaves();
      leave();
    },
  },
  {
    title: 'a kick removes a person at every gateway, and from this room only',
    play: async (on) => {
      const { performer, pages, leave } = await roomWith(on, 2);
      const [one, two] = pages as [Page, Page];
      const other = await on.site.performer({ live: true });
      const tabs = [1, 0].map((gateway) => new Page(on, one.member, performer.username, gateway));
      const elsewhere = new Page(on, one.member, other.username, 1);
      await joined([...tabs, elsewhere]);
      await sendToPerson(on.site, one.member, performer, 'kick');
      const out = [one, ...tabs];
      await expect.poll(() => out.map(({ closings, room }) => [closings, room.phase()]), WAIT)
        .toEqual(out.map(() => [['kicked'], 'refused']));
      await says(two, ['without one']);
      expect([elsewhere.room.phase(), two.closings]).toEqual(['joined', []]);
      [...tabs, elsewhere].forEach((page) => page.leaves());
      leave();
    },
  },
  {
    title: 'a viewer who must reconnect is back at once and misses nothing',
    play: async (on) => {
      const { performer, pages, leave } = await roomWith(on, 2);
      const [one, two] = pages as [Page, Page];
      await says(two, ['before']);
      const phases: string[] = [];
      one.room.watch((phase) => void phases.push(phase));
      await sendToPerson(on.site, one.member, performer, 'reseat');
      await says(two, ['meanwhile']);
      await expect.poll(() => phases, WAIT).toContain('joined');
      await expectLines(pages, ['before', 'meanwhile']);
      leave();
    },
  },
  {
    title: 'a gateway announces its end first, and its viewers come back at another',
    play: async (on) => {
      const { pages, leave } = await roomWith(on, 2);
      const [one, two] = pages as [Page, Page];
      await says(one, ['before']);
      await on.ends(0);
      await expect.poll(() => one.closings, WAIT).toEqual(['restarting']);
      if (on.gateways > 1) {
        await joined(pages);
        await says(two, ['after']);
        await expectLines(pages, ['before', 'after']);
        expect(two.closings).toEqual([]);
      }
      leave();
    },
  },
];
