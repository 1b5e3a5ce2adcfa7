import { saveBlockedRegions } from '#product/compliance/contract.ts';
import { sendReport } from '#product/moderation/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { sayInShow, showChatState, showMessage } from '#product/rooms/contract/show-chat.ts';
import type { TestSocket } from '#product/testkit/rooms/room-socket.ts';
import { endsPrivate, mediaPasses } from '#product/testkit/shows/private-show.ts';
import { spiedShow, spies, stopsSpying } from '#product/testkit/shows/spying.ts';
import {
  offersTickets,
  sellsTickets,
  startsTicketShow,
  ticketPerformer,
} from '#product/testkit/shows/ticket-show.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getSaid } from './contract/said.ts';
import { endTicketShow } from './contract/ticket-show.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
});
afterAll(() => site.close());

const DAY = 86_400_000;
async function keyOf(socket: TestSocket): Promise<string> {
  const { chat } = await socket.waitFor(showChatState, (state) => state.chat !== null);
  return chat?.key ?? '';
}
const idIn = (key: string): number => Number(key.split(':')[1]);
/** Sends a message in a show. Returns its id. */
async function says(socket: TestSocket, chat: string, message: string): Promise<number> {
  socket.send(sayInShow, { chat, message });
  return (await socket.waitFor(showMessage, (said) => said.message.message === message)).message.id;
}
const reportOf = (performer: Member, within: string, id: number) => ({
  kind: 'message',
  username: performer.username,
  id,
  within,
  reason: 'harassment',
  details: '',
} as const);
/** The messages of a show that somebody can read by its key. */
async function readBy(who: Member, key: string): Promise<readonly string[]> {
  const kind = key.startsWith('ticket') ? 'ticket' : 'private';
  return (await who.call(getSaid, { kind, show: idIn(key) })).messages.map(({ message }) => message);
}
/** A running private show in which both people sent a message. */
async function two(exclusive = false) {
  const { performer, viewer } = await spiedShow(site, { exclusive });
  const [own, theirs] = [await performer.joins(performer), await viewer.joins(performer)];
  const key = await keyOf(theirs);
  const id = await says(own, key, 'what the performer said');
  return { performer, viewer, own, theirs, key, id };
}

