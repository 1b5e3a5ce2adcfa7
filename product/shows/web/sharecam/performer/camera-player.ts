import { SECOND_MS } from '#platform/time/units.ts';
import { useCall } from '#platform/ui/calls/calls.ts';
import type { Session } from '#product/broadcast/web/playing/sessions/session.ts';
import { openWhep } from '#product/broadcast/web/playing/sessions/whep-session.ts';
import { useEffect, useState, type RefObject } from 'react';
import { playSharecam } from '../../../client.ts';

/** A camera without video is tried again after this time: its viewer may still be connecting. */
const RETRY_MS = 2 * SECOND_MS;
const RUNNING = { id: 0, via: 'webrtc', quality: 'hd', phase: 'connecting', isSteady: false } as const;

/** Plays a viewer's camera in an element until the element unmounts; `none` after the camera has stopped. */
export function useCameraPlayer(
  username: string,
  video: RefObject<HTMLVideoElement | null>,
): 'connecting' | 'playing' | 'none' {
  const call = useCall();
  const [state, setState] = useState<'connecting' | 'playing' | 'none'>('connecting');
  useEffect(() => {
    let session: Session | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const load = () => call(playSharecam, { username });
    const retry = () => {
      session?.close();
      session = null;
      if (isOver) return;
      setState((before) => (before === 'connecting' ? before : 'none'));
      clearTimeout(timer);
      timer = setTimeout(() => void start(), RETRY_MS);
    };
    const start = async () => {
      try {
        const descriptor = await load();
        if (isOver || !video.current) return;
        session = openWhep({
          video: video.current,
          descriptor,
          running: RUNNING,
          isExpected: () => true,
          renew: load,
          on: {
            waiting: () => undefined,
            steady: () => undefined,
            playing: () => setState('playing'),
            failed: retry,
          },
        });
      } catch {
        retry();
      }
    };
    void start();
    return () => {
      isOver = true;
      clearTimeout(timer);
      session?.close();
    };
  }, [call, username, video]);
  return state;
}
