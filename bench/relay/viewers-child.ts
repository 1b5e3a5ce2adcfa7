/** A process of synthetic viewers: those who look at every packet, or the bulk who only take them. */
import { createSocket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { TestReader } from '../../platform/streaming/conformance/test-reader.ts';
import { isRtp } from '../../platform/streaming/wire/rtp.ts';
import { BulkViewer } from './bulk-viewer.ts';
import type { Crowd, ViewerNews, ViewerOrder } from './messages.ts';
import { Meter } from './meter.ts';

const NEWS_PERIOD_MS = 100;
const REPORT_PERIOD_MS = 1_000;
const SOCKET_BUFFER_BYTES = 1 << 20;
const ADDRESS = '127.0.0.1';
/** Picture and sound. */
const TRACKS = 2;

const meter = new Meter();
const bulk: BulkViewer[] = [];
let listening = 0;
/** Emits each answer under its viewer's number. */
const answers = new EventEmitter();
const tell = (news: ViewerNews): void => void process.send!(news, undefined, undefined, () => undefined);

/**
 * The bulk waits when there is too little machine for all, so that it does not delay those who are measured.
 */
function standBack({ isMeasured }: Crowd): void {
  if (!isMeasured) setPriority(constants.priority.PRIORITY_LOW);
}

function makeViewer(viewer: number, isMeasured: boolean): TestReader | BulkViewer {
  if (isMeasured) {
    return new TestReader({
      codec: 'H264', bindAddress: ADDRESS, loseEvery: 0,
      onPacket: (kind, packet) => meter.note(`${kind}${viewer}`, packet),
    });
  }
  const made = new BulkViewer(ADDRESS);
  bulk.push(made);
  return made;
}

/** One after the other, as people come, and because the relay admits nobody while it is behind. */
async function join({ count, isMeasured }: Crowd): Promise<void> {
  for (let viewer = 0; viewer < count; viewer++) {
    const made = makeViewer(viewer, isMeasured);
    const answered = once(answers, String(viewer));
    tell({ kind: 'offer', viewer, offer: await made.offer() });
    const [answer] = await answered as [string];
    made.accept(answer);
  }
}

async function listen({ count, isMeasured }: Crowd): Promise<void> {
  const ports: number[] = [];
  for (let viewer = 0; viewer < count; viewer++) {
    const socket = createSocket({ type: 'udp4', recvBufferSize: SOCKET_BUFFER_BYTES });
    socket.on('message', (packet) => {
      if (isMeasured && isRtp(packet)) meter.note(`${packet[1]! & 0x7f}-${viewer}`, packet);
    });
    socket.bind(0, ADDRESS);
    await once(socket, 'listening');
    ports.push(socket.address().port);
    if (!isMeasured) listening += 1;
  }
  tell({ kind: 'ports', ports });
}

process.once('disconnect', () => process.exit(0));
process.on('message', (message) => {
  const order = message as ViewerOrder;
  if ('crowd' in order) standBack(order.crowd);
  if (order.kind === 'join') void join(order.crowd);
  else if (order.kind === 'answer') answers.emit(String(order.viewer), order.answer);
  else if (order.kind === 'listen') void listen(order.crowd);
  else if (order.kind === 'restart') meter.restart();
  else tell({ kind: 'summary', summary: meter.summary() });
});
setInterval(() => {
  const open = bulk.filter((viewer) => viewer.isOpen).length;
  tell({ kind: 'joined', viewers: Math.floor(meter.heard / TRACKS) + open + listening });
}, NEWS_PERIOD_MS);
setInterval(() => {
  for (const viewer of bulk) viewer.report();
}, REPORT_PERIOD_MS);
