import { DAY_MS } from '#platform/time/units.ts';
import { getAuthState, login, register } from '#product/accounts/contract.ts';
import { getDeletion, keepAccount, requestDeletion } from '#product/accounts/contract/life/deletion.ts';
import { getPerson } from '#product/accounts/contract/life/people.ts';
import { browseLive } from '#product/browse/contract.ts';
import { getBio } from '#product/browse/contract/search.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { getRoom } from '#product/rooms/contract.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PASSWORD = 'correct horse battery';
let site: TestSite;
let admin: Member;
beforeAll(async () => {
  site = await createSite();
  admin = await site.admin();
});
afterAll(() => site.close());
/** A session ends after thirty days without use. */
const staff = () => site.memberOf(admin.username);
const asks = (who: Member) => who.call(requestDeletion, { username: who.username, password: PASSWORD });
async function comesBack(username: string) {
  const visitor = await site.visitor();
  const problem = await visitor.refused(login, { login: username, password: PASSWORD });
  return { visitor, problem, ticket: String(problem['ticket']) };
}
const mailsOf = async (address: string): Promise<string[]> =>
  (await (await staff()).call(listOutbox, {})).mails
    .filter(({ to }) => to === address).map(({ kind }) => kind.replace('accounts:mails.', ''));

describe('whoever deletes their account', () => {
  it('is hidden and logged out at once; a log-in brings a ticket that keeps the account', async () => {
    const performer = await site.performer({ username: 'leaving-star', live: true });
    const phone = await site.visitor();
    await phone.call(login, { login: performer.username, password: PASSWORD });
    const fan = await site.viewer({ tokens: 100 });
    const socket = await performer.joins(performer);
    await fan.tips(performer, 25);
    const { username } = performer;
    expect((await fan.call(getRoom, { username })).user.username).toBe(username);
    const { deletion_at: at } = await asks(performer);
    expect(Date.parse(at) - site.clock.now().getTime()).toBe(30 * DAY_MS);
    await site.settle();
    for (const browser of [performer, phone]) {
      expect(await browser.call(getAuthState, {})).toMatchObject({ authenticated: false });
    }
    await socket.closing();
    const { state } = await site.tx((tx) => site.services.broadcast.viewOf(tx, performer.id));
    expect(state).toBe('offline');
    const listed = async () => JSON.stringify(await fan.call(browseLive, { path: '' }));
    expect(await listed()).not.toContain(username);
    // Every viewer sees what an unknown name gets.
    for (const who of [fan, await site.visitor({ ofAge: true }), admin]) {
      expect((await who.refused(getRoom, { username })).status).toBe(404);
      expect((await who.refused(getBio, { username })).status).toBe(404);
    }
    expect(
      (await fan.refused(register, {
        username,
        email: 'other@example.com',
        password: PASSWORD,
        birth_date: '1990-01-01',
        type: 'user',
        accept_terms: true,
      })).errorType,
    ).toBe('username_taken');
    expect(await admin.call(getPerson, { username })).toMatchObject({ deletion_at: at, erased_at: null });
    expect(await mailsOf(performer.person.email)).toContain('deletionAsked');

    const { visitor, problem, ticket } = await comesBack(username);
    expect(problem).toMatchObject({ status: 403, errorType: 'in_deletion', deletion_at: at });
    // They can do nothing else: they have no session.
    expect(await visitor.call(getAuthState, {})).toMatchObject({ authenticated: false });
    expect((await visitor.refused(getDeletion, {})).status).toBe(401);
    expect((await visitor.call(keepAccount, { ticket })).user.username).toBe(username);
    expect(await visitor.call(getAuthState, {})).toMatchObject({ authenticated: true, username });
    await site.settle();
    expect((await fan.call(getRoom, { username })).user.username).toBe(username);
    expect(await mailsOf(performer.person.email)).toContain('deletionKept');
    await visitor.opens();
    // A ticket works once, and the deadlines of the first request are gone.
    expect((await visitor.refused(keepAccount, { ticket })).errorType).toBe('keep_over');
    await site.passes(31 * DAY_MS);
    expect(await (await staff()).call(getPerson, { username }))
      .toMatchObject({ deletion_at: null, erased_at: null });
  });

  it('leaves a room and a page that are gone, unlike those of names that nobody had', async () => {
    const performer = await site.performer({ username: 'gone-star' });
    const viewer = await site.viewer({ username: 'gone-fan' });
    await asks(performer);
    await asks(viewer);
    await site.passes(31 * DAY_MS);
    const visitor = await site.visitor({ ofAge: true });
    const statusOf = async (username: string) => [
      (await visitor.refused(getRoom, { username })).status,
      (await visitor.refused(getBio, { username })).status,
    ];
    expect(await statusOf('gone-star')).toEqual([410, 410]);
    expect(await statusOf('GONE-star')).toEqual([410, 410]);
    // Viewers never had a room, and unknown names reveal nothing.
    expect(await statusOf('gone-fan')).toEqual([404, 404]);
    expect(await statusOf('never-there')).toEqual([404, 404]);
    expect(await statusOf(`deleted-${performer.id}`)).toEqual([404, 404]);
  });
});
