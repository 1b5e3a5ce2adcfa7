import type { Slice } from '#platform/contract/bind.ts';
import { implement } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import { closingPart, personalData, userPart, type UserPart } from '#product/accounts/extension-points.ts';
import type { FanclubLevel } from '#product/accounts/rules/current-user.ts';
import { reportables } from '#product/moderation/extension-points.ts';
import { kinds } from '#product/notices/extension-points.ts';
import { fanLevels, roomParts, type Visitor } from '#product/rooms/extension-points.ts';
import { partSource } from '#product/rooms/server.ts';
import { blobNames } from '#product/site/extension-points.ts';
import { fanclubsPart, type ClubView } from './contract.ts';
import type { LevelOrNone } from './rules/benefits.ts';
import { levelAt } from './rules/membership.ts';
import { closeClub, clubHandlers, saveClub } from './server/club.ts';
import type { FanclubsDependencies, PostDependencies } from './server/dependencies.ts';
import { joiningHandlers } from './server/joining.ts';
import { NOTICE_KINDS } from './server/notices.ts';
import { newsDeadline } from './server/posts/news.ts';
import { pictureDeadlines, uploadHandler } from './server/posts/pictures.ts';
import { readingHandlers, reportablePost } from './server/posts/reading.ts';
import { publish, writingHandlers, type PostDraft } from './server/posts/writing.ts';
import { renewals } from './server/renewals.ts';
import { findClub, findLevels, findOpen, membershipsOf, stopRenewals } from './store.ts';
import { ownRows } from './store/own-rows.ts';
import { findPublic, findPublicIds, postBlobs, type StoredPost } from './store/posts.ts';

export interface FanclubsService {
  /** Somebody's level in a performer's club now; null for none. Decides what is free, and discounts. */
  readonly levelOf: (tx: Tx, personId: number, performerId: number) => Promise<LevelOrNone>;
  /** The same for many people in one club; people without a level are left out. */
  readonly levelsOf: (
    tx: Tx,
    personIds: readonly number[],
    performerId: number,
  ) => Promise<ReadonlyMap<number, FanclubLevel>>;
  /** Which of these performers have a club that can be joined, for listings. */
  readonly openAmong: (tx: Tx, performerIds: readonly number[]) => Promise<ReadonlySet<number>>;
  /** Saves a club as the call does, without HTTP: for seeds. Throws if the call would refuse it. */
  readonly saveClub: (tx: Tx, performerId: number, club: ClubView) => Promise<void>;
  /** Publishes a post as the call does, without HTTP: for seeds. Throws if the call would refuse it. */
  readonly publishPost: (tx: Tx, performerId: number, draft: PostDraft) => Promise<void>;
  /** Which of these posts everybody can read who sees the club: for the feed. */
  readonly publicAmong: (tx: Tx, ids: readonly number[]) => Promise<ReadonlySet<number>>;
  /** Their texts, for a visitor: without those of performers whose rooms exclude the visitor. */
  readonly publicPosts: (
    tx: Tx,
    ids: readonly number[],
    visitor: Visitor,
  ) => Promise<ReadonlyMap<number, Pick<StoredPost, 'performerId' | 'body'>>>;
}
export type FanclubsSlice = Slice<FanclubsService>;

/** Fan clubs: three levels, paid by the month in tokens. */
export function fanclubsSlice(deps: PostDependencies): FanclubsSlice {
  const levelOf: FanclubsService['levelOf'] = async (tx, personId, performerId) =>
    (await findLevels(tx, [personId], performerId)).get(personId) ?? null;
  return {
    name: 'fanclubs',
    service: {
      levelOf,
      levelsOf: findLevels,
      openAmong: findOpen,
      saveClub: async (tx, performerId, club) => {
        const saved = await saveClub(deps.extensions, tx, performerId, club);
        if (typeof saved === 'string') throw new Error(`a club was refused: ${saved}`);
      },
      publishPost: async (tx, performerId, draft) => {
        const made = await publish(deps, tx, performerId, draft);
        if ('code' in made) throw new Error(`a post was refused: ${made.code}`);
      },
      publicAmong: findPublicIds,
      publicPosts: async (tx, ids, visitor) => {
        const read = new Map<number, Pick<StoredPost, 'performerId' | 'body'>>();
        for (const { id, performerId, body } of await findPublic(tx, ids)) {
          if (!(await deps.rooms.isExcluded(tx, visitor, performerId))) read.set(id, { performerId, body });
        }
        return read;
      },
    },
    extensions: [
      implement(personalData, ownRows),
      implement(userPart, membershipsPart(deps)),
      implement(kinds, () => NOTICE_KINDS),
      implement(fanLevels, findLevels),
      implement(blobNames, () => postBlobs),
      implement(reportables, reportablePost),
      // A performer who leaves gets no more payments, and a member who leaves makes none.
      implement(closingPart, {
        keys: [],
        consequences: async () => ({}),
        requested: async (tx, personId) => {
          await stopRenewals(tx, personId);
          await closeClub(tx, personId);
        },
      }),
      implement(
        roomParts,
        partSource({
          part: fanclubsPart,
          load: async (tx, { personId }, performerId) => ({
            userSetting: { fanclub: roomClub(await findClub(tx, performerId)) },
            auth: {
              fanclub: {
                membershipLevel: personId === null ? null : await levelOf(tx, personId, performerId),
              },
            },
          }),
        }),
      ),
    ],
    callHandlers: [
      ...clubHandlers(deps),
      ...joiningHandlers(deps),
      ...readingHandlers(deps),
      ...writingHandlers(deps),
      uploadHandler(deps),
    ],
    deadlineHandlers: [renewals(deps), newsDeadline(deps), ...pictureDeadlines(deps)],
  };
}

/** A club in the data of its room; nothing for a closed one. */
const roomClub = ({ enabled, description, prices }: ClubView) => (enabled
  ? {
    enabled,
    description,
    priceSupporter: prices.supporter,
    priceInsider: prices.insider,
    priceLegend: prices.legend,
  }
  : fanclubsPart.empty.userSetting.fanclub);

/** Somebody's memberships in the current user: only those of performers whom they may see now. */
const membershipsPart = ({ accounts, compliance }: FanclubsDependencies): UserPart => ({
  keys: ['modelFanClubList', 'fanclub_membership_list', 'has_fans_subscription'],
  read: async (tx, { id }, context) => {
    const running = (await membershipsOf(tx, id)).flatMap((membership) => {
      const level = levelAt(membership, tx.now.getTime());
      return level === null ? [] : [{ performerId: membership.performerId, level }];
    });
    if (running.length === 0) return {};
    const ids = running.map(({ performerId }) => performerId);
    const seen = await compliance.perceivable(tx, compliance.viewerOf(context), ids, 'room');
    const people = await accounts.findMany(tx, [...seen]);
    const list = running.flatMap(({ performerId, level }) => {
      const performer = people.get(performerId);
      return performer ? [{ modelUsername: performer.username, level }] : [];
    });
    return {
      fanclub_membership_list: list,
      modelFanClubList: list.map(({ modelUsername: username }) => ({ username })),
      has_fans_subscription: true,
    };
  },
});
