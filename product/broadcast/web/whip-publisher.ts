import { CallFailed, type Problem } from '../../../platform/contract/client.ts';

/** How a publisher is doing. `refused` and `ended` are final until started again. */
export type PublisherPhase = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'refused' | 'ended';

export interface PublisherSettings {
  readonly media: MediaStream;
  /** A stream key for this browser and where it publishes; rejects with {@link CallFailed} when refused. */
  readonly makeKey: () => Promise<{ readonly stream_key: string; readonly whip_url: string }>;
  readonly onPhase: (phase: PublisherPhase, problem: Problem | null) => void;
}

/** A dropped publisher comes back within the 30 s grace: 500 ms doubling to 5 s. */
const RETRY_FIRST_MS = 500;
const RETRY_LAST_MS = 5_000;
/** A connection that reports `disconnected` this long is given up; ICE alone takes half a minute. */
const DISCONNECTED_MS = 2_000;
/** Enough for a sharp 480p face, modest enough for most uplinks. */
const MAX_VIDEO_BITS_PER_SECOND = 2_000_000;
const STATUS_KEY_REFUSED = 401;

export interface Publisher {
  /** Swaps camera or microphone without a new session. */
  readonly replaceMedia: (media: MediaStream) => Promise<void>;
  /** Stops for good. The server learns it at once; who wants no grace ends the broadcast first. */
  readonly stop: () => void;
}

/** Publishes camera and microphone over WHIP (RFC 9725) and comes back by itself until stopped. */
export function publishStream({ media: first, makeKey, onPhase }: PublisherSettings): Publisher {
  let media = first;
  let stopped = false;
  let retryMs = RETRY_FIRST_MS;
  let link: Link | null = null;
  let key: Awaited<ReturnType<typeof makeKey>> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const lost = () => {
    if (stopped) return;
    link?.close();
    link = null;
    onPhase('reconnecting', null);
    clearTimeout(timer);
    timer = setTimeout(() => void start(), retryMs);
    retryMs = Math.min(retryMs * 2, RETRY_LAST_MS);
  };
  const start = async () => {
    try {
      key ??= await makeKey();
      if (stopped) return;
      link = openLink(media, { live: () => {
        retryMs = RETRY_FIRST_MS;
        onPhase('live', null);
      }, lost });
      const refused = await link.negotiate(key.whip_url, key.stream_key);
      if (refused?.status === STATUS_KEY_REFUSED) key = null;
      else if (refused && refused.status < 500 && refused.status !== 429) return refuse(refused);
      if (refused) lost();
    } catch (error) {
      if (error instanceof CallFailed && error.problem.status >= 400 && error.problem.status < 500) {
        return refuse(error.problem);
      }
      lost();
    }
  };
  const refuse = (problem: Problem) => {
    stopped = true;
    link?.close();
    onPhase('refused', problem);
  };
  onPhase('connecting', null);
  void start();
  return {
    replaceMedia: async (next) => {
      media = next;
      await link?.replaceMedia(next);
    },
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      link?.close();
      onPhase('ended', null);
    },
  };
}

interface Link {
  /** Offers and sets the answer; the problem when refused. */
  readonly negotiate: (url: string, key: string) => Promise<Problem | null>;
  readonly replaceMedia: (media: MediaStream) => Promise<void>;
  readonly close: () => void;
}

function openLink(media: MediaStream, on: { live: () => void; lost: () => void }): Link {
  const peer = new RTCPeerConnection();
  let closed = false;
  let giveUp: ReturnType<typeof setTimeout> | undefined;
  for (const track of media.getTracks()) {
    const sender = peer.addTransceiver(track, {
      direction: 'sendonly', streams: [media],
      ...(track.kind === 'video' ? { sendEncodings: [{ maxBitrate: MAX_VIDEO_BITS_PER_SECOND }] } : {}),
    });
    if (track.kind === 'video') preferH264(sender);
  }
  peer.onconnectionstatechange = () => {
    clearTimeout(giveUp);
    if (closed) return;
    if (peer.connectionState === 'connected') on.live();
    else if (peer.connectionState === 'disconnected') giveUp = setTimeout(on.lost, DISCONNECTED_MS);
    else if (peer.connectionState === 'failed') on.lost();
  };
  return {
    negotiate: async (url, key) => {
      await peer.setLocalDescription(await peer.createOffer());
      const response = await fetch(url, {
        method: 'POST', body: peer.localDescription?.sdp ?? '', credentials: 'same-origin',
        headers: { 'content-type': 'application/sdp', authorization: `Bearer ${key}` },
      });
      if (response.status !== 201) return await response.json() as Problem;
      await peer.setRemoteDescription({ type: 'answer', sdp: await response.text() });
      return null;
    },
    replaceMedia: async (next) => {
      await Promise.all(peer.getSenders().map((sender) => {
        const track = next.getTracks().find((candidate) => candidate.kind === sender.track?.kind);
        return track ? sender.replaceTrack(track) : Promise.resolve();
      }));
    },
    close: () => {
      closed = true;
      clearTimeout(giveUp);
      peer.close();
    },
  };
}

/** H.264 first where the browser has it: HLS needs no transcoding then. VP8 stays as the second choice. */
function preferH264(transceiver: RTCRtpTransceiver): void {
  const codecs = RTCRtpSender.getCapabilities('video')?.codecs ?? [];
  const rank = (codec: RTCRtpCodec): number => {
    if (codec.mimeType === 'video/H264' && codec.sdpFmtpLine?.includes('packetization-mode=1')) return 0;
    return codec.mimeType === 'video/VP8' ? 1 : 2;
  };
  // Older browsers have no way to order codecs; the server then picks from what they offer.
  transceiver.setCodecPreferences?.([...codecs].sort((a, b) => rank(a) - rank(b)));
}
