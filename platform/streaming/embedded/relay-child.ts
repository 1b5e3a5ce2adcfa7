/**
 * The program of one relay process. Media is handled here and nowhere else: the native library aborts the
 * process when it is loaded in a worker thread, and one process is what one core can do.
 */
import { IceUdpMuxListener } from 'node-datachannel';
import { systemClock } from '../../data/clock.ts';
import { EngineRefused } from '../engine.ts';
import type { RelayMessage, RelayRequest, RelaySettings } from './relay-protocol.ts';
import { Relay } from './relay.ts';

const settings = JSON.parse(process.argv[2] ?? '') as RelaySettings;

/** Says nothing once the parent is gone. */
function tell(message: RelayMessage): void {
  if (process.connected) process.send!(message, undefined, undefined, () => undefined);
}

/**
 * Holds the UDP port for the life of the process. Without it the native library binds the port with the first
 * peer and lets it go with the last, whose closing message is then never sent.
 */
function holdPort(): IceUdpMuxListener {
  const { udpPort, bindAddress } = settings.address;
  try {
    const listener = new IceUdpMuxListener(udpPort, bindAddress);
    listener.onUnhandledStunRequest(() => undefined);
    return listener;
  } catch {
    throw new Error(`UDP port ${udpPort} is taken`);
  }
}

async function serve(relay: Relay, message: RelayRequest): Promise<void> {
  const { request } = message;
  try {
    tell({ kind: 'done', request, outcome: await relay.handle(message) });
  } catch (error) {
    if (!(error instanceof EngineRefused)) throw error;
    tell({ kind: 'refused', request, code: error.code, detail: error.message });
  }
}

try {
  const port = holdPort();
  const relay = new Relay({
    settings,
    clock: systemClock,
    nowMs: () => performance.now(),
    report: (reports) => tell({ kind: 'reports', reports }),
  });
  process.on('message', (message) => void serve(relay, message as RelayRequest));
  process.once('disconnect', () => {
    relay.close();
    port.stop();
    process.exit(0);
  });
  tell({ kind: 'ready' });
} catch (error) {
  tell({ kind: 'unfit', detail: error instanceof Error ? error.message : String(error) });
}
