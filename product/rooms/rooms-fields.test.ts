import type { OutputOf } from '#platform/contract/call.ts';
import { implement } from '#platform/contract/extension-point.ts';
import { moderatedRoom } from '#product/testkit/rooms/moderated-room.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import type { Visitor } from '#product/testkit/visitor.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { chatUpdate, getRoom, sayInChat } from './contract.ts';
import { roomParts } from './extension-points.ts';
import { readPart, roomPart } from './rules/room-part.ts';
import { partSource } from './server.ts';

/** A part owned by a later slice. */
const gardenPart = roomPart({
  key: 'garden',
  shape: z.object({
    auth: z.object({ garden: z.object({ level: z.string().nullable() }) }),
    isGardenOf: z.int().nullable(),
  }),
  empty: { auth: { garden: { level: null } }, isGardenOf: null },
  updateShape: z.object({ garden_of: z.int() }),
  emptyUpdate: { garden_of: 0 },
});

/** The fields of `GET chat/react/{username}` before rooms had parts, plus those of the garden. */
const ROOM_FIELDS = {
  room: [
    'auth',
    'ccVerification',
    'chat',
    'chatMessageList',
    'chatUserCount',
    'chatUserList',
    'groupGoal',
    'isAgeVerificationRequired',
    'isGardenOf',
    'isShowGuestOverlay',
    'koth',
    'limitedShow',
    'mode',
    'privateDiscount',
    'privateExclusive',
    'privateRunningPricePerMinuteInToken',
    'privateStats',
    'privateUsername',
    'scratchoff',
    'seo',
    'spyRunningPricePerMinuteInToken',
    'stream',
    'streamStatus',
    'tipSplit',
    'user',
    'userMediaList',
    'userSetting',
    'username',
    'versus',
    'versusTournament',
    'vr',
  ],
  user: [
    'about',
    'avatarUrl',
    'canChargeSpyStartupTip',
    'displayName',
    'follower',
    'gender',
    'id',
    'isVoyeur',
    'languages',
    'offlinePictureUrl',
    'profilePictureThumbUrl',
    'profilePictureUrl',
    'ratings',
    'roleList',
    'showPornProfileLink',
    'status',
    'streaming_partners',
    'tagListNew',
    'username',
  ],
  chat: [
    'emoticonList',
    'installedAppId',
    'installedModuleIdList',
    'lastOnlineAt',
    'mode',
    'moderatorUsernameList',
    'roomMode',
    'silencedUsernameList',
    'soundList',
    'status',
    'subjectColor',
    'subjectText',
    'userCount',
  ],
  auth: [
    'canModerate',
    'fanclub',
    'friendStatus',
    'garden',
    'invisible_mode_level',
    'isAnotherModel',
    'isBanned',
    'isFollowing',
    'isHidden',
    'isModerator',
    'isRoomAdmin',
    'isStreamer',
    'notify',
    'rateToday',
    'recentTips',
    'seesUsers',
  ],
  userSetting: [
    'aiBot',
    'broadcastCategory',
    'camPasswordNumber',
    'camSettings',
    'fanclub',
    'followEnabled',
    'hasCamPassword',
    'isUserListVisible',
    'offlineVideo',
    'private',
    'public_recording',
    'sharecam',
    'spy',
  ],
};
const fieldsOf = (room: OutputOf<typeof getRoom>) => ({
  room: Object.keys(room).toSorted(),
  user: Object.keys(room.user).toSorted(),
  chat: Object.keys(room.chat).toSorted(),
  auth: Object.keys(room.auth).toSorted(),
  userSetting: Object.keys(room.userSetting).toSorted(),
});

let site: TestSite;
beforeAll(async () => {
  site = await createSite({
    implementations: [
      implement(
        roomParts,
        partSource({
          part: gardenPart,
          load: async (_tx, { personId }, performerId) => ({
            auth: { garden: { level: personId === null ? null : 'legend' } },
            isGardenOf: performerId,
          }),
          loadUpdate: async (_tx, performerId) => ({ garden_of: performerId }),
        }),
      ),
    ],
  });
  site.data.start();
});
afterAll(() => site.close());

const roomOf = (visitor: Visitor, { username }: Member) => visitor.call(getRoom, { username });
const refusedAs = (problem: { readonly errorType: string }): string => problem.errorType;
const stage = () => moderatedRoom(site);

