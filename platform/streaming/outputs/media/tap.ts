import { systemClock } from '#platform/data/clock.ts';
import type { LocalTicket } from '../../engine.ts';
import type { LocalReady } from '../../local/frames.ts';
import { LocalLink } from '../../local/local-link.ts';
import { JITTER_TICK_MS, KEYFRAME_ASK_MS } from '../limits.ts';
import { steadyMs } from './parent.ts';

export interface TapEvents {
  readonly attached: (ready: LocalReady) => void;
  /** A frame of the local session; `nowMs` as in {@link steadyMs}. */
  readonly take: (type: number, packet: Buffer, nowMs: number) => void;
  /** Called regularly. */
  readonly tick: (nowMs: number) => void;
  /** The session is over: no more frames come. */
  readonly detached: () => void;
}

/** Reads a stream in a child: attaches with a ticket, and with another one when its session is over. */
export class Tap {
  readonly #events: TapEvents;
  #link: LocalLink | null = null;
  #cancelTick: (() => void) | null = null;
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(events: TapEvents) {
    this.#events = events;
  }

  attach(ticket: LocalTicket): void {
    this.close();
    const link = new LocalLink(ticket, {
      ready: this.#events.attached,
      media: (type, packet) => this.#events.take(type, packet, steadyMs()),
      gone: () => {
        if (this.#link !== link) return;
        this.close();
        this.#events.detached();
      },
    });
    this.#link = link;
    this.#cancelTick = systemClock.every('tap', JITTER_TICK_MS, () => this.#events.tick(steadyMs()));
  }

  /** Asks for a keyframe, unless it did so just now. */
  requestKeyframe(): void {
    const nowMs = steadyMs();
    if (nowMs - this.#askedAtMs < KEYFRAME_ASK_MS) return;
    this.#askedAtMs = nowMs;
    this.#link?.requestKeyframe();
  }

  /** Detaches from the stream, without a message. */
  close(): void {
    const link = this.#link;
    this.#link = null;
    this.#cancelTick?.();
    link?.close();
  }
}
