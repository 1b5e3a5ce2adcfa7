import { updateSettings } from '#product/accounts/contract/settings.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { received } from '#product/testkit/pages/room-sockets.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { chatHistory, chatMessage, getRoom, sayInChat } from './contract.ts';
import { saveRoomSettings, setSubject } from './contract/controls.ts';
import { MAX_LIST_CHANGES } from './rules.ts';

type Page = Awaited<ReturnType<typeof openRoom>>;

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const LOCKED = 'This room is password-protected';
const named = ({ username }: Member): RegExp => new RegExp(username, 'u');

test('a new subject is read beside the video at once [B-363]', async () => {
  const performer = await site.performer({ live: true });
  const { username } = performer;
  const page = await openRoom(site, await site.viewer(), performer);
  await page.sees(`@${username}`);
  for (const subject of ['Rain music', 'Snow music']) {
    await performer.call(setSubject, { username, subject, subject_color: '#ff8800' });
    await page.sees(subject);
  }
  expect(page.shows('Rain music')).toBe(false);
  await performer.call(setSubject, { username, subject: '' });
  await page.until(() => expect(page.shows('Snow music')).toBe(false));
});

test('new settings of a room are followed by the pages of viewers at once [B-365]', async () => {
  const performer = await site.performer({ live: true });
  const { username } = performer;
  const page = await openRoom(site, await site.viewer(), performer);
  expect([page.shows(LOCKED), page.all('button', /^Users/u)]).toEqual([false, []]);
  const asked = (): number =>
    page.network.sent.filter((text) => text.includes(`/chat/react/${username}`)).length;
  const before = asked();
  await performer.call(saveRoomSettings, { username, camPassword: 'candle light' });
  await page.sees(LOCKED);
  for (const isUserListVisible of [true, false, true]) {
    await performer.call(saveRoomSettings, { username, isUserListVisible });
    if (isUserListVisible) await page.find('button', /^Users/u);
    else await page.gone('button', /^Users/u);
    expect(page.shows(LOCKED)).toBe(true);
  }
  // The event brought all of it: the page did not load the room data again.
  expect([before > 0, asked()]).toEqual([true, before]);
  await performer.call(saveRoomSettings, { username, isUserListVisible: false, camPassword: null });
  await page.gone('button', /^Users/u);
  await page.until(() => expect(page.shows(LOCKED)).toBe(false));
});

test(
  'a room with a password is seen by site moderators, and not by viewers and room moderators [B-307]',
  async () => {
    const performer = await site.performer({ live: true });
    await performer.call(saveRoomSettings, { username: performer.username, camPassword: 'candle light' });
    const moderator = await site.viewer();
    await performer.moderates('moderator', moderator);
    for (const who of [await site.viewer(), moderator, await site.visitor({ ofAge: true })]) {
      const page = await openPage(site, who, `/${performer.username}`);
      await page.sees(LOCKED);
      expect((await page.find('group', 'Player')).dataset['phase']).toBe('idle');
    }
    const page = await openRoom(site, await site.viewer({ roles: ['site_mod'] }), performer);
    const { dataset } = await page.find('group', 'Player');
    await page.until(() => {
      expect(dataset['phase']).not.toBe('idle');
      expect(page.network.sent.filter((text) => text.includes('/video/playback/'))).not.toEqual([]);
    });
    expect(page.shows(LOCKED)).toBe(false);
  },
);

/**
 * The waveforms of the notes that pages play, in order.
 * @param loudness collects the volume of each note
 */
