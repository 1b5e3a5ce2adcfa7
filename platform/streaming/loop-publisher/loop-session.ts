import type { Clock } from '#platform/data/clock.ts';
import { Audio, PeerConnection, Video, type Track } from 'node-datachannel';
import { randomInt } from 'node:crypto';
import { offerOf, peerConfig, sendOn } from '../peer-offer.ts';
import { readRtcp } from '../wire/rtcp.ts';
import type { LoopMedia } from './loop-media.ts';
import type { Loop } from './loop-publisher.ts';
import { AUDIO_PAYLOAD_TYPE, LoopSender, VIDEO_PAYLOAD_TYPE } from './loop-sender.ts';

const RETRY_FIRST_MS = 500;
const RETRY_LONGEST_MS = 15_000;
const HTTP_TIMEOUT_MS = 10_000;
/** Connecting takes less than a second; the relay reports every second once connected. */
const SILENCE_MS = 8_000;
const H264_PARAMETERS = 'level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f';
const GONE: ReadonlySet<string> = new Set(['failed', 'closed', 'disconnected']);

interface Connection {
  readonly peer: PeerConnection;
  readonly video: Track;
  readonly audio: Track;
  readonly videoSsrc: number;
  readonly audioSsrc: number;
  /** Resource of the session (RFC 9725 §4.2), once there is one. */
  resource: string | null;
  sender: LoopSender | null;
  lastReceivedMs: number;
}

/** Publishes one loop over WHIP (RFC 9725) and reconnects by itself whenever it is cut. */
export class LoopSession {
  readonly #loop: Loop;
  readonly #media: LoopMedia;
  readonly #clock: Clock;
  #connection: Connection | null = null;
  #retryMs = RETRY_FIRST_MS;
  #cancelRetry: (() => void) | null = null;
  #closed = false;

  constructor(loop: Loop, media: LoopMedia, clock: Clock) {
    this.#loop = loop;
    this.#media = media;
    this.#clock = clock;
  }

  /** Starts publishing; never rejects. */
  async connect(): Promise<void> {
    const connection = this.#open();
    this.#connection = connection;
    try {
      const offer = await offerOf(connection.peer);
      const response = await fetch(this.#loop.whipUrl, {
        method: 'POST',
        body: offer,
        signal: AbortSignal.timeout(HTTP_TIMEOUT_MS),
        headers: { 'content-type': 'application/sdp', authorization: `Bearer ${this.#loop.key}` },
      });
      const answer = await response.text();
      if (response.status !== 201) return this.#retry(connection, response.status);
      const location = response.headers.get('location');
      connection.resource = location && new URL(location, this.#loop.whipUrl).href;
      if (this.#connection !== connection) return await this.#release(connection);
      connection.peer.setRemoteDescription(answer, 'answer');
      connection.lastReceivedMs = performance.now();
    } catch {
      this.#retry(connection, null);
    }
  }

  /** Sends what is due; notices a relay that fell silent. */
  advance(nowMs: number, wallMs: number): void {
    const connection = this.#connection;
    if (!connection) return;
    connection.sender?.advance(nowMs, wallMs);
    if (nowMs - connection.lastReceivedMs > SILENCE_MS) this.#retry(connection, null);
  }

  /** Ends the session on the server too. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry?.();
    const connection = this.#connection;
    this.#connection = null;
    if (connection) await this.#release(connection);
  }

  #open(): Connection {
    const [videoSsrc, audioSsrc] = [randomInt(1, 0x7fffffff), randomInt(0x80000000, 0xffffffff)];
    const peer = new PeerConnection('loop', peerConfig(this.#loop.bindAddress));
    const video = new Video('0', 'SendOnly');
    video.addH264Codec(VIDEO_PAYLOAD_TYPE, H264_PARAMETERS);
    video.addSSRC(videoSsrc, 'loop', 'loop', 'video');
    const audio = new Audio('1', 'SendOnly');
    audio.addOpusCodec(AUDIO_PAYLOAD_TYPE, 'minptime=10;useinbandfec=1');
    audio.addSSRC(audioSsrc, 'loop', 'loop', 'audio');
    const connection: Connection = {
      peer,
      video: peer.addTrack(video),
      audio: peer.addTrack(audio),
      videoSsrc,
      audioSsrc,
      resource: null,
      sender: null,
      lastReceivedMs: performance.now(),
    };
    connection.video.onOpen(() => this.#start(connection));
    connection.video.onMessage((packet) => this.#onMessage(connection, packet));
    connection.audio.onMessage(() => {
      connection.lastReceivedMs = performance.now();
    });
    peer.onStateChange((state) => {
      if (GONE.has(state)) this.#retry(connection, null);
    });
    return connection;
  }

  #start(connection: Connection): void {
    this.#retryMs = RETRY_FIRST_MS;
    connection.sender = new LoopSender({
      media: this.#media,
      framesPerSecond: this.#loop.framesPerSecond ?? 15,
      videoSsrc: connection.videoSsrc,
      audioSsrc: connection.audioSsrc,
      sendVideo: (packet) => void sendOn(connection.video, packet),
      sendAudio: (packet) => void sendOn(connection.audio, packet),
    }, performance.now());
  }

  /** Keyframe requests are ignored: the loop has a keyframe every two seconds anyway. */
  #onMessage(connection: Connection, packet: Buffer): void {
    connection.lastReceivedMs = performance.now();
    for (const item of readRtcp(packet)) {
      if (item.kind === 'goodbye') this.#retry(connection, null);
      if (item.kind !== 'nack' || item.ssrc !== connection.videoSsrc) continue;
      for (const sequence of item.sequences) connection.sender?.resend(sequence);
    }
  }

  /** Closes the connection and tries again later; after a refused key, with the longest wait at once. */
  #retry(connection: Connection, status: number | null): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    connection.sender = null;
    void this.#release(connection);
    if (this.#closed) return;
    if (status === 401 || status === 403) this.#retryMs = RETRY_LONGEST_MS;
    // Up to half as long again, so that many loops do not reconnect at the same instant.
    const waitMs = this.#retryMs + randomInt(1 + Math.floor(this.#retryMs / 2));
    this.#retryMs = Math.min(RETRY_LONGEST_MS, this.#retryMs * 2);
    this.#cancelRetry = this.#clock.after('loop retry', waitMs, () => void this.connect());
  }

  async #release({ peer, video, audio, resource }: Connection): Promise<void> {
    // Tracks that are not closed themselves hold their callbacks, and with them the connection.
    setImmediate(() => [video, audio, peer].forEach((track) => track.close()));
    if (!resource) return;
    const headers = { authorization: `Bearer ${this.#loop.key}` };
    // Session or server may be gone already: both are fine.
    await fetch(resource, { method: 'DELETE', headers, signal: AbortSignal.timeout(HTTP_TIMEOUT_MS) })
      .catch(() => undefined);
  }
}
