import type { Caller } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import type { Person } from '#product/accounts/server.ts';
import { roomGuard } from '../../extension-points.ts';
import type { RoomsDependencies } from '../dependencies.ts';

/**
 * Those of the given people whom a performer's notices may reach: they may perceive the performer where they
 * last logged in, and no ban excludes them from the room.
 */
export async function reachableOf(
  { accounts, compliance, extensions }: Pick<RoomsDependencies, 'accounts' | 'compliance' | 'extensions'>,
  tx: Tx,
  performerId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Person>> {
  const state = (await compliance.statesOf(tx, [performerId])).get(performerId);
  if (!state || ids.length === 0) return new Map();
  const guard = extensions.one(roomGuard);
  const mayExclude = await guard.mayExclude(tx, performerId);
  const reached = new Map<number, Person>();
  for (const person of (await accounts.findMany(tx, ids)).values()) {
    const { id, username, roles, lastLoginCountry: region } = person;
    const caller: Caller = { kind: 'person', personId: id, sessionId: null, username, roles };
    const viewer = { caller, region: region ?? 'unknown', gate: 'open' } as const;
    if (!compliance.seesOf(viewer)(performerId, state)) continue;
    const isOut = mayExclude(caller)
      && await guard.isExcluded(tx, { caller, address: '', device: null }, performerId);
    if (!isOut) reached.set(id, person);
  }
  return reached;
}
