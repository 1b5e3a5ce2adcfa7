import { discovered } from '#platform/contract/sockets/lobby.ts';
import { closeCodes } from '#platform/contract/sockets/wire.ts';
import { describe, expect, it } from 'vitest';
import { joined, scripted, waitOf } from './hostile/scripted-client.ts';

describe('coming back', () => {
  it('tries a lost lobby again after 1 s [C-174]', async () => {
    const { clock, sockets, lobby } = scripted();
    const first = await lobby();
    for (let loss = 1; loss < 4; loss += 1) {
      (sockets.at(-1) ?? first).closes();
      clock.advance(999);
      expect(sockets).toHaveLength(loss);
      clock.advance(1);
      expect(sockets).toHaveLength(loss + 1);
    }
  });

  it(
    'discovers a lost room again, and after 1 s once more, or with the lobby after 1 s [C-173, C-174]',
    async () => {
      const { clock, room, socket, sockets, lobbySocket, lobby, enter } = await joined();
      const asked = (): number => lobbySocket.asked('v3.lobby.discover').length;
      socket.closes();
      expect(room.phase()).toBe('discovery');
      clock.advance(50);
      expect(asked()).toBe(2);
      clock.advance(999);
      expect(asked()).toBe(2);
      clock.advance(1);
      expect(asked()).toBe(3);
      // The whole server is closed.
      (await enter(lobbySocket)).closes();
      lobbySocket.closes();
      const before = sockets.length;
      clock.advance(999);
      expect([sockets.length, room.phase()]).toEqual([before, 'discovery']);
      clock.advance(1);
      expect(sockets).toHaveLength(before + 1);
      const back = await lobby();
      expect(back.asked('v3.lobby.discover')).toEqual([{ room: 'open' }]);
      await enter(back);
      expect(room.phase()).toBe('joined');
    },
  );

  it.each([[29_999, 100], [30_000, 1_000]])(
    'tries a restarting lobby every 100 ms, for 30 s: lost after %d ms, after %d ms [A-470, C-424]',
    async (lostAfter, wait) => {
      const { clock, sockets, last, lobby } = scripted();
      (await lobby()).sends('v3.lobby.restarting', {});
      const opensAfter = (ms: number, before = sockets.length): void => {
        clock.advance(ms - 1);
        expect(sockets).toHaveLength(before);
        clock.advance(1);
        expect(sockets).toHaveLength(before + 1);
      };
      for (let tries = 1; tries < 300; tries += 1) {
        last().closes(closeCodes.restarting);
        opensAfter(100);
      }
      clock.advance(lostAfter - 29_900);
      last().closes();
      opensAfter(wait);
    },
  );

  it.each([[29_999, 100], [30_000, 1_000]])(
    'is lost %d ms after v3.lobby.restarting, and tried again after %d ms [C-176, C-319]',
    async (lostAfter, wait) => {
      const { clock, sockets, last, lobby } = scripted();
      (await lobby()).sends('v3.lobby.restarting', {});
      // The lobby has come back without an event that it has started.
      last().closes(closeCodes.restarting);
      clock.advance(100);
      await lobby();
      clock.advance(lostAfter - 100);
      last().closes();
      clock.advance(wait - 1);
      expect(sockets).toHaveLength(2);
      clock.advance(1);
      expect(sockets).toHaveLength(3);
    },
  );

  it('forgets a restart once the lobby says that it has started [C-149]', async () => {
    const { clock, sockets, last, lobby } = scripted();
    (await lobby()).sends('v3.lobby.restarting', {});
    last().closes(closeCodes.restarting);
    clock.advance(100);
    (await lobby()).sends('v3.lobby.start', {});
    last().closes();
    clock.advance(999);
    expect(sockets).toHaveLength(2);
    clock.advance(1);
    expect(sockets).toHaveLength(3);
  });

  it.each([[0, 50], [0.999_999, 300]])(
    'backs a lost room off from 50 to 300 ms, doubling with each loss (chance %d) [B-248, B-249]',
    async (chance, first) => {
      const { clock, lobbySocket, room, enter, last, socket } = await joined({ chance });
      socket.closes();
      for (const factor of [1, 2, 4]) {
        expect(waitOf(clock, lobbySocket)).toBe(first * factor);
        lobbySocket.sends(discovered.name, { room: 'open', url: 'ws://open' });
        expect(room.phase()).toBe('connecting');
        last().closes();
      }
      waitOf(clock, lobbySocket);
      (await enter(lobbySocket)).closes();
      expect(waitOf(clock, lobbySocket)).toBe(first);
    },
  );

  it.each([
    [0, [50, 100, 200, 400, 800, 1_600, 3_000, 3_000]],
    [0.999_999, [300, 600, 1_200, 2_400, 3_000, 3_000, 3_000, 3_000]],
  ])('waits 3 s for a lost room at most (chance %d) [B-250, B-436]', async (chance, expected) => {
    const { clock, lobbySocket, last, socket } = await joined({ chance });
    socket.closes();
    const waits = expected.map(() => {
      const wait = waitOf(clock, lobbySocket);
      lobbySocket.sends(discovered.name, { room: 'open', url: 'ws://open' });
      last().closes();
      return wait;
    });
    expect(waits).toEqual(expected);
  });

  it('joins rooms again 1.5 s after a lobby outage of more than 5 minutes [A-472]', async () => {
    const { clock, room, lobbySocket, socket, sockets, last, lobby } = await joined();
    lobbySocket.closes();
    for (let at = 0; at < 301; at += 1) {
      clock.advance(1_000);
      if (at < 300) last().closes();
    }
    const back = await lobby();
    expect(room.phase()).toBe('joined');
    clock.advance(1_499);
    expect([room.phase(), back.asked('v3.lobby.discover')]).toEqual(['joined', []]);
    clock.advance(1);
    expect(room.phase()).toBe('discovery');
    expect(back.asked('v3.lobby.discover')).toEqual([{ room: 'open' }]);
    expect(socket.isClosed).toBe(true);
    expect(sockets.at(-1)).toBe(back);
  });

  it('leaves rooms alone after an outage of 5 minutes or less [A-472]', async () => {
    const { clock, room, socket, lobbySocket, last, lobby } = await joined();
    lobbySocket.closes();
    for (let at = 0; at < 300; at += 1) {
      clock.advance(1_000);
      if (at < 299) last().closes();
    }
    const back = await lobby();
    clock.advance(9_000);
    expect([room.phase(), socket.isClosed, back.asked('v3.lobby.discover')]).toEqual(['joined', false, []]);
  });

  it('says once per outage that the lobby has been away for 10 s [C-177, C-425]', async () => {
    let outages = 0;
    const { clock, last, lobby } = scripted({
      onOutage: () => {
        outages += 1;
      },
    });
    await lobby();
    last().closes();
    for (let at = 1; at <= 9; at += 1) {
      clock.advance(1_000);
      last().closes();
    }
    clock.advance(999);
    expect(outages).toBe(0);
    clock.advance(1);
    expect(outages).toBe(1);
    for (let at = 0; at < 60; at += 1) {
      last().closes();
      clock.advance(1_000);
    }
    expect(outages).toBe(1);
    await lobby();
    last().closes();
    clock.advance(5_000);
    await lobby();
    clock.advance(20);
    last().closes();
    clock.advance(9_999);
    expect(outages).toBe(1);
    clock.advance(1);
    expect(outages).toBe(2);
  });
});
