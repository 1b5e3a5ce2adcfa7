import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CHAT_STATUSES, streamStatus } from '../rules.ts';
import { LiveStore } from '../../../platform/ui/calls/live-state.ts';
import type { ChatMessageView, ModelSettingsView, RoomDataView } from '../contract.ts';
import type { NewsName, RoomAction, RoomEntry } from '../rules/course.ts';
import { mergedLines } from './chat/list/lines.ts';
import { AskLater } from './ask-later.ts';
import { conditionsOf, heldRooms, takeInRooms, withEnd, withNews } from './live.ts';

const room: RoomDataView = {
  username: 'velvet', chatUserList: {}, chatUserCount: 0, chatMessageList: [], mode: 'public',
  privateUsername: null, privateExclusive: false, vr: { status: 'offline' },
  privateRunningPricePerMinuteInToken: null, spyRunningPricePerMinuteInToken: null, privateStats: null,
  privateDiscount: null, limitedShow: null, tipSplit: null, scratchoff: null, versus: null, koth: null,
  versusTournament: null, userMediaList: [],
  user: {
    follower: { countRecent: 0, countTotal: 0 },
    ratings: { avgTokenPerStreamingHour: null, private: null, ticketShow: null, user: null },
    isVoyeur: false, showPornProfileLink: false, streaming_partners: [], canChargeSpyStartupTip: false,
    id: 7, username: 'velvet', displayName: 'Velvet', gender: 'f', avatarUrl: null, profilePictureUrl: null,
    profilePictureThumbUrl: null, offlinePictureUrl: null, status: 'offline', roleList: [], tagListNew: [],
    about: '', languages: ['en'],
  },
  chat: {
    status: 'offline', mode: 'public', roomMode: 'public', installedAppId: null,
    installedModuleIdList: [], emoticonList: [], soundList: [], subjectText: 'Hello',
    subjectColor: null, moderatorUsernameList: [],
    silencedUsernameList: [], lastOnlineAt: null, userCount: 0,
  },
  stream: {
    edge_servers: [], ffmpeg_server: null, ingest_server: null, origin_server: null, stream_name: null,
    token: null, vr_url: null, width: null, height: null, quality_renditions: 1,
  },
  streamStatus: 'offline', isShowGuestOverlay: false, isAgeVerificationRequired: false,
  ccVerification: { isRequired: false, hasCard: false, billingProduct: null },
  auth: {
    friendStatus: null, isBanned: false, isStreamer: false, isModerator: false, isRoomAdmin: false,
    rateToday: 'RATE_NO', notify: { isEmailEnabled: false, isSmsEnabled: false, isWebEnabled: false },
    fanclub: { membershipLevel: null }, canModerate: false, isAnotherModel: false, seesUsers: false,
    invisible_mode_level: 0,
  },
  userSetting: {
    hasCamPassword: false, followEnabled: true, camPasswordNumber: 0, broadcastCategory: null,
    isUserListVisible: false, aiBot: null,
    camSettings: { audioName: null, videoName: null, audioTrack: null, videoTrack: null, bitrate: null },
    public_recording: { isEnabled: false, isRecording: false, pricePerMinuteInToken: 0, recordingEnd: null },
    offlineVideo: { videoUrl: null, videoWidth: null, videoHeight: null },
  },
  seo: { title: '', description: '', h1: '' },
};

/** The room's data after one event. */
const after = <N extends NewsName>(
  before: RoomDataView, name: N, payload: RoomEntry<N>['payload'], me: string | null = null,
): RoomDataView => withNews(before, { name, payload, seq: null }, me);
const updateOf = (
  some: Pick<RoomEntry<'v3.chat.update'>['payload'], 'id' | 'status' | 'mode' | 'stream_name'>,
) => ({
  private_exclusive: false, origin_server: null, module_ids: [], app_ids: [], cam2cam: false,
  thumb_small: null, ...some,
});
const started: RoomEntry<'v3.private.started'>['payload'] = {
  username: 'mira', broadcaster: 'velvet', cost_per_minute: 60, prepaid_seconds: 0, remaining_seconds: 600,
  duration: 0, tokens_charged: 0, freeSpyPreviewDuration: 0, type: 'private', source: 'web',
  stream: 'their-own',
};

