import { discovered } from '#platform/contract/sockets/lobby.ts';
import { closeCodes } from '#platform/contract/sockets/wire.ts';
import { describe, expect, it } from 'vitest';
import { joined, waitOf, type Played } from './hostile/scripted-client.ts';
import { spoken } from './testing.ts';

describe('the log of a room', () => {
  const sendEntries = (played: Played, ...seqs: number[]): void => {
    for (const seq of seqs) played.sends(spoken.name, { text: `at ${seq}` }, seq);
  };
  async function inRoom() {
    const on = await joined();
    const places: (number | null)[] = [];
    on.room.on(spoken, (_payload, seq) => places.push(seq));
    return { ...on, places };
  }

  it('is received in order, each entry once, and asked for from the last sequence number', async () => {
    const { places, socket, clock, lobbySocket, last } = await inRoom();
    sendEntries(socket, 7, 8, 8, 7, 9);
    socket.sends(spoken.name, { text: 'passes' });
    socket.closes();
    waitOf(clock, lobbySocket);
    lobbySocket.sends(discovered.name, { room: 'open', url: 'ws://open' });
    expect(await last().authorizes()).toMatchObject({ seq: 9 });
    sendEntries(last(), 8, 9, 10, 11);
    expect(places).toEqual([7, 8, 9, null, 10, 11]);
  });

  it('goes on from a snapshot, also from one that is behind', async () => {
    const { places, socket, room } = await inRoom();
    sendEntries(socket, 40);
    socket.sends(spoken.name, { text: 'all of it', seq: 12 });
    sendEntries(socket, 12, 13);
    socket.sends(spoken.name, { text: 'nothing yet', seq: 0 });
    sendEntries(socket, 1, 2);
    expect([places, room.phase()]).toEqual([[40, null, 13, null, 1, 2], 'joined']);
  });

  it('comes back at once from the last place without a gap, then without a place', async () => {
    const { places, socket, room, lobbySocket, last, clock } = await inRoom();
    sendEntries(socket, 1, 2, 5);
    expect([places, room.phase(), socket.isClosed]).toEqual([[1, 2], 'discovery', true]);
    lobbySocket.sends(discovered.name, { room: 'open', url: 'ws://open' });
    expect(await last().authorizes()).toMatchObject({ seq: 2 });
    sendEntries(last(), 5);
    // The server has no 3 and 4, so asking for them again and again would be a loop.
    waitOf(clock, lobbySocket);
    lobbySocket.sends(discovered.name, { room: 'open', url: 'ws://open' });
    expect(await last().authorizes()).not.toHaveProperty('seq');
    sendEntries(last(), 5, 6);
    expect([places, room.phase()]).toEqual([[1, 2, 5, 6], 'joined']);
  });

  it('comes back at once when the server reseats it, once a second', async () => {
    const { socket, lobbySocket, last, room, clock } = await inRoom();
    const asked = (): number => lobbySocket.asked('v3.lobby.discover').length;
    sendEntries(socket, 3);
    socket.closes(closeCodes.reseat);
    expect(asked()).toBe(2);
    lobbySocket.sends(discovered.name, { room: 'open', url: 'ws://open' });
    expect(await last().authorizes()).toMatchObject({ seq: 3 });
    last().closes(closeCodes.reseat);
    expect([asked(), room.phase()]).toEqual([2, 'discovery']);
    expect(waitOf(clock, lobbySocket)).toBe(50);
  });

  it('leaves a room that refuses for good, until it is joined again', async () => {
    const { socket, room, clock, lobbySocket } = await inRoom();
    socket.sends('v3.authorize.failed', { code: 'room_forbidden' });
    socket.closes(closeCodes.refused);
    expect([room.phase(), room.refusedCode()]).toEqual(['refused', 'room_forbidden']);
    clock.advance(9_000);
    expect(lobbySocket.asked('v3.lobby.discover')).toHaveLength(1);
    room.rejoin();
    expect([room.phase(), lobbySocket.asked('v3.lobby.discover').length]).toEqual(['discovery', 2]);
  });
});
