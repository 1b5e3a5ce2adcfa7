import type { z } from 'zod';
import type { PlaybackDescriptor } from '../contract.ts';

/** How a reader is doing. `waiting`: connected, no frame yet; `lost`: trying again. */
export type ReaderPhase = 'connecting' | 'waiting' | 'playing' | 'lost' | 'full';

export interface ReaderSettings {
  readonly video: HTMLVideoElement;
  /** Asks for a fresh address and token; rejects while there is nothing to play. */
  readonly describe: () => Promise<z.infer<typeof PlaybackDescriptor>>;
  readonly onPhase: (phase: ReaderPhase) => void;
  /** Whether frames should come now: not while the publisher is away for a moment. */
  readonly isExpected: () => boolean;
}

/** The first retry leaves a room that ended the time to say so, the later ones spare the server. */
const RETRY_FIRST_MS = 1_500;
const RETRY_LAST_MS = 4_000;
/** Frames are counted this often; so many counts without a new one and the reader starts anew. */
const WATCH_EVERY_MS = 1_000;
const STILL_COUNTS = 5;
/** HTTP status of an answer that says the media server is full. */
const STATUS_FULL = 429;

/**
 * Plays one stream over WHEP into a video element and heals by itself: a lost connection, a refused token or
 * a
 * picture that stands still starts a new session with a fresh descriptor.
 * @returns stops playing and ends the session
 */
export function readStream({ video, describe, onPhase, isExpected }: ReaderSettings): () => void {
  let stopped = false;
  let retryMs = RETRY_FIRST_MS;
  let session: Session | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const again = (phase: ReaderPhase) => {
    if (stopped) return;
    session?.close();
    session = null;
    onPhase(phase);
    clearTimeout(timer);
    timer = setTimeout(() => void start(), retryMs);
    retryMs = Math.min(retryMs * 2, RETRY_LAST_MS);
  };
  const start = async () => {
    try {
      const descriptor = await describe();
      if (stopped) return;
      session = openSession(video, {
        playing: () => {
          retryMs = RETRY_FIRST_MS;
          onPhase('playing');
        },
        lost: () => again('lost'),
        isExpected,
      });
      onPhase('waiting');
      const full = await session.negotiate(descriptor);
      if (full) again('full');
    } catch {
      again('lost');
    }
  };
  onPhase('connecting');
  void start();
  return () => {
    stopped = true;
    clearTimeout(timer);
    session?.close();
    video.srcObject = null;
  };
}

interface Session {
  /** Offers and sets the answer; true when the server is full. */
  readonly negotiate: (descriptor: z.infer<typeof PlaybackDescriptor>) => Promise<boolean>;
  readonly close: () => void;
}

interface SessionEvents {
  readonly playing: () => void;
  readonly lost: () => void;
  readonly isExpected: () => boolean;
}

function openSession(video: HTMLVideoElement, on: SessionEvents): Session {
  const peer = new RTCPeerConnection();
  const media = new MediaStream();
  const cleanup = new AbortController();
  peer.addTransceiver('video', { direction: 'recvonly' });
  peer.addTransceiver('audio', { direction: 'recvonly' });
  peer.ontrack = ({ track }) => {
    media.addTrack(track);
    if (video.srcObject !== media) video.srcObject = media;
  };
  peer.onconnectionstatechange = () => {
    if (peer.connectionState === 'failed' || peer.connectionState === 'closed') on.lost();
  };
  // The first picture of this session: each session brings a stream of its own.
  video.addEventListener('loadeddata', () => on.playing(), { signal: cleanup.signal });
  const stopWatching = watchFrames(peer, on);
  const negotiate: Session['negotiate'] = async ({ url, token }) => {
    // The server's candidates stand in its answer and it learns ours from our checks: nothing to gather
    // first.
    await peer.setLocalDescription(await peer.createOffer());
    const response = await fetch(url, {
      method: 'POST', body: peer.localDescription?.sdp ?? '', credentials: 'same-origin',
      headers: { 'content-type': 'application/sdp', authorization: `Bearer ${token}` },
    });
    if (response.status === STATUS_FULL) return true;
    if (response.status !== 201) throw new Error(`whep answered ${response.status}`);
    await peer.setRemoteDescription({ type: 'answer', sdp: await response.text() });
    return false;
  };
  return {
    negotiate,
    close: () => {
      cleanup.abort();
      stopWatching();
      peer.onconnectionstatechange = null;
      // Closing tells the server over DTLS: no DELETE of a session it may have ended already.
      peer.close();
    },
  };
}

/** Calls `lost` when frames that are expected stay away for {@link STILL_COUNTS} counts. */
function watchFrames(peer: RTCPeerConnection, on: SessionEvents): () => void {
  let frames = 0;
  let still = 0;
  const count = async () => {
    const decoded = await framesDecoded(peer);
    still = decoded > frames || !on.isExpected() ? 0 : still + 1;
    frames = decoded;
    if (still < STILL_COUNTS) return;
    still = 0;
    on.lost();
  };
  const timer = setInterval(() => void count(), WATCH_EVERY_MS);
  return () => clearInterval(timer);
}

/** Video frames decoded so far by a receiving connection. */
async function framesDecoded(peer: RTCPeerConnection): Promise<number> {
  let decoded = 0;
  for (const report of (await peer.getStats()).values() as Iterable<RTCStats & { framesDecoded?: number }>) {
    if (report.type === 'inbound-rtp' && report.framesDecoded !== undefined) decoded += report.framesDecoded;
  }
  return decoded;
}
