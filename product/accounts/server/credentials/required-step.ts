import type { Tx } from '../../../../platform/data/data.ts';
import type { SiteService } from '../../../site/server.ts';
import { rolesOf } from '../../rules.ts';
import { isConcerned, twoFactorDue } from '../../rules/two-factor.ts';
import type { Person } from '../../store.ts';
import { hasSecondStep } from '../../store/two-factor.ts';

/** The operator's rule that staff and performers log in with two steps, or by a passkey. */
export class RequiredStep {
  readonly #site: Pick<SiteService, 'settingsIn'>;

  constructor(site: Pick<SiteService, 'settingsIn'>) {
    this.#site = site;
  }

  /** Until when somebody is to set up a second step; null for whoever has one, or needs none. */
  async dueAt(tx: Tx, person: Person): Promise<Date | null> {
    if (!rolesOf(person).some(isConcerned)) return null;
    const { twoFactorSince } = await this.#site.settingsIn(tx);
    if (twoFactorSince === null || await hasSecondStep(tx, person.id)) return null;
    return twoFactorDue(new Date(twoFactorSince), person.createdAt);
  }

  /** The roles that count for somebody now, and those that don't until a second step is set up. */
  async rolesOf(tx: Tx, person: Person): Promise<{
    readonly roles: readonly string[]; readonly withheld?: readonly string[];
  }> {
    const roles = rolesOf(person);
    const dueAt = await this.dueAt(tx, person);
    if (dueAt === null || tx.now < dueAt) return { roles };
    return { roles: roles.filter((role) => !isConcerned(role)), withheld: roles.filter(isConcerned) };
  }
}
