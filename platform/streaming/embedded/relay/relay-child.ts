/**
 * The program of one relay process. Only relay processes handle media: the native library aborts the process
 * when it is loaded in a worker thread, and one process uses about one core.
 */
import { systemClock } from '#platform/data/clock.ts';
import { IceUdpMuxListener } from 'node-datachannel';
import { EngineRefused, type StreamReport } from '../../engine.ts';
import { LocalDoor } from '../../local/door.ts';
import { TurnBridge } from '../peers/turn-bridge.ts';
import type { Numbered, RelayMessage, RelaySettings } from './relay-protocol.ts';
import { Relay } from './relay.ts';

const settings = JSON.parse(process.argv[2] ?? '') as RelaySettings;

/** Sends nothing once the parent is gone. */
function send(message: RelayMessage): void {
  if (process.connected) process.send!(message, undefined, undefined, () => undefined);
}

/**
 * Holds the UDP port for the life of the process. Otherwise the native library binds the port with the first
 * peer and releases it with the last, whose closing message is then never sent.
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

async function openBridge(): Promise<TurnBridge | null> {
  const { address: { udpPort: relayPort, bindAddress }, turnPort: port } = settings;
  if (port === null) return null;
  const bridge = new TurnBridge({ port, relayPort, bindAddress, clock: systemClock, nowMs });
  await bridge.open().catch(() => {
    throw new Error(`UDP port ${port}, for TURN over TCP, is taken`);
  });
  return bridge;
}

async function serve(relay: Relay, { request, ask }: Numbered): Promise<void> {
  try {
    send({ kind: 'done', request, outcome: await relay.handle(ask) });
  } catch (error) {
    if (!(error instanceof EngineRefused)) throw error;
    send({ kind: 'refused', request, code: error.code, detail: error.message });
  }
}

/** Milliseconds of a monotonic clock. */
const nowMs = (): number => performance.now();

try {
  const port = holdPort();
  const door = new LocalDoor({ socketPath: settings.socketPath, clock: systemClock, nowMs });
  await door.open();
  const report = (reports: readonly StreamReport[]): void => send({ kind: 'reports', reports });
  const bridge = await openBridge();
  const ways = { address: settings.address, bridge };
  const relay = new Relay({ settings, door, ways, clock: systemClock, nowMs, report });
  process.on('message', (message) => void serve(relay, message as Numbered));
  const leave = (): never => {
    relay.close();
    door.close();
    bridge?.close();
    port.stop();
    process.exit(0);
  };
  process.once('disconnect', leave);
  // The parent may have gone while the socket was opening.
  if (!process.connected) leave();
  send({ kind: 'ready' });
} catch (error) {
  send({ kind: 'unfit', detail: error instanceof Error ? error.message : String(error) });
}
