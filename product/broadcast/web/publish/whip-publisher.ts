import { CallFailed, type Problem } from '#platform/contract/client.ts';
import { withStereo } from '../stereo.ts';

/**
 * State of a publisher. `blocked`: no media connection was possible so far, and it keeps trying; `refused`
 * and `ended` are final.
 */
export type PublisherPhase =
  | 'idle'
  | 'connecting'
  | 'live'
  | 'reconnecting'
  | 'blocked'
  | 'refused'
  | 'ended';

/** A browser key, the WHIP URL and the ICE servers. */
interface Key {
  readonly stream_key: string;
  readonly whip_url: string;
  readonly ice_servers: readonly {
    readonly urls: readonly string[];
    readonly username?: string | undefined;
    readonly credential?: string | undefined;
  }[];
}

export interface PublisherSettings {
  readonly media: MediaStream;
  /** Bit rate of the video in kbit/s. */
  readonly bitrate: number;
  /** Whether it publishes again after a loss. The pre-show test does not, since its retry could go on air. */
  readonly reconnects: boolean;
  /** Rejects with {@link CallFailed} when refused. */
  readonly createKey: () => Promise<Key>;
  readonly onPhase: (phase: PublisherPhase, problem: Problem | null) => void;
}

/** A dropped publisher retries within the 30 s grace period: 500 ms doubling to 5 s. */
const RETRY_FIRST_MS = 500;
const RETRY_LAST_MS = 5_000;
/** A connection that stays `disconnected` this long is closed; ICE alone would take half a minute. */
const DISCONNECTED_MS = 2_000;
/**
 * ICE and DTLS take some seconds on a bad line. Without a pair of candidates to try, ICE stays `new` for ever
 * and nothing is reported.
 */
const CONNECT_MS = 8_000;
const STATUS_KEY_REFUSED = 401;

export interface Publisher {
  /** Swaps camera or microphone without a new session. */
  readonly replaceMedia: (media: MediaStream) => Promise<void>;
  /** Sets the bit rate of the video in kbit/s from now on. */
  readonly setBitrate: (bitrate: number) => Promise<void>;
  /** Publishes again at once, because the server has lost the stream. */
  readonly republish: () => void;
  /** Stops for good. The broadcast still has its grace period; the caller can end it first. */
  readonly stop: () => void;
}

/** Publishes camera and microphone over WHIP (RFC 9725), and reconnects until stopped. */
export function publishStream(settings: PublisherSettings): Publisher {
  const { createKey, onPhase, reconnects } = settings;
  let { media, bitrate } = settings;
  let stopped = false;
  let retryMs = RETRY_FIRST_MS;
  let connection: WhipConnection | null = null;
  let key: Key | null = null;
  let hasConnected = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (phase: 'ended' | 'refused', problem: Problem | null = null) => {
    stopped = true;
    clearTimeout(timer);
    connection?.close();
    connection = null;
    onPhase(phase, problem);
  };
  const lost = (waitMs = retryMs, isBlocked = false) => {
    if (stopped) return;
    if (!reconnects) return stop('ended');
    connection?.close();
    connection = null;
    onPhase(isBlocked && !hasConnected ? 'blocked' : 'reconnecting', null);
    clearTimeout(timer);
    timer = setTimeout(() => void start(), waitMs);
    retryMs = Math.min(retryMs * 2, RETRY_LAST_MS);
  };
  const start = async () => {
    try {
      key ??= await createKey();
      if (stopped) return;
      const own = openConnection(media, bitrate, key.ice_servers, {
        live: () => {
          retryMs = RETRY_FIRST_MS;
          hasConnected = true;
          onPhase('live', null);
        },
        lost: (isBlocked) => {
          if (connection === own) lost(retryMs, isBlocked);
        },
      });
      connection = own;
      const refused = await own.negotiate(key.whip_url, key.stream_key);
      if (connection !== own || !refused) return;
      if (refused.status === STATUS_KEY_REFUSED) key = null;
      else if (refused.status < 500 && refused.status !== 429) return stop('refused', refused);
      lost();
    } catch (error) {
      if (error instanceof CallFailed && error.problem.status >= 400 && error.problem.status < 500) {
        return stop('refused', error.problem);
      }
      lost();
    }
  };
  onPhase('connecting', null);
  void start();
  return {
    replaceMedia: async (next) => {
      media = next;
      await connection?.replaceMedia(next);
    },
    setBitrate: async (next) => {
      bitrate = next;
      await connection?.setBitrate(next);
    },
    republish: () => {
      if (!stopped && reconnects) lost(0);
    },
    stop: () => stop('ended'),
  };
}

