/** The process that makes the packets, for the relay or for the baseline. */
import { createSocket } from 'node:dgram';
import { PacketSource } from '../../platform/streaming/conformance/packet-source.ts';
import { TestPublisher } from '../../platform/streaming/conformance/test-publisher.ts';
import type { SourceNews, SourceOrder } from './messages.ts';

const ADDRESS = '127.0.0.1';
const SHAPE = { codec: 'H264', framesPerSecond: 30, keyframeEveryMs: 2_000, loseEvery: 0 } as const;

let publisher: TestPublisher | null = null;

async function obey(order: SourceOrder): Promise<void> {
  if (order.kind === 'publish') {
    publisher = new TestPublisher({
      ...SHAPE, videoBitsPerSecond: order.bitsPerSecond, bindAddress: ADDRESS,
    });
    const news: SourceNews = { kind: 'offer', offer: await publisher.offer() };
    process.send!(news);
  } else if (order.kind === 'answer') {
    publisher?.accept(order.answer);
  } else {
    const socket = createSocket('udp4');
    const send = (packet: Buffer): void => socket.send(packet, order.port, ADDRESS);
    const source = new PacketSource({
      ...SHAPE, videoBitsPerSecond: order.bitsPerSecond, sendVideo: send, sendAudio: send,
    });
    process.once('disconnect', () => source.stop());
  }
}

process.once('disconnect', () => process.exit(0));
process.on('message', (order) => void obey(order as SourceOrder));
