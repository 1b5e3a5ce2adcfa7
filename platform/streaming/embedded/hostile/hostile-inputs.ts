import { VirtualClock } from '#platform/data/clock.ts';
import assert from 'node:assert/strict';
import { Dice } from '../../conformance/network/dice.ts';
import { mutate, mutateText } from '../../conformance/network/mutations.ts';
import { EngineRefused } from '../../engine.ts';
import { LocalDoor, type LocalGuest, type LocalLine } from '../../local/door.ts';
import { FrameReader, FrameTooLong } from '../../local/frames.ts';
import { isRtcp, isRtp, RTP_HEADER_BYTES } from '../../wire/rtp.ts';
import { readFragment } from '../../wire/sdp-fragment.ts';
import { readOffer, readTransport, writeAnswer, writeTransportOffer } from '../../wire/sdp.ts';
import { Feed } from '../feed.ts';
import { planPublishing } from '../peers/peer-publisher.ts';
import { planPlaying } from '../peers/peer-reader.ts';
import { Publisher } from '../relay/publisher.ts';
import { Reader } from '../relay/reader.ts';
import { Stream } from '../relay/stream.ts';
import { Tap } from '../tap.ts';
import { IncomingTrack } from '../tracks/incoming-track.ts';
import { OutgoingTrack } from '../tracks/outgoing-track.ts';
import {
  AUDIO_TYPE,
  FRAGMENT_SEEDS,
  FRAME_SEEDS,
  OFFER_SEEDS,
  RTCP_SEEDS,
  RTP_SEEDS,
  VIDEO_TYPE,
  VIEWER_SSRC,
} from './hostile-seeds.ts';

/** Outcome of a number of inputs. */
export interface HostileCounts {
  readonly inputs: number;
  /** Inputs that were accepted as what they claimed to be. */
  readonly taken: number;
}

export type HostileKind = 'rtp' | 'rtcp' | 'offers' | 'fragments' | 'frames';

const VIEWERS = 3;
const QUIET = { requestKeyframe: () => undefined, requestAgain: () => undefined, report: () => undefined };

/** One stream with its publisher, viewers and local sessions; their transports send nowhere. */
class Target {
  readonly clock = new VirtualClock();
  readonly stream: Stream;
  readonly publisher: Publisher;
  readonly readers: readonly Reader[];
  sent = 0;
  sequence = 0;

  constructor() {
    const { clock, nowMs } = this;
    this.stream = new Stream({
      name: 'target',
      clock,
      nowMs,
      graceMs: 1_000,
      isShedding: () => false,
      report: () => undefined,
    });
    this.publisher = new Publisher({
      session: 'publisher',
      owner: 'anna',
      codec: 'H264',
      iceUser: null,
      clock,
      nowMs,
      tracks: [
        new IncomingTrack({ kind: 'video', payloadType: VIDEO_TYPE, codec: 'H264' }),
        new IncomingTrack({ kind: 'audio', payloadType: AUDIO_TYPE, codec: 'opus' }),
      ],
      upstream: { ...QUIET, close: () => undefined },
    });
    this.stream.publish(this.publisher);
    this.readers = Array.from({ length: VIEWERS }, (_, i) => this.#reader(i));
  }

  readonly nowMs = (): number => this.clock.now().getTime();

  #reader(index: number): Reader {
    const track = (kind: 'video' | 'audio', payloadType: number): OutgoingTrack =>
      new OutgoingTrack({
        kind,
        payloadType,
        ssrc: VIEWER_SSRC + (kind === 'video' ? 0 : 1),
        firstSequence: 0,
        firstTimestamp: 0,
        sink: { send: (packet) => this.#check(packet, payloadType) },
      });
    const reader = new Reader({
      session: `reader-${index}`,
      codec: 'H264',
      isViewer: true,
      isMetered: true,
      iceUser: null,
      nowMs: this.nowMs,
      tracks: [track('video', 108), track('audio', 109)],
      downstream: { close: () => undefined },
    });
    this.stream.play(reader);
    reader.join();
    return reader;
  }

  /** Checks that a packet sent to a viewer is well-formed and of its payload type, whatever came in. */
  #check(packet: Buffer, payloadType: number): boolean {
    this.sent += 1;
    if (isRtcp(packet)) return true;
    assert.ok(isRtp(packet));
    assert.equal(packet[1]! & 0x7f, payloadType);
    return true;
  }
}

/** Each kind makes one input and feeds it to the code that reads it; true when it was accepted. */
const KINDS: Readonly<Record<HostileKind, (dice: Dice, target: Target) => boolean>> = {
  rtp: (dice, target) => {
    const packet = mutateRtp(dice, target);
    const before = Buffer.from(packet);
    const { sent } = target;
    target.publisher.receive(packet);
    assert.ok(packet.equals(before), 'a packet is as it was once every viewer has it');
    return target.sent > sent;
  },
  rtcp: (dice, target) => {
    const packet = mutate(dice, dice.pick(RTCP_SEEDS), RTCP_SEEDS);
    target.publisher.receive(packet);
    for (const reader of target.readers) reader.receive(packet);
    return isRtcp(packet);
  },
  offers: (dice) => {
    const text = mutateText(dice, dice.pick(OFFER_SEEDS), OFFER_SEEDS);
    return isAccepted(() => answerOffer(text));
  },
  fragments: (dice) => {
    const text = mutateText(dice, dice.pick(FRAGMENT_SEEDS), FRAGMENT_SEEDS);
    return isAccepted(() => readFragment(text));
  },
  frames: (dice, target) => {
    const bytes = mutate(dice, Buffer.concat([dice.pick(FRAME_SEEDS), dice.pick(FRAME_SEEDS)]), FRAME_SEEDS);
    const cut = dice.below(bytes.length + 1);
    return takesFrames(target, [bytes.subarray(0, cut), bytes.subarray(cut)], dice.below(2) === 0);
  },
};

