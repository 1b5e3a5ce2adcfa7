import { authorizeSuccess, discover } from '#platform/contract/sockets/lobby.ts';
import { LOBBY_PATH, ROOM_PATH } from '#platform/contract/sockets/wire.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket as NodeWebSocket } from 'ws';
import { formOf, type Visitor } from '../../visitor.ts';

/** How long a request without a server takes to fail, in real time. */
const FAILS_AFTER_MS = 10;

/** A call that waits until the test releases it. */
interface Held {
  readonly pattern: RegExp;
  readonly released: Promise<void>;
}

/** A message of one of the page's sockets, as it was on the wire. */
export interface SocketText {
  readonly from: 'page' | 'site';
  /** `/ws/lobby`, or that of a room. */
  readonly path: string;
  readonly text: string;
}

/** The network between page and site: requests in process, sockets over loopback, and failures. */
export class PageNetwork {
  readonly #visitor: Visitor;
  #address: string;
  readonly #sockets = new Set<NodeWebSocket>();
  readonly #held = new Set<Held>();
  readonly #heldAnswers = new Set<Held>();
  readonly #sent: string[] = [];
  readonly #answers: string[] = [];
  readonly #joined = new Set<string>();
  readonly #joinedSockets = new WeakSet<NodeWebSocket>();
  /** Paths of the rooms whose address the page requested from the lobby. */
  readonly #discovered = new Set<string>();
  readonly #texts: SocketText[] = [];
  readonly #opened: string[] = [];
  readonly #open = new Set<NodeWebSocket>();
  readonly #cut = new Set<string>();
  readonly #spoilt = new Map<RegExp, (answer: object) => object>();
  readonly #failing = new Set<RegExp>();
  /** Messages held back on the sockets of a path. */
  readonly #stalled = new Map<string, (() => void)[]>();
  /** Patterns of this network that have matched nothing yet, with a description. */
  readonly #idle = new Map<RegExp, string>();
  #isDown = false;
  /** Requests without an answer yet, except those held back. */
  #underway = 0;

  /** @param address of the site, as `http://127.0.0.1:port` */
  constructor(visitor: Visitor, address: string) {
    this.#visitor = visitor;
    this.#address = address;
  }

  /** Requests the page made, as `POST /path body`, in order. */
  get sent(): readonly string[] {
    return this.#sent;
  }

  /** The bodies of the site's answers to the page's requests, in order. */
  get answers(): readonly string[] {
    return this.#answers;
  }

