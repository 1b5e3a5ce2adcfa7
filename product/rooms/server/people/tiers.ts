import type { Caller } from '#platform/contract/context.ts';
import type { Tx } from '#platform/data/data.ts';
import { deepestLevel, roomRightsOf, tierOf, type Tier } from '../../rules.ts';
import { findInvisible } from '../../store/settings.ts';
import type { RoomsDependencies } from '../dependencies.ts';

type Dependencies = Pick<RoomsDependencies, 'billing'>;
type Roles = Pick<Caller, 'roles'> & { readonly id: number };

/** The VIP tiers of people. */
export async function tiersOf(
  { billing }: Dependencies,
  tx: Tx,
  personIds: readonly number[],
): Promise<(personId: number) => Tier> {
  const memberships = await billing.membershipsOf(tx, personIds);
  return (personId) => tierOf(memberships.get(personId) ?? null);
}

/** The highest invisible level somebody may use, by membership and site roles. */
export const mayHide = ({ id, roles }: Roles, { isVip }: Tier): number =>
  deepestLevel({ isSiteModerator: roomRightsOf({ personId: id, roles }, 0, false).isSiteModerator, isVip });

/** Invisible levels that people have set and may still use; visible people are missing. */
export async function invisibleLevels(
  deps: Dependencies,
  tx: Tx,
  people: readonly Roles[],
): Promise<ReadonlyMap<number, number>> {
  const taken = await findInvisible(tx, people.map(({ id }) => id));
  if (taken.size === 0) return taken;
  const tierOfPerson = await tiersOf(deps, tx, [...taken.keys()]);
  return new Map(people.flatMap((person) => {
    const level = Math.min(taken.get(person.id) ?? 0, mayHide(person, tierOfPerson(person.id)));
    return level === 0 ? [] : [[person.id, level] as const];
  }));
}

/** The caller's own level of invisible mode; 0 for a guest. */
export async function ownLevel(deps: Dependencies, tx: Tx, { personId, roles }: Caller): Promise<number> {
  if (personId === null) return 0;
  return (await invisibleLevels(deps, tx, [{ id: personId, roles }])).get(personId) ?? 0;
}
