import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { CallContext, PersonContext } from '#platform/contract/context.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import type { RoomVisits } from '#product/rooms/extension-points.ts';
import {
  clearForYouLearned,
  getForYouLearned,
  removeForYouLearned,
  saveForYou,
} from '../contract/history.ts';
import { LEARNED_MS, learnedAfter, MIN_LEARNED_STAY_MS, secondsNow, staySeconds } from '../rules/learning.ts';
import type { DirectoryEntry } from '../rules/listing/entry.ts';
import type { Taste } from '../rules/listing/for-you.ts';
import { isHistoryOn } from '../store/history.ts';
import type { OwnHome } from '../store/home.ts';
import {
  deleteLearned,
  deleteLearnedPerformer,
  deleteLearnedTag,
  deleteOldLearned,
  findLearned,
  findLearningChoice,
  learnedExpiry,
  lockLearning,
  saveLearned,
  saveLearningChoice,
  type AllLearned,
  type LearningChoice,
} from '../store/learning.ts';
import type { BrowseViewer, Browsing } from './dependencies.ts';
import type { Directory } from './directory/directory.ts';

/** Deletes what is too old of what was learned about one person. */
const EXPIRY = 'browse.learned';
const NOTHING: AllLearned = { performers: new Map(), tags: new Map() };

/** Without a choice of their own, members who turned their history off are not learned from either. */
const learnsNow = async (tx: Tx, viewerId: number, { learns }: LearningChoice): Promise<boolean> =>
  learns ?? isHistoryOn(tx, viewerId);

/** Time before this moment no longer counts, even in a visit that continues. */
export async function countFromNow(tx: Tx, viewerId: number): Promise<void> {
  await lockLearning(tx, viewerId);
  await saveLearningChoice(tx, viewerId, { countsFrom: tx.now });
}

/** Learns from the time that members spend in rooms, if they consent and have not turned it off. */
export const learningVisits = (
  { broadcast, consent }: Pick<Browsing, 'broadcast' | 'consent'>,
): RoomVisits => ({
  // A visit counts when it ends.
  entered: async () => undefined,
  left: async (tx, { personId: viewerId, performerId, consent: said }, since) => {
    if (tx.now.getTime() - since.getTime() < MIN_LEARNED_STAY_MS) return;
    if (!(await consent.allows(tx, viewerId, said, 'preferences'))) return;
    await lockLearning(tx, viewerId);
    const choice = await findLearningChoice(tx, viewerId);
    if (!(await learnsNow(tx, viewerId, choice))) return;
    const learned = await findLearned(tx, viewerId);
    const before = learned.performers.get(performerId);
    const seconds = staySeconds(since, tx.now, [choice.countsFrom, before?.countedUntil]);
    if (seconds === 0) return;
    const tags = (await broadcast.viewsOf(tx, [performerId])).get(performerId)?.tags ?? [];
    await saveLearned(
      tx,
      viewerId,
      performerId,
      learnedAfter(before, seconds, tx.now),
      new Map(tags.map((tag) => [tag, learnedAfter(learned.tags.get(tag), seconds, tx.now)])),
    );
    // The oldest row sets the deadline; its handler then schedules the next.
    if (learned.performers.size === 0 && learned.tags.size === 0) {
      await tx.schedule({
        kind: EXPIRY,
        key: String(viewerId),
        at: new Date(tx.now.getTime() + LEARNED_MS),
      });
    }
  },
});

export const learningDeadlines = ({ data }: { readonly data: Data }): DeadlineHandler[] => [{
  kind: EXPIRY,
  handle: ({ operatorId, key }) =>
    data.tx({ operatorId }, async (tx) => {
      await deleteOldLearned(tx, Number(key));
      const at = await learnedExpiry(tx, Number(key));
      if (at) await tx.schedule({ kind: EXPIRY, key, at });
    }),
}];

/** Tastes of members, for "for you". */
export type TasteOf = (
  context: CallContext,
  directory: Directory,
  viewer: BrowseViewer,
) => Promise<Taste | null>;

/**
 * A member's taste; null for a guest, and for members who turned "for you" off. One query for their choices,
 * two for what was learned.
 */
export const tasteOf = ({ data }: { readonly data: Data }): TasteOf => async (context, directory, viewer) => {
  const { caller: { kind, personId }, scope, consent } = context;
  if (kind !== 'person' || personId === null) return null;
  const { learned, choice, now } = await data.tx(scope, async (tx) => {
    const found = await findLearningChoice(tx, personId);
    const isUsed = consent.preferences && found.isShown && await learnsNow(tx, personId, found);
    return { choice: found, now: tx.now, learned: isUsed ? await findLearned(tx, personId) : NOTHING };
  });
  return choice.isShown ? tasteFrom(learned, now, directory, viewer, context) : null;
};

