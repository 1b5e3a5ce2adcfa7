import type { CallContext, Scope } from '#platform/contract/context.ts';
import { seal, unseal } from '#platform/data/database/seal.ts';
import { KEEP_TICKET_SECONDS } from '../../rules/life/deletion.ts';
import type { Account } from '../../store.ts';

interface Ticket {
  readonly person: number;
  /** Of the request to delete the account: a ticket never ends a later one. */
  readonly requested: number;
  /** Digest of the session that proved who it is. */
  readonly session: string;
  readonly until: number;
  /** Of the person by then: it ends with a recovery. */
  readonly recoveries: number;
}
type Holder = Pick<CallContext, 'scope' | 'caller'>;

/** What a log-in to an account in deletion gets instead of a session: it can keep the account, no more. */
export class KeepTickets {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  seal({ scope, caller }: Holder, { id, deletionRequestedAt, recoveries }: Account, now: Date): string {
    const ticket: Ticket = {
      person: id, requested: deletionRequestedAt?.getTime() ?? 0, session: caller.sessionId ?? '',
      until: now.getTime() + KEEP_TICKET_SECONDS * 1000, recoveries,
    };
    return seal(this.#secret, purpose(scope), ticket);
  }

  /** Whose account it is for, and which request it ends; null when forged, too old or somebody else's. */
  open({ scope, caller }: Holder, sealed: string, now: Date): Omit<Ticket, 'session' | 'until'> | null {
    const ticket = unseal(this.#secret, purpose(scope), sealed) as Ticket | null;
    const isOwn = ticket !== null && ticket.session !== '' && ticket.session === caller.sessionId
      && ticket.until > now.getTime();
    return isOwn ? ticket : null;
  }
}

const purpose = ({ operatorId }: Scope): string => `accounts keeping an account of operator ${operatorId}`;
