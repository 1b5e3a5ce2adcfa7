/** A process of synthetic viewers: they answer RTCP like a browser and decode nothing. */
import { createSocket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { TestReader } from '../../platform/streaming/conformance/test-reader.ts';
import { isRtp } from '../../platform/streaming/wire/rtp.ts';
import type { ViewerNews, ViewerOrder } from './messages.ts';
import { Meter } from './meter.ts';

const HEARD_PERIOD_MS = 100;
const SOCKET_BUFFER_BYTES = 1 << 20;
const ADDRESS = '127.0.0.1';

const meter = new Meter();
/** Emits each answer under its viewer's number. */
const answers = new EventEmitter();
const tell = (news: ViewerNews): void => void process.send!(news);

/** One after the other, as people come, and because the relay admits nobody while it is behind. */
async function join(count: number): Promise<void> {
  for (let viewer = 0; viewer < count; viewer++) {
    const reader = new TestReader({
      codec: 'H264', bindAddress: ADDRESS, loseEvery: 0,
      onPacket: (kind, packet) => meter.note(`${kind}${viewer}`, packet),
    });
    const answered = once(answers, String(viewer));
    tell({ kind: 'offer', viewer, offer: await reader.offer() });
    const [answer] = await answered as [string];
    reader.accept(answer);
  }
}

async function listen(count: number): Promise<void> {
  const ports: number[] = [];
  for (let viewer = 0; viewer < count; viewer++) {
    const socket = createSocket({ type: 'udp4', recvBufferSize: SOCKET_BUFFER_BYTES });
    socket.on('message', (packet) => {
      if (isRtp(packet)) meter.note(`${packet[1]! & 0x7f}-${viewer}`, packet);
    });
    socket.bind(0, ADDRESS);
    await once(socket, 'listening');
    ports.push(socket.address().port);
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
setInterval(() => tell({ kind: 'heard', tracks: meter.heard }), HEARD_PERIOD_MS);
