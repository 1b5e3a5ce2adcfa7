import type { Tx } from '#platform/data/data.ts';
import { findDetails, findDetailsOf, lastBroadcasts, lastBroadcastsOf } from '../store.ts';
import { findStudios, isStandby, standbyAmong } from '../store/settings.ts';
import type { BroadcastView } from './dependencies.ts';

/** A broadcast as listings need it. */
export interface ListedBroadcast extends BroadcastView {
  readonly studio: string | null;
}

export async function viewOf(tx: Tx, performerId: number): Promise<BroadcastView> {
  return broadcastView({
    performerId,
    last: await lastBroadcasts(tx, performerId),
    details: await findDetails(tx, performerId),
    standby: await isStandby(tx, performerId),
  });
}

export async function viewsOf(
  tx: Tx,
  performerIds: readonly number[],
): Promise<ReadonlyMap<number, ListedBroadcast>> {
  const broadcasts = await lastBroadcastsOf(tx, performerIds);
  const details = await findDetailsOf(tx, performerIds);
  const standby = await standbyAmong(tx, performerIds);
  const studios = await findStudios(tx, performerIds);
  return new Map(performerIds.map((performerId) => [performerId, {
    ...broadcastView({
      performerId,
      last: broadcasts.get(performerId) ?? { open: null, lastEndedAt: null },
      details: details.get(performerId) ?? { title: '', tags: [] },
      standby: standby.has(performerId),
    }),
    studio: studios.get(performerId) ?? null,
  }]));
}

function broadcastView({ performerId, last: { open, lastEndedAt }, details: { title, tags }, standby }: {
  readonly performerId: number;
  readonly last: Awaited<ReturnType<typeof lastBroadcasts>>;
  readonly details: { readonly title: string; readonly tags: readonly string[] };
  readonly standby: boolean;
}): BroadcastView {
  const phase = open?.state.phase ?? 'ended';
  const startedAt = open?.state.startedAt ?? null;
  return {
    performerId,
    broadcastId: open?.id ?? null,
    title,
    tags,
    state: phase === 'ended' ? 'offline' : phase,
    stream: open && startedAt !== null ? open.stream : null,
    mode: open?.mode ?? 'public',
    standby,
    startedAt: startedAt === null ? null : new Date(startedAt),
    lastOnlineAt: lastEndedAt,
  };
}