function playedNotes(loudness: number[] = []): readonly string[] {
  const waves: string[] = [];
  let seconds = 0;
  const param = {
    value: 0,
    setValueAtTime: () => {},
    linearRampToValueAtTime: (to: number) => void loudness.push(to),
    exponentialRampToValueAtTime: () => {},
  };
  const gain = { gain: param, connect: () => {} };
  vi.stubGlobal(
    'AudioContext',
    class {
      readonly state = 'running';
      readonly close = async (): Promise<void> => {};
      readonly createGain = () => gain;
      /** Advances with each read, so that no sound comes too soon after the one before. */
      get currentTime(): number {
        seconds += 1;
        return seconds;
      }
      createOscillator() {
        const tone = { type: '', frequency: { value: 0 }, connect: () => gain, stop: () => {} };
        return {
          ...tone,
          start(this: { readonly type: string }) {
            waves.push(this.type);
          },
        };
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  return waves;
}

/** Sounds by name, with the waveform and the number of their notes. */
const NOTES = {
  airhorn: ['sawtooth', 3],
  applause: ['square', 8],
  bell: ['sine', 2],
  cheer: ['triangle', 5],
  drumroll: ['triangle', 8],
  fanfare: ['sawtooth', 6],
  kiss: ['sine', 2],
  laugh: ['triangle', 5],
  pop: ['sine', 1],
  tada: ['triangle', 2],
  whistle: ['sine', 4],
} as const;

test('a tip sounds as loud as volume_tip says: 70 percent at first, none at 0 [A-187]', async () => {
  const loudness: number[] = [];
  playedNotes(loudness);
  const [viewer, tipper] = [await site.viewer(), await site.viewer({ tokens: 500 })];
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, viewer, performer);
  let tips = 0;
  const soundOf = async (volume: number | null): Promise<readonly number[]> => {
    if (volume !== null) {
      await viewer.call(updateSettings, { volume_tip: volume });
      await site.settle();
      await page.idle();
    }
    loudness.length = 0;
    await tipper.tips(performer, 20 + tips);
    await page.sees(new RegExp(`tipped ${20 + tips}`, 'u'));
    tips += 1;
    await page.idle();
    return [...new Set(loudness)];
  };
  const [usual = 0, ...others] = await soundOf(null);
  expect([usual > 0, others]).toEqual([true, []]);
  expect((await soundOf(35))[0]).toBeCloseTo(usual / 2);
  expect((await soundOf(100))[0]).toBeCloseTo(usual / 0.7);
  expect(await soundOf(0)).toEqual([]);
});

test('the pages of viewers play the sound that a command names [B-281]', async () => {
  const waves = playedNotes();
  const performer = await site.performer({ live: true });
  const page = await openRoom(site, await site.viewer(), performer);
  const owner = await performer.joins(performer);
  owner.send(sayInChat, { message: '/play_sound doorbell' });
  expect((await owner.waitFor(chatMessage)).error).toBe(true);
  for (const [name, [shape, count]] of Object.entries(NOTES)) {
    const before = waves.length;
    owner.send(sayInChat, { message: `/play_sound ${name}` });
    const expected = Array.from({ length: count }, () => shape);
    await page.until(() => expect(waves.slice(before), name).toEqual(expected));
    // In the long run even a performer may play only two a second.
    await site.passes(1_000);
  }
  expect(page.shows(/play_sound/u)).toBe(false);
});

test('rooms that are open at once have a chat each, under their names [B-134]', async () => {
  const [first, second] = [await site.performer({ live: true }), await site.performer({ live: true })];
  const marco = await site.viewer();
  const [here, there] = [await marco.joins(first), await marco.joins(second)];
  const page = await openRoom(site, await site.viewer(), first);
  await site.says(here, 'to the first');
  await page.sees(/to the first/u);
  await page.press('Keep this room open while you browse');
  await page.press('Girls', { role: 'link', in: await page.find('banner') });
  await page.press(named(second), { role: 'link', in: await page.find('main') });
  await page.field('Message');
  await site.says(there, 'to the second');
  await page.sees(/to the second/u);
  expect(page.shows(/to the first/u)).toBe(false);
  await site.says(here, 'to the first again');
  const dock = await page.find('navigation', 'Open rooms');
  await page.sees(/1 new message$/u, { in: dock });
  expect(page.shows(/to the first/u)).toBe(false);
  await page.press(named(first), { role: 'link', in: dock });
  await page.sees(/to the first again/u);
  expect(page.shows(/to the second/u)).toBe(false);
});

test('a room that is left in the dock is there no more, and others stay [B-187]', async () => {
  const [first, second] = [await site.performer({ live: true }), await site.performer({ live: true })];
  const marco = await site.viewer();
  const [here, there] = [await marco.joins(first), await marco.joins(second)];
  const page = await openRoom(site, await site.viewer(), first);
  await site.says(here, 'to who is there');
  await page.sees(/to who is there/u);
  await page.press('Keep this room open while you browse');
  await page.press('Girls', { role: 'link', in: await page.find('banner') });
  await page.press(named(second), { role: 'link', in: await page.find('main') });
  await page.field('Message');
  await page.press('Keep this room open while you browse');
  await page.press('Girls', { role: 'link', in: await page.find('banner') });
  const dock = await page.find('navigation', 'Open rooms');
  await page.find('link', named(second), { in: dock });
  await page.press(`Leave ${first.person.displayName}’s room`, { in: dock });
  await page.gone('link', named(first), { in: dock });
  await site.says(here, 'to nobody');
  await site.says(there, 'to the other');
  await page.sees('1 new message', { in: dock });
  expect(page.all('link', undefined, { in: dock })).toHaveLength(1);
  // The viewer who left no longer counts: only Marco is in the room.
  await expect.poll(async () => {
    await site.passes(5_000);
    return (await marco.call(getRoom, { username: first.username })).chat.userCount;
  }).toBe(1);
  // The page dropped the room: its chat is empty until the history arrives again.
  const passes = page.network.stalls(`/ws/room/${first.username}`);
  await page.press(named(first), { role: 'link', in: await page.find('main') });
  await page.find('list', 'Chat');
  await page.idle();
  expect([page.path, page.shows(/to who is there/u)]).toEqual([`/${first.username}`, false]);
  passes();
  await page.sees(/to who is there/u);
});

/** A page of a room in which Marco sent two messages, and somebody else one. */
async function pageOf(who: 'viewer' | 'performer'): Promise<{
  page: Page;
  list: HTMLElement;
  performer: Member;
  marco: Member;
  reads: () => readonly boolean[];
}> {
  const performer = await site.performer({ live: true });
  const [marco, other] = [await site.viewer({ tokens: 50 }), await site.viewer()];
  const [socket, nice] = [await marco.joins(performer), await other.joins(performer)];
  await site.says(socket, 'rude words');
  await site.says(nice, 'nice words');
  const page = await openRoom(site, who === 'viewer' ? await site.viewer() : performer, performer);
  await site.says(socket, 'ruder words');
  const list = await page.find('list', 'Chat');
  for (const line of [/rude words/u, /nice words/u, /ruder words/u]) await page.sees(line, { in: list });
  const reads = (): readonly boolean[] =>
    [/rude words/u, /nice words/u, /ruder words/u].map((line) => page.shows(line, { in: list }));
  return { page, list, performer, marco, reads };
}

test.each([['viewer'], ['performer']] as const)(
  'a ban removes all messages of who is banned from the page of a %s [B-228]',
  async (who) => {
    const { page, list, performer, marco, reads } = await pageOf(who);
    const tip = new RegExp(`${marco.username} tipped 7 tokens`, 'u');
    await marco.tips(performer, 7);
    await page.sees(tip, { in: list });
    await performer.moderates('ban', marco);
    await page.sees(/has been banned\./u, { in: list });
    expect([...reads(), page.shows(tip, { in: list })]).toEqual([false, true, false, false]);
    await performer.moderates('unban', marco);
    await page.sees(/has been unbanned\./u, { in: list });
    expect(reads()).toEqual([false, true, false]);
  },
);

test.each([['viewer'], ['performer']] as const)(
  'a silence removes messages from the page of a %s; its end neither removes nor restores any [B-233]',
  async (who) => {
    const { page, list, performer, marco, reads } = await pageOf(who);
    await performer.moderates('silence', marco);
    await page.sees(/has been silenced\./u, { in: list });
    expect(reads()).toEqual([false, true, false]);
    // A silenced member may tip without a comment.
    const tip = new RegExp(`${marco.username} tipped 7 tokens`, 'u');
    await marco.tips(performer, 7);
    await page.sees(tip, { in: list });
    await performer.moderates('unsilence', marco);
    await page.sees(/has been unsilenced\./u, { in: list });
    await site.says(await marco.joins(performer), 'kind words');
    await page.sees(/kind words/u, { in: list });
    expect([...reads(), page.shows(tip, { in: list })]).toEqual([false, true, false, true]);
    const { messages } = await (await (await site.viewer()).joins(performer)).waitFor(chatHistory);
    expect(messages.map(({ message, value }) => [message, value]))
      .toEqual([['nice words', 0], ['', 7], ['kind words', 0]]);
  },
);

test('a kick takes somebody from the list of users and leaves their messages [B-230]', async () => {
  const { page, performer, marco, reads } = await pageOf('performer');
  await page.press(/^Users/u);
  await site.passes(5_000);
  const users = await page.find('list', 'In this room');
  await page.find('button', named(marco), { in: users });
  const before = page.all('button', undefined, { in: users }).length;
  await performer.moderates('kick', marco);
  await site.passes(5_000);
  await page.gone('button', named(marco), { in: users });
  expect(page.all('button', undefined, { in: users })).toHaveLength(before - 1);
  await page.press(/^Chat/u);
  const list = await page.find('list', 'Chat');
  await page.sees(/has been kicked\./u, { in: list });
  await page.until(() => expect(reads()).toEqual([true, true, true]));
});

test('the list of users is that of its event, every 5 s at most [B-354]', async () => {
  const performer = await site.performer({ live: true });
  const viewer = await site.viewer();
  const socket = await viewer.joins(performer);
  const page = await openRoom(site, performer, performer);
  const lists = async (who: Member): Promise<void> => {
    await page.find('button', named(who), { in: await page.find('list', 'In this room') });
  };
  await page.press(/^Users/u);
  await lists(viewer);
  await site.passes(10_000);
  // When opened again after a quiet interval, the list is sent at once; the time after that, 5 s later.
  await page.press(/^Chat/u);
  await page.press(/^Users/u);
  await lists(viewer);
  await page.press(/^Chat/u);
  const late = await site.viewer();
  const speaker = await late.joins(performer);
  await socket.leaves();
  await page.press(/^Users/u);
  await page.until(() =>
    expect(
      page.network.texts.filter(({ from, text }) =>
        from === 'page' && text.includes('v3.chat.userlist.start')
      ),
    ).toHaveLength(3)
  );
  await site.passes(4_999);
  // Once this line has arrived, so has everything sent before it.
  await site.says(speaker, 'not yet');
  await page.until(() => expect(page.network.texts.at(-1)?.text).toContain('not yet'));
  await page.idle();
  expect(page.all('button', named(late))).toEqual([]);
  await site.passes(1);
  await lists(late);
  await page.gone('button', named(viewer));
});

test('a page that enters its room again sets a list 5 s after the last one [B-354]', async () => {
  const performer = await site.performer({ live: true });
  const viewer = await site.viewer();
  await viewer.joins(performer);
  const moderator = await site.viewer({ roles: ['site_mod'] });
  const page = await openRoom(site, moderator, performer);
  const lists = () => received(page, 'v3.chat.user_list').length;
  const opened = async (who: Member): Promise<void> => {
    await page.find('button', named(who), { in: await page.find('list', 'In this room') });
  };
  await page.press(/^Users/u);
  await opened(viewer);
  await page.press('Girls', { role: 'link', in: await page.find('banner') });
  await page.until(() => expect(page.path).toBe('/girls'));
  const late = await site.viewer();
  const speaker = await late.joins(performer);
  await page.back();
  await page.press(/^Users/u);
  await page.until(() => expect(lists()).toBe(2));
  await site.says(speaker, 'not yet');
  await page.until(() => expect(received(page, 'v3.chat.message').length).toBeGreaterThan(0));
  await page.idle();
  expect(page.all('button', named(late))).toEqual([]);
  await site.passes(4_999);
  await page.idle();
  expect([lists(), page.all('button', named(late))]).toEqual([2, []]);
  await site.passes(1);
  await opened(late);
  await opened(viewer);
});

test('when more than 10 come and go in 5 s, an open list of users is set whole [B-354]', async () => {
  const performer = await site.performer({ live: true });
  const [leaves, stays] = [await site.viewer(), await site.viewer()];
  const socket = await leaves.joins(performer);
  const speaker = await stays.joins(performer);
  const page = await openRoom(site, performer, performer);
  const counts = (): readonly number[] =>
    ['v3.chat.user_list', 'v3.chat.user_joined', 'v3.chat.user_left']
      .map((name) => received(page, name).length);
  await page.press(/^Users/u);
  const list = await page.find('list', 'In this room');
  await page.until(() => expect(page.all('button', undefined, { in: list })).toHaveLength(2));
  await site.passes(10_000);
  const [lists = 0, ...others] = counts();
  // The first change starts an interval, and is sent by itself.
  const many = await Promise.all(Array.from({ length: MAX_LIST_CHANGES + 1 }, () => site.viewer()));
  for (const who of many) await who.joins(performer);
  await socket.leaves();
  await page.find('button', named(many[0] as Member), { in: list });
  await site.says(speaker, 'all are here');
  expect(page.all('button', undefined, { in: list })).toHaveLength(3);
  await site.passes(5_000);
  await page.gone('button', named(leaves), { in: list });
  await page.until(() => expect(page.all('button', undefined, { in: list })).toHaveLength(many.length + 1));
  for (const who of [...many, stays]) await page.find('button', named(who), { in: list });
  expect([others, counts()]).toEqual([[0, 0], [lists + 1, 1, 0]]);
});
