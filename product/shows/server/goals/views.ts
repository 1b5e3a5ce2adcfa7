import type { Tx } from '#platform/data/data.ts';
import type { GroupGoalView, PublicGroupGoalView } from '../../contract/group-goal.ts';
import { countGifts, findOpenGroupGoal, type GroupGoalRow } from '../../store/group-goals.ts';

export const goalView = (
  { id, title, tokens, progress, ends_at: endsAt }: GroupGoalRow,
): PublicGroupGoalView => ({ id, title, tokens, progress, ends_at: endsAt.toISOString() });

/** `groupGoal` of a room for one viewer; null without a running goal. */
export async function groupGoalOf(
  tx: Tx,
  performerId: number,
  viewerId: number | null,
): Promise<GroupGoalView | null> {
  const row = await findOpenGroupGoal(tx, performerId);
  if (!row) return null;
  return { ...goalView(row), own: viewerId === null ? 0 : (await countGifts(tx, row.id, viewerId)).own };
}
