import type { PeerConnection, RtcConfig, Track } from 'node-datachannel';

/** First and last of a range of UDP ports. */
export type PortRange = readonly [first: number, last: number];

/** Settings of peers in tests, load tests and loops: no automatic negotiation, no native media handling. */
export function peerConfig(bindAddress: string | undefined, ports?: PortRange): RtcConfig {
  return {
    iceServers: [],
    disableAutoNegotiation: true,
    forceMediaTransport: true,
    ...(bindAddress ? { bindAddress } : {}),
    ...(ports ? { portRangeBegin: ports[0], portRangeEnd: ports[1] } : {}),
  };
}

/** The offer of a peer with its tracks and candidates. */
export function offerOf(peer: PeerConnection): Promise<string> {
  return new Promise((resolve) => {
    const check = (): void => {
      const sdp = peer.gatheringState() === 'complete' ? peer.localDescription()?.sdp : undefined;
      if (sdp) resolve(sdp);
    };
    peer.onGatheringStateChange(check);
    peer.setLocalDescription('offer');
    check();
  });
}

/** Sends on a track that may already be closed; false when nothing was sent. */
export function sendOn(track: Track, packet: Buffer): boolean {
  try {
    return track.sendMessageBinary(packet);
  } catch {
    return false;
  }
}
