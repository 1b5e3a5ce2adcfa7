import { handleCall, type CallHandler, type Slice } from '#platform/contract/bind.ts';
import type { CallContext, PersonContext } from '#platform/contract/context.ts';
import { event, topicChannel, topicPersonChannel } from '#platform/contract/event.ts';
import { implement } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { personalData, userPart, type UserPart } from '#product/accounts/extension-points.ts';
import type { Person } from '#product/accounts/server.ts';
import type { ComplianceService } from '#product/compliance/server.ts';
import { kinds } from '#product/notices/extension-points.ts';
import { roomBanned } from '#product/rooms/contract.ts';
import { roomParts } from '#product/rooms/extension-points.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { partSource } from '#product/rooms/server.ts';
import { z } from 'zod';
import {
  countNewFollowers,
  follow,
  followDisabled,
  followed,
  hidePerformer,
  listFollowed,
  listHidden,
  messagingPart,
  ownRelation,
  performerUnknown,
  relationChanged,
  tooManyFollowed,
  tooManyHidden,
  unfollow,
  unfollowed,
  unhidePerformer,
  type RelationView,
} from './contract.ts';
import { MAX_FOLLOWING_LISTED, MAX_FOLLOWS, MAX_HIDES, RECENT_FOLLOW_MS, RELATIONS_PAGE } from './rules.ts';
import { alertDeadlines, alertSubscriptions, WENT_LIVE, type AlertDependencies } from './server/alerts.ts';
import { ignoreHandlers } from './server/ignores.ts';
import { noteHandlers } from './server/notes.ts';
import { fanPostDeadlines, fanPostSubscriptions } from './server/posts.ts';
import {
  countFollowers,
  countFollowersSince,
  countFollows,
  countHides,
  deleteFollow,
  deleteHide,
  findFollows,
  findHides,
  insertFollow,
  insertHide,
  isFollowed,
  isHidden,
  lockRelations,
  type RelationLine,
} from './store.ts';
import { ownRows } from './store/own-rows.ts';

/**
 * Only between processes: reports that the list of followed or hidden performers of `personId` has changed.
 * No socket can join this topic.
 */
const relationsChannel = topicChannel('internal.relations');
export const relationsChanged = event({
  name: 'internal.relations',
  socket: 'room',
  from: 'server',
  shape: z.object({ personId: z.int() }),
  description: 'What is remembered of the lists of this person is out of date.',
});

