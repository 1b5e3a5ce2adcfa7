import type { OutputOf } from '#platform/contract/call.ts';
import { changeCached } from '#platform/ui/calls/calls.ts';
import type { QueryClient } from '@tanstack/react-query';
import { getPerson, type suspendPerson } from '../../client.ts';

/** Shows the changed account, however its name was typed. */
export function showPerson(cache: QueryClient, person: OutputOf<typeof suspendPerson>): void {
  changeCached(cache, getPerson, { username: person.username }, () => person);
}
