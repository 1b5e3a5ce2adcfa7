import { systemClock } from '#platform/data/clock.ts';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Negotiated } from '../../engine.ts';
import { isRtcp, isRtp } from '../../wire/rtp.ts';
import { Dice } from './dice.ts';

export interface LossyWireOptions {
  /** Media packets lost each way, 0 to 1. */
  readonly lossFraction: number;
  /** The longest a packet is delayed, each way; order is preserved, as in a queue. */
  readonly jitterMs: number;
  /** Seed of the losses and delays, which depend on nothing else. */
  readonly seed: number;
}

const LOOPBACK = '127.0.0.1';
const CANDIDATE = /(a=candidate:\S+ 1 UDP \d+ )\S+ (\d+)( typ host)/gi;

/** A path between one peer and the engine that loses and delays packets. */
export class LossyWire {
  readonly #options: LossyWireOptions;
  readonly #outside: Socket;
  /** The engine identifies peers by source address: one socket for each. */
  readonly #inside = new Map<number, Socket>();
  #enginePort = 0;
  readonly #dice: Dice;
  /** Packets lost on purpose. */
  lost = 0;

  private constructor(options: LossyWireOptions, outside: Socket) {
    this.#options = options;
    this.#dice = new Dice(options.seed);
    this.#outside = outside;
    const out = this.#lane((packet, port) => this.#insideOf(port).send(packet, this.#enginePort, LOOPBACK));
    outside.on('message', (packet, { port }) => out(packet, port));
  }

  static async open(options: LossyWireOptions): Promise<LossyWire> {
    const outside = createSocket('udp4');
    outside.bind(0, LOOPBACK);
    await once(outside, 'listening');
    return new LossyWire(options, outside);
  }

  /** The answer of an engine on loopback, with its candidates replaced by this wire. */
  through(negotiated: Negotiated): Negotiated {
    const answer = negotiated.answer.replaceAll(CANDIDATE, (_, head: string, port: string, tail: string) => {
      this.#enginePort = Number(port);
      return `${head}${LOOPBACK} ${this.#outside.address().port}${tail}`;
    });
    if (this.#enginePort === 0) throw new Error('the answer has no candidate to lead through the wire');
    return { ...negotiated, answer };
  }

  close(): void {
    for (const socket of [this.#outside, ...this.#inside.values()]) socket.close();
  }

  #insideOf(port: number): Socket {
    const present = this.#inside.get(port);
    if (present) return present;
    const socket = createSocket('udp4');
    socket.bind(0, LOOPBACK);
    const back = this.#lane((packet) => this.#outside.send(packet, port, LOOPBACK));
    socket.on('message', (packet) => back(packet, port));
    this.#inside.set(port, socket);
    return socket;
  }

  /** One direction: loses media but never ICE and DTLS, which are not under test, and delays everything. */
  #lane(send: (packet: Buffer, port: number) => void): (packet: Buffer, port: number) => void {
    const { lossFraction, jitterMs } = this.#options;
    let freeAtMs = 0;
    return (packet, port) => {
      if ((isRtp(packet) || isRtcp(packet)) && this.#dice.fraction() < lossFraction) {
        this.lost += 1;
        return;
      }
      const nowMs = performance.now();
      freeAtMs = Math.max(freeAtMs, nowMs + this.#dice.fraction() * jitterMs);
      systemClock.after('wire', freeAtMs - nowMs, () => {
        try {
          send(packet, port);
        } catch {
          // The scenario is over and the wire closed.
        }
      });
    };
  }
}
