import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Data } from '#platform/data/data.ts';
import type { SiteService } from '#product/site/server.ts';
import { lastAdmin } from '../../contract/life/deletion.ts';
import { personUnknown } from '../../contract/life/people.ts';
import { accountChanged } from '../../contract/life/username.ts';
import { roleRefused, setRole } from '../../contract/staff-roles.ts';
import { isAdmin } from '../../rules/permissions.ts';
import { rolesToGive } from '../../rules/staff/roles.ts';
import { findById, lockPerson, saveRole } from '../../store.ts';
import { hasOtherAdmin } from '../../store/life/deletion.ts';
import { deleteFirstAdminLinks } from '../../store/staff/first-admin.ts';
import { stillIn } from '../credentials/ways-in.ts';
import { accountNamed, viewIn } from '../life/people.ts';
import { publishChange } from '../person-changes.ts';
import type { Sessions } from '../sessions.ts';
import { withoutNameOfStaff, type RenameParts } from './former-staff.ts';

export interface RoleParts extends RenameParts {
  readonly data: Data;
  readonly site: SiteService;
  readonly sessions: Pick<Sessions, 'end'>;
}

/** Calls that give and take roles: never the caller's own, and never the last admin's. */
export const roleHandlers = ({ data, site, sessions, ...rename }: RoleParts): CallHandler[] => [
  handleCall(setRole)(async ({ username, role, on, reason }, context) => {
    const { own: siteName, all: siteNames } = await site.namesOf(context.scope);
    const outcome = await data.tx(context.scope, async (tx) => {
      const found = await accountNamed(tx, username);
      if (!found) return personUnknown;
      const person = await lockPerson(tx, found.id);
      // Of two admins who take each other's role, the second waits here, and then finds their own gone.
      const isOneLeft = await hasOtherAdmin(tx, found.id);
      await stillIn(tx, context);
      const caller = await findById(tx, context.personId);
      const mayAct = caller !== null && caller.inactiveSince === null;
      const roles = mayAct ? caller.roles.filter((text) => context.caller.roles.includes(text)) : [];
      const isRefused = !rolesToGive({ personId: caller?.id ?? null, roles }, person).includes(role)
        || (on && person.deletionRequestedAt !== null);
      if (isRefused) return roleRefused;
      if (person.roles.includes(role) === on) return viewIn(tx, person, context.caller);
      const without = person.roles.filter((text) => text !== role);
      const roled = { ...person, roles: on ? [...without, role] : without };
      if (isAdmin(person.roles) && !isAdmin(roled.roles) && !isOneLeft) return lastAdmin;
      await saveRole(tx, person.id, role, on);
      if (isAdmin(roled.roles)) await deleteFirstAdminLinks(tx);
      await tx.audit({
        action: 'accounts.setRole',
        actorId: context.caller.personId,
        subject: `person:${person.id}`,
        reason,
        detail: { role, on },
      });
      // Open sockets have the roles of their start, so those of a person who loses one close.
      if (!on) await sessions.end(tx, person.id, { allBut: null });
      else await tx.send(personChannel(person.id), accountChanged, {});
      const after = on
        ? roled
        : await withoutNameOfStaff(rename, tx, roled, { context, siteName, siteNames });
      await publishChange(tx, after);
      return viewIn(tx, after, context.caller);
    });
    return 'code' in outcome ? context.refuse(outcome) : outcome;
  }),
];
