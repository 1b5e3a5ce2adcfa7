import { CallFailed, type Problem } from '../../../../platform/contract/client/client.ts';

/** How a publisher is doing. `refused` and `ended` are final until started again. */
export type PublisherPhase = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'refused' | 'ended';

/** A key for this browser, where it publishes, and what helps to get there. */
interface Key {
  readonly stream_key: string;
  readonly whip_url: string;
  readonly ice_servers: readonly {
    readonly urls: readonly string[]; readonly username?: string | undefined;
    readonly credential?: string | undefined;
  }[];
}

export interface PublisherSettings {
  readonly media: MediaStream;
  /** Of the video, kbit/s. */
  readonly bitrate: number;
  /** Whether it publishes again after a loss. A test does not: it could go on air by that. */
  readonly reconnects: boolean;
  /** Rejects with {@link CallFailed} when refused. */
  readonly createKey: () => Promise<Key>;
  readonly onPhase: (phase: PublisherPhase, problem: Problem | null) => void;
}

/** A dropped publisher comes back within the 30 s grace: 500 ms doubling to 5 s. */
const RETRY_FIRST_MS = 500;
const RETRY_LAST_MS = 5_000;
/** A connection that reports `disconnected` this long is given up; ICE alone takes half a minute. */
const DISCONNECTED_MS = 2_000;
const STATUS_KEY_REFUSED = 401;

export interface Publisher {
  /** Swaps camera or microphone without a new session. */
  readonly replaceMedia: (media: MediaStream) => Promise<void>;
  /** Of the video, kbit/s, from now on. */
  readonly setBitrate: (bitrate: number) => Promise<void>;
  /** The server has lost the stream: publishes again at once, without waiting to notice by itself. */
  readonly republish: () => void;
  /** Stops for good. The server learns it at once; who wants no grace ends the broadcast first. */
  readonly stop: () => void;
}

/** Publishes camera and microphone over WHIP (RFC 9725) and comes back by itself until stopped. */
export function publishStream(settings: PublisherSettings): Publisher {
  const { createKey, onPhase, reconnects } = settings;
  let { media, bitrate } = settings;
  let stopped = false;
  let retryMs = RETRY_FIRST_MS;
  let connection: WhipConnection | null = null;
  let key: Key | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (phase: 'ended' | 'refused', problem: Problem | null = null) => {
    stopped = true;
    clearTimeout(timer);
    connection?.close();
    connection = null;
    onPhase(phase, problem);
  };
  const lost = (waitMs = retryMs) => {
    if (stopped) return;
    if (!reconnects) return stop('ended');
    connection?.close();
    connection = null;
    onPhase('reconnecting', null);
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
          onPhase('live', null);
        },
        lost: () => {
          if (connection === own) lost();
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
  /** Offers and sets the answer; the problem when refused. */
  readonly negotiate: (url: string, key: string) => Promise<Problem | null>;
  readonly replaceMedia: (media: MediaStream) => Promise<void>;
  readonly setBitrate: (bitrate: number) => Promise<void>;
  readonly close: () => void;
}

function openConnection(
  media: MediaStream, bitrate: number, servers: Key['ice_servers'],
  on: { live: () => void; lost: () => void },
): WhipConnection {
  const iceServers = servers.map(({ urls, username, credential }) => ({
    urls: [...urls], ...(username === undefined ? {} : { username }),
    ...(credential === undefined ? {} : { credential }),
  }));
  const peer = new RTCPeerConnection({ iceServers });
  let closed = false;
  let giveUp: ReturnType<typeof setTimeout> | undefined;
  for (const track of media.getTracks()) {
    const sender = peer.addTransceiver(track, {
      direction: 'sendonly', streams: [media],
      ...(track.kind === 'video' ? { sendEncodings: [{ maxBitrate: bitrate * 1_000 }] } : {}),
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
