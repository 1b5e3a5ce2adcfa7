import { CallFailed } from '#platform/contract/client.ts';
import type { PayloadOf } from '#platform/contract/event.ts';
import type { Clock } from '#platform/data/clock.ts';
import type { Bus } from '#platform/data/data.ts';
import { acceptPrivate, getPrivateRequests, privateQueue } from '#product/shows/contract/private-show.ts';
import type { Visitor } from '../visitor.ts';

/** Time a performer takes to read a request and how long the viewer's tokens last. */
const READ_MS = 4_000;

export interface HostsDependencies {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly clock: Clock;
  /** Usernames of performers whose loops are live, with no person behind them. */
  readonly performers: readonly string[];
  /** Logs one of them in. */
  readonly enters: (username: string) => Promise<Visitor>;
  readonly onError: (error: unknown) => void;
}

/**
 * Performers of the demo accept requests for private shows, after a moment and with the calls of their pages,
 * so that people who try the demo alone get a show.
 * @returns a function that stops them
 */
export function startHosts({ bus, clock, performers, enters, onError }: HostsDependencies): () => void {
  const ofLoops = new Set(performers);
  /** Sessions of performers who got a request before: one for each. */
  const entered = new Map<string, Visitor>();
  /** Requests being read, by performer; each value stops the reading. */
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
    reading.set(
      broadcaster,
      clock.after('demo.accept', READ_MS, () => {
        reading.delete(broadcaster);
        accept(broadcaster).catch((error: unknown) => {
          // The viewer may have withdrawn the request, or spent the tokens.
          if (!(error instanceof CallFailed)) onError(error);
        });
      }),
    );
  });
  return () => {
    stop();
    for (const cancel of reading.values()) cancel();
  };
}
