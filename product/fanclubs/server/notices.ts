import type { NoticeKind } from '#product/notices/rules.ts';

/** To the performer: somebody joined. */
export const NEW_MEMBER: NoticeKind = {
  name: 'fanclubs:notices.newMember',
  channels: ['app', 'email', 'push'],
  usual: ['app'],
};
/** To the member: the balance did not cover a renewal, and a few days are left to pay. */
export const RENEWAL_FAILED: NoticeKind = {
  name: 'fanclubs:notices.renewalFailed',
  channels: ['app', 'email', 'push'],
  usual: ['app', 'email'],
};
/** To the member: the membership has ended, though they did not cancel it. */
export const MEMBERSHIP_ENDED: NoticeKind = {
  name: 'fanclubs:notices.ended',
  channels: ['app', 'email', 'push'],
  usual: ['app', 'email'],
};
/** To members: there is a new post that their level can read. */
export const NEW_POST: NoticeKind = {
  name: 'fanclubs:notices.newPost',
  channels: ['app', 'email', 'push'],
  usual: ['app'],
};
export const NOTICE_KINDS: readonly NoticeKind[] = [NEW_MEMBER, RENEWAL_FAILED, MEMBERSHIP_ENDED, NEW_POST];
