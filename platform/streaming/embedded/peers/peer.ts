import { randomInt } from 'node:crypto';
import { PeerConnection, Video, type Track } from 'node-datachannel';
import type { Clock } from '#platform/data/clock.ts';
import { EngineRefused } from '../../engine.ts';
import type { TurnBridge } from './turn-bridge.ts';
import {
  advertise, readTransport, writeTransportOffer, type Offer, type PeerAddress, type Transport,
} from '../../wire/sdp.ts';

/** The ways to the peers of one relay. */
export interface PeerWays {
  readonly address: PeerAddress;
  /** Beside the one port, for peers behind TURN over TCP; null without. */
  readonly bridge: TurnBridge | null;
}

export interface MediaPeerOptions {
  readonly name: string;
  /** Which way RTP goes; RTCP goes both ways. */
  readonly direction: 'SendOnly' | 'RecvOnly';
  readonly ways: PeerWays;
  readonly clock: Clock;
  readonly onOpen: () => void;
  /** One RTP or RTCP packet, decrypted; the buffer is the receiver's to keep. */
  readonly onPacket: (packet: Buffer) => void;
  readonly onGone: () => void;
}

/** Host candidates are there at once; this only bounds a machine whose interfaces hang. */
const GATHER_TIMEOUT_MS = 2_000;
const GONE: ReadonlySet<string> = new Set(['failed', 'closed', 'disconnected']);
/** The native side never uses it: packets of every payload type pass its one track. */
const ANY_PAYLOAD_TYPE = 96;

/**
 * ICE, DTLS and SRTP of one session, and nothing else. The native side sees a single section whatever
 * was offered: with two it reads RTCP itself to separate them, and one malformed source description from a
 * viewer sends that parser round for ever. With one it hands every packet over unread.
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
    // Only a track with this callback lets go of what the library keeps of it.
    this.#track.onClosed(() => undefined);
    this.#track.onMessage((packet) => {
      if (!this.#closed) onPacket(packet);
    });
  }

  /** The transport to answer an offer with, every candidate included, as peers reach it. */
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
    return bridge.offer(transport);
  }

  /** Sends a copy of one RTP or RTCP packet; false when the transport is not up. */
  send(packet: Buffer): boolean {
    try {
      return this.#track.sendMessageBinary(packet);
    } catch {
      return false;
    }
  }

  /** Closes after the running callback: closing inside one of its own callbacks deadlocks the native side. */
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
