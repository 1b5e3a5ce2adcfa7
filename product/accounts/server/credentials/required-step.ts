import type { Tx } from '#platform/data/data.ts';
import type { SiteService } from '#product/site/server.ts';
import { rolesOf } from '../../rules.ts';
import { isAdmin } from '../../rules/permissions.ts';
import { isStaffRole } from '../../rules/staff/roles.ts';
import { isConcerned, twoFactorDue } from '../../rules/two-factor.ts';
import { findById, type Person } from '../../store.ts';
import { firstToActAsAdmin, secondStepOf } from '../../store/two-factor.ts';

/** The due date of a role that needs no second step. */
const NEVER = new Date(8.64e15);

/** A person, and when the session they are in proved a second step. */
type InSession = { readonly person: Person; readonly steppedAt: Date | null };
interface CountedRoles {
  readonly roles: readonly string[];
  readonly withheld?: readonly string[];
}

/**
 * Decides who needs two steps or a passkey to log in: staff from the start, unless the site is a demo; staff
 * and performers where the operator's rule says so.
 */
export class RequiredStep {
  readonly #site: Pick<SiteService, 'settingsIn'>;
  readonly #isOfStaff: boolean;

  /** @param isOfStaff whether staff need it whatever the operator's rule says */
  constructor(site: Pick<SiteService, 'settingsIn'>, isOfStaff: boolean) {
    this.#site = site;
    this.#isOfStaff = isOfStaff;
  }

  /** When somebody's second step is due; null if they have one, or need none. */
  dueAt(tx: Tx, person: Person): Promise<Date | null> {
    return this.#firstDue(tx, person, true);
  }

  /** The same for a session: also due where the person has a second step that this session did not prove. */
  dueIn(tx: Tx, { person, steppedAt }: InSession): Promise<Date | null> {
    return this.#firstDue(tx, person, steppedAt !== null);
  }

  /**
   * Whether a session was opened without the second step that its person, a member of staff, has. It may not
   * change the ways to log in: otherwise anybody with the password would add their own.
   */
  async isPassedBy(tx: Tx, { person, steppedAt }: InSession): Promise<boolean> {
    if (steppedAt !== null || !(await secondStepOf(tx, person.id)).isOfStaff) return false;
    return this.isAskedOfStaff(tx, person);
  }

  /** Whether somebody has a staff role that needs a second step, now or later. */
  async isAskedOfStaff(tx: Tx, person: Person): Promise<boolean> {
    if (!person.roles.some(isStaffRole)) return false;
    return this.#isOfStaff || (await this.#site.settingsIn(tx)).twoFactorSince !== null;
  }

  async #firstDue(tx: Tx, person: Person, isStepped: boolean): Promise<Date | null> {
    const due = await this.#dueOf(tx, person, isStepped);
    const first = rolesOf(person).map(due).reduce((a, b) => (b < a ? b : a), NEVER);
    return first === NEVER ? null : first;
  }

  /** The roles that count for somebody now, and those that don't until a second step is set up. */
  rolesOf(tx: Tx, person: Person): Promise<CountedRoles> {
    return this.#counted(tx, person, true);
  }

  /** The roles that count in a session: staff roles only if the session itself proved the second step. */
  rolesIn(tx: Tx, { person, steppedAt }: InSession): Promise<CountedRoles> {
    return this.#counted(tx, person, steppedAt !== null);
  }

  async #counted(tx: Tx, person: Person, isStepped: boolean): Promise<CountedRoles> {
    const roles = rolesOf(person);
    const due = await this.#dueOf(tx, person, isStepped);
    const withheld = roles.filter((role) => tx.now >= due(role));
    if (withheld.length === 0) return { roles };
    return { roles: roles.filter((role) => !withheld.includes(role)), withheld };
  }

  /** Filters people to those with a staff role that counts now. */
  async staffAmong(tx: Tx, people: Iterable<Person>): Promise<ReadonlySet<number>> {
    const staff = new Set<number>();
    for (const person of people) {
      if (!person.roles.some(isStaffRole)) continue;
      if ((await this.rolesOf(tx, person)).roles.some(isStaffRole)) staff.add(person.id);
    }
    return staff;
  }

  /** Whether somebody could act as an admin now: an admin who lacks a second step could not. */
  async hasActingAdmin(tx: Tx): Promise<boolean> {
    const id = await firstToActAsAdmin(tx);
    const person = id === null ? null : await findById(tx, id);
    return person !== null && isAdmin((await this.rolesOf(tx, person)).roles);
  }

  /** When each role starts to be withheld for lack of a second step, in a session that proved it or not. */
  async #dueOf(tx: Tx, person: Person, isStepped: boolean): Promise<(role: string) => Date> {
    const roles = rolesOf(person);
    if (!roles.some(isConcerned)) return () => NEVER;
    const { twoFactorSince } = await this.#site.settingsIn(tx);
    const isAtOnce = (role: string): boolean => this.#isOfStaff && isStaffRole(role);
    if (twoFactorSince === null && !roles.some(isAtOnce)) return () => NEVER;
    const { isSetUp, isOfStaff } = await secondStepOf(tx, person.id);
    if (isOfStaff && isStepped) return () => NEVER;
    const byRule = twoFactorSince === null ? NEVER : twoFactorDue(new Date(twoFactorSince), person.createdAt);
    return (role) => {
      if (isSetUp && !isStaffRole(role)) return NEVER;
      return isAtOnce(role) ? person.createdAt : isConcerned(role) ? byRule : NEVER;
    };
  }
}
