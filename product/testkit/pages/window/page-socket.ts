import { WebSocket as NodeWebSocket } from 'ws';
import type { Visitor } from '../../visitor.ts';

/**
 * The `WebSocket` of a page: connects to the site over loopback with the cookies of its visitor.
 * @param address of the site, as `http://127.0.0.1:port`
 */
export function pageSockets(address: string, visitor: Visitor): {
  readonly WebSocket: typeof NodeWebSocket; readonly close: () => void;
} {
  const open = new Set<NodeWebSocket>();
  class PageSocket extends NodeWebSocket {
    constructor(url: string) {
      const { pathname, search } = new URL(url);
      const headers = Object.fromEntries(
        Object.entries(visitor.headers).filter((entry): entry is [string, string] => entry[1] !== undefined));
      super(address.replace(/^http/u, 'ws') + pathname + search, { headers });
      open.add(this);
      this.on('close', () => open.delete(this));
      // A browser's socket that is closed while it connects says nothing.
      this.on('error', () => undefined);
    }
  }
  return {
    WebSocket: PageSocket as unknown as typeof NodeWebSocket,
    close: () => { for (const socket of open) socket.terminate(); },
  };
}
