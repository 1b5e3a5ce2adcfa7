import { addressOf, failureOfStatus, watchPictures, type Session, type SessionSettings } from './session.ts';
import { connectionAgeMs, NOTHING_SHOWN, shownBy, type MediaStats } from './latency.ts';

/** ICE, DTLS and the wait for a keyframe take 3 s on a bad line; what takes longer is blocked. */
const FIRST_PICTURE_MS = 5_000;

/** Plays a stream over WHEP: the server's candidates stand in its answer, ours it learns from our checks. */
export function openWhep(settings: SessionSettings): Session {
  const { video, descriptor, running, on } = settings;
  let isOver = false;
  let shown = NOTHING_SHOWN;
  const fail: typeof on.failed = (why) => {
    if (!isOver) on.failed(why);
  };
  const peer = makePeer(descriptor.ice_servers);
  const media = new MediaStream();
  const pictures = watchPictures({ ...settings, on: { ...on, failed: fail } }, () => countOf(peer),
    FIRST_PICTURE_MS);
  const negotiate = async (): Promise<void> => {
    if (peer === null) return fail('blocked');
    await peer.setLocalDescription(await peer.createOffer());
    const response = await fetch(addressOf(descriptor, running), {
      method: 'POST', body: peer.localDescription?.sdp ?? '', credentials: 'same-origin',
      headers: { 'content-type': 'application/sdp' },
    });
    if (isOver) return;
    if (response.status !== 201) return fail(failureOfStatus(response.status));
    await peer.setRemoteDescription({ type: 'answer', sdp: await response.text() });
    if (!isOver) on.waiting();
  };
  if (peer !== null) {
    peer.addTransceiver('video', { direction: 'recvonly' });
    peer.addTransceiver('audio', { direction: 'recvonly' });
    peer.ontrack = ({ track }) => {
      media.addTrack(track);
      // A track that the sender stopped falls silent before the connection says anything.
      if (track.kind === 'video') track.onmute = pictures.nudge;
      if (video.srcObject !== media) video.srcObject = media;
    };
    peer.onconnectionstatechange = () => {
      if (peer.connectionState === 'failed' || peer.connectionState === 'closed') {
        fail(video.readyState >= video.HAVE_CURRENT_DATA ? 'lost' : 'blocked');
      }
    };
  }
  // What rejects here is a request that did not go through, or a browser that cannot.
  negotiate().catch(() => fail('blocked'));
  return {
    latencyMs: async () => {
      const stats = peer === null ? [] : await statsOf(peer);
      const ageMs = connectionAgeMs(stats, shown);
      shown = shownBy(stats);
      return ageMs;
    },
    nudge: pictures.nudge,
    close: () => {
      isOver = true;
      pictures.stop();
      video.srcObject = null;
      // Closing tells the server over DTLS: no DELETE of a session it may have ended already.
      peer?.close();
    },
  };
}

/** Null where the browser has no WebRTC, or policy keeps it from being used. */
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

/** Pictures decoded so far; in a hidden tab, where a browser may decode none, packets of the picture. */
async function countOf(peer: RTCPeerConnection | null): Promise<number> {
  if (peer === null) return 0;
  const video = (await statsOf(peer)).find(({ type, kind }) => type === 'inbound-rtp' && kind === 'video');
  return (document.hidden ? video?.packetsReceived : video?.framesDecoded) ?? 0;
}
