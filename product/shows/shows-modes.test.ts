import { endBroadcast } from '#product/broadcast/contract.ts';
import { setStandby } from '#product/broadcast/contract/settings.ts';
import { getRoom } from '#product/rooms/contract.ts';
import {
  mediaPasses,
  privatePerformer,
  startsPrivate,
  watches,
} from '#product/testkit/shows/private-show.ts';
import { spiedShow, spies } from '#product/testkit/shows/spying.ts';
import {
  offersTickets,
  sellsTickets,
  startsTicketShow,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { endPrivate, privatePing } from './contract/private-running.ts';
import { acceptPrivate, declinePrivate, requestPrivate, withdrawPrivate } from './contract/private-show.ts';
import { endSpying } from './contract/spying.ts';
import { endTicketShow } from './contract/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

const modeOf = async (viewer: Member, { username }: Member): Promise<string> => {
  const { chat, mode } = await viewer.call(getRoom, { username });
  expect(chat.mode).toBe(mode);
  return mode;
};

describe('the mode of a chat', () => {
  it('is public, private, spy or limited, by how its viewer takes part [B-191, C-111]', async () => {
    const { performer, viewer } = await spiedShow(site);
    const { spy } = await spies(site, performer);
    const other = await site.viewer();
    expect([await modeOf(viewer, performer), await modeOf(spy, performer), await modeOf(other, performer)])
      .toEqual(['private', 'spy', 'public']);
    await spy.call(endSpying, { username: performer.username });
    expect(await modeOf(spy, performer)).toBe('public');
    await viewer.call(endPrivate, { username: performer.username });
    expect(await modeOf(viewer, performer)).toBe('public');
    const host = await ticketPerformer(site);
    await offersTickets(host);
    const holder = await site.viewer({ tokens: 500 });
    await sellsTickets(host, holder);
    expect(await modeOf(holder, host)).toBe('public');
    await startsTicketShow(host);
    expect([await modeOf(holder, host), await modeOf(other, host)]).toEqual(['limited', 'public']);
    await host.call(endTicketShow, {});
    await site.settle();
    expect(await modeOf(holder, host)).toBe('public');
    // The published description of the interface: authors of other programs rely on it.
    const { body } = await other.request({ url: '/api/v1/openapi.json' });
    const modes = [...body.matchAll(/"mode":\{"type":"string","enum":(\[[^\]]*\])/gu)]
      .map(([, list]) => list);
    expect(modes).toContain('["public","private","spy","limited"]');
  });
});

describe('the status of a chat', () => {
  it(
    'is offline, standby, online, private, connected or limited, by what its performer does [B-189]',
    async () => {
      const { configure, viewOf } = site.services.site;
      const { domain_name: domain } = await viewOf(site.scope);
      await site.tx((tx) => configure(tx, { standby: { domains: [domain], studios: [] } }, null));
      const performer = await privatePerformer(site);
      const [viewer, other] = [await site.viewer({ tokens: 500 }), await site.viewer()];
      const status = async (): Promise<string> => {
        const seen = new Set<string>();
        for (const who of [performer, viewer, other]) {
          seen.add((await who.call(getRoom, { username: performer.username })).chat.status);
        }
        return [...seen].join(' and ');
      };
      expect(await status()).toBe('online');
      await startsPrivate(viewer, performer);
      expect(await status()).toBe('private');
      const finish = site.engine.holdsMoves();
      onTestFinished(finish);
      const ended = viewer.call(endPrivate, { username: performer.username });
      await expect.poll(status).toBe('connected');
      finish();
      await ended;
      await site.settle();
      expect(await status()).toBe('online');
      await performer.call(endBroadcast, {});
      await site.settle();
      expect(await status()).toBe('offline');
      await performer.call(setStandby, { on: true });
      await site.settle();
      expect(await status()).toBe('standby');
      await performer.goesLive();
      await offersTickets(performer);
      await sellsTickets(performer, viewer);
      await startsTicketShow(performer);
      expect(await status()).toBe('limited');
      const { body } = await other.request({ url: '/api/v1/openapi.json' });
      expect(body).toContain(
        '"status":{"type":"string","enum":["offline","online","online_ai","standby",'
          + '"private","limited","connected","reconnecting"]',
      );
    },
  );
});

describe('the events of a private show', () => {
  /** Names of the private show events that a socket got since the last call, consecutive repeats once. */
  const names = (socket: Awaited<ReturnType<Member['joins']>>): readonly string[] =>
    socket.events
      .map(({ name }) => name).filter((name) => name.startsWith('v3.private.'))
      .filter((name, at, all) => name !== all[at - 1]);

  it('come in the order of what happens, and nothing of a show comes after its end [C-171]', async () => {
    const performer = await privatePerformer(site);
    const viewer = await site.viewer({ tokens: 1_000 });
    const { username } = performer;
    const [room, hers] = [await viewer.joins(performer), await performer.joins(performer)];
    await viewer.call(requestPrivate, { username, price: 30 });
    await performer.call(declinePrivate, { username: viewer.username });
    expect((await performer.refused(acceptPrivate, { username: viewer.username })).status).toBe(404);
    await viewer.call(requestPrivate, { username, price: 30 });
    await viewer.call(withdrawPrivate, { username });
    expect((await performer.refused(acceptPrivate, { username: viewer.username })).status).toBe(404);
    await viewer.call(requestPrivate, { username, price: 30 });
    await site.settle();
    await site.passes(120_000);
    expect((await performer.refused(acceptPrivate, { username: viewer.username })).status).toBe(404);
    expect(names(room)).toEqual([
      'v3.private.request',
      'v3.private.declined',
      'v3.private.request',
      'v3.private.withdrawn',
      'v3.private.request',
      'v3.private.expired',
    ]);
    await startsPrivate(viewer, performer);
    await watches(viewer, performer);
    room.send(privatePing, { from: username });
    await hers.waitFor(privatePing);
    await mediaPasses(site, performer, 2);
    await viewer.call(endPrivate, { username });
    await site.settle();
    await mediaPasses(site, performer, 3);
    const [pings, ended] = [hers.received(privatePing).length, names(room)];
    expect(ended.slice(6)).toEqual([
      'v3.private.request',
      'v3.private.started',
      'v3.private.tick',
      'v3.private.end',
    ]);
    // A show that is over takes neither a ping nor a second end.
    room.send(privatePing, { from: username });
    expect((await viewer.refused(endPrivate, { username })).status).toBe(404);
    await site.says(room, 'a line after the ping');
    expect([hers.received(privatePing).length, names(room)]).toEqual([pings, ended]);
  });
});
