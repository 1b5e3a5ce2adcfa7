import { payloadStart } from './rtp.ts';

/**
 * The payload of an RTP packet without its padding (RFC 3550 §5.1); null when there is none or the packet is
 * cut short. Call it only after {@link isRtp} returned true.
 */
export function payloadOf(packet: Buffer): Buffer | null {
  const start = payloadStart(packet);
  if (start < 0) return null;
  const padded = (packet[0]! & 0x20) !== 0;
  const end = packet.length - (padded ? packet.at(-1)! : 0);
  return end > start ? packet.subarray(start, end) : null;
}
