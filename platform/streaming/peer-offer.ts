import type { PeerConnection, RtcConfig, Track } from 'node-datachannel';

/** The first and the last of some UDP ports. */
export type PortRange = readonly [first: number, last: number];

/** Settings of peers in tests, loads and loops: no negotiation of their own, no native media handling. */
export function peerConfig(bindAddress: string | undefined, ports?: PortRange): RtcConfig {
  return {
    iceServers: [], disableAutoNegotiation: true, forceMediaTransport: true,
    ...(bindAddress ? { bindAddress } : {}),
    ...(ports ? { portRangeBegin: ports[0], portRangeEnd: ports[1] } : {}),
  };
}

/** The offer of a peer whose tracks are added, with its candidates. */
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

/** Sends on a track that may be closed by now; false when it was not sent. */
export function sendOn(track: Track, packet: Buffer): boolean {
  try {
    return track.sendMessageBinary(packet);
  } catch {
    return false;
  }
}
