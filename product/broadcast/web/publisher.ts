import { useCallback, useEffect, useRef, useState } from 'react';
import type { Problem } from '../../../platform/contract/client.ts';
import { useCall } from '../../../platform/ui/calls/calls.ts';
import { makeBrowserKey } from '../contract.ts';
import { publishStream, type Publisher, type PublisherPhase } from './whip-publisher.ts';

export interface Publishing {
  readonly phase: PublisherPhase;
  readonly problem: Problem | null;
  readonly start: (media: MediaStream) => void;
  readonly replaceMedia: (media: MediaStream) => void;
  readonly stop: () => void;
}

/**
 * Publishes from this page. Leaving the page only drops the connection: the grace lets a reload come back.
 */
export function usePublisher(): Publishing {
  const call = useCall();
  const publisher = useRef<Publisher | null>(null);
  const [state, setState] = useState<{ phase: PublisherPhase; problem: Problem | null }>({
    phase: 'idle', problem: null,
  });
  const start = useCallback((media: MediaStream) => {
    publisher.current?.stop();
    publisher.current = publishStream({
      media,
      makeKey: () => call(makeBrowserKey, {}),
      onPhase: (phase, problem) => setState({ phase, problem }),
    });
  }, [call]);
  const replaceMedia = useCallback((media: MediaStream) => void publisher.current?.replaceMedia(media), []);
  const stop = useCallback(() => {
    publisher.current?.stop();
    publisher.current = null;
  }, []);
  useEffect(() => stop, [stop]);
  return { ...state, start, replaceMedia, stop };
}
