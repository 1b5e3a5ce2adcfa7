import type { LiveClient, LiveClientOptions, OpenSocket } from '#platform/contract/sockets/socket-client.ts';
import { LOBBY_PATH } from '#platform/contract/sockets/wire.ts';
import { liveClient } from './client/live-client.ts';

const openSocket: OpenSocket = (url, handlers) => {
  const socket = new WebSocket(url);
  socket.addEventListener('open', () => handlers.opened());
  socket.addEventListener('message', ({ data }) => {
    if (typeof data === 'string') handlers.message(data);
  });
  // An error is always followed by a close.
  socket.addEventListener('close', ({ code }) => handlers.closed(code));
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(),
  };
};

const browserTime = {
  // Only for measuring durations: nobody sets this clock.
  now: () => new Date(performance.now()),
  after: (_name: string, delayMs: number, task: () => void) => {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
  random: () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32,
};

/**
 * The live client of a page, not yet started: `start()` after hydration, once per document.
 * @param token returns a fresh node_token for each socket (GET /user/current)
 */
export function createLiveClient(
  options: Omit<LiveClientOptions, 'open' | 'time' | 'lobbyUrl'>,
): LiveClient {
  const origin = window.location.origin.replace(/^http/u, 'ws');
  return liveClient({ ...options, open: openSocket, time: browserTime, lobbyUrl: origin + LOBBY_PATH });
}