describe('room data', () => {
  it('has every field group, those of other slices included', async () => {
    const { performer, moderator, viewer } = await stage();
    await performer.moderates('silence', viewer);
    const room = await roomOf(viewer, performer);
    expect(room).toMatchObject({
      username: performer.username,
      chatUserCount: 0,
      chatMessageList: [],
      privateUsername: null,
      privateRunningPricePerMinuteInToken: null,
      limitedShow: null,
      koth: null,
      userMediaList: [],
      privateExclusive: false,
      tipSplit: { mode: 'available' },
      versus: null,
      versusTournament: null,
      scratchoff: null,
      privateStats: null,
      privateDiscount: null,
      spyRunningPricePerMinuteInToken: null,
      vr: { status: 'offline' },
      isGardenOf: performer.id,
      user: {
        follower: { countRecent: 0, countTotal: 0 },
        isVoyeur: false,
        streaming_partners: [],
        roleList: [],
        ratings: { avgTokenPerStreamingHour: null, private: null, ticketShow: null, user: null },
        showPornProfileLink: false,
        canChargeSpyStartupTip: false,
      },
      chat: {
        installedAppId: null,
        installedModuleIdList: [],
        moderatorUsernameList: [],
        silencedUsernameList: [],
        soundList: [],
      },
      auth: {
        friendStatus: null,
        rateToday: 'RATE_NO',
        isBanned: false,
        canModerate: false,
        isAnotherModel: false,
        notify: { isEmailEnabled: false, isSmsEnabled: false, isWebEnabled: false },
        fanclub: { membershipLevel: null },
        garden: { level: 'legend' },
      },
    });
    expect(fieldsOf(room)).toEqual(ROOM_FIELDS);
    expect(room.chat.emoticonList).toContainEqual({ code: '<3', text: '❤️' });
    expect((await roomOf(moderator, performer)).chat).toMatchObject({
      moderatorUsernameList: [moderator.username],
      silencedUsernameList: [viewer.username],
    });
  });

  it('has the fields of every part as its viewer may know them', async () => {
    const { performer, viewer } = await stage();
    const guest = await site.visitor({ ofAge: true });
    const rooms = [await roomOf(viewer, performer), await roomOf(guest, performer)];
    expect(rooms.map((room) => readPart(room, gardenPart).auth.garden.level)).toEqual(['legend', null]);
  });

  it('is followed by updates with the fields of every part', async () => {
    const { performer, viewer } = await stage();
    const watcher = await viewer.joins(performer);
    const fields = {
      garden_of: performer.id,
      private_exclusive: false,
      cam2cam: false,
      module_ids: [],
      app_ids: [],
    };
    expect(await watcher.waitFor(chatUpdate))
      .toMatchObject({ id: performer.id, status: 'online', ...fields });
    (await performer.joins(performer)).send(sayInChat, { message: '/setmode limited' });
    expect(await watcher.waitFor(chatUpdate, ({ mode }) => mode === 'limited')).toMatchObject(fields);
  });

  it('has moderator data only for those who moderate [B-287, B-305]', async () => {
    const { performer, moderator, viewer, stranger } = await stage();
    await performer.moderates('silence', viewer);
    const staff = await Promise.all((['site_mod', 'model_admin', 'admin'] as const)
      .map((role) => site.viewer({ roles: [role] })));
    const viewOf = async (who: Visitor) => {
      const { auth, chat } = await roomOf(who, performer);
      const { moderatorUsernameList: moderators, silencedUsernameList: silenced, soundList: sounds } = chat;
      return { canModerate: auth.canModerate, moderators, silenced, hasSounds: sounds.length > 0 };
    };
    for (const who of [performer, moderator, ...staff]) {
      expect(await viewOf(who)).toEqual({
        canModerate: true,
        moderators: [moderator.username],
        silenced: [viewer.username],
        hasSounds: true,
      });
    }
    const guest = await site.visitor({ ofAge: true });
    for (const who of [viewer, stranger, await site.performer(), guest]) {
      expect(await viewOf(who))
        .toEqual({ canModerate: false, moderators: [], silenced: [], hasSounds: false });
    }
    await performer.moderates('unmoderator', moderator);
    expect(await viewOf(moderator))
      .toEqual({ canModerate: false, moderators: [], silenced: [], hasSounds: false });
    expect((await viewOf(performer)).moderators).toEqual([]);
  });

  it('marks a performer in somebody else’s room, and nobody else [B-306]', async () => {
    const { performer, viewer } = await stage();
    const colleague = await site.performer();
    const isAnother = async (who: Visitor, room = performer): Promise<boolean> =>
      (await roomOf(who, room)).auth.isAnotherModel;
    expect([await isAnother(colleague), await isAnother(performer, colleague)]).toEqual([true, true]);
    expect([await isAnother(colleague, colleague), await isAnother(performer)]).toEqual([false, false]);
    for (const who of [
      viewer,
      await site.viewer({ roles: ['site_mod'] }),
      await site.admin(),
      await site.visitor({ ofAge: true }),
    ]) expect(await isAnother(who)).toBe(false);
  });

  it('of a suspended performer is only for room admins, and says so', async () => {
    const { performer, viewer } = await stage();
    const suspension = { suspended: true, actorId: null, reason: 'a test' };
    await site.tx((tx) => site.services.accounts.suspend(tx, performer.id, suspension));
    expect(refusedAs(await viewer.refused(getRoom, { username: performer.username }))).toBe('room_unknown');
    const staff = await site.viewer({ roles: ['site_mod'] });
    expect((await roomOf(staff, performer)).user.status).toBe('SUSPENDED');
  });
});
