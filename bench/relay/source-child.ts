/** The process that makes the packets, for a relay or for the baseline. */
import { PacketSource } from '#platform/streaming/conformance/network/packet-source.ts';
import { TestPublisher } from '#platform/streaming/conformance/test-publisher.ts';
import { isRtcp } from '#platform/streaming/wire/rtp.ts';
import { createSocket } from 'node:dgram';
import type { RtpPorts, SourceNews, SourceOrder } from './messages.ts';
import { endWithParent } from './parent.ts';

const LOOPBACK = '127.0.0.1';
const SHAPE = { codec: 'H264', framesPerSecond: 30, keyframeEveryMs: 2_000, loseEvery: 0 } as const;

let publisher: TestPublisher | null = null;

function send(videoBitsPerSecond: number, ports: RtpPorts): void {
  const socket = createSocket('udp4');
  const sendTo = (port: number, reports = port) => (packet: Buffer): void =>
    socket.send(packet, isRtcp(packet) ? reports : port, LOOPBACK);
  const source = new PacketSource({
    ...SHAPE,
    videoBitsPerSecond,
    sendVideo: sendTo(ports.video, ports.videoReports),
    sendAudio: sendTo(ports.audio, ports.audioReports),
  });
  process.once('disconnect', () => source.stop());
}

async function obey(order: SourceOrder): Promise<void> {
  if (order.kind === 'publish') {
    publisher = new TestPublisher({
      ...SHAPE,
      videoBitsPerSecond: order.bitsPerSecond,
      bindAddress: order.address,
    });
    const news: SourceNews = { kind: 'offer', offer: await publisher.offer() };
    process.send!(news);
  } else if (order.kind === 'answer') {
    publisher?.accept(order.answer);
  } else {
    send(order.bitsPerSecond, order.ports);
  }
}

endWithParent();
process.on('message', (order) => void obey(order as SourceOrder));
