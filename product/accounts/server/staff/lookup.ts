import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { Data } from '#platform/data/data.ts';
import { pageOf } from '#platform/data/paging.ts';
import { personUnknown } from '../../contract/life/people.ts';
import { listPersonSessions, searchPeople } from '../../contract/staff-lookup.ts';
import { PEOPLE_PAGE, peopleQueryOf } from '../../rules/staff/people-search.ts';
import { listSessions } from '../../store/sessions.ts';
import { findPeople, type FoundPerson } from '../../store/staff/people.ts';
import { deviceView } from '../devices.ts';
import { hintOf } from '../emails.ts';
import { accountNamed } from '../life/people.ts';

/** Calls by which admins find accounts, and see where somebody is logged in. */
export const lookupHandlers = (data: Data): CallHandler[] => [
  handleCall(searchPeople)(({ query, before = null }, { scope, caller }) =>
    data.tx(scope, async (tx) => {
      const found = await findPeople(tx, peopleQueryOf(query), before, PEOPLE_PAGE + 1);
      const { page, next } = pageOf(found, PEOPLE_PAGE);
      // Without the query, which may be the address of somebody who has no account here.
      await tx.audit({
        action: searchPeople.name,
        actorId: caller.personId,
        subject: 'people',
        detail: { found: page.map(({ id }) => id) },
      });
      return {
        people: page.map(lineOf),
        next,
      };
    })
  ),
  handleCall(listPersonSessions)(async ({ username }, { scope, caller, refuse }) => {
    const rows = await data.tx(scope, async (tx) => {
      const person = await accountNamed(tx, username);
      if (!person) return null;
      await tx.audit({
        action: listPersonSessions.name,
        actorId: caller.personId,
        subject: `person:${person.id}`,
      });
      return listSessions(tx, person.id);
    });
    return rows ? { sessions: rows.map(deviceView) } : refuse(personUnknown);
  }),
];

const lineOf = (person: FoundPerson) => ({
  id: person.id,
  username: person.username,
  display_name: person.displayName,
  type: person.type,
  roles: person.roles,
  email_hint: hintOf(person.email),
  email_confirmed: person.confirmedAt !== null,
  created_at: person.createdAt.toISOString(),
  suspended_at: person.suspendedAt?.toISOString() ?? null,
  erased_at: person.erasedAt?.toISOString() ?? null,
});
