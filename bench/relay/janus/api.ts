import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { MOUNTPOINT } from './config.ts';

/** A response of Janus, or a later event of one handle (`sender`). */
const Reply = z.object({
  janus: z.string(),
  sender: z.number().optional(),
  data: z.object({ id: z.number() }).optional(),
  jsep: z.object({ type: z.string(), sdp: z.string() }).optional(),
  error: z.object({ reason: z.string() }).optional(),
  plugindata: z.object({ data: z.object({ error: z.string().optional() }) }).optional(),
});
type Reply = z.infer<typeof Reply>;
const Events = z.union([z.array(Reply), Reply.transform((item) => [item])]);

/** An SDP offer of Janus. */
export interface Invitation {
  readonly offer: string;
  readonly accept: (answer: string) => Promise<void>;
}

const EVENTS_AT_ONCE = 32;
const OFFER_LIMIT_MS = 20_000;
const START_POLL_MS = 50;

/**
 * The part of Janus's API that viewers of its streaming plugin use: one session, and a handle for each.
 */
export class JanusApi {
  readonly #base: string;
  readonly #ended = new AbortController();
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #session = 0;

  constructor(port: number) {
    this.#base = `http://127.0.0.1:${port}/janus`;
  }

  /**
   * Waits until Janus answers, then opens the session. Throws when `isRunning` says that it ended instead.
   */
  async open(isRunning: () => boolean): Promise<void> {
    while (!(await this.#answers())) {
      if (!isRunning()) throw new Error('Janus ended before it answered');
      await new Promise((resolve) => setTimeout(resolve, START_POLL_MS));
    }
    this.#session = idOf(await this.#post('', { janus: 'create' }));
    void this.#poll();
  }

  /** Attaches a viewer and waits for the offer. */
  async watch(): Promise<Invitation> {
    const handle = idOf(
      await this.#post(`/${this.#session}`, {
        janus: 'attach',
        plugin: 'janus.plugin.streaming',
      }),
    );
    const path = `/${this.#session}/${handle}`;
    const offered = new Promise<Reply>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('Janus made no offer')), OFFER_LIMIT_MS);
      this.#waiting.set(handle, (reply) => {
        clearTimeout(timer);
        resolve(reply);
      });
    });
    await this.#post(path, { janus: 'message', body: { request: 'watch', id: MOUNTPOINT } });
    const { jsep, plugindata } = await offered;
    this.#waiting.delete(handle);
    if (!jsep) throw new Error(`Janus refused a viewer: ${plugindata?.data.error ?? 'no offer'}`);
    const accept = async (answer: string): Promise<void> => {
      const jsep = { type: 'answer', sdp: answer };
      await this.#post(path, { janus: 'message', body: { request: 'start' }, jsep });
    };
    return { offer: jsep.sdp, accept };
  }

  close(): void {
    this.#ended.abort();
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(`${this.#base}/info`)).ok;
    } catch {
      return false;
    }
  }

  async #post(path: string, body: Record<string, unknown>): Promise<Reply> {
    const answer = await fetch(`${this.#base}${path}`, {
      method: 'POST',
      signal: this.#ended.signal,
      body: JSON.stringify({ ...body, transaction: randomUUID() }),
    });
    const reply = Reply.parse(await answer.json());
    if (reply.janus === 'error') throw new Error(`Janus refused: ${reply.error?.reason ?? 'unsaid why'}`);
    return reply;
  }

  /** Long polling: events arrive as responses. */
  async #poll(): Promise<void> {
    const path = `${this.#base}/${this.#session}?maxev=${EVENTS_AT_ONCE}`;
    while (!this.#ended.signal.aborted) {
      try {
        const answer = await fetch(path, { signal: this.#ended.signal });
        for (const event of Events.parse(await answer.json())) {
          if (event.janus === 'event') this.#waiting.get(event.sender ?? 0)?.(event);
        }
      } catch (error) {
        if (!this.#ended.signal.aborted) throw error;
      }
    }
  }
}

function idOf({ data }: Reply): number {
  if (!data) throw new Error('Janus answered without an id');
  return data.id;
}
