import type { DeadlineHandler } from '#platform/contract/bind.ts';
import type { Tx } from '#platform/data/data.ts';
import { MINUTE_MS } from '#platform/time/units.ts';
import { findState } from '../../store.ts';
import { findSettings } from '../../store/settings.ts';
import type { RoomsDependencies } from '../dependencies.ts';

const KIND = 'rooms.notice';

/** Schedules the next recurring notice, if the performer has one. */
export async function scheduleNotice(tx: Tx, performerId: number): Promise<void> {
  const { noticeMinutes } = await findSettings(tx, performerId);
  const key = String(performerId);
  if (noticeMinutes === null) return tx.unschedule(KIND, key);
  return tx.schedule({ kind: KIND, key, at: new Date(tx.now.getTime() + noticeMinutes * MINUTE_MS) });
}

/** Shows recurring notices while a room is online; going online schedules them again. */
export const noticeDeadline = (
  { data }: RoomsDependencies,
  show: (tx: Tx, performerId: number, text: string) => Promise<number>,
): DeadlineHandler => ({
  kind: KIND,
  handle: ({ operatorId, key }) =>
    data.tx({ operatorId }, async (tx) => {
      const performerId = Number(key);
      const { notice } = await findSettings(tx, performerId);
      const { status } = await findState(tx, performerId);
      if (notice === null || status === 'offline') return;
      if (status === 'online') await show(tx, performerId, notice);
      await scheduleNotice(tx, performerId);
    }),
});
