import { personChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { sharecamList, type RunningSharecamView, type SharecamsView } from '../../contract/sharecam.ts';
import { findSharecams } from '../../store/sharecams.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { namesOf } from '../private/views.ts';
import { sharecamRequestView } from './views.ts';

/** Running cameras, by their meters. */
export interface SharecamViews {
  readonly viewOf: (operatorId: number, id: number, of: 'viewer' | 'performer') => RunningSharecamView | null;
}

/** The requests and cameras of a performer, oldest first. */
export async function listOf(
  { accounts }: ShowsDependencies,
  sharecams: SharecamViews,
  tx: Tx,
  performerId: number,
): Promise<SharecamsView> {
  const rows = await findSharecams(tx, performerId);
  const nameOf = await namesOf(accounts, tx, [performerId, ...rows.map(({ viewer_id: id }) => id)]);
  return {
    requests: rows.filter(({ phase }) => phase === 'requested')
      .map((row) => sharecamRequestView(row, nameOf, tx.now)),
    running: rows.flatMap((row) => sharecams.viewOf(tx.operatorId, row.id, 'performer') ?? []),
  };
}

/** Sends the performer's pages the requests and the running cameras. */
export async function sendSharecams(
  deps: ShowsDependencies,
  sharecams: SharecamViews,
  tx: Tx,
  performerId: number,
): Promise<void> {
  await tx.send(personChannel(performerId), sharecamList, await listOf(deps, sharecams, tx, performerId));
}
