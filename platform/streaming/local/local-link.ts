import { connect, type Socket } from 'node:net';
import type { BFrameDelivery, IngestTrouble, LocalTicket } from '../engine.ts';
import { FRAME, FrameReader, writeFrame, type LocalReady } from './frames.ts';

export interface LocalLinkEvents {
  /** Attached: packets may flow. */
  readonly ready: (ready: LocalReady) => void;
  /** A packet or report, one of the media types of {@link FRAME}; the receiver may keep the buffer. */
  readonly media: (type: number, packet: Buffer) => void;
  /** A keyframe is requested from this publisher. */
  readonly keyframe?: () => void;
  /** The session is over, whichever side ended it. Called once. */
  readonly gone: () => void;
}

/**
 * When a publisher fills the socket faster than the relay empties it, frames are dropped: late live media is
 * worthless. 4 MB is some 15 s of 2 Mbit/s.
 */
const MAX_QUEUED_BYTES = 4 * 1024 * 1024;

/** The process's end of a local session: attaches with its ticket, then packets both ways. */
export class LocalLink {
  readonly #socket: Socket;
  readonly #events: LocalLinkEvents;
  #gone = false;

  constructor(ticket: LocalTicket, events: LocalLinkEvents) {
    this.#events = events;
    this.#socket = connect(ticket.socketPath);
    this.#socket.setNoDelay(true);
    const frames = new FrameReader((type, payload) => this.#take(type, payload));
    const hello = writeFrame(FRAME.hello, Buffer.from(ticket.session));
    this.#socket.on('connect', () => this.#socket.write(hello));
    this.#socket.on('data', (chunk) => {
      try {
        frames.push(chunk);
      } catch {
        this.close();
      }
    });
    this.#socket.on('error', () => this.close());
    this.#socket.on('close', () => this.close());
  }

  /** Sends a packet or report; false when it was dropped because the relay is behind or the session over. */
  send(type: (typeof FRAME)['video' | 'audio' | 'videoReport' | 'audioReport'], packet: Buffer): boolean {
    if (this.#gone || this.#socket.writableLength > MAX_QUEUED_BYTES) return false;
    this.#socket.write(writeFrame(type, packet));
    return true;
  }

  /** Asks the publisher for a keyframe. */
  requestKeyframe(): void {
    if (!this.#gone) this.#socket.write(writeFrame(FRAME.keyframe));
  }

  /** Reports what prevents this publisher from being shown; null when nothing does any more. */
  reportTrouble(trouble: IngestTrouble | null): void {
    if (!this.#gone) this.#socket.write(writeFrame(FRAME.trouble, Buffer.from(JSON.stringify(trouble))));
  }

  /** Reports how this publisher's B-frames are sent; null without any. */
  reportBFrames(bFrames: BFrameDelivery | null): void {
    if (!this.#gone) this.#socket.write(writeFrame(FRAME.bFrames, Buffer.from(JSON.stringify(bFrames))));
  }

  /** Reports, after everything sent so far, that this publisher stops on purpose, and closes. */
  finish(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#socket.end(writeFrame(FRAME.finish));
    this.#events.gone();
  }

  close(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#socket.destroy();
    this.#events.gone();
  }

  #take(type: number, payload: Buffer): void {
    if (type === FRAME.ready) this.#events.ready(JSON.parse(payload.toString()) as LocalReady);
    else if (type === FRAME.keyframe) this.#events.keyframe?.();
    else this.#events.media(type, payload);
  }
}
