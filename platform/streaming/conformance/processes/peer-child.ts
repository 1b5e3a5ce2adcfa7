/**
 * The program that holds the peers of one test. Native peers in worker threads would abort the process, and
 * killing this one is how a publisher or viewer falls silent.
 */
import { systemClock } from '#platform/data/clock.ts';
import { TestPublisher } from '../test-publisher.ts';
import { TestReader } from '../test-reader.ts';
import type { PeerCommand, PeerMessage, PeerReply } from './peer-protocol.ts';

const VIEW_PERIOD_MS = 50;
const peers = new Map<number, TestPublisher | TestReader>();

const send = (message: PeerMessage): void => void process.send!(message);

async function obey(command: PeerCommand): Promise<PeerReply> {
  if (command.kind === 'publisher') {
    const publisher = new TestPublisher(command.options);
    peers.set(command.peer, publisher);
    return publisher.offer();
  }
  if (command.kind === 'reader') {
    const reader = new TestReader(command.options);
    peers.set(command.peer, reader);
    return reader.offer();
  }
  const peer = peers.get(command.peer);
  if (!peer) throw new Error(`no peer ${command.peer}`);
  if (command.kind === 'accept') peer.accept(command.answer);
  else if (command.kind === 'raw') peer.sendRaw(command.packets.map((item) => Buffer.from(item, 'base64')));
  else if (command.kind === 'silence') peer.fallSilent();
  else if (command.kind === 'keyframe' && peer instanceof TestReader) peer.requestKeyframe();
  else if (command.kind === 'mark' && peer instanceof TestPublisher) peer.mark(command.generation);
  else if (command.kind === 'close') {
    peers.delete(command.peer);
    sendView(command.peer, peer);
    peer.close();
  }
  return null;
}

function sendView(peer: number, one: TestPublisher | TestReader): void {
  if (one instanceof TestReader) send({ kind: 'reader', peer, view: one.view() });
  else send({ kind: 'publisher', peer, view: one.view() });
}

process.once('disconnect', () => process.exit(0));
process.on('message', (message) => {
  const { request, command } = message as { request: number; command: PeerCommand };
  void obey(command).then((reply) => send({ kind: 'reply', request, reply }));
});
systemClock.every('views', VIEW_PERIOD_MS, () => {
  for (const [peer, one] of peers) sendView(peer, one);
});