/** The taste of a member whose home page was read; null for members who turned "for you" off. */
export const tasteAtHome = (
  { learning: { isShown, learns }, isHistoryOn: isOn, learned }: OwnHome,
  now: Date,
  directory: Directory,
  viewer: BrowseViewer,
  context: CallContext,
): Taste | null => (isShown
  ? tasteFrom(
    context.consent.preferences && (learns ?? isOn) ? learned : NOTHING,
    now,
    directory,
    viewer,
    context,
  )
  : null);

function tasteFrom(
  learned: AllLearned,
  now: Date,
  directory: Directory,
  viewer: BrowseViewer,
  { locale }: Pick<CallContext, 'locale'>,
): Taste {
  const known = (ids: Iterable<number>): DirectoryEntry[] =>
    [...ids].flatMap((id) => directory.get(id) ?? []);
  const mayShow = (entry: DirectoryEntry): boolean => viewer.sees(entry) && !viewer.hidden.has(entry.id);
  return {
    // Reasons name these performers, so the viewer must be allowed to perceive them.
    followed: known(viewer.followed).filter(mayShow),
    hidden: known(viewer.hidden),
    language: locale,
    watched: new Map(
      known(learned.performers.keys()).filter(mayShow).map((entry) => {
        const one = learned.performers.get(entry.id);
        return [entry, one ? secondsNow(one, now) : 0];
      }),
    ),
    watchedTags: new Map([...learned.tags].map(([tag, one]) => [tag, secondsNow(one, now)])),
  };
}

/** What was learned about the caller: reading, removing, and turning learning and "for you" on or off. */
export function learningHandlers(browsing: Browsing): CallHandler[] {
  /** Changes something of the caller's, then answers with the new state. */
  const answer = async (
    context: PersonContext,
    change: (tx: Tx, personId: number) => Promise<void> = async () => undefined,
  ) =>
    viewOf(
      browsing,
      context,
      await browsing.data.tx(context.scope, async (tx) => {
        const { personId } = context;
        await change(tx, personId);
        const choice = await findLearningChoice(tx, personId);
        return {
          choice,
          learns: await learnsNow(tx, personId, choice),
          learned: await findLearned(tx, personId),
          now: tx.now,
        };
      }),
    );
  return [
    handleCall(getForYouLearned)((_input, context) => answer(context)),
    handleCall(clearForYouLearned)((_input, context) =>
      answer(context, async (tx, personId) => {
        await countFromNow(tx, personId);
        await deleteLearned(tx, personId);
        await tx.unschedule(EXPIRY, String(personId));
      })
    ),
    handleCall(removeForYouLearned)(({ performer_id: performerId, tag }, context) =>
      answer(context, async (tx, personId) => {
        await countFromNow(tx, personId);
        if (performerId !== undefined) await deleteLearnedPerformer(tx, personId, performerId);
        if (tag !== undefined) await deleteLearnedTag(tx, personId, tag);
      })
    ),
    handleCall(saveForYou)(({ learns, is_shown: isShown }, context) =>
      answer(context, async (tx, personId) => {
        await lockLearning(tx, personId);
        await saveLearningChoice(tx, personId, {
          ...(learns === undefined ? {} : { learns, countsFrom: tx.now }),
          ...(isShown === undefined ? {} : { isShown }),
        });
      })
    ),
  ];
}

interface Found {
  readonly choice: LearningChoice;
  readonly learns: boolean;
  readonly learned: AllLearned;
  readonly now: Date;
}

/** Most watched first, without performers whom this viewer may not perceive or hides. */
async function viewOf(
  { directoryOf, viewerOf }: Browsing,
  context: CallContext,
  { choice, learns, learned, now }: Found,
): Promise<OutputOf<typeof getForYouLearned>> {
  const directory = await directoryOf(context.scope.operatorId);
  const { sees, hidden } = await viewerOf(context);
  const performers = [...learned.performers].flatMap(([id, one]) => {
    const entry = directory.get(id);
    if (!entry || hidden.has(id) || !sees(entry)) return [];
    const { username, displayName } = entry;
    return [{ id, username, displayName, seconds: Math.round(secondsNow(one, now)) }];
  });
  const tags = [...learned.tags].map(([tag, one]) => ({ tag, seconds: Math.round(secondsNow(one, now)) }));
  return {
    learns,
    is_shown: choice.isShown,
    performerList: performers.sort((a, b) => b.seconds - a.seconds || a.id - b.id),
    tagList: tags.sort((a, b) => b.seconds - a.seconds || (a.tag < b.tag ? -1 : 1)),
  };
}
