import { authorize, authorizeFailed, authorizeSuccess, discover } from '#platform/contract/sockets/lobby.ts';
import { LOBBY_PATH, ROOM_PATH } from '#platform/contract/sockets/wire.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { changePassword, getCurrentUser, loggedOut, logoutEverywhere } from '#product/accounts/contract.ts';
import { tokenUpdate } from '#product/ledger/contract.ts';
import { chatMessage } from '#product/rooms/contract.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { runsPrivate } from '#product/testkit/shows/private-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendTip, tipReceived } from './contract.ts';
import { effectChanged, listEffects, replayEffect } from './contract/effects.ts';
import { addGoal } from './contract/goals.ts';
import { saveTipMenu } from './contract/menu.ts';
import {
  getOverlay,
  makeOverlay,
  overlayAlert,
  overlayGoal,
  overlayShown,
  revokeOverlay,
} from './contract/overlay.ts';
import { getTipTools } from './contract/tools.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** A socket as OBS opens it: from a browser without a log-in. */
async function plainSocket(path: string = LOBBY_PATH, on: TestSite = site): Promise<TestSocket> {
  return on.openSocket(await on.visitor({ opened: false }), path);
}
async function overlayOf(host: Member, on: TestSite = site): Promise<{ token: string; socket: TestSocket }> {
  const { token } = await host.call(makeOverlay, {});
  const socket = await plainSocket(LOBBY_PATH, on);
  await socket.authorizes(token, 'obs');
  return { token, socket };
}
const gives = (viewer: Member, host: Member, amount: number, more: object = {}): Promise<unknown> =>
  viewer.call(sendTip, { username: host.username, amount, ...more }, { idempotencyKey: uuidV4() });

describe('an overlay', () => {
  it('shows tips and the goal to whoever has its token, with a plain socket and no session', async () => {
    const host = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 100 });
    const { token, socket } = await overlayOf(host);
    await host.call(addGoal, { title: 'Dance', target: 60 });
    const stranger = await site.visitor({ opened: false });
    expect(await stranger.call(getOverlay, { token })).toEqual({
      performer: host.person.displayName,
      goal: expect.objectContaining({ title: 'Dance', progress: 0 }),
    });
    await gives(viewer, host, 40, { comment: 'bravo' });
    await gives(viewer, host, 20, { anonymous: true });
    await site.settle();
    expect(await socket.waitFor(overlayAlert, ({ tokens }) => tokens === 40)).toEqual({
      effect_id: expect.any(Number),
      tokens: 40,
      sender_name: viewer.username,
      comment: 'bravo',
      title: '',
    });
    const nameless = await socket.waitFor(overlayAlert, ({ tokens }) => tokens === 20);
    expect(nameless.sender_name).toBeNull();
    await socket.waitFor(overlayGoal, ({ goal }) => goal?.progress === 40);
    expect(await socket.waitFor(overlayGoal, ({ reached }) => reached.length === 1))
      .toMatchObject({ goal: null, reached: [{ title: 'Dance', target: 60 }] });
  });

  it('gets neither name nor words of a tip and an order within a private show', async () => {
    const { performer, viewer } = await runsPrivate(site);
    const { socket } = await overlayOf(performer);
    const { items: [dance] } = await performer.call(saveTipMenu, { items: [{ title: 'Dance', price: 50 }] });
    const comment = 'between us';
    await gives(viewer, performer, 40, { comment });
    await gives(viewer, performer, 50, { comment, type: 'menu', app_data: { item: dance?.id } });
    await site.settle();
    for (const [tokens, title] of [[40, ''], [50, 'Dance']] as const) {
      expect(await socket.waitFor(overlayAlert, (alert) => alert.tokens === tokens)).toEqual({
        effect_id: expect.any(Number),
        tokens,
        sender_name: null,
        comment: '',
        title,
      });
    }
    const { effects } = await performer.call(listEffects, {});
    expect(effects).toHaveLength(3);
    const words = new RegExp(`${viewer.username}|${comment}`, 'u');
    expect(JSON.stringify([socket.events, effects])).not.toMatch(words);
  });

  it.each<[string, (host: Member) => Promise<unknown>]>([
    ['a new password', (host) =>
      host.call(changePassword, {
        current: 'correct horse battery',
        next: 'eleven blue tortoises',
      })],
    ['a log-out everywhere', (host) => host.call(logoutEverywhere, {})],
  ])('that is open receives nothing after %s of its performer', async (_name, recovers) => {
    const host = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 100 });
    const { token, socket } = await overlayOf(host);
    await gives(viewer, host, 40, { comment: 'before' });
    await site.settle();
    await socket.waitFor(overlayAlert, ({ tokens }) => tokens === 40);
    await recovers(host);
    await site.settle();
    await socket.waitFor(loggedOut);
    await gives(viewer, host, 20, { comment: 'after' });
    await site.settle();
    expect(socket.received(overlayAlert).map(({ comment }) => comment)).toEqual(['before']);
    const stranger = await site.visitor({ opened: false });
    expect(await stranger.refused(getOverlay, { token })).toMatchObject({ status: 404 });
  });

  it('says that an alert arrived: until then it waits, and without an overlay on air it fails', async () => {
    const slow = await createSite();
    try {
      const host = await slow.performer({ live: true });
      const viewer = await slow.viewer({ tokens: 100 });
      const performerSocket = await slow.socketOf(host);
      const { token } = await host.call(makeOverlay, {});
      await gives(viewer, host, 40);
      await slow.settle();
      const { effect } = await performerSocket.waitFor(effectChanged);
      expect(effect).toMatchObject({ kind: 'alert', state: 'waiting', tokens: 40, done: null });
      await slow.passes(20_000);
      await performerSocket.waitFor(effectChanged, ({ effect: { state } }) => state === 'failed');
      // OBS is open now, and the performer sends the alert again.
      const socket = await plainSocket(LOBBY_PATH, slow);
      await socket.authorizes(token, 'obs');
      expect(await host.call(replayEffect, { id: effect.id })).toMatchObject({ state: 'waiting', tries: 2 });
      await slow.settle();
      const { effect_id } = await socket.waitFor(overlayAlert);
      socket.send(overlayShown, { effect_id });
      await expect.poll(async () => {
        await slow.settle();
        return (await host.call(listEffects, {})).effects[0]?.state;
      }).toBe('delivered');
      await slow.passes(20_000);
      expect((await host.call(listEffects, {})).effects).toMatchObject([{ state: 'delivered', tries: 2 }]);
    } finally {
      await slow.close();
    }
  });

  it('is replaced or revoked: the old token reads nothing and its sockets close', async () => {
    const host = await site.performer({ live: true });
    const { token, socket } = await overlayOf(host);
    const next = await overlayOf(host);
    await site.settle();
    await expect.poll(() => socket.closeCode).toBe(4004);
    const nobody = await site.visitor({ opened: false });
    expect(await nobody.refused(getOverlay, { token }))
      .toMatchObject({ status: 404, errorType: 'overlay_unknown' });
    const late = await plainSocket();
    late.send(authorize, { token, version: 'obs' });
    expect(await late.waitFor(authorizeFailed)).toEqual({ code: 'token_invalid' });
    expect((await host.call(getTipTools, {})).overlay_made_at).not.toBeNull();
    await host.call(revokeOverlay, {});
    await site.settle();
    await expect.poll(() => next.socket.closeCode).toBe(4004);
    expect((await host.call(getTipTools, {})).overlay_made_at).toBeNull();
    // Without an overlay no alert is queued.
    const viewer = await site.viewer({ tokens: 10 });
    await gives(viewer, host, 10);
    await site.settle();
    expect((await host.call(listEffects, {})).effects).toEqual([]);
  });
});

