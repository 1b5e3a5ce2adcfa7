import { withStereo } from '../../stereo.ts';
import { connectionAgeMs, NOTHING_SHOWN, shownBy, type MediaStats } from './latency.ts';
import { addressOf, failureOfStatus, monitorFrames, type Session, type SessionSettings } from './session.ts';

/** ICE, DTLS and the first keyframe take 3 s on a bad connection; a longer wait means it is blocked. */
const FIRST_FRAME_MS = 5_000;
/** Audio without video for this long is played alone: video normally follows within a second or two. */
const SOUND_ALONE_MS = 3_000;

/** Plays a stream over WHEP. The answer has the server's candidates; it learns ours from the ICE checks. */
export function openWhep(settings: SessionSettings): Session {
  const { video, descriptor, running, on } = settings;
  let isOver = false;
  let shown = NOTHING_SHOWN;
  const fail: typeof on.failed = (why) => {
    if (!isOver) on.failed(why);
  };
  const peer = makePeer(descriptor.ice_servers);
  const media = new MediaStream();
  const sound = new SoundAlone(video, media);
  const monitor = monitorFrames(
    { ...settings, on: { ...on, failed: fail } },
    () => countOf(peer, sound.isAlone),
    FIRST_FRAME_MS,
  );
  const negotiate = async (): Promise<void> => {
    if (peer === null) return fail('blocked');
    const { sdp = '' } = await peer.createOffer();
    await peer.setLocalDescription({ type: 'offer', sdp: withStereo(sdp) });
    const response = await fetch(addressOf(descriptor, running), {
      method: 'POST',
      body: peer.localDescription?.sdp ?? '',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/sdp' },
    });
    if (isOver) return;
    if (response.status !== 201) return fail(failureOfStatus(response.status));
    await peer.setRemoteDescription({ type: 'answer', sdp: await response.text() });
    if (isOver) return;
    on.waiting();
    sound.waitForPictures();
  };
  if (peer !== null) {
    peer.addTransceiver('video', { direction: 'recvonly' });
    peer.addTransceiver('audio', { direction: 'recvonly' });
    peer.ontrack = ({ track }) => {
      media.addTrack(track);
      // A stopped track mutes before the connection reports anything.
      if (track.kind === 'video') track.onmute = monitor.nudge;
      if (video.srcObject !== media) video.srcObject = media;
    };
    peer.onconnectionstatechange = () => {
      if (peer.connectionState === 'failed' || peer.connectionState === 'closed') {
        fail(video.readyState >= video.HAVE_CURRENT_DATA ? 'lost' : 'blocked');
      }
    };
  }
  // Rejects when the request fails or the browser cannot negotiate.
  negotiate().catch(() => fail('blocked'));
  return {
    latencyMs: async () => {
      const stats = peer === null ? [] : await statsOf(peer);
      const ageMs = connectionAgeMs(stats, shown);
      shown = shownBy(stats);
      return ageMs;
    },
    nudge: monitor.nudge,
    // The latency is too small to notice.
    finish: () => undefined,
    close: () => {
      isOver = true;
      monitor.stop();
      sound.stop();
      video.srcObject = null;
      // Closing notifies the server over DTLS, so no DELETE is needed.
      peer?.close();
    },
  };
}

/**
 * Plays the audio of a stream without video: a video element with an empty video track waits for ever. Video
 * that arrives later is shown.
 */
class SoundAlone {
  readonly #video: HTMLVideoElement;
  readonly #media: MediaStream;
  readonly #stopped = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  isAlone = false;

  constructor(video: HTMLVideoElement, media: MediaStream) {
    this.#video = video;
    this.#media = media;
  }

  waitForPictures(): void {
    this.#timer = setTimeout(() => this.#begin(), SOUND_ALONE_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#stopped.abort();
  }

  #begin(): void {
    const [picture] = this.#media.getVideoTracks();
    const sounds = this.#media.getAudioTracks();
    if (!picture?.muted || !sounds.some(({ muted }) => !muted)) return;
    this.isAlone = true;
    this.#video.srcObject = new MediaStream(sounds);
    picture.addEventListener('unmute', () => {
      this.isAlone = false;
      this.#video.srcObject = this.#media;
    }, { once: true, signal: this.#stopped.signal });
  }
}

/** More than the packet count of an audio session can reach. */
const MANY_PACKETS = 1e9;

/** Null where the browser has no WebRTC, or a policy disables it. */
function makePeer(iceServers: RTCIceServer[]): RTCPeerConnection | null {
  try {
    return new RTCPeerConnection({ iceServers });
  } catch {
    return null;
  }
}

async function statsOf(peer: RTCPeerConnection): Promise<MediaStats[]> {
  return [...(await peer.getStats()).values() as Iterable<MediaStats>];
}

/**
 * Frames decoded so far; in a hidden tab, where a browser may decode none, video packets received; for audio
 * alone, its packets. Below zero before the first frame, so that a frame after audio alone is progress.
 */
async function countOf(peer: RTCPeerConnection | null, isSoundAlone: boolean): Promise<number> {
  if (peer === null) return 0;
  const stats = await statsOf(peer);
  const of = (wanted: string) => stats.find(({ type, kind }) => type === 'inbound-rtp' && kind === wanted);
  if (isSoundAlone) return (of('audio')?.packetsReceived ?? 0) - MANY_PACKETS;
  const video = of('video');
  return (document.hidden ? video?.packetsReceived : video?.framesDecoded) ?? 0;
}
