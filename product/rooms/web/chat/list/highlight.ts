import { useCallback, useState } from 'react';
import type { PayloadOf } from '../../../../../platform/contract/event.ts';
import type { Connection } from '../../../../../platform/contract/sockets/socket-client.ts';
import { useEvent } from '../../../../../platform/ui/calls/live.ts';
import { highlightedMessage } from '../../../client.ts';

export type Highlight = PayloadOf<typeof highlightedMessage>;

/** Alerts in the queue, the shown one included; later ones are dropped. */
const MAX_WAITING = 5;

/** The queue after one more alert. */
export const withHighlight = (waiting: readonly Highlight[], came: Highlight): readonly Highlight[] =>
  (waiting.length < MAX_WAITING ? [...waiting, came] : waiting);

/** Highlighted messages to this viewer or to all: one alert at a time, in order. */
export function useHighlights(connection: Connection | null): {
  readonly shown: Highlight | null;
  readonly seen: () => void;
} {
  const [waiting, setWaiting] = useState<readonly Highlight[]>([]);
  useEvent(connection, highlightedMessage, (came) => setWaiting((known) => withHighlight(known, came)));
  const seen = useCallback(() => setWaiting(([, ...rest]) => rest), []);
  return { shown: waiting[0] ?? null, seen };
}
