/** Hides and removes the content that a case is about, and restores it. */
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Tx } from '#platform/data/data.ts';
import type { RoomsService } from '#product/rooms/server.ts';
import { removal, type Removal, type RemovalTarget } from '../extension-points.ts';
import type { CaseKind } from '../rules/queues.ts';
import { reportOfCase } from '../store.ts';
import { findCase } from '../store/cases.ts';
import { endRemoval, findRemoval, insertRemoval, isRemovedElsewhere } from '../store/decisions.ts';

export interface RemovalDependencies {
  readonly rooms: RoomsService;
  readonly extensions: Extensions;
}

type AnyRemoval = Pick<Removal, 'remove' | 'restore'>;

/** A message of a room's chat. What was said is over: it does not return. */
const messages = ({ rooms }: RemovalDependencies): AnyRemoval => ({
  remove: async (tx, { roomId, id, within }) =>
    id !== null && within === null && (await rooms.removeMessages(tx, roomId, [id])).length > 0,
  restore: async () => false,
});

/** How content of a kind is removed; null for a kind that is not, as whatever an address names. */
function removalFor(deps: RemovalDependencies, kind: CaseKind): AnyRemoval | null {
  if (kind === 'message') return messages(deps);
  return deps.extensions.all(removal).find((item) => item.kind === kind) ?? null;
}

/** What a case is about, as its owner finds it; null while nobody knows whose it is. */
async function targetOf(tx: Tx, caseId: number): Promise<(RemovalTarget & { kind: CaseKind }) | null> {
  const found = await findCase(tx, caseId);
  if (!found || found.subjectId === null) return null;
  const { kind, subjectId } = found;
  const report = await reportOfCase(tx, caseId);
  return {
    kind,
    subjectId,
    roomId: report?.roomId ?? subjectId,
    id: report?.targetId ?? null,
    within: report?.within ?? null,
  };
}

/** Whether a decision can remove what a case is about. */
export const isRemovable = async (deps: RemovalDependencies, tx: Tx, caseId: number): Promise<boolean> => {
  const target = await targetOf(tx, caseId);
  return target !== null && removalFor(deps, target.kind) !== null;
};

/** Removes what a case is about, once. @returns whether it is away now because of this case */
export async function removeContent(deps: RemovalDependencies, tx: Tx, caseId: number): Promise<boolean> {
  if (await findRemoval(tx, caseId)) return true;
  const target = await targetOf(tx, caseId);
  const owner = target && removalFor(deps, target.kind);
  if (!target || !owner) return false;
  const { kind, subjectId, id: targetId, within } = target;
  const row = { caseId, kind, subjectId, targetId, within };
  if (!(await owner.remove(tx, target)) && !(await isRemovedElsewhere(tx, row))) return false;
  await insertRemoval(tx, row);
  return true;
}

/** Restores what a case removed, unless another case keeps it away. */
export async function restoreContent(deps: RemovalDependencies, tx: Tx, caseId: number): Promise<void> {
  const row = await findRemoval(tx, caseId);
  const target = row && await targetOf(tx, caseId);
  if (!row || !target) return;
  await endRemoval(tx, caseId);
  if (!(await isRemovedElsewhere(tx, row))) await removalFor(deps, row.kind)?.restore(tx, target);
}
