import { AddressShares } from '../address.ts';

/**
 * Most documents rendered at once. Rendering occupies the processor: at 5 ms each, one more would wait a
 * third of a second, so it gets a 503 instead.
 */
const MAX_RENDERINGS = 64;
/**
 * Most of them for one address: a browser that opens every tab of a session at once has room, and four
 * addresses are needed to take what all others wait for.
 */
const MAX_RENDERINGS_PER_ADDRESS = 16;

/** No document can be rendered now: too many are, or too many for this address. */
export class Busy extends Error {
  constructor() {
    super('too many documents are rendered');
    this.name = 'Busy';
  }
}

/** Documents that are rendered now, with a share for each address. */
export class Renderings {
  readonly #byAddress = new AddressShares(MAX_RENDERINGS_PER_ADDRESS);
  #all = 0;

  /** Runs one rendering; throws {@link Busy} when there is no room for it. */
  async run<T>(address: string, render: () => Promise<T>): Promise<T> {
    if (this.#all >= MAX_RENDERINGS || !this.#byAddress.hasRoom(address)) throw new Busy();
    this.#all += 1;
    this.#byAddress.add(address);
    try {
      return await render();
    } finally {
      this.#all -= 1;
      this.#byAddress.remove(address);
    }
  }
}
