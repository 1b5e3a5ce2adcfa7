import type { Tx } from '#platform/data/data.ts';
import type { ChatMode } from '#product/rooms/rules.ts';
import { viewDecider } from '#product/rooms/server.ts';
import { findRunning } from '../store/privates.ts';

/** Mode of somebody who takes part in a performer's show of one product; null for everybody else. */
export type ModeOf = (tx: Tx, personId: number, performerId: number) => Promise<ChatMode | null>;

export const privateMode: ModeOf = async (tx, personId, performerId) => {
  const row = await findRunning(tx, 'performer_id', performerId);
  return row?.viewer_id === personId ? 'private' : null;
};

/** Decides a viewer's mode: only somebody in the running show of a product takes part in a show. */
export const modeDecider = (products: readonly ModeOf[]) =>
  viewDecider({
    decides: ['mode'],
    of: async (tx, { personId }, performerId) => {
      if (personId === null) return { mode: 'public' };
      for (const modeOf of products) {
        const mode = await modeOf(tx, personId, performerId);
        if (mode !== null) return { mode };
      }
      return { mode: 'public' };
    },
  });
