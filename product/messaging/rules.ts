import { DAY_MS, MINUTE_MS } from '#platform/time/units.ts';
import { partReducer } from '#product/rooms/rules/room-part.ts';
import { friendRequested, messagingPart, relationChanged } from './client.ts';

/** A limit that no real viewer needs, so that the live list of one viewer stays small. */
export const MAX_FOLLOWS = 5_000;
/** How many followed performers the current user has, which every page loads; the list itself is paged. */
export const MAX_FOLLOWING_LISTED = 200;
/** A limit, because every listing of this viewer is filtered by them. */
export const MAX_HIDES = 2_000;
/** Performers on one page of a viewer's own list. */
export const RELATIONS_PAGE = 50;
/** `countRecent` counts the followers who began within this time. */
export const RECENT_FOLLOW_MS = 30 * DAY_MS;

/** Followers notified in one unit of work: short enough that a tip need not wait for it. */
export const ALERT_BATCH = 250;
/** A broadcast that begins again this soon counts as the one before: followers are not notified again. */
export const ALERT_REST_MS = 30 * MINUTE_MS;

/** Applies changes of friendship and following between a viewer and a room's performer. */
export const messagingReducer = partReducer(messagingPart, {}, (on) => [
  on(friendRequested, (room, { user }, me) => (user.username !== me ? room : {
    ...room,
    part: { ...room.part, auth: { ...room.part.auth, friendStatus: 'TO_CONFIRM' } },
  })),
  on(relationChanged, (room, { is_following: isFollowing, is_hidden: isHidden, follower }) => ({
    ...room,
    part: {
      ...room.part,
      auth: { ...room.part.auth, isFollowing, isHidden },
      user: { ...room.part.user, follower },
    },
  })),
]);
