import type { DeadlineHandler } from '#platform/contract/bind.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import type { DeliveryChannel } from '../store/columns.ts';
import {
  beginDelivery,
  deleteDelivery,
  insertDeliveries,
  saveState,
  type Delivery,
} from '../store/deliveries.ts';

export interface DeliveriesDependencies {
  readonly data: Data;
  readonly channel: DeliveryChannel;
  /** Sends one message. Errors that it throws lead to another try. */
  readonly send: (operatorId: number, delivery: Delivery) => Promise<void>;
  /** When to try again after this many failures, in ms; null gives up. */
  readonly waitMs: (failures: number, error: unknown) => number | null;
  /** Logs a message that was given up, without its content. */
  readonly onError: (error: unknown) => void;
}

/**
 * Messages on their way out of the site, each stored until it has arrived, so that a crash loses none. A
 * crash between sending and recording leads to a second try with the same id.
 */
export class Deliveries {
  readonly #deps: DeliveriesDependencies;

  constructor(deps: DeliveriesDependencies) {
    this.#deps = deps;
  }

  get #kind(): string {
    return `notices.${this.#deps.channel}`;
  }

  /** Takes over messages in the caller's unit of work. */
  async accept(tx: Tx, payloads: readonly unknown[]): Promise<void> {
    for (const id of await insertDeliveries(tx, this.#deps.channel, payloads)) {
      await tx.schedule({ kind: this.#kind, key: String(id), at: tx.now });
    }
  }

  readonly deadlineHandler = (): DeadlineHandler => ({
    kind: this.#kind,
    handle: ({ operatorId, key }) => this.#deliver(operatorId, Number(key)),
  });

  async #deliver(operatorId: number, id: number): Promise<void> {
    const { data, send, waitMs, onError } = this.#deps;
    const delivery = await data.tx({ operatorId }, (tx) => beginDelivery(tx, id));
    if (!delivery) return;
    try {
      await send(operatorId, delivery);
    } catch (error) {
      const wait = waitMs(delivery.attempts, error);
      await data.tx({ operatorId }, async (tx) => {
        await saveState(tx, id, wait === null ? 'failed' : 'waiting');
        if (wait === null) return;
        await tx.schedule({ kind: this.#kind, key: String(id), at: new Date(tx.now.getTime() + wait) });
      });
      if (wait === null) onError(new Error(`${this.#kind} ${id} was given up`, { cause: error }));
      return;
    }
    await data.tx({ operatorId }, (tx) => deleteDelivery(tx, id));
  }
}
