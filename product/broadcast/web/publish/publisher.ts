import type { Problem } from '#platform/contract/client.ts';
import type { Connection } from '#platform/contract/sockets/socket-client.ts';
import { useCall } from '#platform/ui/calls/calls.ts';
import { useEvent } from '#platform/ui/calls/live.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { broadcastStateChanged, makeBrowserKey } from '../../client.ts';
import { publishStream, type Publisher, type PublisherPhase } from './whip-publisher.ts';

export interface Publishing {
  readonly phase: PublisherPhase;
  readonly problem: Problem | null;
  /** @param bitrate of the video, kbit/s */
  readonly start: (media: MediaStream, bitrate: number) => void;
  readonly replaceMedia: (media: MediaStream) => void;
  readonly setBitrate: (bitrate: number) => void;
  readonly stop: () => void;
}

/**
 * Publishes from this page. Leaving the page only drops the connection, so that a reload can reconnect.
 * @param lobby reports that the server has lost the stream, long before this end notices
 * @param reconnects whether it publishes again after a loss
 */
export function usePublisher(lobby: Connection | null, reconnects: boolean): Publishing {
  const call = useCall();
  const publisher = useRef<Publisher | null>(null);
  const [state, setState] = useState<{ phase: PublisherPhase; problem: Problem | null }>({
    phase: 'idle',
    problem: null,
  });
  const start = useCallback((media: MediaStream, bitrate: number) => {
    publisher.current?.stop();
    publisher.current = publishStream({
      media,
      bitrate,
      reconnects,
      createKey: () => call(makeBrowserKey, {}),
      onPhase: (phase, problem) => setState({ phase, problem }),
    });
  }, [call, reconnects]);
  const replaceMedia = useCallback((media: MediaStream) => void publisher.current?.replaceMedia(media), []);
  const setBitrate = useCallback((bitrate: number) => void publisher.current?.setBitrate(bitrate), []);
  const stop = useCallback(() => {
    publisher.current?.stop();
    publisher.current = null;
  }, []);
  useEvent(lobby, broadcastStateChanged, ({ state }) => {
    if (state === 'reconnecting') publisher.current?.republish();
  });
  useEffect(() => stop, [stop]);
  return { ...state, start, replaceMedia, setBitrate, stop };
}
