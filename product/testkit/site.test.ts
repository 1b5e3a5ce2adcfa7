import { discover, discovered, lobbyStart, lobbyStop, ping, pong } from '#platform/contract/sockets/lobby.ts';
import { VirtualClock } from '#platform/data/clock.ts';
import { openTestData } from '#platform/data/testing.ts';
import { getAuthState, getCurrentUser } from '#product/accounts/contract.ts';
import { getOwnBroadcast } from '#product/broadcast/contract.ts';
import { getEntry } from '#product/compliance/contract.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { order } from '#product/order.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSite, type TestSite } from './site.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('a site in one process', () => {
  it('lets a visitor in as a guest', async () => {
    const visitor = await site.visitor();
    expect(await visitor.call(getAuthState, {})).toMatchObject({ authenticated: false });
    expect((await visitor.call(getEntry, {})).gate).toBe('declare');
  });

  it('has viewers, performers and admins who are logged in', async () => {
    const viewer = await site.viewer();
    expect((await viewer.call(getCurrentUser, {})).user.username).toBe(viewer.username);
    const admin = await site.admin();
    await admin.call(listOutbox, {});
    expect(await viewer.refused(listOutbox, {})).toMatchObject({ status: 403, errorType: 'forbidden' });
  });

  it('has performers who are live', async () => {
    const performer = await site.performer({ live: true });
    expect(await performer.call(getOwnBroadcast, {})).toMatchObject({ state: 'online', cleared: true });
  });

  it('has read who performs when it is ready, also where it only answers calls', async () => {
    const opened = await openTestData({ clock: new VirtualClock(), slices: order.map(([slice]) => slice) });
    const first = await createSite({ clock: opened.clock as VirtualClock, data: opened, starts: false });
    const performer = await first.performer();
    let isCut = false;
    const answering = await createSite({
      clock: opened.clock as VirtualClock,
      roles: ['web'],
      data: {
        ...opened,
        attach: async () => {},
        tx: (scope, work) => {
          if (isCut) throw new Error('the database is away');
          return opened.tx(scope, work);
        },
      },
    });
    isCut = true;
    const directory = await answering.services.browse.directoryOf(first.scope.operatorId);
    expect(directory.get(performer.id)?.username).toBe(performer.username);
    await answering.close();
  });

  it('says to lobbies that it has not started, and then that it has [C-147, C-148]', async () => {
    const starting = await createSite({ starts: false });
    const socket = await starting.socketOf(await starting.visitor());
    expect(await socket.waitFor(lobbyStop)).toEqual({});
    const { username: room } = await starting.performer();
    socket.send(discover, { room });
    socket.send(ping, {});
    await socket.waitFor(pong);
    expect([socket.received(discovered), socket.received(lobbyStart)]).toEqual([[], []]);
    await starting.start();
    expect(await socket.waitFor(lobbyStart)).toEqual({});
    expect(socket.received(lobbyStop)).toHaveLength(1);
    const ofLobby = socket.events.filter(({ name }) => name.startsWith('v3.lobby.'));
    expect(ofLobby).toMatchObject([
      { name: 'v3.lobby.stop', payload: {} },
      { name: 'v3.lobby.start', payload: {} },
    ]);
    socket.send(discover, { room });
    expect(await socket.waitFor(discovered)).toMatchObject({ room });
    const late = await starting.socketOf(await starting.visitor());
    expect(await late.waitFor(lobbyStart)).toEqual({});
    expect(late.received(lobbyStop)).toEqual([]);
    await starting.close();
  });

  it('opens real sockets', async () => {
    const socket = await site.socketOf(await site.viewer());
    await socket.leaves();
    expect(site.log).toEqual([]);
  });
});
