import type { Clock } from '#platform/data/clock.ts';
import { EngineRefused } from '../../engine.ts';
import {
  writeBandwidth,
  writeGoodbye,
  writeKeyframeRequest,
  writeNack,
  writeReceiverReport,
  type ReportBlock,
} from '../../wire/rtcp.ts';
import type { VideoCodec } from '../../wire/rtp.ts';
import { chooseCodec, writeAnswer, type ChosenMedia, type Offer } from '../../wire/sdp.ts';
import { Publisher, type Upstream } from '../relay/publisher.ts';
import { BandwidthLimit } from '../tracks/bandwidth-limit.ts';
import { IncomingTrack } from '../tracks/incoming-track.ts';
import { MediaPeer, randomSsrc, type PeerWays } from './peer.ts';

/** What was chosen from a publisher's offer: one codec per section. */
export interface PublishPlan {
  readonly offer: Offer;
  readonly chosen: readonly ChosenMedia[];
  readonly codec: VideoCodec;
}

export interface PeerPublisherOptions {
  readonly session: string;
  readonly owner: string;
  readonly plan: PublishPlan;
  readonly ways: PeerWays;
  readonly clock: Clock;
  readonly nowMs: () => number;
}

/**
 * Chooses the sections and codecs to answer a publisher with: H.264, otherwise VP8, and Opus when there is
 * audio. Throws {@link EngineRefused} `malformed_offer` or `unsupported_codec`.
 */
export function planPublishing(offer: Offer): PublishPlan {
  let codec: VideoCodec | null = null;
  const chosen = offer.media.map((media) => {
    if (media.direction !== 'sendonly' && media.direction !== 'sendrecv') {
      throw new EngineRefused('malformed_offer', 'a publisher must offer to send');
    }
    const picked = media.kind === 'audio'
      ? chooseCodec(media, 'opus')
      : chooseCodec(media, 'H264') ?? chooseCodec(media, 'VP8');
    if (!picked) throw new EngineRefused('unsupported_codec', `no common ${media.kind} codec`);
    if (picked.name !== 'opus') codec = picked.name;
    return { media, codec: picked };
  });
  if (!codec) throw new EngineRefused('unsupported_codec', 'video is needed');
  if (new Set(chosen.map((item) => item.codec.payloadType)).size < chosen.length) {
    throw new EngineRefused('malformed_offer', 'one payload type for two codecs');
  }
  return { offer, chosen, codec };
}

/**
 * A publisher behind a WebRTC peer (WHIP). Reports, bandwidth limits and retransmission and keyframe requests
 * go back to it over RTCP.
 */
export class PeerPublisher implements Upstream {
  readonly publisher: Publisher;
  readonly #options: PeerPublisherOptions;
  readonly #ssrc = randomSsrc();
  readonly #bandwidth = new BandwidthLimit();
  readonly #peer: MediaPeer;

  constructor(options: PeerPublisherOptions) {
    const { session, owner, plan, ways, clock, nowMs } = options;
    this.#options = options;
    this.publisher = new Publisher({
      session,
      owner,
      clock,
      nowMs,
      codec: plan.codec,
      iceUser: plan.offer.iceUser,
      upstream: this,
      tracks: plan.chosen.map(({ media, codec }) =>
        new IncomingTrack({ kind: media.kind, payloadType: codec.payloadType, codec: codec.name })
      ),
    });
    this.#peer = new MediaPeer({
      name: `publisher-${session}`,
      direction: 'RecvOnly',
      ways,
      clock,
      onOpen: () => undefined,
      onPacket: (packet) => this.publisher.receive(packet),
      onGone: () => this.publisher.leave(),
    });
  }

  /**
   * The answer to the offer. Throws {@link EngineRefused} `malformed_offer` when the native side refuses it.
   */
  async negotiate(): Promise<string> {
    const { plan: { offer, chosen } } = this.#options;
    const transport = await this.#peer.negotiate(offer);
    return writeAnswer(transport, chosen, 'recvonly');
  }

  requestKeyframe(video: IncomingTrack): void {
    this.#peer.send(writeKeyframeRequest(this.#ssrc, video.ssrc));
  }

  requestAgain(track: IncomingTrack, sequences: readonly number[]): void {
    this.#peer.send(writeNack(this.#ssrc, track.ssrc, sequences));
  }

  report(blocks: readonly ReportBlock[], video: IncomingTrack | null): void {
    const limit = video?.ssrc ? [writeBandwidth(this.#ssrc, this.#limitOf(blocks, video), [video.ssrc])] : [];
    this.#peer.send(Buffer.concat([writeReceiverReport(this.#ssrc, blocks), ...limit]));
  }

  #limitOf(blocks: readonly ReportBlock[], { ssrc, totalBytes }: IncomingTrack): number {
    const lost = blocks.find((block) => block.ssrc === ssrc)?.fractionLost ?? 0;
    return this.#bandwidth.next(totalBytes, lost / 256, this.#options.nowMs());
  }

  close(blocks: readonly ReportBlock[]): void {
    // The native side often closes without notice: send an RTCP BYE to the other end.
    this.#peer.send(Buffer.concat([writeReceiverReport(this.#ssrc, blocks), writeGoodbye(this.#ssrc)]));
    this.#peer.close();
  }
}
