import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { partReducer } from '#product/rooms/rules/room-part.ts';
import { friendRequested, messagingPart, relationChanged } from './client.ts';

/** Somebody who follows more follows nobody in particular; the live list of one viewer stays small. */
export const MAX_FOLLOWS = 5_000;
/** Of whom one follows, so many are in the current user, which every page loads; the list is paged. */
export const MAX_FOLLOWING_LISTED = 200;
/** Every listing of this viewer is filtered by them. */
export const MAX_HIDES = 2_000;
/** Performers on one page of a list of one's own. */
export const RELATIONS_PAGE = 50;
/** `countRecent` counts who began to follow within this time. */
export const RECENT_FOLLOW_MS = 30 * DAY_MS;

/** Followers notified in one unit of work: short enough that a tip need not wait for it. */
export const ALERT_BATCH = 250;
/** A broadcast that begins again so soon is the one of before: followers are not notified of it. */
export const ALERT_REST_MS = 30 * MINUTE_MS;

/** How friendship and following of a viewer with the performer of a room change. */
export const messagingReducer = partReducer(messagingPart, {}, (on) => [
  on(friendRequested, (room, { user }, me) => (user.username !== me ? room : {
    ...room, part: { ...room.part, auth: { ...room.part.auth, friendStatus: 'TO_CONFIRM' } },
  })),
  on(relationChanged, (room, { is_following: isFollowing, is_hidden: isHidden, follower }) => ({
    ...room, part: {
      ...room.part, auth: { ...room.part.auth, isFollowing, isHidden },
      user: { ...room.part.user, follower },
    },
  })),
]);