interface WhipConnection {
  /** Sends the offer and sets the answer; returns the problem when refused. */
  readonly negotiate: (url: string, key: string) => Promise<Problem | null>;
  readonly replaceMedia: (media: MediaStream) => Promise<void>;
  readonly setBitrate: (bitrate: number) => Promise<void>;
  readonly close: () => void;
}

function openConnection(
  media: MediaStream,
  bitrate: number,
  servers: Key['ice_servers'],
  on: { live: () => void; lost: (isBlocked: boolean) => void },
): WhipConnection {
  const iceServers = servers.map(({ urls, username, credential }) => ({
    urls: [...urls],
    ...(username === undefined ? {} : { username }),
    ...(credential === undefined ? {} : { credential }),
  }));
  const peer = new RTCPeerConnection({ iceServers });
  let closed = false;
  let hasConnected = false;
  let giveUp: ReturnType<typeof setTimeout> | undefined;
  const fails = (): void => on.lost(!hasConnected);
  for (const track of media.getTracks()) {
    const sender = peer.addTransceiver(track, {
      direction: 'sendonly',
      streams: [media],
      ...(track.kind === 'video' ? { sendEncodings: [{ maxBitrate: bitrate * 1_000 }] } : {}),
    });
    if (track.kind === 'video') preferH264(sender);
  }
  peer.onconnectionstatechange = () => {
    if (closed) return;
    const { connectionState: state } = peer;
    if (state === 'connected' || state === 'disconnected') clearTimeout(giveUp);
    if (state === 'connected') {
      hasConnected = true;
      on.live();
    } else if (state === 'disconnected') giveUp = setTimeout(fails, DISCONNECTED_MS);
    else if (state === 'failed') fails();
  };
  return {
    negotiate: async (url, key) => {
      const { sdp = '' } = await peer.createOffer();
      await peer.setLocalDescription({ type: 'offer', sdp: withStereo(sdp) });
      const response = await fetch(url, {
        method: 'POST',
        body: peer.localDescription?.sdp ?? '',
        credentials: 'same-origin',
        headers: { 'content-type': 'application/sdp', authorization: `Bearer ${key}` },
      });
      if (response.status !== 201) return await response.json() as Problem;
      await peer.setRemoteDescription({ type: 'answer', sdp: await response.text() });
      if (!closed && !hasConnected) giveUp ??= setTimeout(fails, CONNECT_MS);
      return null;
    },
    replaceMedia: async (next) => {
      await Promise.all(
        peer.getSenders().map((sender) => {
          const track = next.getTracks().find((candidate) => candidate.kind === sender.track?.kind);
          return track ? sender.replaceTrack(track) : Promise.resolve();
        }),
      );
    },
    setBitrate: async (next) => {
      const sender = peer.getSenders().find(({ track }) => track?.kind === 'video');
      const parameters = sender?.getParameters();
      if (!sender || !parameters) return;
      for (const encoding of parameters.encodings) encoding.maxBitrate = next * 1_000;
      await sender.setParameters(parameters);
    },
    close: () => {
      closed = true;
      clearTimeout(giveUp);
      peer.close();
    },
  };
}

/** Prefers H.264, which HLS can use without transcoding, then VP8. */
function preferH264(transceiver: RTCRtpTransceiver): void {
  const codecs = RTCRtpSender.getCapabilities('video')?.codecs ?? [];
  const rank = (codec: RTCRtpCodec): number => {
    if (codec.mimeType === 'video/H264' && codec.sdpFmtpLine?.includes('packetization-mode=1')) return 0;
    return codec.mimeType === 'video/VP8' ? 1 : 2;
  };
  // Older browsers cannot order codecs; the server then picks one of the offered.
  transceiver.setCodecPreferences?.([...codecs].sort((a, b) => rank(a) - rank(b)));
}
