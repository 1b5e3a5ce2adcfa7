import type { Tx } from '#platform/data/data.ts';
import type { SiteService } from '#product/site/server.ts';
import { posesAsStaff } from '../../rules/life/posing.ts';
import { isStaffRole } from '../../rules/staff/roles.ts';
import type { Person } from '../../store.ts';
import type { RequiredStep } from '../credentials/required-step.ts';

/**
 * Names as others see them. A name that reads as staff is shown only with the badge. While the role is
 * withheld for lack of a second step, the username replaces the display name, and something neutral where
 * that reads as staff as well. The stored name stays, and is shown again with the role.
 */
export class ShownNames {
  readonly #step: Pick<RequiredStep, 'staffAmong'>;
  readonly #site: Pick<SiteService, 'namesIn'>;

  constructor(step: Pick<RequiredStep, 'staffAmong'>, site: Pick<SiteService, 'namesIn'>) {
    this.#step = step;
    this.#site = site;
  }

  /** The same people, with the names that others see. */
  async of<P extends Person>(tx: Tx, people: readonly P[]): Promise<readonly P[]> {
    const withRole = people.filter(({ roles }) => roles.some(isStaffRole));
    if (withRole.length === 0) return people;
    const staff = await this.#step.staffAmong(tx, withRole);
    if (withRole.every(({ id }) => staff.has(id))) return people;
    const sites = await this.#site.namesIn(tx);
    const poses = (name: string): boolean => posesAsStaff(name, sites);
    return people.map((person) => {
      const { id, username, displayName, roles } = person;
      if (!roles.some(isStaffRole) || staff.has(id) || !poses(displayName)) return person;
      return { ...person, displayName: poses(username) ? `member-${id}` : username };
    });
  }

  async ofOne<P extends Person>(tx: Tx, person: P | null): Promise<P | null> {
    return person && (await this.of(tx, [person]))[0] as P;
  }
}