describe('events of a room change what the page holds of it, and nothing else', () => {
  it('by status and stream, and by what that makes of the picture', () => {
    const stream = fc.option(fc.string());
    const statuses = fc.constantFrom(...CHAT_STATUSES);
    fc.assert(fc.property(statuses, stream, fc.boolean(), (status, name, isLocked) => {
      const before = { ...room, userSetting: { ...room.userSetting, hasCamPassword: isLocked } };
      const then = after(before, 'v3.chat.update', updateOf({
        id: 7, status, mode: 'limited', stream_name: name,
      }));
      expect([then.chat.status, then.stream.stream_name]).toEqual([status, name]);
      expect(then.streamStatus).toBe(streamStatus(conditionsOf(then)));
      expect(then.streamStatus === 'password_required').toBe(isLocked);
      expect([then.chat.roomMode, then.chat.mode, then.mode]).toEqual(['limited', 'public', 'limited']);
      const { chat, stream: played } = then;
      expect({
        ...then, mode: 'public', chat: { ...chat, status: 'offline', roomMode: 'public' },
        stream: { ...played, stream_name: null },
        streamStatus: 'offline',
      }).toEqual({ ...before, streamStatus: 'offline' });
    }));
  });

  it('by when she was last online, once a show ends, and not when standby does', () => {
    const now = new Date('2026-05-01T20:00:00Z');
    const lastOnlineAfter = (status: RoomDataView['chat']['status'], next: typeof status) => {
      const before = { ...room, chat: { ...room.chat, status, lastOnlineAt: '2026-04-01T20:00:00.000Z' } };
      const told = updateOf({ id: 7, status: next, mode: 'public', stream_name: null });
      return withEnd(before, after(before, 'v3.chat.update', told), now).chat.lastOnlineAt;
    };
    for (const status of ['online', 'private', 'limited', 'reconnecting'] as const) {
      expect(lastOnlineAfter(status, 'offline')).toBe(now.toISOString());
    }
    for (const status of ['offline', 'standby'] as const) {
      expect(lastOnlineAfter(status, 'offline')).toBe('2026-04-01T20:00:00.000Z');
    }
    expect(lastOnlineAfter('online', 'standby')).toBe('2026-04-01T20:00:00.000Z');
  });

  it('not by what happens in another room', () => {
    const update = updateOf({ id: 8, status: 'private', mode: 'limited', stream_name: 'secret' });
    expect(after(room, 'v3.chat.update', update)).toBe(room);
  });

  it('the performer is in the shows of her own room, and out of them after', () => {
    const own: RoomDataView = { ...room, auth: { ...room.auth, isStreamer: true, isRoomAdmin: true } };
    const told = { id: 7, mode: 'public', stream_name: 'a' } as const;
    const inShow = after(own, 'v3.chat.update', updateOf({ ...told, status: 'private' }));
    expect([inShow.chat.mode, inShow.streamStatus]).toEqual(['private', 'online']);
    const then = after(inShow, 'v3.chat.update', updateOf({ ...told, status: 'online' }));
    expect([then.chat.mode, then.streamStatus]).toEqual(['public', 'online']);
    expect(after(room, 'v3.chat.update', updateOf({ ...told, status: 'private' })).streamStatus)
      .toBe('private');
  });

  it('by topic and by count', () => {
    const subject = after(room, 'v3.chat.subject', { subject: 'Rain', subject_color: '#fff' });
    expect(after(subject, 'v3.chat.user_count', { user_count: 12 })).toEqual({
      ...room, chat: { ...room.chat, subjectText: 'Rain', subjectColor: '#fff', userCount: 12 },
      chatUserCount: 12,
    });
    expect(room.chat).toMatchObject({ subjectText: 'Hello', userCount: 0 });
  });

  it('a new camera password takes the picture from whoever entered the old one', () => {
    const settings: ModelSettingsView = {
      followEnabled: false, hasCamPassword: true, camPasswordNumber: 2, broadcastCategory: null,
      isUserListVisible: true, aiBot: null,
    };
    const set = (before: RoomDataView, some: Partial<ModelSettingsView> = {}): RoomDataView =>
      after(before, 'v3.chat.model_settings', { settings: { ...settings, ...some } });
    const locked = set(room);
    expect([locked.userSetting.hasCamPassword, locked.streamStatus]).toEqual([true, 'password_required']);
    const entered = { ...locked, userSetting: { ...locked.userSetting, hasCamPassword: false } };
    expect(set(entered, { followEnabled: true }).userSetting)
      .toMatchObject({ hasCamPassword: false, followEnabled: true });
    expect(set(entered, { camPasswordNumber: 3 }).streamStatus).toBe('password_required');
  });
});

