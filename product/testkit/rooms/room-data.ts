import type { RoomDataView } from '#product/rooms/contract.ts';

/** The room data of an offline performer for a guest, without room parts. */
export const offlineRoom: RoomDataView = {
  username: 'velvet', chatUserList: {}, chatUserCount: 0, chatMessageList: [], mode: 'public',
  vr: { status: 'offline' },
  user: {
    isVoyeur: false, showPornProfileLink: false, streaming_partners: [],
    id: 7, username: 'velvet', displayName: 'Velvet', gender: 'f', avatarUrl: null, profilePictureUrl: null,
    profilePictureThumbUrl: null, offlinePictureUrl: null, status: 'offline', roleList: [], tagListNew: [],
    about: '', languages: ['en'],
  },
  chat: {
    status: 'offline', mode: 'public', roomMode: 'public', emoticonList: [], soundList: [],
    subjectText: 'Hello', subjectColor: null, moderatorUsernameList: [], silencedUsernameList: [],
    lastOnlineAt: null, userCount: 0,
  },
  stream: {
    edge_servers: [], ffmpeg_server: null, ingest_server: null, origin_server: null, stream_name: null,
    token: null, vr_url: null, width: null, height: null, quality_renditions: 1,
  },
  streamStatus: 'offline', isShowGuestOverlay: false, isAgeVerificationRequired: false,
  ccVerification: { isRequired: false, hasCard: false, billingProduct: null },
  auth: {
    isBanned: false, isStreamer: false, isModerator: false, isRoomAdmin: false, canModerate: false,
    isAnotherModel: false, seesUsers: false, invisible_mode_level: 0,
  },
  userSetting: {
    hasCamPassword: false, followEnabled: true, camPasswordNumber: 0, broadcastCategory: null,
    isUserListVisible: false, aiBot: null,
    camSettings: { audioName: null, videoName: null, audioTrack: null, videoTrack: null, bitrate: null },
    public_recording: { isEnabled: false, isRecording: false, pricePerMinuteInToken: 0, recordingEnd: null },
    offlineVideo: { videoUrl: null, videoWidth: null, videoHeight: null },
  },
  seo: { title: '', description: '', h1: '', fullBioHtml: '' },
};
