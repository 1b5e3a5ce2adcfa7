/** A process of synthetic viewers: those whose delays are measured, or the bulk of the others. */
import { SOURCE } from '#platform/streaming/conformance/network/packet-source.ts';
import { DROPPED, IncomingTrack } from '#platform/streaming/embedded/tracks/incoming-track.ts';
import { isRtp, payloadTypeOf } from '#platform/streaming/wire/rtp.ts';
import { createSocket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { constants, setPriority } from 'node:os';
import type { Crowd, ViewerNews, ViewerOrder } from '../messages.ts';
import { endWithParent } from '../parent.ts';
import { Meter } from './meter.ts';
import { Viewer } from './viewer.ts';

const NEWS_PERIOD_MS = 100;
/** How often a browser looks for missing packets. */
const FEEDBACK_MS = 20;
const SOCKET_BUFFER_BYTES = 1 << 20;
const LOOPBACK = '127.0.0.1';

type JoinOrder = Extract<ViewerOrder, { kind: 'join' }>;

const meter = new Meter();
const viewers: Viewer[] = [];
let opened = 0;
/** Emits each description of the server by its viewer's number. */
const descriptions = new EventEmitter();
const report = (news: ViewerNews): void => void process.send!(news, undefined, undefined, () => undefined);

/**
 * The other viewers have a lower priority, so that they don't delay the measured ones on a busy machine.
 */
function standBack({ isMeasured }: Crowd): void {
  if (!isMeasured) setPriority(constants.priority.PRIORITY_LOW);
}

/** Viewers join one after the other, because a relay admits nobody while it is behind. */
async function join({ crowd, address, serverOffers, askEvery }: JoinOrder): Promise<void> {
  const { count, isMeasured } = crowd;
  for (let viewer = 0; viewer < count; viewer++) {
    const made = new Viewer({
      address,
      askEvery,
      video: meter.track('video', isMeasured),
      audio: meter.track('audio', isMeasured),
    });
    viewers.push(made);
    const described = once(descriptions, String(viewer));
    if (serverOffers) {
      report({ kind: 'wants', viewer });
      const [offer] = await described as [string];
      report({ kind: 'described', viewer, description: await made.answer(offer) });
    } else {
      report({ kind: 'described', viewer, description: await made.offer() });
      const [answer] = await described as [string];
      made.accept(answer);
    }
  }
}

/** Opens plain sockets, which receive the source's packets unencrypted. */
async function listen({ count, isMeasured }: Crowd): Promise<void> {
  const ports: number[] = [];
  for (let viewer = 0; viewer < count; viewer++) {
    const socket = createSocket({ type: 'udp4', recvBufferSize: SOCKET_BUFFER_BYTES });
    const tracks = ([['video', SOURCE.videoType], ['audio', SOURCE.audioType]] as const)
      .map(([kind, payloadType]) => ({
        meter: meter.track(kind, isMeasured),
        incoming: new IncomingTrack({
          kind,
          payloadType,
          codec: kind === 'video' ? 'H264' : 'opus',
          keepPackets: 64,
        }),
      }));
    socket.on('message', (packet) => {
      if (!isRtp(packet)) return;
      const track = tracks.find(({ incoming }) => incoming.payloadType === payloadTypeOf(packet));
      const sequence = track?.incoming.accept(packet, performance.now()) ?? DROPPED;
      if (sequence !== DROPPED) track?.meter.note(sequence, packet);
    });
    socket.bind(0, LOOPBACK);
    await once(socket, 'listening');
    ports.push(socket.address().port);
    opened += 1;
  }
  report({ kind: 'ports', ports });
}

endWithParent();
process.on('message', (message) => {
  const order = message as ViewerOrder;
  if ('crowd' in order) standBack(order.crowd);
  if (order.kind === 'join') void join(order);
  else if (order.kind === 'described') descriptions.emit(String(order.viewer), order.description);
  else if (order.kind === 'listen') void listen(order.crowd);
  else if (order.kind === 'restart') meter.restart();
  else report({ kind: 'summary', summary: meter.summary() });
});
setInterval(() => {
  const watching = viewers.filter((viewer) => viewer.isWatching).length;
  report({ kind: 'joined', viewers: watching + opened });
}, NEWS_PERIOD_MS);
setInterval(() => {
  const nowMs = performance.now();
  for (const viewer of viewers) viewer.feedback(nowMs);
}, FEEDBACK_MS);
