/** A process of synthetic viewers: those whose delays are measured, or the bulk of the others. */
import { createSocket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { isRtp, payloadTypeOf } from '../../../platform/streaming/wire/rtp.ts';
import { DROPPED, IncomingTrack } from '../../../platform/streaming/embedded/tracks/incoming-track.ts';
import { SOURCE } from '../../../platform/streaming/conformance/network/packet-source.ts';
import type { Crowd, ViewerNews, ViewerOrder } from '../messages.ts';
import { Meter } from './meter.ts';
import { Viewer } from './viewer.ts';
import { endWithParent } from '../parent.ts';

const NEWS_PERIOD_MS = 100;
/** As often as a browser looks for what to ask again. */
const BEAT_MS = 20;
const SOCKET_BUFFER_BYTES = 1 << 20;
const LOOPBACK = '127.0.0.1';

type JoinOrder = Extract<ViewerOrder, { kind: 'join' }>;

const meter = new Meter();
const viewers: Viewer[] = [];
let listening = 0;
/** Emits each description of the server under its viewer's number. */
const descriptions = new EventEmitter();
const tell = (news: ViewerNews): void => void process.send!(news, undefined, undefined, () => undefined);

/**
 * The bulk waits when there is too little machine for all, so that it does not delay those who are measured.
 */
function standBack({ isMeasured }: Crowd): void {
  if (!isMeasured) setPriority(constants.priority.PRIORITY_LOW);
}

/** One after the other, as people come, and because a relay admits nobody while it is behind. */
async function join({ crowd, address, serverOffers, askEvery }: JoinOrder): Promise<void> {
  const { count, isMeasured } = crowd;
  for (let viewer = 0; viewer < count; viewer++) {
    const made = new Viewer({
      address, askEvery,
      video: meter.track('video', isMeasured), audio: meter.track('audio', isMeasured),
    });
    viewers.push(made);
    const described = once(descriptions, String(viewer));
    if (serverOffers) {
      tell({ kind: 'wants', viewer });
      const [offer] = await described as [string];
      tell({ kind: 'described', viewer, description: await made.answer(offer) });
    } else {
      tell({ kind: 'described', viewer, description: await made.offer() });
      const [answer] = await described as [string];
      made.accept(answer);
    }
  }
}

/** Plain sockets, which get the source's packets as they are. */
async function listen({ count, isMeasured }: Crowd): Promise<void> {
  const ports: number[] = [];
  for (let viewer = 0; viewer < count; viewer++) {
    const socket = createSocket({ type: 'udp4', recvBufferSize: SOCKET_BUFFER_BYTES });
    const tracks = ([['video', SOURCE.videoType], ['audio', SOURCE.audioType]] as const)
      .map(([kind, payloadType]) => ({
        meter: meter.track(kind, isMeasured),
        incoming: new IncomingTrack({
          kind, payloadType, codec: kind === 'video' ? 'H264' : 'opus', keepPackets: 64,
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
    listening += 1;
  }
  tell({ kind: 'ports', ports });
}

endWithParent();
process.on('message', (message) => {
  const order = message as ViewerOrder;
  if ('crowd' in order) standBack(order.crowd);
  if (order.kind === 'join') void join(order);
  else if (order.kind === 'described') descriptions.emit(String(order.viewer), order.description);
  else if (order.kind === 'listen') void listen(order.crowd);
  else if (order.kind === 'restart') meter.restart();
  else tell({ kind: 'summary', summary: meter.summary() });
});
setInterval(() => {
  const watching = viewers.filter((viewer) => viewer.isWatching).length;
  tell({ kind: 'joined', viewers: watching + listening });
}, NEWS_PERIOD_MS);
setInterval(() => {
  const nowMs = performance.now();
  for (const viewer of viewers) viewer.beat(nowMs);
}, BEAT_MS);
