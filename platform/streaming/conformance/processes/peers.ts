import { fork, type ChildProcess } from 'node:child_process';
import { childEntry } from '../../child-entry.ts';
import type { Negotiated } from '../../engine.ts';
import { Watched } from '../signals/watched.ts';
import type { PublisherView, TestPublisherOptions } from '../test-publisher.ts';
import type { ReaderView, TestReaderOptions } from '../test-reader.ts';
import type { PeerCommand, PeerMessage, PeerReply } from './peer-protocol.ts';

export interface PeerHandle<V> {
  readonly offer: string;
  readonly seen: Watched<V>;
  /** Passes the answer to the peer and remembers its session. */
  readonly accept: (negotiated: Negotiated) => Promise<string>;
  readonly session: () => string;
  /** After `close`, `seen` retains its last value. */
  readonly do: (kind: 'silence' | 'keyframe' | 'close') => Promise<void>;
  readonly mark: (generation: number) => Promise<void>;
  readonly sendRaw: (packets: readonly Uint8Array[]) => Promise<void>;
}

const BIND_ADDRESS = '127.0.0.1';

/** A process full of synthetic peers. */
export class PeerProcess {
  readonly #child: ChildProcess;
  readonly #replies = new Map<number, (reply: PeerReply) => void>();
  readonly #watched = new Map<number, Watched<never>>();
  #requests = 0;
  #peers = 0;

  constructor() {
    const entry = childEntry(import.meta.url, './peer-child');
    this.#child = fork(entry.path, [], { execArgv: [...entry.execArgv] });
    this.#child.on('message', (message) => this.#onMessage(message as PeerMessage));
  }

  publisher(options: Partial<TestPublisherOptions> = {}): Promise<PeerHandle<PublisherView>> {
    return this.#make((peer) => ({
      kind: 'publisher',
      peer,
      options: {
        codec: 'H264',
        framesPerSecond: 30,
        videoBitsPerSecond: 400_000,
        keyframeEveryMs: 0,
        loseEvery: 0,
        bindAddress: BIND_ADDRESS,
        ...options,
      },
    }));
  }

  reader(options: Partial<Omit<TestReaderOptions, 'onPacket'>> = {}): Promise<PeerHandle<ReaderView>> {
    return this.#make((peer) => ({
      kind: 'reader',
      peer,
      options: { codec: 'H264', loseEvery: 0, reports: true, bindAddress: BIND_ADDRESS, ...options },
    }));
  }

  /** Kills all its peers without a goodbye. */
  kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.kill('SIGKILL');
    });
  }

  async #make<V>(command: (peer: number) => PeerCommand): Promise<PeerHandle<V>> {
    const peer = this.#peers += 1;
    const seen = new Watched<V>();
    this.#watched.set(peer, seen as Watched<never>);
    const offer = await this.#ask(command(peer)) ?? '';
    let session = '';
    return {
      offer,
      seen,
      accept: async (negotiated) => {
        session = negotiated.session;
        await this.#ask({ kind: 'accept', peer, answer: negotiated.answer });
        return session;
      },
      session: () => session,
      do: async (kind) => void await this.#ask({ kind, peer }),
      mark: async (generation) => void await this.#ask({ kind: 'mark', peer, generation }),
      sendRaw: async (packets) =>
        void await this.#ask({
          kind: 'raw',
          peer,
          packets: packets.map((packet) => Buffer.from(packet).toString('base64')),
        }),
    };
  }

  #ask(command: PeerCommand): Promise<PeerReply> {
    const request = this.#requests += 1;
    return new Promise((resolve) => {
      this.#replies.set(request, resolve);
      this.#child.send({ request, command });
    });
  }

  #onMessage(message: PeerMessage): void {
    if (message.kind !== 'reply') return this.#watched.get(message.peer)?.set(message.view as never);
    this.#replies.get(message.request)?.(message.reply);
    this.#replies.delete(message.request);
  }
}
