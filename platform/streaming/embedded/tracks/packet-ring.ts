/**
 * The newest packets of one track by extended sequence number, for retransmission. Holds references, never
 * copies.
 */
export class PacketRing {
  readonly size: number;
  readonly #packets: (Buffer | undefined)[];
  readonly #sequences: Float64Array;

  constructor(size: number) {
    this.size = size;
    this.#packets = Array.from({ length: size });
    this.#sequences = new Float64Array(size).fill(-1);
  }

  /** @param sequence extended sequence number, 0 or above */
  put(sequence: number, packet: Buffer): void {
    const position = sequence % this.size;
    this.#packets[position] = packet;
    this.#sequences[position] = sequence;
  }

  /** The packet with this extended sequence number, unless it is too old or never came. */
  get(sequence: number): Buffer | undefined {
    if (sequence < 0) return undefined;
    const position = sequence % this.size;
    return this.#sequences[position] === sequence ? this.#packets[position] : undefined;
  }

  clear(): void {
    this.#packets.fill(undefined);
    this.#sequences.fill(-1);
  }
}
