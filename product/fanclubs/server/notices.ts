import type { NoticeKind } from '#product/notices/rules.ts';

/** To the performer: somebody joined. */
export const NEW_MEMBER: NoticeKind = {
  name: 'fanclubs:notices.newMember', channels: ['app', 'email', 'push'], usual: ['app'],
};
/** To the member: the balance did not cover a renewal, and there are days to mend it. */
export const RENEWAL_FAILED: NoticeKind = {
  name: 'fanclubs:notices.renewalFailed', channels: ['app', 'email', 'push'], usual: ['app', 'email'],
};
/** To the member: it is over, and it was not their plan. */
export const MEMBERSHIP_ENDED: NoticeKind = {
  name: 'fanclubs:notices.ended', channels: ['app', 'email', 'push'], usual: ['app', 'email'],
};
/** To members: there is a post that their level reads. */
export const NEW_POST: NoticeKind = {
  name: 'fanclubs:notices.newPost', channels: ['app', 'email', 'push'], usual: ['app'],
};
export const NOTICE_KINDS: readonly NoticeKind[] = [NEW_MEMBER, RENEWAL_FAILED, MEMBERSHIP_ENDED, NEW_POST];
