import { Audio, PeerConnection, Video, type Track } from 'node-datachannel';
import { offerOf, peerConfig, sendOn } from '../../platform/streaming/peer-offer.ts';
import { writeReceiverReport } from '../../platform/streaming/wire/rtcp.ts';

const H264_PARAMETERS = 'level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f';
const OWN_SSRC = 0x20000002;

/**
 * A viewer that decrypts what comes, reports like a browser and looks at nothing: it costs the relay the same
 * as another and this machine far less, so that the viewers do not take the core the relay is measured on.
 */
export class BulkViewer {
  readonly #peer: PeerConnection;
  readonly #video: Track;
  /** Held so that it lives as long as the viewer. */
  readonly #audio: Track;
  isOpen = false;

  constructor(bindAddress: string) {
    this.#peer = new PeerConnection('bulk', peerConfig(bindAddress));
    const video = new Video('v', 'RecvOnly');
    video.addH264Codec(108, H264_PARAMETERS);
    const audio = new Audio('a', 'RecvOnly');
    audio.addOpusCodec(109, 'minptime=10;useinbandfec=1');
    this.#video = this.#peer.addTrack(video);
    this.#audio = this.#peer.addTrack(audio);
    this.#video.onOpen(() => {
      this.isOpen = this.#audio.mid() !== '';
    });
  }

  offer(): Promise<string> {
    return offerOf(this.#peer);
  }

  accept(answer: string): void {
    this.#peer.setRemoteDescription(answer, 'answer');
  }

  /** To be called each second. */
  report(): void {
    sendOn(this.#video, writeReceiverReport(OWN_SSRC, []));
  }
}
