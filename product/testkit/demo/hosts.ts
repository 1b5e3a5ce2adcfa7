import type { PayloadOf } from '#platform/contract/event.ts';
import { CallFailed } from '#platform/contract/client.ts';
import type { Clock } from '#platform/data/clock.ts';
import type { Bus } from '#platform/data/data.ts';
import { acceptPrivate, getPrivateRequests, privateQueue } from '#product/shows/contract/private-show.ts';
import type { Visitor } from '../visitor.ts';

/** A performer reads who asks, and for how long the tokens last. */
const READ_MS = 4_000;

export interface HostsDependencies {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly clock: Clock;
  /** Usernames of the performers whose loops are live; nobody sits in front of them. */
  readonly performers: readonly string[];
  /** Logs one of them in. */
  readonly enters: (username: string) => Promise<Visitor>;
  readonly onError: (error: unknown) => void;
}

/**
 * Performers of the demo accept who asks for a private show, after a moment and by the calls of their pages,
 * so that whoever tries the demo alone gets one.
 * @returns makes them stop
 */
export function startHosts({ bus, clock, performers, enters, onError }: HostsDependencies): () => void {
  const ofLoops = new Set(performers);
  /** Sessions of those who were asked once: each has one. */
  const entered = new Map<string, Visitor>();
  /** Who reads requests now; stops the reading. */
  const reading = new Map<string, () => void>();
  const accept = async (username: string): Promise<void> => {
    const visitor = entered.get(username) ?? await enters(username);
    entered.set(username, visitor);
    const { requests: [first] } = await visitor.call(getPrivateRequests, {});
    if (first) {
      await visitor.call(acceptPrivate, { username: first.username, recording_consent: first.recording });
    }
  };
  const stop = bus.subscribe(({ name, payload }) => {
    if (name !== privateQueue.name) return;
    const { requests: [first] } = payload as PayloadOf<typeof privateQueue>;
    if (!first || !ofLoops.has(first.broadcaster) || reading.has(first.broadcaster)) return;
    const { broadcaster } = first;
    reading.set(broadcaster, clock.after('demo.accept', READ_MS, () => {
      reading.delete(broadcaster);
      accept(broadcaster).catch((error: unknown) => {
        // The viewer may have taken the request back, or spent the tokens.
        if (!(error instanceof CallFailed)) onError(error);
      });
    }));
  });
  return () => {
    stop();
    for (const cancel of reading.values()) cancel();
  };
}
