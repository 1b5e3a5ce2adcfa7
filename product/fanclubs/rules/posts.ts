import { FANCLUB_LEVELS } from '#product/accounts/rules/current-user.ts';
import { hasLevel, type LevelOrNone } from './benefits.ts';

/** Audience of a post: everybody who sees the club, or members from a level up. */
export const POST_AUDIENCES = ['everyone', ...FANCLUB_LEVELS] as const;
export type PostAudience = (typeof POST_AUDIENCES)[number];

/** What can happen to a post. */
export const POST_CHANGES = ['published', 'changed', 'removed'] as const;
export type PostChange = (typeof POST_CHANGES)[number];

/** A post is read among others: at most two phone screens. */
export const MAX_POST_LENGTH = 2_000;
/** Posts that a performer has at once: enough for one a day over more than two years. */
export const MAX_POSTS = 1_000;
/** Posts in one response: a few screens, each with at most one picture. */
export const POSTS_PAGE = 10;
/** Posts published within an hour: more would fill the lists of all members. */
export const POSTS_AN_HOUR = 20;
/** Members notified in one unit of work: few enough that payments do not wait for it. */
export const POST_BATCH = 250;

/** Longest side of the picture of a post, in pixels. */
export const POST_PICTURE_PX = 1_600;
/** 128 random bits in base64url. */
export const POST_PICTURE_KEY = /^[A-Za-z0-9_-]{22}$/u;
/** Kind of the deadline that removes the file of a deleted picture. */
export const POST_PICTURE_REMOVAL = 'fanclubs.postPictureRemoval';

/** Whether somebody of this level can read a post. The performer reads all of them regardless. */
export const readsPost = (level: LevelOrNone, audience: PostAudience): boolean =>
  audience === 'everyone' || hasLevel(level, audience);

/** Whether the new audience includes people who could not read the post before. */
export const isWider = (before: PostAudience, after: PostAudience): boolean =>
  POST_AUDIENCES.indexOf(after) < POST_AUDIENCES.indexOf(before);

/** The levels that read a post: the members who are notified of it. */
export const levelsReading = (audience: PostAudience) =>
  FANCLUB_LEVELS.filter((level) => readsPost(level, audience));
