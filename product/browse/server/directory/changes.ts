import { subscribe, type Subscription } from '#platform/contract/bind.ts';
import { event, topicChannel } from '#platform/contract/event.ts';
import type { AnyFact, DeliveredFact } from '#platform/contract/fact.ts';
import type { Bus } from '#platform/data/data.ts';
import { personChanged, personRegistered } from '#product/accounts/contract.ts';
import {
  broadcastEnded,
  broadcastInterrupted,
  broadcastMoved,
  broadcastResumed,
  broadcastStarted,
  detailsChanged,
  standbyChanged,
  studioChanged,
} from '#product/broadcast/contract.ts';
import {
  clearanceGranted,
  clearanceRevoked,
  performerHidden,
  performerShown,
  regionsBlocked,
} from '#product/compliance/contract.ts';
import { clubChanged } from '#product/fanclubs/contract.ts';
import { followed, unfollowed } from '#product/messaging/contract.ts';
import { profileChanged } from '#product/performers/contract.ts';
import { performerRated } from '#product/shows/contract/ratings.ts';
import { ticketOfferChanged } from '#product/shows/contract/ticket-show.ts';
import { z } from 'zod';

/** Between processes only: something about a performer changed. No socket can join this topic. */
const directoryChannel = topicChannel('internal.directory');
export const directoryChanged = event({
  name: 'internal.directory',
  socket: 'room',
  from: 'server',
  shape: z.object({ performerId: z.int(), hides: z.boolean() }),
  description: 'What directories know of this performer is out of date. `hides`: nobody may see them until '
    + 'it is read again.',
});

/** Facts about one performer. */
const CHANGES = [
  broadcastStarted,
  broadcastInterrupted,
  broadcastResumed,
  broadcastEnded,
  broadcastMoved,
  detailsChanged,
  standbyChanged,
  studioChanged,
  clearanceGranted,
  performerShown,
  profileChanged,
  followed,
  unfollowed,
  performerRated,
  clubChanged,
  ticketOfferChanged,
] as const;
/** Facts after which some viewers may no longer perceive a performer. */
const RESTRICTIONS = [clearanceRevoked, performerHidden, regionsBlocked] as const;

/**
 * One process handles a fact, but every process has directories, so it passes facts on. While the bus is down
 * this throws, and the fact is delivered again.
 */
export function directorySubscriptions({ bus }: { readonly bus: Bus }): Subscription[] {
  const publish = (operatorId: number, performerId: number, hides = false): Promise<void> =>
    bus.publishAll([{
      operatorId,
      channel: directoryChannel,
      name: directoryChanged.name,
      payload: { performerId, hides },
    }]);
  const of = (fact: AnyFact, hides: boolean): Subscription =>
    subscribe(fact, `browse.${fact.name}`)(({ operatorId, payload }: DeliveredFact<AnyFact>) =>
      publish(operatorId, (payload as { performerId: number }).performerId, hides)
    );
  return [
    ...CHANGES.map((fact) => of(fact as AnyFact, false)),
    ...RESTRICTIONS.map((fact) => of(fact as AnyFact, true)),
    subscribe(personRegistered, 'browse.personRegistered')(async ({ operatorId, payload }) => {
      if (payload.type === 'model') await publish(operatorId, payload.personId);
    }),
    subscribe(personChanged, 'browse.personChanged')(async ({ operatorId, payload }) => {
      if (payload.type === 'model') await publish(operatorId, payload.personId, payload.isSuspended);
    }),
  ];
}
