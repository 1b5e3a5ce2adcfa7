import type { Clock } from '#platform/data/clock.ts';
import { randomInt } from 'node:crypto';
import { EngineRefused } from '../../engine.ts';
import type { VideoCodec } from '../../wire/rtp.ts';
import { chooseCodec, writeAnswer, type ChosenMedia, type Offer } from '../../wire/sdp.ts';
import { Reader, type Downstream } from '../relay/reader.ts';
import { OutgoingTrack } from '../tracks/outgoing-track.ts';
import { MediaPeer, randomSsrc, type PeerWays } from './peer.ts';

/** What was chosen from a reader's offer: one codec per section, with the publisher's video codec. */
export interface PlayPlan {
  readonly offer: Offer;
  readonly chosen: readonly (ChosenMedia & { readonly ssrc: number })[];
  readonly codec: VideoCodec;
}

export interface PeerReaderOptions {
  readonly session: string;
  readonly plan: PlayPlan;
  readonly isMetered: boolean;
  readonly ways: PeerWays;
  readonly clock: Clock;
  readonly nowMs: () => number;
}

/**
 * Chooses the sections and codecs to answer a reader with: the publisher's video codec, and Opus. Throws
 * {@link EngineRefused} `malformed_offer` or `unsupported_codec`.
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

/** A reader behind a WebRTC peer (WHEP): sends SRTP and answers the viewer's RTCP. */
export class PeerReader implements Downstream {
  readonly reader: Reader;
  readonly #options: PeerReaderOptions;
  readonly #peer: MediaPeer;
  readonly #tracks: readonly OutgoingTrack[];

  constructor(options: PeerReaderOptions) {
    const { session, plan, isMetered, ways, clock, nowMs } = options;
    this.#options = options;
    this.#peer = new MediaPeer({
      name: `reader-${session}`,
      direction: 'SendOnly',
      ways,
      clock,
      onOpen: () => {
        this.reader.connected();
        this.reader.join();
      },
      onPacket: (packet) => this.reader.receive(packet),
      onGone: () => this.reader.leave(),
    });
    this.#tracks = plan.chosen.map(({ media, codec, ssrc }) =>
      new OutgoingTrack({
        kind: media.kind,
        payloadType: codec.payloadType,
        ssrc,
        sink: this.#peer,
        // Only the lower half of the number space, so that a receiver never sees the numbers wrap early on.
        firstSequence: randomInt(0x8000),
        firstTimestamp: randomInt(0x80000000),
      })
    );
    this.reader = new Reader({
      session,
      nowMs,
      codec: plan.codec,
      iceUser: plan.offer.iceUser,
      isViewer: true,
      isMetered,
      tracks: this.#tracks,
      downstream: this,
    });
  }

  /**
   * The answer to the offer. Throws {@link EngineRefused} `malformed_offer` when the native side refuses it.
   */
  async negotiate(): Promise<string> {
    const { plan: { offer, chosen } } = this.#options;
    const transport = await this.#peer.negotiate(offer);
    return writeAnswer(transport, chosen, 'sendonly');
  }

  close(tracks: readonly OutgoingTrack[], reason: string): void {
    // The native side often closes without notice, and the other end's ICE then takes half a minute to
    // notice.
    for (const track of tracks) track.sayGoodbye(reason);
    this.#peer.close();
  }
}
