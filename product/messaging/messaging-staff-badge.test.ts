import { uuidV4 } from '#platform/data/ids.ts';
import { getCurrentUser, updateProfile } from '#product/accounts/contract.ts';
import { changeUsername } from '#product/accounts/contract/life/username.ts';
import { setRole } from '#product/accounts/contract/staff-roles.ts';
import { joinFanclub, listMembers, saveOwnClub } from '#product/fanclubs/contract.ts';
import { listOutbox } from '#product/notices/contract.ts';
import { getModeration } from '#product/room-moderation/contract.ts';
import { chatHistory, getRoom, sayInChat, startUserList, userList } from '#product/rooms/contract.ts';
import { saveRoomSettings } from '#product/rooms/contract/controls.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { auditedActions, storesDisplayName, takesRoles } from '#product/testkit/store/stored-people.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ignorePerson, listIgnored } from './contract/ignores.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
  site.data.start();
});
afterAll(() => site.close());

describe('the badge of staff', () => {
  const NAME = 'Candela Support';
  /** Which of these people have the badge, by the flag in a call or an event. */
  const badged = (people: readonly { username: string; is_staff?: boolean; isStaff?: boolean }[]) =>
    Object.fromEntries(
      people.map(({ username, is_staff: inRoom, isStaff }) => [username, inRoom ?? isStaff ?? false]),
    );

  it('stands with the name of staff wherever it stands, and with nobody who is called the same', async () => {
    const performer = await site.performer({ live: true });
    const [staff, impostor, named] = [
      await site.viewer({ roles: ['site_mod'], tokens: 200 }),
      await site.viewer({ tokens: 200 }),
      await site.viewer(),
    ];
    await staff.call(updateProfile, { display_name: NAME });
    // The identical name, saved before names were checked.
    await site.tx((tx) => storesDisplayName(tx, impostor.id, NAME));
    const expected = { [staff.username]: true, [impostor.username]: false };
    const { username } = performer;
    await performer.call(saveRoomSettings, { username, isUserListVisible: true });
    // A room moderator has the performer's trust, not the site's.
    for (const who of [named, impostor]) await performer.moderates('moderator', who);
    await site.settle();
    for (const who of [staff, impostor, named]) {
      const socket = await who.joins(performer);
      const { id } = await site.says(socket, `hello of ${who.username}`);
      socket.send(sayInChat, { message: `again of ${who.username}`, reply_to: id });
      await site.settle();
    }
    const reader = await site.viewer();
    const socket = await reader.joins(performer);
    const { messages } = await socket.waitFor(chatHistory);
    expect(messages.map(({ username: name, is_staff: flag, reply }) => [name, flag, reply?.is_staff]))
      .toEqual([staff, impostor, named].flatMap(({ username: name }) => {
        const flag = name === staff.username ? true : undefined;
        return [[name, flag, undefined], [name, flag, flag]];
      }));
    socket.send(startUserList, {});
    await expect.poll(() => {
      site.clock.advance(5_000);
      return socket.received(userList).length;
    }).toBeGreaterThan(0);
    expect(badged(socket.received(userList).at(-1)?.users ?? [])).toMatchObject(expected);
    const { entries } = await performer.call(getModeration, { username, list: 'moderators' });
    expect(badged(entries)).toMatchObject({ [impostor.username]: false });
    for (const who of [staff, impostor]) await reader.call(ignorePerson, { username: who.username });
    expect(badged((await reader.call(listIgnored, {})).people)).toEqual(expected);
    await performer.call(saveOwnClub, {
      enabled: true,
      description: '',
      prices: { supporter: 100, insider: 250, legend: 501 },
      perks: { supporter: [], insider: [], legend: [] },
    });
    for (const who of [staff, impostor]) {
      const key = { idempotencyKey: uuidV4() };
      await who.call(joinFanclub, { username, level: 'supporter', price: 100 }, key);
    }
    expect(badged((await performer.call(listMembers, {})).members)).toEqual(expected);
  });

  it('is of each of their roles, of performers too, and ends with the role', async () => {
    const reader = await site.viewer();
    const flagOf = async ({ username }: Member) => (await reader.call(getRoom, { username })).user.isStaff;
    for (const role of ['site_mod', 'model_admin', 'admin', 'super_admin'] as const) {
      const performer = await site.performer({ roles: [role] });
      expect([role, await flagOf(performer)]).toEqual([role, true]);
      await site.tx((tx) => takesRoles(tx, performer.id));
      expect([role, await flagOf(performer)]).toEqual([role, undefined]);
    }
    expect(await flagOf(await site.performer({ roles: ['test_user', 'remote_logging'] }))).toBeUndefined();
  });

  it('takes the name of staff with it when the last role ends: no line says it any more', async () => {
    const [chief, performer] = [await site.viewer({ roles: ['super_admin'] }), await site.performer()];
    await performer.goesLive();
    const staff = await site.viewer({ roles: ['site_mod', 'admin'] });
    await staff.call(updateProfile, { display_name: NAME });
    expect((await site.says(await staff.joins(performer), 'on duty')).display_name).toBe(NAME);
    const taken = ({ username }: Member, role: 'admin' | 'site_mod') =>
      chief.call(setRole, { username, role, on: false, reason: 'left' });
    const { username } = staff;
    expect((await taken(staff, 'admin')).display_name).toBe(NAME);
    expect((await taken(staff, 'site_mod')).display_name).toBe(username);
    const back = await site.memberOf(username);
    expect((await back.call(getCurrentUser, {})).user).toMatchObject({ username, display_name: username });
    const socket = await back.joins(performer);
    const { messages } = await socket.waitFor(chatHistory);
    expect(messages.map(({ message, display_name: name }) => [message, name]))
      .toEqual([['on duty', username]]);
    expect((await site.says(socket, 'still here')).display_name).toBe(username);
    // Nor can the staff name be chosen again; an ordinary name stays when a role ends.
    const { errorType } = await back.refused(updateProfile, { display_name: NAME });
    expect(errorType).toBe('display_name_refused');
    const other = await site.viewer({ roles: ['site_mod'] });
    await other.call(updateProfile, { display_name: 'Ana Lune' });
    expect(await taken(other, 'site_mod'))
      .toMatchObject({ username: other.username, display_name: 'Ana Lune' });
  });

  it('takes a username of staff too: a neutral one stands there, and another can be chosen', async () => {
    const [chief, staff] = [
      await site.viewer({ roles: ['super_admin'] }),
      await site.viewer({ roles: ['site_mod'], username: 'candela-help' }),
    ];
    // Somebody else already has the neutral name.
    const { username: squatted } = await site.viewer({ username: `member-${staff.id}` });
    const given = await chief.call(setRole, {
      username: 'candela-help',
      role: 'site_mod',
      on: false,
      reason: 'left',
    });
    const username = `${squatted}-2`;
    expect(given).toMatchObject({ username, display_name: username, roles: [] });
    await site.settle();
    const [mail] = (await chief.call(listOutbox, {})).mails.filter(({ to }) => to === staff.person.email);
    expect(mail?.text).toContain(`is now called ${username}`);
    expect(await site.tx((tx) => auditedActions(tx, staff.id)))
      .toEqual(['accounts.setRole', 'accounts.changeUsername']);
    const back = await site.memberOf(username);
    const name = (wanted: string) => ({ username: wanted, password: 'correct horse battery' });
    expect((await back.refused(changeUsername, name('candela-help'))).errorType).toBe('username_taken');
    await back.call(changeUsername, name('quiet-lark'));
    expect((await back.call(getCurrentUser, {})).user).toMatchObject({
      username: 'quiet-lark',
      display_name: 'quiet-lark',
    });
  });
});
