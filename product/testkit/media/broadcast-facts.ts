import { subscribe } from '#platform/contract/bind.ts';
import type { AnyFact } from '#platform/contract/fact.ts';
import {
  broadcastEnded,
  broadcastInterrupted,
  broadcastResumed,
  broadcastStarted,
  detailsChanged,
} from '#product/broadcast/contract.ts';
import type { TestSite } from '../site.ts';

const FACTS = [broadcastStarted, broadcastInterrupted, broadcastResumed, broadcastEnded, detailsChanged];

/** A published fact about a broadcast. */
export interface BroadcastFact {
  readonly name: string;
  readonly performerId: number;
  readonly payload: unknown;
}

/** Every fact about broadcasts that a site publishes from now on, in order. */
export async function collectsFacts(site: TestSite): Promise<readonly BroadcastFact[]> {
  const facts: BroadcastFact[] = [];
  const scribes = FACTS.map((fact) =>
    subscribe(fact as AnyFact, `test.${fact.name}`)(async ({ payload }) => {
      facts.push({ name: fact.name, performerId: (payload as { performerId: number }).performerId, payload });
    })
  );
  await site.data.attach({ subscriptions: scribes, deadlineHandlers: [] });
  return facts;
}
