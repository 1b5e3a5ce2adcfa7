import { handleCall, subscribe, type CallHandler, type Subscription } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import { topicPersonChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { SECOND_MS } from '#platform/time/units.ts';
import { recordingDeleted, recordingUnknown } from '#product/recordings/contract.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { notInShow } from '../../contract/private-running.ts';
import {
  getWatchable,
  getWatchedFile,
  privateWatch,
  stopWatching,
  watchedUnknown,
  watchTogether,
  watchTogetherDisabled,
} from '../../contract/private-watching.ts';
import { changeWatched, WATCHABLE_PAGE } from '../../rules/private.ts';
import { changePrivate, findPrivate, findRunning, type PrivateRow } from '../../store/privates.ts';
import { findShowSettings } from '../../store/settings.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { personNamed } from './requests.ts';
import { NOTHING_WATCHED, watchedOf, watchView } from './views.ts';

/**
 * The running show of a performer, locked until the unit ends; null for none, or while it is still starting.
 */
async function lockedShow(tx: Tx, performerId: number): Promise<PrivateRow | null> {
  const found = await findRunning(tx, 'performer_id', performerId);
  const row = found && await findPrivate(tx, found.id);
  return row?.phase === 'running' ? row : null;
}

/** Sends both people in a show what they watch. */
async function sendWatched(tx: Tx, row: PrivateRow, isDeleted: boolean): Promise<void> {
  const payload = { watch_together: watchView(row, tx.now), is_deleted: isDeleted };
  const topic = roomTopic(row.performer_id);
  for (const personId of [row.viewer_id, row.performer_id]) {
    await tx.send(topicPersonChannel(topic, personId), privateWatch, payload);
  }
}

/** Ends what is watched in a show. */
async function clearWatched(tx: Tx, row: PrivateRow, isDeleted: boolean): Promise<void> {
  await sendWatched(tx, await changePrivate(tx, row.id, NOTHING_WATCHED), isDeleted);
}

function choosingHandlers({ data, recordings }: ShowsDependencies): CallHandler[] {
  return [
    handleCall(watchTogether)(async ({ id, position_ms: position, is_playing: playing }, context) =>
      data.tx(context.scope, async (tx) => {
        const performerId = context.personId;
        const row = await lockedShow(tx, performerId);
        if (!row) return context.refuse(notInShow);
        const before = watchedOf(row);
        // After turning the setting off during a video, the performer can still pause and stop that video,
        // but cannot start another one.
        const isAllowed = before?.id === id
          || (await findShowSettings(tx, performerId)).is_watch_together_enabled;
        if (!isAllowed) return context.refuse(watchTogetherDisabled);
        // This locks the recording until the change is stored: a later deletion finds it here, and ends it.
        const video = await recordings.publicVideoOf(tx, performerId, id);
        if (!video) return context.refuse(recordingUnknown);
        const after = changeWatched(before, {
          id,
          lengthMs: video.durationMs,
          positionMs: position ?? null,
          isPlaying: playing ?? null,
        }, tx.now.getTime());
        const changed = await changePrivate(tx, row.id, {
          watch_id: after.id,
          watch_length_ms: after.lengthMs,
          watch_position_ms: after.positionMs,
          watch_is_playing: after.isPlaying,
          watch_at: tx.now,
        });
        const view = watchView(changed, tx.now);
        if (!view) throw new Error(`show ${row.id} did not store what is watched`);
        await sendWatched(tx, changed, false);
        return view;
      })
    ),
    handleCall(stopWatching)(async (_input, context) =>
      data.tx(context.scope, async (tx) => {
        const row = await lockedShow(tx, context.personId);
        if (!row) return context.refuse(notInShow);
        if (row.watch_id !== null) await clearWatched(tx, row, false);
        return { status: 1 as const };
      })
    ),
    handleCall(getWatchable)(async ({ before = null }, context) =>
      data.tx(context.scope, async (tx) => {
        const found = await recordings.publicVideosOf(
          tx,
          context.personId,
          { before, limit: WATCHABLE_PAGE + 1 },
        );
        const { page: shown, next } = pageOf(found, WATCHABLE_PAGE);
        return {
          recordings: shown.map(({ id, title, startedAt, durationMs }) => ({
            id,
            title,
            started_at: startedAt.toISOString(),
            seconds: Math.floor(durationMs / SECOND_MS),
          })),
          next,
        };
      })
    ),
  ];
}

/**
 * Decides for each response whether the caller may have the video: they must be the viewer or performer of a
 * running show in which it is watched, and a viewer must still be allowed into the room. Returns the
 * performer's id, or null for no.
 */
async function watchedWith(
  deps: ShowsDependencies,
  tx: Tx,
  context: CallContext,
  username: string,
  id: number,
): Promise<number | null> {
  const { personId } = context.caller;
  const performer = await personNamed(deps, tx, username);
  const row = performer && await findRunning(tx, 'performer_id', performer.id);
  if (!row || personId === null || row.phase !== 'running' || row.watch_id !== id) return null;
  if (personId === row.performer_id) return row.performer_id;
  if (personId !== row.viewer_id) return null;
  const entry = await deps.rooms.enter(tx, context, performer.username);
  return 'refused' in entry ? null : row.performer_id;
}

export function watchTogetherHandlers(deps: ShowsDependencies): CallHandler[] {
  const { data, recordings } = deps;
  return [
    ...choosingHandlers(deps),
    handleCall(getWatchedFile)(async ({ username, id }, context) => {
      const { scope, range } = context;
      const performerId = await data.tx(scope, (tx) => watchedWith(deps, tx, context, username, id));
      const video = performerId === null
        ? null
        : await recordings.readPublicVideo(scope, { performerId, id }, range);
      return video ?? context.refuse(watchedUnknown);
    }),
  ];
}

/** Deleting a recording ends it in the show that is watching it. */
export const watchedDeleted = (deps: ShowsDependencies): Subscription =>
  subscribe(recordingDeleted, 'shows.watchedDeleted')(async ({ operatorId, payload: { performerId, id } }) =>
    deps.data.tx({ operatorId }, async (tx) => {
      const row = await lockedShow(tx, performerId);
      if (row?.watch_id === id) await clearWatched(tx, row, true);
    })
  );