describe('a show of this viewer', () => {
  const online = after(room, 'v3.chat.update', updateOf({
    id: 7, status: 'online', mode: 'public', stream_name: 'a',
  }));

  it('opens the picture to the two in it, and the panel waits for her after it [B-193, B-194]', () => {
    const inShow = after(online, 'v3.private.started', started);
    expect([inShow.chat.status, inShow.chat.mode, inShow.mode, inShow.privateUsername])
      .toEqual(['private', 'private', 'private', 'mira']);
    expect([inShow.stream.stream_name, inShow.streamStatus]).toEqual(['their-own', 'online']);
    // What everybody is told takes nobody out of it.
    const update = updateOf({ id: 7, status: 'private', mode: 'public', stream_name: 'their-own' });
    expect(after(inShow, 'v3.chat.update', update)).toEqual(inShow);
    expect(after(online, 'v3.chat.update', update).streamStatus).toBe('private');
    const over = after(inShow, 'v3.private.end', { reason_ended: null, fanclub_refund: null });
    expect([over.chat.status, over.chat.mode, over.mode, over.privateUsername, over.streamStatus])
      .toEqual(['connected', 'public', 'public', null, 'connected']);
  });

  it('spying ends with the face of a private show [B-197]', () => {
    const spying: RoomDataView = {
      ...online, mode: 'spy', streamStatus: 'online',
      chat: { ...online.chat, status: 'private', mode: 'spy' },
    };
    expect(streamStatus(conditionsOf(spying))).toBe('online');
    const over = after(spying, 'v3.spy.end', {});
    expect([over.chat.mode, over.mode, over.chat.status, over.streamStatus])
      .toEqual(['public', 'public', 'private', 'private']);
  });

  it('a friend is asked for by name [B-215]', () => {
    const asked = (username: string, me: string | null) =>
      after(online, 'v3.user_friend.request', { user: { username } }, me).auth.friendStatus;
    expect([asked('mira', 'mira'), asked('mira', 'rude'), asked('mira', null)])
      .toEqual(['TO_CONFIRM', null, null]);
  });
});

describe('changed media', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('are asked for once, after 2 to 12 s, and by nobody who left [B-255]', () => {
    for (const [chance, waitMs] of [[0, 2_000], [0.5, 7_000], [1, 12_000]] as const) {
      let asked = 0;
      const later = new AskLater(() => {
        asked += 1;
      }, () => chance);
      later.ask();
      vi.advanceTimersByTime(waitMs - 1);
      later.ask();
      expect(asked).toBe(0);
      vi.advanceTimersByTime(1);
      expect(asked).toBe(1);
      vi.advanceTimersByTime(60_000);
      expect(asked).toBe(1);
      later.ask();
      later.drop();
      vi.advanceTimersByTime(60_000);
      expect(asked).toBe(1);
    }
  });

  it('are asked for at any time between, by chance', () => {
    fc.assert(fc.property(fc.constant(null), () => {
      let asked = 0;
      new AskLater(() => {
        asked += 1;
      }).ask();
      vi.advanceTimersByTime(1_999);
      expect(asked).toBe(0);
      vi.advanceTimersByTime(10_001);
      expect(asked).toBe(1);
    }), { numRuns: 50 });
  });
});

/** A message as the room tells it. */
const said = (id: number, username = 'mira', message = `message ${id}`): ChatMessageView => ({
  id, username, display_name: username, gender: null, is_model: false, is_moderator: false, is_guest: false,
  is_vip: false, is_super_vip: false, has_tokens: true, email_confirmed: null, has_cc: null,
  has_purchase: null, recent_purchases: null, tokens: null, recentTips: 0, socket_id: null, message,
  is_tip: false, value: 0,
  recent_tips: 0, subject_username: null, is_invisible_mode: false, is_moderation_message: false,
  type: 'message', action: null, error: false, errorMessage: null, background: null, fontStyle: null,
  color: null, weight: null, reply: null, user_language: 'en', at: '2026-05-01T20:00:00.000Z',
});
const news = <N extends NewsName>(
  username: string, name: N, payload: RoomEntry<N>['payload'],
): RoomAction => ({ type: 'news', username, entry: { name, payload, seq: null } });
const banned = (id: number, name: string | null, removed: readonly number[] = []): RoomAction => news(
  'velvet', 'v3.chat.moderate',
  { id, type: 'banned', action: 'add', username: name, display_name: name, removed: [...removed] },
);
const idsIn = (page: LiveStore, username: string): number[] | undefined =>
  heldRooms(page).store.rooms[username]?.messages.map(({ id }) => id);

