import type { PayloadOf } from '#platform/contract/event.ts';
import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { useEvent } from '#platform/ui/calls/live.ts';
import { useCallback, useState } from 'react';
import { highlightedMessage } from '../../../client.ts';

export type Highlight = PayloadOf<typeof highlightedMessage>;

/** Alerts in the queue, to everybody and to this viewer, including the one shown; later ones are dropped. */
const MAX_WAITING = 5;

/** The queue after one more alert. */
export const withHighlight = (
  waiting: readonly Highlight[],
  came: Highlight,
): readonly Highlight[] => (waiting.filter((item) => item.to_all === came.to_all).length < MAX_WAITING
  ? [...waiting, came]
  : waiting);

/**
 * Highlighted messages to this viewer or to everybody: one alert at a time, in order. Those to everybody are
 * lines of the room: they wait while the chat of a show is open.
 */
export function useHighlights(connection: Connection | null, isPublic: boolean): {
  readonly shown: Highlight | null;
  readonly seen: () => void;
} {
  const [waiting, setWaiting] = useState<readonly Highlight[]>([]);
  useEvent(connection, highlightedMessage, (came) => setWaiting((known) => withHighlight(known, came)));
  const shown = waiting.find((item) => isPublic || !item.to_all) ?? null;
  const seen = useCallback(() => setWaiting((known) => known.filter((item) => item !== shown)), [shown]);
  return { shown, seen };
}
