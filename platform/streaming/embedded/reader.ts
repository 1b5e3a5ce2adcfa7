import { randomInt } from 'node:crypto';
import type { Clock } from '../../data/clock.ts';
import { EngineRefused } from '../engine.ts';
import { CONNECT_TIMEOUT_MS, KEYFRAME_PER_READER_MS, READER_SILENCE_MS } from '../limits.ts';
import { readRtcp, type RtcpItem } from '../wire/rtcp.ts';
import { isRtcp, type VideoCodec } from '../wire/rtp.ts';
import {
  advertise, chooseCodec, writeAnswer, type ChosenMedia, type MediaKind, type Offer,
} from '../wire/sdp.ts';
import { OutgoingTrack } from './outgoing-track.ts';
import { MediaPeer, randomSsrc, type PeerAddress } from './peer.ts';

/** What a reader tells its stream. */
export interface ReaderEvents {
  /** Its video can be sent from now on. */
  readonly joined: (reader: Reader) => void;
  readonly keyframeWanted: () => void;
  /** The transport is gone. */
  readonly gone: () => void;
}

/** What a reader's offer comes to: one codec per section, video as the publisher sends it. */
export interface PlayPlan {
  readonly offer: Offer;
  readonly chosen: readonly (ChosenMedia & { readonly ssrc: number })[];
  readonly codec: VideoCodec;
}

export interface ReaderOptions {
  readonly session: string;
  readonly plan: PlayPlan;
  readonly address: PeerAddress;
  readonly clock: Clock;
  readonly nowMs: () => number;
  readonly events: ReaderEvents;
}

/**
 * The sections and codecs a reader is answered with: the publisher's video codec, Opus.
 * Throws {@link EngineRefused} `malformed_offer` or `unsupported_codec`.
 */
export function planPlaying(offer: Offer, codec: VideoCodec): PlayPlan {
  const chosen = offer.media.map((media) => {
    if (media.direction !== 'recvonly' && media.direction !== 'sendrecv') {
      throw new EngineRefused('malformed_offer', 'a reader must offer to receive');
    }
    const picked = chooseCodec(media, media.kind === 'audio' ? 'opus' : codec);
    if (!picked) throw new EngineRefused('unsupported_codec', `no common ${media.kind} codec`);
    return { media, codec: picked, ssrc: randomSsrc() };
  });
  if (!chosen.some(({ media }) => media.kind === 'video')) {
    throw new EngineRefused('unsupported_codec', 'video is needed');
  }
  return { offer, chosen, codec };
}

/** One play session: sends a stream's packets and answers the viewer's RTCP. */
export class Reader {
  readonly session: string;
  readonly codec: VideoCodec;
  readonly #options: ReaderOptions;
  readonly #peer: MediaPeer;
  readonly #tracks: readonly OutgoingTrack[];
  /** Until the first RTCP this is the start, and the time-out that of connecting. */
  #heardAtMs: number;
  #silenceLimitMs = CONNECT_TIMEOUT_MS;
  #askedKeyframeAtMs = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.session = options.session;
    this.codec = options.plan.codec;
    this.#heardAtMs = options.nowMs();
    this.#peer = new MediaPeer({
      name: `reader-${options.session}`, direction: 'SendOnly', address: options.address,
      clock: options.clock,
      onOpen: () => this.#join(),
      onPacket: (packet) => this.#receive(packet),
      onGone: options.events.gone,
    });
    this.#tracks = options.plan.chosen.map(({ media, codec, ssrc }) => new OutgoingTrack({
      kind: media.kind, payloadType: codec.payloadType, ssrc, sink: this.#peer,
      // Half the space, so that a receiver never sees the numbers wrap in its first packets.
      firstSequence: randomInt(0x8000), firstTimestamp: randomInt(0x80000000),
    }));
  }

  /**
   * The answer to the offer. Throws {@link EngineRefused} `malformed_offer` when the native side refuses it.
   */
  async negotiate(): Promise<string> {
    const { plan: { offer, chosen }, address } = this.#options;
    const transport = await this.#peer.negotiate(offer);
    return writeAnswer(advertise(transport, address.publicAddress), chosen, 'sendonly');
  }

  track(kind: MediaKind): OutgoingTrack | undefined {
    return kind === this.#tracks[0]?.kind ? this.#tracks[0] : this.#tracks[1];
  }

  get wantsKeyframe(): boolean {
    const video = this.track('video');
    return video !== undefined && video.open && video.keyframeWanted;
  }

  /** True when nothing was heard of it for too long. */
  isSilent(nowMs: number): boolean {
    return nowMs - this.#heardAtMs > this.#silenceLimitMs;
  }

  /** Starts the silence time-out anew: while no publisher is there, a viewer has nothing to report on. */
  excuseSilence(nowMs: number): void {
    this.#heardAtMs = nowMs;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    // The native side often closes without telling the other end, whose ICE then takes half a minute to
    // notice.
    for (const track of this.#tracks) track.close();
    this.#peer.close();
  }

  #join(): void {
    for (const track of this.#tracks) track.open = true;
    this.#options.events.joined(this);
  }

  #receive(packet: Buffer): void {
    if (!isRtcp(packet)) return;
    const nowMs = this.#options.nowMs();
    this.#heardAtMs = nowMs;
    this.#silenceLimitMs = READER_SILENCE_MS;
    for (const item of readRtcp(packet)) {
      if (!('ssrc' in item)) continue;
      const track = this.#tracks.find((one) => one.ssrc === item.ssrc);
      if (track) this.#obey(track, item, nowMs);
    }
  }

  #obey(track: OutgoingTrack, item: RtcpItem, nowMs: number): void {
    if (item.kind === 'nack') track.retransmit(item.sequences, nowMs);
    if (item.kind !== 'keyframe_request') return;
    if (nowMs - this.#askedKeyframeAtMs < KEYFRAME_PER_READER_MS) return;
    this.#askedKeyframeAtMs = nowMs;
    track.keyframeWanted = true;
    this.#options.events.keyframeWanted();
  }
}
