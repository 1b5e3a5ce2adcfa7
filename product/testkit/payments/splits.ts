import type { InputOf, OutputOf } from '#platform/contract/call.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { joinSplit } from '#product/tips/contract/splits.ts';
import { getTipRoom } from '#product/tips/contract/tools.ts';
import type { Member } from '../site.ts';

/** The input with which a room's page joins its split: the split and the share that are shown. */
export async function splitOn(performer: Member): Promise<InputOf<typeof joinSplit>> {
  const { username } = performer;
  const { split } = await performer.call(getTipRoom, { username });
  const uneven = split.total - split.split_amount * split.target_splitters;
  const price = split.split_amount + (split.splitters.length === 0 ? uneven : 0);
  return { username, id: split.id ?? uuidV4(), price: Math.max(1, price) };
}

/** Joins the split of a room as its page does. */
export const joinsSplit = async (viewer: Member, performer: Member): Promise<OutputOf<typeof joinSplit>> =>
  viewer.call(joinSplit, await splitOn(performer));
