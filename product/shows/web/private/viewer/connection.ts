import { useEffect, useState } from 'react';

/** A connection must carry this many times the video's bitrate, because the bitrate of a camera varies. */
const HEADROOM = 1.25;

export type Verdict = 'enough' | 'short' | 'unknown';

/** The device's network as some browsers estimate it (Network Information API). */
interface NetworkEstimate extends EventTarget {
  /** Mbit/s. */
  readonly downlink?: number;
}

/**
 * Whether a connection can carry a video.
 * @param streamBits the video's bits a second; null if unknown
 * @param downlinkMbits the browser's estimate; undefined without one
 */
export function verdictOf(streamBits: number | null, downlinkMbits: number | undefined): Verdict {
  if (streamBits === null || downlinkMbits === undefined || downlinkMbits <= 0) return 'unknown';
  return downlinkMbits * 1_000_000 >= streamBits * HEADROOM ? 'enough' : 'short';
}

/** Follows the browser's estimate of this device's connection. */
export function useVerdict(streamBits: number | null): Verdict {
  const [downlink, setDownlink] = useState<number | undefined>(undefined);
  useEffect(() => {
    const { connection } = navigator as Navigator & { readonly connection?: NetworkEstimate };
    const read = () => setDownlink(connection?.downlink);
    read();
    connection?.addEventListener('change', read);
    return () => connection?.removeEventListener('change', read);
  }, []);
  return verdictOf(streamBits, downlink);
}
