import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { personChannel } from '#platform/contract/event.ts';
import { refresh } from '#platform/contract/sockets/lobby.ts';
import { usernameTaken } from '../contract.ts';
import { becamePerformer, becomePerformer } from '../contract/performing.ts';
import { lockPerson, savePerformer, type Account } from '../store.ts';
import { takeName } from '../store/life/usernames.ts';
import { lockCaller } from './credentials/ways-in.ts';
import { publishChange } from './person-changes.ts';
import type { SignInParts } from './sign-in.ts';

/** A member becomes a performer, and keeps everything that is theirs. */
export const becomePerformerHandlers = (
  { data, users }: Pick<SignInParts, 'data' | 'users'>,
): CallHandler[] => [
  handleCall(becomePerformer)(async ({ gender }, context) => {
    const person = await data.tx(context.scope, async (tx): Promise<Account | null> => {
      const before = await lockCaller(tx, context);
      if (before.type === 'model') return before;
      const { id: personId, username } = before;
      // Viewers' names may look alike; a performer's looks like no other.
      if (!(await takeName(tx, username, personId))) return null;
      await savePerformer(tx, personId, gender);
      const after = await lockPerson(tx, personId);
      await tx.audit({
        action: 'accounts.becomePerformer',
        actorId: personId,
        subject: `person:${personId}`,
      });
      await tx.publish(becamePerformer, `person:${personId}`, { personId, username });
      await publishChange(tx, after);
      // Open sockets and pages still have a viewer's rights.
      await tx.send(personChannel(personId), refresh, {});
      return after;
    });
    if (person === null) return context.refuse(usernameTaken);
    return { status: 1 as const, user: await users.view(person, context) };
  }),
];
