import type { CallContext, Scope } from '#platform/contract/context.ts';
import { seal, unseal } from '#platform/data/database/seal.ts';
import { KEEP_TICKET_SECONDS } from '../../rules/life/deletion.ts';
import type { Account } from '../../store.ts';

interface Ticket {
  readonly person: number;
  /** When the deletion was asked for: a ticket never ends a later request. */
  readonly requested: number;
  /** Digest of the session that proved who the person is. */
  readonly session: string;
  readonly until: number;
  /** The person's number of recoveries then: another recovery ends the ticket. */
  readonly recoveries: number;
}
type Holder = Pick<CallContext, 'scope' | 'caller'>;

/** A log-in to an account in deletion gets this ticket instead of a session: it can only keep the account. */
export class KeepTickets {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  seal({ scope, caller }: Holder, { id, deletionRequestedAt, recoveries }: Account, now: Date): string {
    const ticket: Ticket = {
      person: id,
      requested: deletionRequestedAt?.getTime() ?? 0,
      session: caller.sessionId ?? '',
      until: now.getTime() + KEEP_TICKET_SECONDS * 1000,
      recoveries,
    };
    return seal(this.#secret, purpose(scope), ticket);
  }

  /** The account of a ticket and the request it ends; null when forged, too old or another session's. */
  open({ scope, caller }: Holder, sealed: string, now: Date): Omit<Ticket, 'session' | 'until'> | null {
    const ticket = unseal(this.#secret, purpose(scope), sealed) as Ticket | null;
    const isOwn = ticket !== null && ticket.session !== '' && ticket.session === caller.sessionId
      && ticket.until > now.getTime();
    return isOwn ? ticket : null;
  }
}

const purpose = ({ operatorId }: Scope): string => `accounts keeping an account of operator ${operatorId}`;
