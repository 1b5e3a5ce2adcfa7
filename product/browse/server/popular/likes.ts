import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { dayOf } from '#platform/time/days.ts';
import {
  contestUnknown,
  getContest,
  getLikes,
  giveLike,
  likedToday,
  likesUsedUp,
  likeTargetUnknown,
  listContests,
  ownLike,
  type BoardPlaceView,
} from '../../contract/likes.ts';
import { isOnline, type DirectoryEntry } from '../../rules/listing/entry.ts';
import { genderOfSlug } from '../../rules/listing/listings.ts';
import { ownName, type OwnNamed } from '../../rules/listing/named-listings.ts';
import {
  ALL_TIME,
  CONTEST_PAGE,
  CONTEST_PLACES,
  contestOf,
  CONTESTS,
  LEADERBOARD,
  LIKES_PER_DAY,
  monthOf,
  type ContestBoard,
} from '../../rules/popular/likes.ts';
import {
  addLike,
  boardOf,
  boardOfDays,
  givenSince,
  likedOn,
  lockLiker,
  pastWinners,
  type LikeCount,
} from '../../store/likes.ts';
import type { BrowseViewer, Browsing } from '../dependencies.ts';
import type { Directory } from '../directory/directory.ts';

/** Likes: giving them, and the boards that count them. */
export function likeHandlers(browsing: Browsing): CallHandler[] {
  return [givesLikes(browsing), showsLikes(browsing), ...contestHandlers(browsing)];
}

function givesLikes({ data, directoryOf, viewerOf }: Browsing): CallHandler {
  return handleCall(giveLike)(async ({ username }, context) => {
    const directory = await directoryOf(context.scope.operatorId);
    const { personId } = context;
    const { sees } = await viewerOf(context);
    const entry = directory.named(normalizeUsername(username));
    if (!entry || !sees(entry)) return context.refuse(likeTargetUnknown);
    if (entry.id === personId) return context.refuse(ownLike);
    return data.tx(context.scope, async (tx) => {
      await lockLiker(tx, personId);
      const liked = await likedOn(tx, personId, dayOf(tx.now));
      if (liked.includes(entry.id)) return context.refuse(likedToday);
      if (liked.length >= LIKES_PER_DAY) return context.refuse(likesUsedUp);
      return { username: entry.username, likes: await addLike(tx, personId, entry) };
    });
  });
}

function showsLikes({ data, directoryOf, viewerOf }: Browsing): CallHandler {
  return handleCall(getLikes)(async (_input, context) => {
    const directory = await directoryOf(context.scope.operatorId);
    const viewer = await viewerOf(context);
    const { personId } = viewer;
    const isPerformer = personId !== null && directory.get(personId) !== undefined;
    return data.tx(context.scope, async (tx) => {
      const month = monthOf(tx.now);
      const seen = perceived(await boardOf(tx, month, null), directory, viewer);
      const liked = new Set(personId === null ? [] : await likedOn(tx, personId, dayOf(tx.now)));
      const own = isPerformer ? seen.findIndex(({ entry }) => entry.id === personId) : -1;
      const given = personId === null ? null : isPerformer
        ? seen[own]?.likes ?? 0
        : await givenSince(tx, personId, month);
      const winners = (await pastWinners(tx)).flatMap((winner) =>
        perceived([winner], directory, viewer).map(({ entry, likes }) => ({
          ...cardOf(entry),
          likes,
          month: winner.month,
        }))
      );
      return {
        leaderboard: seen.slice(0, LEADERBOARD).map((place, at) => ({
          ...placeOf(place, at),
          isLiked: liked.has(place.entry.id),
        })),
        past_winners: winners,
        user_like_count: given,
        user_position: own < 0 ? null : own + 1,
        month,
      };
    });
  });
}

function contestHandlers({ data, directoryOf, viewerOf, listingNamesOf, text }: Browsing): CallHandler[] {
  const titleOf = async (slug: OwnNamed, context: CallContext): Promise<string> =>
    ownName(
      slug,
      (key, values) => text(context.locale, `browse:${key}`, values),
      await listingNamesOf(context),
    );
  return [
    handleCall(listContests)(async (_input, context) => ({
      contests: await Promise.all(
        CONTESTS.map(async ({ slug }) => ({ slug, title: await titleOf(slug, context) })),
      ),
    })),
    handleCall(getContest)(async ({ gender: slug, contest: name, board = 'month', page = 1 }, context) => {
      const [gender, contest] = [genderOfSlug(slug), contestOf(name)];
      if (gender === null || contest === null) return context.refuse(contestUnknown);
      const directory = await directoryOf(context.scope.operatorId);
      const viewer = await viewerOf(context);
      const rows = await data.tx(context.scope, (tx) => rowsOf(tx, board, gender));
      const places = perceived(rows, directory, viewer).slice(0, CONTEST_PLACES).map(placeOf);
      return {
        slug: contest.slug,
        title: await titleOf(contest.slug, context),
        board,
        places: places.slice((page - 1) * CONTEST_PAGE, page * CONTEST_PAGE),
        totalCount: places.length,
        page,
        perPageCount: CONTEST_PAGE,
      };
    }),
  ];
}

function rowsOf(tx: Tx, board: ContestBoard, gender: string): Promise<readonly LikeCount[]> {
  switch (board) {
    case 'month':
      return boardOf(tx, monthOf(tx.now), gender);
    case 'top2000':
      return boardOf(tx, ALL_TIME, gender);
    case '30days':
      return boardOfDays(tx, gender);
  }
}

interface Place {
  readonly entry: DirectoryEntry;
  readonly likes: number;
}

/** Rows whose performers the viewer may perceive: others take no position, so that no gap reveals them. */
const perceived = (
  rows: readonly LikeCount[],
  directory: Directory,
  { sees, hidden }: BrowseViewer,
): readonly Place[] =>
  rows.flatMap(({ performerId, likes }) => {
    const entry = directory.get(performerId);
    return entry && sees(entry) && !hidden.has(entry.id) ? [{ entry, likes }] : [];
  });

const cardOf = (entry: DirectoryEntry) => ({
  id: entry.id,
  username: entry.username,
  displayName: entry.displayName,
  thumbUrl: entry.avatarUrl,
  status: isOnline(entry) ? entry.status : 'offline' as const,
  refererCount: null,
  userMediaTopList: [],
});

const placeOf = ({ entry, likes }: Place, at: number): BoardPlaceView => ({
  ...cardOf(entry),
  position: at + 1,
  likes,
});
