import { handleCall, type CallHandler, type DeadlineHandler } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import type { Data } from '#platform/data/data.ts';
import type { RoomVisits } from '#product/rooms/extension-points.ts';
import {
  clearViewHistory,
  getViewHistory,
  saveViewHistory,
  type HistoryEntryView,
} from '../contract/history.ts';
import {
  cursorOf,
  cursorText,
  HISTORY_MS,
  HISTORY_PAGE,
  MAX_HISTORY,
  MIN_STAY_MS,
} from '../rules/history.ts';
import {
  addStay,
  deleteOldViews,
  deleteViews,
  isHistoryOn,
  isSameVisit,
  listViews,
  lockHistory,
  saveHistoryOn,
  saveView,
  type View,
} from '../store/history.ts';
import type { Browsing } from './dependencies.ts';
import { entryView } from './entries.ts';
import { countFromNow } from './learning.ts';

/** Deletes what is too old in one person's history. */
const EXPIRY = 'browse.history';

/** Stores the rooms that members enter, if they consent and have not turned the history off. */
export const historyVisits = ({ consent }: Pick<Browsing, 'consent'>): RoomVisits => ({
  entered: async (tx, { personId: viewerId, performerId, consent: said }) => {
    if (!(await consent.allows(tx, viewerId, said, 'preferences'))) return;
    if (!(await isHistoryOn(tx, viewerId)) || (await isSameVisit(tx, viewerId, performerId))) return;
    await lockHistory(tx, viewerId);
    // Somebody may have turned it off before the lock.
    if (!(await isHistoryOn(tx, viewerId))) return;
    const isFirst = await saveView(tx, viewerId, performerId);
    // The oldest row sets the deadline; its handler then schedules the next.
    if (isFirst) {
      await tx.schedule({
        kind: EXPIRY,
        key: String(viewerId),
        at: new Date(tx.now.getTime() + HISTORY_MS),
      });
    }
  },
  left: async (tx, { personId: viewerId, performerId, consent: said }, since) => {
    if (tx.now.getTime() - since.getTime() < MIN_STAY_MS) return;
    if (!(await consent.allows(tx, viewerId, said, 'preferences'))) return;
    await lockHistory(tx, viewerId);
    if (await isHistoryOn(tx, viewerId)) await addStay(tx, viewerId, performerId, since);
  },
});

export const historyDeadlines = ({ data }: { readonly data: Data }): DeadlineHandler[] => [{
  kind: EXPIRY,
  handle: ({ operatorId, key }) =>
    data.tx({ operatorId }, async (tx) => {
      const at = await deleteOldViews(tx, Number(key));
      if (at) await tx.schedule({ kind: EXPIRY, key, at });
    }),
}];

/** Ids of performers whose rooms somebody entered, latest first; none for a guest. */
export const historyOf =
  ({ data }: { readonly data: Data }) =>
  async ({ scope, caller: { kind, personId } }: CallContext): Promise<readonly number[]> => {
    if (kind !== 'person' || personId === null) return [];
    const views = await data.tx(scope, (tx) => listViews(tx, personId, MAX_HISTORY));
    return views.map(({ performer_id: id }) => id);
  };

/** The caller's own history: reading, clearing, and turning it on or off. */
export function historyHandlers(browsing: Browsing): CallHandler[] {
  const { data } = browsing;
  return [
    handleCall(getViewHistory)(async ({ before }, context) => {
      const { personId } = context;
      const found = await data.tx(context.scope, async (tx) => ({
        isOn: await isHistoryOn(tx, personId),
        now: tx.now,
        views: await listViews(
          tx,
          personId,
          HISTORY_PAGE + 1,
          before === undefined ? null : cursorOf(before),
        ),
      }));
      const views = found.views.slice(0, HISTORY_PAGE);
      const last = views.at(-1);
      return {
        is_on: found.isOn,
        userList: await entriesOf(browsing, context, views, found.now),
        next: last && found.views.length > HISTORY_PAGE
          ? cursorText({ at: last.last_at, performerId: last.performer_id })
          : null,
      };
    }),
    handleCall(clearViewHistory)(async (_input, context) =>
      data.tx(context.scope, async (tx) => {
        const { personId } = context;
        await lockHistory(tx, personId);
        await deleteViews(tx, personId);
        await tx.unschedule(EXPIRY, String(personId));
        return { status: 1 as const };
      })
    ),
    handleCall(saveViewHistory)(async ({ is_on: isOn }, context) =>
      data.tx(context.scope, async (tx) => {
        const { personId } = context;
        await lockHistory(tx, personId);
        await saveHistoryOn(tx, personId, isOn);
        await countFromNow(tx, personId);
        return { status: 1 as const, is_on: isOn };
      })
    ),
  ];
}

/** As tiles, without performers whom this viewer may not perceive or hides. */
async function entriesOf(
  { directoryOf, viewerOf, broadcast }: Browsing,
  context: CallContext,
  views: readonly View[],
  now: Date,
): Promise<HistoryEntryView[]> {
  const directory = await directoryOf(context.scope.operatorId);
  const { sees, hidden } = await viewerOf(context);
  return views.flatMap(({ performer_id: id, first_at: firstAt, last_at: lastAt, seconds }) => {
    const entry = directory.get(id);
    if (!entry || hidden.has(id) || !sees(entry)) return [];
    return [{
      ...entryView(entry, broadcast, now.getTime()),
      reasons: [],
      seenAt: lastAt.toISOString(),
      firstSeenAt: firstAt.toISOString(),
      watchedSeconds: seconds,
    }];
  });
}
