/**
 * Reads the bits of an H.264 or AAC header. Reading beyond the end sets `overrun`; no other check is needed.
 */
export class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** More bits were read than there are: everything read since is invalid. */
  get overrun(): boolean {
    return this.#at > this.#bytes.length * 8;
  }

  /** An unsigned number of up to 32 bits. */
  bits(count: number): number {
    let value = 0;
    for (let i = 0; i < count; i++) value = value * 2 + this.bit();
    return value;
  }

  bit(): number {
    const byte = this.#bytes[this.#at >> 3] ?? 0;
    const bit = (byte >> (7 - (this.#at & 7))) & 1;
    this.#at += 1;
    return bit;
  }

  /** Unsigned Exp-Golomb (H.264 §9.1). More than 31 leading zeros are not valid syntax. */
  unsigned(): number {
    let zeros = 0;
    while (this.bit() === 0) {
      zeros += 1;
      if (zeros > 31 || this.overrun) {
        this.#at = this.#bytes.length * 8 + 1;
        return 0;
      }
    }
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  /** Signed Exp-Golomb (H.264 §9.1.1). */
  signed(): number {
    const code = this.unsigned();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }
}
