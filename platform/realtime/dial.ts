import type { OpenSocket } from '#platform/contract/sockets/socket-client.ts';
import { WebSocket } from 'ws';

/**
 * Sockets for Node programs (tests, bench, the demo) that connect like a page of `origin`, with its cookies.
 */
export const socketsFrom = (
  origin: string,
  cookie?: () => string | undefined,
): OpenSocket =>
(url, handlers) => {
  const sent = cookie?.();
  const socket = new WebSocket(url, {
    origin,
    perMessageDeflate: false,
    ...(sent === undefined ? {} : { headers: { cookie: sent } }),
  });
  socket.on('open', () => handlers.opened());
  socket.on('message', (data, isBinary) => {
    if (!isBinary) handlers.message((data as Buffer).toString('utf8'));
  });
  socket.on('close', (code) => handlers.closed(code));
  // Every error is followed by a close.
  socket.on('error', () => undefined);
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(),
  };
};
