import { personChannel, sessionChannel, topicChannel, topicPersonChannel } from '#platform/contract/event.ts';
import { closeCodes } from '#platform/contract/sockets/wire.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import { expect, it } from 'vitest';
import { MAX_TOPIC_TICK_MS, TOPIC_TICK_MS } from './limits.ts';
import { enter, GUEST, kicked, loggedOut, named, said, spoken, stage, text, type Peer } from './testing.ts';

it('numbers the messages of a topic without gaps, and sends each socket each one once', async () => {
  const on = await stage();
  const [one, other] = [await enter(on), await enter(on, '/ws/room/OPEN', GUEST)];
  one.say(said.name, { text: 'hello' });
  one.say(said.name, { text: 'again' });
  await Promise.all([one.receives(text('again')), other.receives(text('again'))]);
  const seen = (peer: Peer) =>
    peer.frames.filter((frame) => frame.seq !== null)
      .map(({ payload, seq }) => [seq, (payload as { text: string }).text]);
  expect(seen(one)).toEqual([[1, 'hello'], [2, 'again']]);
  expect(seen(other)).toEqual(seen(one));
});

it('takes and sends each message as one JSON array of event and payload [C-215]', async () => {
  const on = await stage();
  const peer = await enter(on);
  const raw: unknown[] = [];
  peer.ws.on('message', (data) => raw.push(JSON.parse((data as Buffer).toString('utf8'))));
  peer.ws.send('["v3.test.said",{"text":"hello"}]');
  await peer.receives(text('hello'));
  expect(raw).toEqual([['v3.test.heard', { text: 'hello' }, 1]]);
  peer.ws.send('{"event":"v3.test.said","payload":{"text":"hello"}}');
  expect(await peer.closed).toBe(closeCodes.malformed);
});

it('writes a topic once per 50 ms tick', async () => {
  const clock = new VirtualClock();
  const on = await stage({ clock });
  const peer = await enter(on);
  on.publish('a');
  on.publish('b');
  on.bus.publish({ operatorId: 1, channel: personChannel(7), name: 'v3.test.person', payload: {} });
  await peer.receives(named('v3.test.person'));
  expect(peer.frames.some(text('a'))).toBe(false);
  clock.advance(50);
  await peer.receives(text('b'));
  expect(peer.frames.slice(-2).map(({ seq }) => seq)).toEqual([1, 2]);
});

it('gives one person of a room what the room got before, and nothing twice', async () => {
  const clock = new VirtualClock();
  const port = { admit: async (_scope: unknown, _caller: unknown, room: string) => ({ topic: room }) };
  const on = await stage({ clock, port });
  const [peer, other] = [await enter(on), await enter(on, '/ws/room/open', GUEST)];
  const direct = (n: number): void =>
    on.bus.publish({
      operatorId: 1,
      channel: topicPersonChannel('open', 7),
      name: 'v3.test.direct',
      payload: { n },
    });
  on.publish('a');
  on.publish('b');
  direct(1);
  direct(2);
  on.publish('c');
  direct(3);
  on.publish('d');
  clock.advance(TOPIC_TICK_MS);
  await Promise.all([peer, other].map((item) => item.receives(text('d'))));
  const order = (of: Peer) =>
    of.frames
      .filter(({ name }) => name === spoken.name || name === 'v3.test.direct')
      .map(({ payload }) => Object.values(payload as object)[0] as unknown);
  expect(order(peer)).toEqual(['welcome', 'a', 'b', 1, 2, 'c', 3, 'd']);
  expect(order(other)).toEqual(['welcome', 'a', 'b', 'c', 'd']);
  on.publish('e');
  clock.advance(TOPIC_TICK_MS);
  await Promise.all([peer, other].map((item) => item.receives(text('e'))));
  expect(order(peer).slice(-2)).toEqual(['d', 'e']);
});