  /** Whether every open socket has joined: a join may cause data to be read again. */
  get hasJoinedAll(): boolean {
    return [...this.#open].every((socket) => this.#joinedSockets.has(socket))
      && [...this.#discovered].every((room) =>
        this.#opened.some((path) => decodeURIComponent(path) === room)
      );
  }

  /** Clears the list of requests. */
  forgets(): void {
    this.#sent.length = 0;
  }

  /** What the page's sockets sent and received, in order. */
  get texts(): readonly SocketText[] {
    return this.#texts;
  }

  /** Paths of the sockets the page opened, in order, including those that failed. */
  get opened(): readonly string[] {
    return this.#opened;
  }

  /** How many sockets the page has at a path: neither closed nor noticed as lost. */
  openAt(path: string): number {
    return [...this.#open].filter((socket) => this.#pathOf(socket) === path).length;
  }

  /** Cuts the sockets at a path: they close, and new ones fail; returns a function that restores them. */
  cuts(path: string): () => void {
    this.#cut.add(path);
    for (const socket of this.#sockets) if (this.#pathOf(socket) === path) socket.terminate();
    return () => void this.#cut.delete(path);
  }

  /** From now on holds back all messages of sockets at a path; returns a function that releases them. */
  stalls(path: string): () => void {
    const waiting: (() => void)[] = [];
    this.#stalled.set(path, waiting);
    return () => {
      this.#stalled.delete(path);
      for (const pass of waiting) pass();
    };
  }

  #pathOf({ url }: NodeWebSocket): string {
    return new URL(url).pathname;
  }

  /** From now on, new sockets reach another process of the site, as after a deployment. */
  movesTo(address: string): void {
    this.#address = address;
    this.#closeSockets();
  }

  /** Whether a socket of the page has joined this room. */
  hasJoined(username: string): boolean {
    return this.#joined.has(ROOM_PATH + username);
  }

  /** Whether the page's lobby has joined: a join may cause data to be read again. */
  get hasLobby(): boolean {
    return this.#joined.has(LOBBY_PATH);
  }

  /** Takes the page offline, or online again: sockets close, and neither sockets nor requests connect. */
  goesDown(isDown: boolean): void {
    this.#isDown = isDown;
    if (isDown) this.#closeSockets();
    window.dispatchEvent(new Event(isDown ? 'offline' : 'online'));
  }

  /** Patterns of a test that matched nothing: the test proved less than it claims. */
  get unused(): readonly string[] {
    return [...this.#idle.values()];
  }

  /** Changes the JSON of answers whose path matches, as a proxy might; empties it by default. */
  spoils(pattern: RegExp, change: (answer: object) => object = () => ({})): () => void {
    this.#spoilt.set(pattern, change);
    this.#idle.set(pattern, `spoils ${pattern}`);
    return () => void this.#spoilt.delete(pattern);
  }

  /** Makes requests whose path matches fail; returns a function that ends it. */
  fails(pattern: RegExp): () => void {
    this.#failing.add(pattern);
    this.#idle.set(pattern, `fails ${pattern}`);
    return () => void this.#failing.delete(pattern);
  }

  /** Whether every request of the page has its answer, except those held back. */
  get isQuiet(): boolean {
    return this.#underway === 0;
  }

  /** From now on, holds back requests whose path matches; returns a function that releases them. */
  holds(pattern: RegExp): () => void {
    return this.#until(this.#held, pattern);
  }

  /** The same for answers: the site has made them by then. */
  holdsAnswers(pattern: RegExp): () => void {
    return this.#until(this.#heldAnswers, pattern);
  }

  #until(those: Set<Held>, pattern: RegExp): () => void {
    let release = (): void => undefined;
    const released = new Promise<void>((done) => {
      release = done;
    });
    const held = { pattern, released };
    those.add(held);
    return () => {
      those.delete(held);
      release();
    };
  }

  /** The page's `fetch`, for paths of its own site. */
  readonly fetch = async (
    path: string,
    { method = 'GET', headers, body, credentials }: RequestInit = {},
  ): Promise<Response> => {
    const form = body instanceof FormData ? formOf(await (body.get('file') as Blob).arrayBuffer()) : null;
    this.#sent.push([method, path, ...(typeof body === 'string' ? [body] : [])].join(' '));
    for (const { pattern, released } of this.#held) if (pattern.test(path)) await released;
    const failing = [...this.#failing].find((pattern) => pattern.test(path));
    if (failing) {
      this.#idle.delete(failing);
      // Like a browser, fails no request before the page has shown that it is loading.
      this.#underway += 1;
      await sleep(FAILS_AFTER_MS);
      this.#underway -= 1;
    }
    if (this.#isDown || failing) throw new TypeError('Failed to fetch');
    this.#underway += 1;
    const answer = await this.#visitor.request({
      method,
      url: path,
      // Only a page's script sends the token; a browser sends cookies unless a script forbids it.
      headers: {
        'x-csrf-token': undefined,
        ...(credentials === 'omit' ? { cookie: undefined } : {}),
        ...Object.fromEntries(new Headers(headers)),
        ...(form ? { 'content-type': form.type } : {}),
      },
      ...(form ? { payload: form.body } : {}),
      ...(typeof body === 'string' ? { payload: body } : {}),
    }).finally(() => {
      this.#underway -= 1;
    });
    this.#answers.push(answer.body);
    for (const { pattern, released } of this.#heldAnswers) if (pattern.test(path)) await released;
    const own = Object.entries(answer.headers)
      .map(([name, value]): [string, string] => [name, String(value)]);
    const isEmpty = [204, 304].includes(answer.statusCode);
    const [spoilt, change] = [...this.#spoilt].find(([pattern]) => pattern.test(path)) ?? [];
    if (spoilt) this.#idle.delete(spoilt);
    if (change) return Response.json(change(answer.json<object>()));
    return new Response(isEmpty ? null : answer.rawPayload as Uint8Array<ArrayBuffer>, {
      status: answer.statusCode,
      headers: own,
    });
  };

  /** The page's `WebSocket`: connects with the cookies of the visitor. */
  socketClass(): typeof NodeWebSocket {
    const [sockets, joined, texts] = [this.#sockets, this.#joined, this.#texts];
    const visitor = this.#visitor;
    const addressNow = (): string => this.#address;
    const [opened, open] = [this.#opened, this.#open];
    const [joinedSockets, discovered] = [this.#joinedSockets, this.#discovered];
    const isDown = (path: string): boolean => this.#isDown || this.#cut.has(path);
    const stalledAt = (path: string) => this.#stalled.get(path);
    class PageSocket extends NodeWebSocket {
      readonly #path: string;

      constructor(url: string) {
        const { pathname, search } = new URL(url);
        const headers = Object.fromEntries(
          Object.entries(visitor.headers)
            .filter((entry): entry is [string, string] => entry[1] !== undefined),
        );
        super(addressNow().replace(/^http/u, 'ws') + pathname + search, { headers });
        sockets.add(this);
        opened.push(pathname);
        open.add(this);
        this.#path = pathname;
        this.on('message', (data: Buffer) => {
          texts.push({ from: 'site', path: pathname, text: data.toString('utf8') });
        });
        this.on('message', (data: Buffer) => {
          if (!data.includes(`"${authorizeSuccess.name}"`)) return;
          joined.add(decodeURIComponent(pathname));
          joinedSockets.add(this);
        });
        this.on('close', () => {
          sockets.delete(this);
          open.delete(this);
        });
        // A browser's socket that is closed while connecting reports nothing.
        this.on('error', () => undefined);
        if (isDown(pathname)) this.terminate();
      }

      override send(text: string): void {
        texts.push({ from: 'page', path: this.#path, text });
        const [, room] = text.includes(discover.name) ? /"room":"([^"]*)"/u.exec(text) ?? [] : [];
        if (room !== undefined) discovered.add(ROOM_PATH + room);
        const stalled = stalledAt(this.#path);
        if (stalled) stalled.push(() => super.send(text));
        else super.send(text);
      }

      override close(code?: number, reason?: string | Buffer): void {
        // With a code it answers a close by the site, and the page is notified a moment later.
        if (code === undefined) open.delete(this);
        super.close(code, reason);
      }

      override emit(name: string | symbol, ...given: unknown[]): boolean {
        const stalled = name === 'message' ? stalledAt(this.#path) : undefined;
        if (!stalled) return super.emit(name, ...given);
        stalled.push(() => void super.emit(name, ...given));
        return true;
      }
    }
    return PageSocket as unknown as typeof NodeWebSocket;
  }

  /** Closes every socket of the page; the next page is online. */
  close(): void {
    if (this.#isDown) this.goesDown(false);
    this.#closeSockets();
  }

  #closeSockets(): void {
    for (const socket of this.#sockets) socket.terminate();
  }
}
