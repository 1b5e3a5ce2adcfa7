import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHAT_STATUSES } from '../rules.ts';
import type { RoomDataView } from '../contract.ts';
import { withCount, withStatus, withSubject } from './live.ts';

const room: RoomDataView = {
  user: {
    id: 7, username: 'velvet', displayName: 'Velvet', gender: 'f', avatarUrl: null, profilePictureUrl: null,
    profilePictureThumbUrl: null, offlinePictureUrl: null, status: 'offline', roleList: [], tagListNew: [],
    about: '', languages: ['en'],
  },
  chat: {
    status: 'offline', mode: 'public', subjectText: 'Hello', subjectColor: null, moderatorUsernameList: [],
    silencedUsernameList: [], lastOnlineAt: null, userCount: 0,
  },
  stream: {
    edge_servers: [], ingest_server: null, origin_server: null, stream_name: null, token: null, vr_url: null,
    width: null, height: null, quality_renditions: 1,
  },
  auth: { friendStatus: null, isBanned: false, isStreamer: false, isModerator: false },
  seo: { title: '', description: '', h1: '' },
};

describe('events of a room change what the page holds of it, and nothing else', () => {
  it('by status and stream', () => {
    const stream = fc.option(fc.string());
    fc.assert(fc.property(fc.constantFrom(...CHAT_STATUSES), stream, (status, name) => {
      const after = withStatus(room, { id: 7, status, stream_name: name, private_exclusive: false });
      expect([after.chat.status, after.stream.stream_name]).toEqual([status, name]);
      const { chat, stream: played } = after;
      expect({
        ...after, chat: { ...chat, status: 'offline' }, stream: { ...played, stream_name: null },
      }).toEqual(room);
    }));
  });

  it('by topic and by count', () => {
    const after = withCount(withSubject(room, { subject: 'Rain', subject_color: '#fff' }), 12);
    expect(after).toEqual({
      ...room, chat: { ...room.chat, subjectText: 'Rain', subjectColor: '#fff', userCount: 12 },
    });
    expect(room.chat).toMatchObject({ subjectText: 'Hello', userCount: 0 });
  });
});
