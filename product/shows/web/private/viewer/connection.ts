import { useEffect, useState } from 'react';

/** What a connection must carry beyond the picture itself: the rate of a camera is no constant. */
const HEADROOM = 1.25;

export type Verdict = 'enough' | 'short' | 'unknown';

/** The network of this device as some browsers estimate it (Network Information API). */
interface NetworkEstimate extends EventTarget {
  /** Mbit/s. */
  readonly downlink?: number;
}

/**
 * Whether a connection carries a picture.
 * @param streamBits bits a second of the picture; null where they are unknown
 * @param downlinkMbits what the browser estimates; undefined where it does not
 */
export function verdictOf(streamBits: number | null, downlinkMbits: number | undefined): Verdict {
  if (streamBits === null || downlinkMbits === undefined || downlinkMbits <= 0) return 'unknown';
  return downlinkMbits * 1_000_000 >= streamBits * HEADROOM ? 'enough' : 'short';
}

/** Follows what the browser estimates of the connection of this device. */
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
