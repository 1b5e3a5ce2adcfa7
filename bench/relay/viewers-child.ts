/**
 * A process of synthetic viewers. One in {@link MEASURED_EVERY} looks at every packet; the rest only take
 * them.
 */
import { createSocket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { TestReader } from '../../platform/streaming/conformance/test-reader.ts';
import { isRtp } from '../../platform/streaming/wire/rtp.ts';
import { BulkViewer } from './bulk-viewer.ts';
import { isMeasured, type ViewerNews, type ViewerOrder } from './messages.ts';
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
const tell = (news: ViewerNews): void => void process.send!(news);

function makeViewer(viewer: number): TestReader | BulkViewer {
  if (isMeasured(viewer)) {
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
async function join(count: number): Promise<void> {
  for (let viewer = 0; viewer < count; viewer++) {
    const made = makeViewer(viewer);
    const answered = once(answers, String(viewer));
    tell({ kind: 'offer', viewer, offer: await made.offer() });
    const [answer] = await answered as [string];
    made.accept(answer);
  }
}

async function listen(count: number): Promise<void> {
  const ports: number[] = [];
  for (let viewer = 0; viewer < count; viewer++) {
    const socket = createSocket({ type: 'udp4', recvBufferSize: SOCKET_BUFFER_BYTES });
    const measured = isMeasured(viewer);
    socket.on('message', (packet) => {
      if (measured && isRtp(packet)) meter.note(`${packet[1]! & 0x7f}-${viewer}`, packet);
    });
    socket.bind(0, ADDRESS);
    await once(socket, 'listening');
    ports.push(socket.address().port);
    if (!measured) listening += 1;
  }
  tell({ kind: 'ports', ports });
}

process.once('disconnect', () => process.exit(0));
process.on('message', (message) => {
  const order = message as ViewerOrder;
  if (order.kind === 'join') void join(order.count);
  else if (order.kind === 'answer') answers.emit(String(order.viewer), order.answer);
  else if (order.kind === 'listen') void listen(order.count);
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