/** Half of the inputs have a valid header that continues the stream; otherwise the rest is never read. */
function mutateRtp(dice: Dice, target: Target): Buffer {
  const seed = dice.pick(RTP_SEEDS);
  if (dice.below(2) === 0) return mutate(dice, seed, RTP_SEEDS);
  const header = Buffer.from(seed.subarray(0, RTP_HEADER_BYTES));
  // Mostly the next packet; now and then a gap, a late packet or a jump.
  target.sequence += dice.below(20) > 0 ? 1 : dice.below(400) - 100;
  header.writeUInt16BE(target.sequence & 0xffff, 2);
  return Buffer.concat([header, mutate(dice, seed.subarray(RTP_HEADER_BYTES), RTP_SEEDS)]);
}

/** Handles an offer up to the native side, which only ever receives what is written here. */
function answerOffer(text: string): void {
  const offer = readOffer(text);
  const isSending = offer.media.every(({ direction }) => direction !== 'recvonly');
  const { chosen } = isSending ? planPublishing(offer) : planPlaying(offer, 'H264');
  const native = writeTransportOffer(offer, 'media', 96, 'sendonly');
  assert.match(native, /^(?:[a-z]=[\x20-\x7e]*\r\n)+$/);
  const transport = readTransport(`${native}a=candidate:1 1 UDP 1 127.0.0.1 9 typ host\r\n`);
  assert.ok(transport);
  const answer = writeAnswer(transport, chosen, isSending ? 'recvonly' : 'sendonly');
  assert.match(answer, /^(?:[a-z]=[\x20-\x7e]*\r\n)+$/);
}

/** Feeds bytes of a process to a local session of either kind. */
function takesFrames(target: Target, chunks: readonly Buffer[], isFeed: boolean): boolean {
  const { clock, nowMs } = target;
  const door = new LocalDoor({ socketPath: 'never-opened', clock, nowMs });
  let isOpen = true;
  const line: LocalLine = {
    queuedBytes: 0,
    send: () => undefined,
    onDrained: () => undefined,
    close: () => void (isOpen = false),
  };
  const guest: LocalGuest = isFeed
    ? new Feed({ session: 'feed', owner: 'anna', door, clock, nowMs })
    : new Tap({ session: 'tap', codec: 'H264', door, nowMs });
  guest.attach(line);
  const frames = new FrameReader((type, payload) => {
    if (isOpen) isOpen = guest.take(type, payload);
  });
  try {
    for (const chunk of chunks) frames.push(chunk);
  } catch (error) {
    if (!(error instanceof FrameTooLong)) throw error;
    isOpen = false;
  }
  return isOpen;
}

function isAccepted(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof EngineRefused) return false;
    throw error;
  }
}

/**
 * Feeds mutated inputs of one kind to the code that reads them. Throws at the first input that is neither
 * accepted nor refused.
 *
 * @param onProgress called now and then with the number done
 */
export function feedHostile(
  kind: HostileKind,
  inputs: number,
  seed: number,
  onProgress: (done: number) => void = () => undefined,
): HostileCounts {
  const [dice, target] = [new Dice(seed), new Target()];
  const work = KINDS[kind];
  const tenth = Math.ceil(inputs / 10);
  let taken = 0;
  for (let i = 0; i < inputs; i++) {
    if (work(dice, target)) taken += 1;
    if (i % 50 === 0) target.clock.advance(5);
    if (i % 10_000 === 0) {
      target.publisher.sendReports(target.nowMs());
      target.stream.takeHealth(target.nowMs(), 1_000);
    }
    if (i % tenth === tenth - 1) onProgress(i + 1);
  }
  return { inputs, taken };
}

export interface AcceptedOffer {
  readonly offer: string;
  /** A publisher's offer if true, a viewer's if false. */
  readonly isPublisher: boolean;
}

/** Mutated offers that the relay accepts: the ones that reach the native side. */
export function acceptedOffers(count: number, seed: number): readonly AcceptedOffer[] {
  const dice = new Dice(seed);
  const found: AcceptedOffer[] = [];
  while (found.length < count) {
    const offer = mutateText(dice, dice.pick(OFFER_SEEDS), OFFER_SEEDS);
    const isPublisher = isAccepted(() => planPublishing(readOffer(offer)));
    const isViewer = !isPublisher && isAccepted(() => planPlaying(readOffer(offer), 'H264'));
    if (isPublisher || isViewer) found.push({ offer, isPublisher });
  }
  return found;
}

/** Mutated media and reports, to be sent over DTLS. */
export function hostilePackets(count: number, seed: number): readonly Buffer[] {
  const dice = new Dice(seed);
  const seeds = [...RTP_SEEDS, ...RTCP_SEEDS];
  return Array.from({ length: count }, () => mutate(dice, dice.pick(seeds), seeds))
    .map((packet) => packet.subarray(0, 1_200));
}