describe('rooms that a page is in', () => {
  it('keep their chats apart, and one left is gone with what still comes for it [B-134] [B-187]', () => {
    const page = new LiveStore();
    takeInRooms(page, [{ type: 'open', username: 'velvet' }, { type: 'open', username: 'mara' }]);
    takeInRooms(page, [
      news('velvet', 'v3.chat.message', said(1)), news('mara', 'v3.chat.message', said(9)),
      news('velvet', 'v3.chat.message', said(2)),
    ]);
    expect([idsIn(page, 'velvet'), idsIn(page, 'mara')]).toEqual([[1, 2], [9]]);
    takeInRooms(page, [{ type: 'remove', username: 'velvet' }, banned(3, null)]);
    takeInRooms(page, [news('velvet', 'v3.chat.message', said(4))]);
    expect(Object.keys(heldRooms(page).store.rooms)).toEqual(['mara']);
    expect(heldRooms(page).lines).toEqual({});
  });

  it('an event without a room is an error of ours, and changes nothing [B-188]', () => {
    const page = new LiveStore();
    takeInRooms(page, [{ type: 'open', username: 'velvet' }]);
    const before = heldRooms(page);
    expect(() => takeInRooms(page, [news('', 'v3.chat.message', said(1))])).toThrow();
    expect(heldRooms(page)).toBe(before);
  });

  it('stay as long as any part of the page is in them', () => {
    const page = new LiveStore();
    const open = { type: 'open', username: 'velvet' } as const;
    const remove = { type: 'remove', username: 'velvet' } as const;
    takeInRooms(page, [open, news('velvet', 'v3.chat.message', said(1)), open, remove]);
    expect(idsIn(page, 'velvet')).toEqual([1]);
    takeInRooms(page, [remove]);
    expect([heldRooms(page).store.rooms, heldRooms(page).holders]).toEqual([{}, {}]);
  });

  it('what changes nothing draws nothing', () => {
    const page = new LiveStore();
    takeInRooms(page, [{ type: 'open', username: 'velvet' }, news('velvet', 'v3.chat.message', said(1))]);
    const before = heldRooms(page);
    takeInRooms(page, [news('mara', 'v3.chat.message', said(1)), { type: 'remove', username: 'mara' }]);
    expect(heldRooms(page).store.rooms['velvet']).toBe(before.store.rooms['velvet']);
  });
});

describe('what a moderator did', () => {
  it('is a line at its place, the messages that went with it gone [B-228]', () => {
    const page = new LiveStore();
    takeInRooms(page, [
      { type: 'open', username: 'velvet' }, news('velvet', 'v3.chat.message', said(1, 'rude')),
      news('velvet', 'v3.chat.message', said(2)), banned(3, null, [1]),
      news('velvet', 'v3.chat.message', said(4)),
    ]);
    const { store, lines } = heldRooms(page);
    const shown = mergedLines(store.rooms['velvet']?.messages ?? [], lines['velvet'] ?? []);
    expect(shown.map(({ id, type }) => [id, type]))
      .toEqual([[2, 'message'], [3, 'moderation'], [4, 'message']]);
  });

  it('is one line with the name, whichever of the two was heard first [B-234] [B-235]', () => {
    for (const names of [[null, 'Rude'], ['Rude', null], ['Rude', 'Rude'], [null, null]] as const) {
      const page = new LiveStore();
      takeInRooms(page, [{ type: 'open', username: 'velvet' }, ...names.map((name) => banned(5, name))]);
      expect(heldRooms(page).lines['velvet']?.map(({ id, name }) => [id, name]))
        .toEqual([[5, names.find((name) => name !== null) ?? null]]);
    }
  });

  it('never makes a chat longer than a room is, and is told no more once the room is told anew', () => {
    const messages = Array.from({ length: 200 }, (_, at) => said(at + 100));
    const line = { id: 50, type: 'moderation', restriction: 'banned', action: 'add', name: null } as const;
    const shown = mergedLines(messages, [line, { ...line, id: 299 }]);
    expect([shown.length, shown[0]?.id, shown.at(-1)?.id]).toEqual([200, 101, 299]);
    const page = new LiveStore();
    takeInRooms(page, [
      { type: 'open', username: 'velvet' }, banned(5, null),
      news('velvet', 'v3.chat.history', { messages: [said(7)], seq: 7 }),
    ]);
    expect(heldRooms(page).lines['velvet']).toEqual([]);
  });
});