export interface MessagingService {
  /** Number of followers of each of these performers; performers without followers are left out. */
  readonly followersOf: (tx: Tx, performerIds: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  /** Ids of all performers that somebody follows, newest first; at most `MAX_FOLLOWS`. */
  readonly followedBy: (tx: Tx, personId: number) => Promise<readonly number[]>;
  /** Ids of all performers that somebody hides from listings, newest first; at most `MAX_HIDES`. */
  readonly hiddenBy: (tx: Tx, personId: number) => Promise<readonly number[]>;
  /** Follows a performer who is not followed yet, without HTTP, for seeds. */
  readonly follow: (
    tx: Tx,
    personId: number,
    performer: { readonly id: number; readonly username: string },
  ) => Promise<void>;
}
export type MessagingSlice = Slice<MessagingService>;

export type MessagingDependencies = AlertDependencies & { readonly compliance: ComplianceService };

/** Following and hiding performers; friends come later. */
export function messagingSlice(deps: MessagingDependencies): MessagingSlice {
  const idsOf = (lines: readonly RelationLine[]): number[] => lines.map(({ performer_id: id }) => id);
  return {
    name: 'messaging',
    service: {
      followersOf: countFollowers,
      followedBy: async (tx, personId) => idsOf(await findFollows(tx, personId, MAX_FOLLOWS)),
      hiddenBy: async (tx, personId) => idsOf(await findHides(tx, personId, MAX_HIDES)),
      follow: async (tx, personId, performer) => {
        await insertFollow(tx, personId, performer.id);
        await publishFollow(tx, personId, performer, true);
      },
    },
    extensions: [
      implement(personalData, ownRows),
      implement(userPart, followingPart(deps)),
      implement(kinds, () => [WENT_LIVE]),
      implement(
        roomParts,
        partSource({
          part: messagingPart,
          load: async (tx, { personId }, performerId) => ({
            user: { follower: await followerView(tx, performerId) },
            auth: {
              ...messagingPart.empty.auth,
              isFollowing: personId !== null && (await isFollowed(tx, personId, performerId)),
              isHidden: personId !== null && (await isHidden(tx, personId, performerId)),
            },
          }),
        }),
      ),
    ],
    subscriptions: [...alertSubscriptions(deps), ...fanPostSubscriptions(deps)],
    deadlineHandlers: [...alertDeadlines(deps), ...fanPostDeadlines(deps)],
    callHandlers: [
      ...followHandlers(deps),
      ...hideHandlers(deps),
      ...listHandlers(deps),
      ...noteHandlers(deps),
      ...ignoreHandlers(deps),
    ],
  };
}

/** The followed performers in the current user: the newest that the person may perceive now. */
const followingPart = ({ accounts, compliance }: MessagingDependencies): UserPart => ({
  keys: ['following'],
  read: async (tx, { id }, context) => {
    const ids = (await findFollows(tx, id, MAX_FOLLOWING_LISTED)).map(({ performer_id: of }) => of);
    if (ids.length === 0) return { following: [] };
    const seen = await compliance.perceivable(tx, compliance.viewerOf(context), ids, 'listing');
    const people = await accounts.findMany(tx, [...seen]);
    return {
      following: ids.flatMap((of) => {
        const performer = people.get(of);
        return performer ? [{ followname: performer.username }] : [];
      }),
    };
  },
});

async function followerView(
  tx: Tx,
  performerId: number,
): Promise<{ readonly countRecent: number; readonly countTotal: number }> {
  const since = new Date(tx.now.getTime() - RECENT_FOLLOW_MS);
  return {
    countRecent: await countFollowersSince(tx, performerId, since),
    countTotal: (await countFollowers(tx, [performerId])).get(performerId) ?? 0,
  };
}

interface Named {
  readonly performer: Person;
  readonly isPerceived: boolean;
}

/** A performer by name, and whether this viewer may perceive them; null for an unknown name. */
async function performerNamed(
  { accounts, compliance }: MessagingDependencies,
  tx: Tx,
  context: CallContext,
  username: string,
): Promise<Named | null> {
  const performer = await accounts.findByUsername(tx, normalizeUsername(username));
  if (performer?.type !== 'model') return null;
  const viewer = compliance.viewerOf(context);
  return { performer, isPerceived: await compliance.mayPerceive(tx, viewer, performer.id, 'listing') };
}

/** Publishes that a follow began or ended. */
const publishFollow = (
  tx: Tx,
  viewerId: number,
  { id: performerId, username }: Pick<Person, 'id' | 'username'>,
  isFollowing: boolean,
): Promise<void> =>
  tx.publish(isFollowing ? followed : unfollowed, `performer:${performerId}`, {
    performerId,
    username,
    viewerId,
  });

/** Sends a change to this viewer's tabs in the room, and to processes that cache the lists. */
async function sendRelation(tx: Tx, viewerId: number, performer: Person): Promise<void> {
  const { status: _status, username: _username, ...relation } = await relationOf(tx, viewerId, performer);
  await tx.send(topicPersonChannel(roomTopic(performer.id), viewerId), relationChanged, relation);
  await tx.send(relationsChannel, relationsChanged, { personId: viewerId });
}

/** @param isPerceived false leaves the counts 0 */
async function relationOf(
  tx: Tx,
  viewerId: number,
  { id, username }: Person,
  isPerceived = true,
): Promise<RelationView> {
  return {
    status: 1,
    username,
    is_following: await isFollowed(tx, viewerId, id),
    is_hidden: await isHidden(tx, viewerId, id),
    follower: isPerceived ? await followerView(tx, id) : messagingPart.empty.user.follower,
  };
}

function followHandlers(deps: MessagingDependencies): CallHandler[] {
  const { data, rooms } = deps;
  return [
    handleCall(countNewFollowers)(async ({ since }, { scope, personId }) =>
      data.tx(scope, async (tx) => ({ count: await countFollowersSince(tx, personId, new Date(since)) }))
    ),
    handleCall(follow)(async ({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const { personId: viewerId, refuse } = context;
        const entry = await rooms.enter(tx, context, username);
        if ('refused' in entry) {
          const isBanned = typeof entry.refused !== 'string' && entry.refused.kind === 'banned';
          return refuse(isBanned ? roomBanned : performerUnknown);
        }
        const { owner: performer } = entry;
        if (performer.id === viewerId) return refuse(ownRelation);
        await lockRelations(tx, viewerId);
        if (!(await isFollowed(tx, viewerId, performer.id))) {
          if (!(await rooms.takesFollowers(tx, performer.id))) return refuse(followDisabled);
          if ((await countFollows(tx, viewerId)) >= MAX_FOLLOWS) {
            return refuse(tooManyFollowed, { values: { limit: MAX_FOLLOWS } });
          }
          await deleteHide(tx, viewerId, performer.id);
          await insertFollow(tx, viewerId, performer.id);
          await publishFollow(tx, viewerId, performer, true);
          await sendRelation(tx, viewerId, performer);
        }
        return relationOf(tx, viewerId, performer);
      })
    ),
    handleCall(unfollow)(async ({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const viewerId = context.personId;
        const named = await performerNamed(deps, tx, context, username);
        if (!named) return context.refuse(performerUnknown);
        const { performer, isPerceived } = named;
        await lockRelations(tx, viewerId);
        const wasFollowed = await deleteFollow(tx, viewerId, performer.id);
        // A follow can always be ended, whatever became of the performer; nobody else learns that they exist.
        if (!wasFollowed && !isPerceived) return context.refuse(performerUnknown);
        if (wasFollowed) {
          await publishFollow(tx, viewerId, performer, false);
          await sendRelation(tx, viewerId, performer);
        }
        return relationOf(tx, viewerId, performer, isPerceived);
      })
    ),
  ];
}

function hideHandlers(deps: MessagingDependencies): CallHandler[] {
  const { data } = deps;
  return [
    handleCall(hidePerformer)(async ({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const viewerId = context.personId;
        const named = await performerNamed(deps, tx, context, username);
        if (!named?.isPerceived) return context.refuse(performerUnknown);
        const { performer } = named;
        if (performer.id === viewerId) return context.refuse(ownRelation);
        await lockRelations(tx, viewerId);
        if (!(await isHidden(tx, viewerId, performer.id))) {
          if ((await countHides(tx, viewerId)) >= MAX_HIDES) {
            return context.refuse(tooManyHidden, { values: { limit: MAX_HIDES } });
          }
          if (await deleteFollow(tx, viewerId, performer.id)) {
            await publishFollow(tx, viewerId, performer, false);
          }
          await insertHide(tx, viewerId, performer.id);
          await sendRelation(tx, viewerId, performer);
        }
        return relationOf(tx, viewerId, performer);
      })
    ),
    handleCall(unhidePerformer)(async ({ username }, context) =>
      data.tx(context.scope, async (tx) => {
        const viewerId = context.personId;
        const named = await performerNamed(deps, tx, context, username);
        if (!named) return context.refuse(performerUnknown);
        const { performer, isPerceived } = named;
        await lockRelations(tx, viewerId);
        const wasHidden = await deleteHide(tx, viewerId, performer.id);
        if (!wasHidden && !isPerceived) return context.refuse(performerUnknown);
        if (wasHidden) await sendRelation(tx, viewerId, performer);
        return relationOf(tx, viewerId, performer, isPerceived);
      })
    ),
  ];
}

function listHandlers({ data, accounts, compliance }: MessagingDependencies): CallHandler[] {
  const page = (
    find: typeof findFollows,
    before: number | undefined,
    context: PersonContext,
  ) =>
    data.tx(context.scope, async (tx) => {
      const found = await find(tx, context.personId, RELATIONS_PAGE + 1, before);
      const { page: lines, next } = pageOf(found, RELATIONS_PAGE);
      const ids = lines.map(({ performer_id: id }) => id);
      const seen = await compliance.perceivable(tx, compliance.viewerOf(context), ids, 'listing');
      const people = await accounts.findMany(tx, [...seen]);
      return {
        performers: lines.flatMap(({ performer_id: id, created_at: since }) => {
          const person = people.get(id);
          if (!person) return [];
          const { username, displayName, avatarUrl } = person;
          return [{ username, displayName, avatarUrl, since: since.toISOString() }];
        }),
        next,
      };
    });
  return [
    handleCall(listFollowed)(({ before }, context) => page(findFollows, before, context)),
    handleCall(listHidden)(({ before }, context) => page(findHides, before, context)),
  ];
}