describe('what was said in a private show that is over', () => {
  it('is read and reported for a day by the two who were in it', async () => {
    const { performer, viewer, theirs, key, id } = await two();
    const other = await says(theirs, key, 'what the viewer said');
    await endsPrivate(viewer, performer);
    await site.settle();
    for (const who of [viewer, performer]) {
      expect(await readBy(who, key)).toEqual(['what the performer said', 'what the viewer said']);
    }
    await site.passes(DAY - 60_000);
    await viewer.call(sendReport, reportOf(performer, key, id));
    await performer.call(sendReport, reportOf(performer, key, other));
    await site.passes(60_000);
    expect(await readBy(viewer, key)).toEqual([]);
    expect((await viewer.refused(sendReport, reportOf(performer, key, id))).errorType)
      .toBe('reported_unknown');
  });

  it('is for nobody else, whatever their role, and by the name of no other performer', async () => {
    const { performer, viewer, key, id } = await two();
    const elsewhere = await two();
    await endsPrivate(viewer, performer);
    await endsPrivate(elsewhere.viewer, elsewhere.performer);
    await site.settle();
    const moderator = await site.viewer();
    await performer.moderates('moderator', moderator);
    const others = [
      await site.viewer(),
      moderator,
      await site.admin(),
      await site.viewer({ roles: ['super_admin'] }),
      elsewhere.viewer,
      elsewhere.performer,
    ];
    for (const who of others) {
      expect((await who.refused(getSaid, { kind: 'private', show: idIn(key) })).errorType)
        .toBe('said_unknown');
      expect((await who.refused(sendReport, reportOf(performer, key, id))).errorType)
        .toBe('reported_unknown');
      expect((await who.refused(sendReport, reportOf(elsewhere.performer, key, id))).errorType)
        .toBe('reported_unknown');
    }
    const guest = await site.visitor({ ofAge: true });
    expect((await guest.refused(sendReport, reportOf(performer, key, id))).errorType)
      .toBe('reported_unknown');
    const number = idIn(key);
    for (const within of ['private:0', 'private:', 'ticket:x', `private:${number}x`, `ticket:${number}`]) {
      expect((await viewer.refused(sendReport, reportOf(performer, within, id))).errorType)
        .toBe('reported_unknown');
    }
  });

  it('is reported though the performer has banned who reports it, or hides from their region', async () => {
    const { performer, viewer, key, id } = await two();
    await performer.moderates('ban', viewer);
    await site.settle();
    expect((await viewer.refused(getRoom, { username: performer.username })).errorType).toBe('room_banned');
    expect(await readBy(viewer, key)).toEqual(['what the performer said']);
    await viewer.call(sendReport, reportOf(performer, key, id));
    const hidden = await two();
    await endsPrivate(hidden.viewer, hidden.performer);
    await hidden.performer.call(saveBlockedRegions, { regions: ['BR'] });
    await site.settle();
    const from = { 'x-candela-test-region': 'BR' };
    const posts = async (path: string, payload: object): Promise<number> => {
      const url = `/api/v1${path}`;
      return (await hidden.viewer.request({ method: 'POST', url, payload, headers: from })).statusCode;
    };
    expect(await posts('/entry', { of_age: true })).toBe(200);
    expect(await posts('/reports', reportOf(hidden.performer, hidden.key, hidden.id))).toBe(200);
  });

  it('is for a spy what was said while they read, and nothing before or after it', async () => {
    const { performer, viewer, own, key, id } = await two();
    const { spy } = await spies(site, performer);
    await mediaPasses(site, performer, 13);
    const during = await says(own, key, 'while they spy');
    await mediaPasses(site, performer, 2);
    await stopsSpying(spy, performer);
    await mediaPasses(site, performer, 2);
    const after = await says(own, key, 'after they left');
    const check = async (): Promise<void> => {
      expect(await readBy(spy, key)).toEqual(['while they spy']);
      for (const unread of [id, after]) {
        expect((await spy.refused(sendReport, reportOf(performer, key, unread))).errorType)
          .toBe('reported_unknown');
      }
    };
    await check();
    await endsPrivate(viewer, performer);
    await site.settle();
    await check();
    await spy.call(sendReport, reportOf(performer, key, during));
  });

  it('is nothing for a spy who saw the free preview alone', async () => {
    const { performer, viewer, own, key } = await two();
    const { spy } = await spies(site, performer);
    await mediaPasses(site, performer, 3);
    await says(own, key, 'in the free preview');
    await stopsSpying(spy, performer);
    await endsPrivate(viewer, performer);
    await site.settle();
    expect((await spy.refused(getSaid, { kind: 'private', show: idIn(key) })).errorType).toBe('said_unknown');
  });
});

describe('what was said in a ticket show that is over', () => {
  it('is for those who held a ticket, until it came back', async () => {
    const performer = await ticketPerformer(site);
    const [holder, banned] = [await site.viewer({ tokens: 200 }), await site.viewer({ tokens: 200 })];
    await offersTickets(performer, { minutes: 5 });
    await sellsTickets(performer, holder, banned);
    await startsTicketShow(performer);
    const own = await performer.joins(performer);
    const key = await keyOf(own);
    const first = await says(own, key, 'to both');
    await site.passes(1_000);
    await performer.moderates('ban', banned);
    await site.settle();
    await site.passes(1_000);
    const second = await says(own, key, 'to one');
    await performer.call(endTicketShow, {});
    await site.settle();
    expect(await readBy(holder, key)).toEqual(['to both', 'to one']);
    expect(await readBy(banned, key)).toEqual(['to both']);
    for (const id of [first, second]) await holder.call(sendReport, reportOf(performer, key, id));
    await banned.call(sendReport, reportOf(performer, key, first));
    expect((await banned.refused(sendReport, reportOf(performer, key, second))).errorType)
      .toBe('reported_unknown');
    const outsider = await site.viewer({ tokens: 200 });
    expect((await outsider.refused(getSaid, { kind: 'ticket', show: idIn(key) })).errorType)
      .toBe('said_unknown');
    expect((await outsider.refused(sendReport, reportOf(performer, key, first))).errorType)
      .toBe('reported_unknown');
  });
});

it('nothing went wrong on the server', () => expect(site.log).toEqual([]));
