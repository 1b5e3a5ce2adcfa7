import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { getSupportPhone, memberUnknown, setShowsPhone } from '../contract/phone.ts';
import { saveFlag } from '../store/chat.ts';
import { phoneFor } from './asking.ts';
import type { ChatParts } from './chat.ts';

/** Calls for support's telephone number: to read it where it may be seen, and to show it to a member. */
export const phoneHandlers = (parts: ChatParts): CallHandler[] => [
  handleCall(getSupportPhone)((_input, { scope, personId }) =>
    parts.data.tx(scope, async (tx) => ({
      phone: await phoneFor(parts, tx, personId),
    }))
  ),
  handleCall(setShowsPhone)(({ username, is_shown: isShown }, { scope, caller, refuse }) =>
    parts.data.tx(scope, async (tx) => {
      const person = await parts.accounts.findByUsername(tx, normalizeUsername(username));
      if (!person) return refuse(memberUnknown);
      await saveFlag(tx, person.id, isShown);
      await tx.audit({
        action: 'support.setShowsPhone',
        actorId: caller.personId,
        subject: `person:${person.id}`,
        detail: { isShown },
      });
      return { username: person.username, is_shown: isShown };
    })
  ),
];