it.each([[40, 80, TOPIC_TICK_MS], [1_000, MAX_TOPIC_TICK_MS, MAX_TOPIC_TICK_MS]])(
  'writes a room less often the larger it is: %s ms a socket, %s ms for two, %s ms for one',
  async (tickMsPerSocket, tickMs, tickAloneMs) => {
    const clock = new VirtualClock();
    const port = { admit: async (_scope: unknown, _caller: unknown, room: string) => ({ topic: room }) };
    const on = await stage({ clock, limits: { tickMsPerSocket }, port });
    const large = [await enter(on, '/ws/room/large'), await enter(on, '/ws/room/large')];
    const say = (said: string): void =>
      on.bus.publish({
        operatorId: 1,
        channel: topicChannel('large'),
        name: spoken.name,
        payload: { text: said },
      });
    say('first');
    clock.advance(tickMs - 1);
    say('last');
    on.bus.publish({ operatorId: 1, channel: personChannel(7), name: 'v3.test.person', payload: {} });
    for (const peer of large) {
      await peer.receives(named('v3.test.person'));
      expect(peer.frames.some(text('first'))).toBe(false);
    }
    clock.advance(1);
    for (const peer of large) await peer.receives(text('last'));
    large[1]?.ws.close();
    await expect.poll(() => on.gateway.size()).toBe(1);
    say('alone');
    clock.advance(tickAloneMs);
    await large[0]?.receives(text('alone'));
  },
);

it('sends to every tab of a person, lobby and room, and to nobody else', async () => {
  const on = await stage();
  const tabs = [await enter(on, '/ws/lobby'), await enter(on), await enter(on)];
  const stranger = await enter(on, '/ws/room/open', GUEST);
  on.bus.publish({ operatorId: 1, channel: personChannel(7), name: 'v3.test.person', payload: { n: 1 } });
  on.bus.publish({ operatorId: 2, channel: personChannel(7), name: 'v3.test.other', payload: {} });
  on.publish('end');
  await Promise.all([...tabs.slice(1), stranger].map((peer) => peer.receives(text('end'))));
  await tabs[0]?.receives(named('v3.test.person'));
  for (const tab of tabs) expect(tab.frames.filter(named('v3.test.person'))).toHaveLength(1);
  expect([...tabs, stranger].some((peer) => peer.frames.some(named('v3.test.other')))).toBe(false);
  expect(stranger.frames.some(named('v3.test.person'))).toBe(false);
});

it('keeps the same topic of two operators apart', async () => {
  const on = await stage();
  const peer = await enter(on);
  const theirs = { name: spoken.name, payload: { text: 'theirs' } };
  on.bus.publish({ operatorId: 2, channel: topicChannel('open'), ...theirs });
  on.publish('ours');
  await peer.receives(text('ours'));
  expect(peer.frames.some(text('theirs'))).toBe(false);
});

it('sends the session v3.logout and closes its sockets when it ends [A-385]', async () => {
  const on = await stage();
  const [lobby, room] = [await enter(on, '/ws/lobby'), await enter(on)];
  const guest = await enter(on, '/ws/room/open', GUEST);
  on.bus.publish({ operatorId: 1, channel: sessionChannel('s7'), name: loggedOut.name, payload: {} });
  const { loggedOut: code } = closeCodes;
  expect(await Promise.all([lobby.closed, room.closed])).toEqual([code, code]);
  for (const peer of [lobby, room]) expect(peer.frames.at(-1)?.name).toBe(loggedOut.name);
  on.publish('still here');
  await guest.receives(text('still here'));
  expect(room.frames.some(text('still here'))).toBe(false);
});

it('puts one person out of one topic, from any process', async () => {
  const on = await stage();
  const [lobby, room] = [await enter(on, '/ws/lobby'), await enter(on)];
  on.bus.publish({ operatorId: 1, channel: topicPersonChannel('open', 7), name: kicked.name, payload: {} });
  expect(await room.closed).toBe(closeCodes.refused);
  expect(room.frames.at(-1)?.name).toBe(kicked.name);
  lobby.say('v3.ping', {});
  await lobby.receives(named('v3.pong'));
  expect(on.presence).toEqual(['+anna', '-anna']);
});
