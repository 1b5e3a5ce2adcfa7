import type { Clock } from '#platform/data/clock.ts';
import { PeerConnection, Video, type Track } from 'node-datachannel';
import { randomInt } from 'node:crypto';
import { EngineRefused } from '../../engine.ts';
import {
  advertise,
  readTransport,
  writeTransportOffer,
  type Offer,
  type PeerAddress,
  type Transport,
} from '../../wire/sdp.ts';
import type { TurnBridge } from './turn-bridge.ts';

/** How the peers of one relay connect. */
export interface PeerWays {
  readonly address: PeerAddress;
  /** For peers behind TURN over TCP, besides the relay's own port; null without. */
  readonly bridge: TurnBridge | null;
}

export interface MediaPeerOptions {
  readonly name: string;
  /** The direction of RTP; RTCP goes both ways. */
  readonly direction: 'SendOnly' | 'RecvOnly';
  readonly ways: PeerWays;
  readonly clock: Clock;
  readonly onOpen: () => void;
  /** One RTP or RTCP packet, decrypted; the receiver may keep the buffer. */
  readonly onPacket: (packet: Buffer) => void;
  readonly onGone: () => void;
}

/** Host candidates are available at once; this only limits the wait on a machine whose interfaces hang. */
const GATHER_TIMEOUT_MS = 2_000;
const GONE: ReadonlySet<string> = new Set(['failed', 'closed', 'disconnected']);
/** The native side never uses it: packets of every payload type pass through its only track. */
const ANY_PAYLOAD_TYPE = 96;

/**
 * ICE, DTLS and SRTP of one session, and nothing else. The native side sees a single section whatever was
 * offered. With two sections it would parse RTCP to separate them, and one malformed source description from
 * a viewer sends that parser into an endless loop. With one it hands every packet over unread.
 */
export class MediaPeer {
  readonly #options: MediaPeerOptions;
  readonly #peer: PeerConnection;
  readonly #track: Track;
  #transport: Transport | null = null;
  #closed = false;

  constructor(options: MediaPeerOptions) {
    const { name, ways: { address }, direction, onOpen, onPacket, onGone } = options;
    this.#options = options;
    this.#peer = new PeerConnection(name, {
      iceServers: [],
      disableAutoNegotiation: true,
      forceMediaTransport: true,
      enableIceUdpMux: true,
      portRangeBegin: address.udpPort,
      portRangeEnd: address.udpPort,
      ...(address.bindAddress ? { bindAddress: address.bindAddress } : {}),
    });
    this.#peer.onStateChange((state) => {
      if (GONE.has(state) && !this.#closed) onGone();
    });
    const description = new Video('media', direction);
    description.addVP8Codec(ANY_PAYLOAD_TYPE);
    this.#track = this.#peer.addTrack(description);
    this.#track.onOpen(() => {
      if (!this.#closed) onOpen();
    });
    // Only for a track with this callback does the library release its buffers.
    this.#track.onClosed(() => undefined);
    this.#track.onMessage((packet) => {
      if (!this.#closed) onPacket(packet);
    });
  }

  /** The transport to answer an offer with: every candidate included, as peers reach them. */
  async negotiate(offer: Offer): Promise<Transport> {
    const remote = this.#options.direction === 'SendOnly' ? 'recvonly' : 'sendonly';
    try {
      this.#peer.setRemoteDescription(writeTransportOffer(offer, 'media', ANY_PAYLOAD_TYPE, remote), 'offer');
      this.#peer.setLocalDescription('answer');
    } catch (error) {
      throw new EngineRefused('malformed_offer', error instanceof Error ? error.message : 'not accepted');
    }
    await this.#gathered();
    const own = readTransport(this.#peer.localDescription()?.sdp ?? '');
    const { address, bridge } = this.#options.ways;
    const transport = own && advertise(own, address);
    if (!transport?.candidates.length) {
      throw new EngineRefused('unavailable', 'the relay has no transport to offer');
    }
    if (!bridge || this.#closed) return transport;
    this.#transport = transport;
    return bridge.offer(transport, { isPublisher: this.#options.direction === 'RecvOnly' });
  }

  /** Sends a copy of one RTP or RTCP packet; false when the transport is not up. */
  send(packet: Buffer): boolean {
    try {
      return this.#track.sendMessageBinary(packet);
    } catch {
      return false;
    }
  }

  /** Closes after the running callback: closing inside one of its callbacks deadlocks the native side. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#transport) this.#options.ways.bridge?.forget(this.#transport);
    setImmediate(() => {
      // A track that is not closed itself holds its callbacks, and with them the whole session, for ever.
      this.#track.close();
      this.#peer.close();
    });
  }

  #gathered(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after('ice gathering', GATHER_TIMEOUT_MS, resolve);
      const check = (): void => {
        if (this.#peer.gatheringState() !== 'complete') return;
        cancel();
        resolve();
      };
      this.#peer.onGatheringStateChange(check);
      check();
    });
  }
}

/** A random source id, never 0. */
export const randomSsrc = (): number => randomInt(1, 0xffffffff);