describe('the token of an overlay', () => {
  it('joins no room, and receives no event and no name of anybody', async () => {
    const host = await site.performer({ live: true });
    const viewer = await site.viewer({ tokens: 100 });
    const { token, socket } = await overlayOf(host);
    const room = await plainSocket(ROOM_PATH + host.username);
    room.send(authorize, { token, version: 'obs' });
    expect(await room.waitFor(authorizeFailed)).toEqual({ code: 'room_forbidden' });
    socket.send(discover, { room: host.username });
    socket.sendRaw(JSON.stringify(['v3.chat.message', { message: 'hello' }]));
    await gives(viewer, host, 40);
    await site.settle();
    await socket.waitFor(overlayAlert);
    for (const event of [tipReceived, effectChanged, tokenUpdate, chatMessage]) {
      expect(socket.received(event)).toEqual([]);
    }
    const { user } = await socket.waitFor(authorizeSuccess);
    expect(user).toMatchObject({ id: null, user_roles: [] });
    const names = new Set(socket.events.map(({ name }) => name));
    for (const known of [
      'v3.authorize.success',
      'v3.client.version',
      'v3.lobby.start',
      'v3.lobby.discovered',
      'v3.overlay.alert',
      'v3.overlay.goal',
      'v3.ping',
    ]) names.delete(known);
    expect([...names]).toEqual([]);
  });

  it('opens no call, as cookie, bearer or node token', async () => {
    const host = await site.performer({ live: true });
    const { token } = await host.call(makeOverlay, {});
    const visitor = await site.visitor();
    for (const headers of [{ authorization: `Bearer ${token}` }, { cookie: `session=${token}` }]) {
      const answered = await visitor.request({ url: '/api/v1/tips/tools', headers });
      expect(answered.statusCode).toBe(401);
    }
    expect((await visitor.call(getCurrentUser, {})).user.id).toBeNull();
  });

  it('of another performer shows nothing of this one, and guessed tokens open nothing', async () => {
    const [host, other] = [await site.performer({ live: true }), await site.performer({ live: true })];
    const viewer = await site.viewer({ tokens: 100 });
    const [mine, theirs] = [await overlayOf(host), await overlayOf(other)];
    await gives(viewer, host, 40);
    await site.settle();
    const { effect_id } = await mine.socket.waitFor(overlayAlert);
    // Nobody else can acknowledge the alert: neither another overlay nor a viewer.
    theirs.socket.send(overlayShown, { effect_id });
    const lobby = await site.socketOf(viewer);
    lobby.send(overlayShown, { effect_id });
    await gives(viewer, other, 10);
    await site.settle();
    await theirs.socket.waitFor(overlayAlert, ({ tokens }) => tokens === 10);
    expect(theirs.socket.received(overlayAlert)).toHaveLength(1);
    expect((await host.call(listEffects, {})).effects).toMatchObject([{ state: 'waiting' }]);
    const visitor = await site.visitor();
    const near = [mine.token.slice(1), `${mine.token}x`];
    for (const guess of ['', 'x', '%00', '../tips/tools', ...near, '0'.repeat(64)]) {
      const { statusCode } = await visitor.request({ url: `/api/v1/overlay/${encodeURIComponent(guess)}` });
      expect([404, 400, 422]).toContain(statusCode);
    }
  });

  it('is made by performers alone, and its token is returned once', async () => {
    const [viewer, host] = [await site.viewer(), await site.performer()];
    expect((await viewer.refused(makeOverlay, {})).status).toBe(403);
    expect((await viewer.refused(revokeOverlay, {})).status).toBe(403);
    const { token } = await host.call(makeOverlay, {});
    expect(JSON.stringify(await host.call(getTipTools, {}))).not.toContain(token);
    expect(token.length).toBeGreaterThanOrEqual(22);
  });
});
