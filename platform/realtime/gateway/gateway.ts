import type { EventContext, EventHandler } from '#platform/contract/bind.ts';
import type { CallContext, Caller } from '#platform/contract/context.ts';
import {
  personChannel,
  sessionChannel,
  topicChannel,
  topicPersonChannel,
  type PayloadOf,
} from '#platform/contract/event.ts';
import { decodeFrame, encodeFrame, type Frame } from '#platform/contract/sockets/frame.ts';
import * as protocol from '#platform/contract/sockets/lobby.ts';
import { closeCodes, PING_EVERY_MS, PONG_WAIT_MS, ROOM_PATH } from '#platform/contract/sockets/wire.ts';
import type { BusMessage } from '#platform/data/data.ts';
import { describeError } from '#platform/data/errors.ts';
import { randomId } from '#platform/data/ids.ts';
import { AddressShares } from '#platform/http/address.ts';
import { holdsCardNumber } from '#platform/text/card-numbers.ts';
import { storable } from '#platform/text/stored-text.ts';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import {
  ENDED_SESSION_MS,
  GATEWAY_LIMITS,
  MAX_ENDED_SESSIONS,
  MAX_FRAGMENTS,
  MAX_FRAME_BYTES,
  RESEAT_SPREAD_MS,
  type GatewayLimits,
  type Tier,
} from '../limits.ts';
import { Channels } from './channels.ts';
import { Encodings } from './encodings.ts';
import type { Gateway, GatewayCounter, GatewayOptions } from './gateway-options.ts';
import type { Admitted } from './gateway-port.ts';
import { LiveSocket, textFrame } from './socket.ts';
import { refuseUpgrade, targetOf, type Target } from './upgrades.ts';

/** Pings and pongs are the same for every socket and in both encodings. */
const PONG_TEXT = encodeFrame(protocol.pong.name, {});
const PING = textFrame(encodeFrame(protocol.ping.name, {}));
const PONG = textFrame(PONG_TEXT);

/** Builds the gateway: lobby and room sockets of every site of this process. */
export function createGateway(options: GatewayOptions): Gateway {
  return new SocketGateway(options);
}

class SocketGateway implements Gateway {
  readonly #options: GatewayOptions;
  readonly #limits: GatewayLimits;
  readonly #encodings: Encodings;
  readonly #channels: Channels;
  readonly #sockets = new Set<LiveSocket>();
  readonly #perAddress: AddressShares;
  /** Session id → time at which it ended. */
  readonly #ended = new Map<string, number>();
  readonly #eventHandlers = new Map<string, EventHandler>();
  /** Event name → close code. */
  readonly #endings = new Map<string, number>();
  readonly #counters = new Map<GatewayCounter, number>();
  readonly #stops: (() => void)[] = [];
  readonly #wss = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    maxFragments: MAX_FRAGMENTS,
  });
  #pendingUpgrades = 0;
  #isReady = true;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#limits = { ...GATEWAY_LIMITS, ...options.limits };
    this.#perAddress = new AddressShares(this.#limits.socketsPerAddress);
    this.#encodings = new Encodings(options.frequent ?? []);
    this.#channels = new Channels({
      clock: options.clock,
      encodings: this.#encodings,
      tickMsPerSocket: this.#limits.tickMsPerSocket,
      onSlow: (socket) => this.#cut(socket),
    });
    for (const { name, closes } of options.endings) {
      if (closes === undefined) throw new Error(`socket event ${name} closes nothing`);
      this.#endings.set(name, closeCodes[closes]);
    }
    for (const handler of options.eventHandlers) {
      const { name, access } = handler.event;
      if (this.#eventHandlers.has(name)) throw new Error(`socket event ${name} has two handlers`);
      if (access === undefined) throw new Error(`socket event ${name} names no row of the permission table`);
      options.mayUse(access, NOBODY);
      this.#eventHandlers.set(name, handler);
    }
    this.#stops.push(
      options.bus.subscribe((message) => this.#deliver(message)),
      options.bus.restored(() => this.#reseatAll()),
    );
  }

  readonly attach = (server: Server): void => {
    const onUpgrade = (request: IncomingMessage, stream: Socket, head: Buffer): void => {
      const target = targetOf(request.url ?? '');
      if (target) return void this.#upgrade(request, stream, head, target);
      // The development server of the pages listens for its own upgrades on the same port.
      if (server.listenerCount('upgrade') > 1 && !request.url?.startsWith('/ws/')) return;
      this.#count('unknownPath');
      refuseUpgrade(stream, '404 Not Found');
    };
    server.on('upgrade', onUpgrade);
    this.#stops.push(() => void server.off('upgrade', onUpgrade));
  };

  readonly counters = (): Readonly<Record<GatewayCounter, number>> =>
    Object.fromEntries(this.#counters) as Record<GatewayCounter, number>;

  readonly size = (): number => this.#sockets.size;

  readonly closeSession = (sessionId: string): void => {
    this.#rememberEnded(sessionId);
    for (const socket of this.#channels.socketsOf(0, sessionChannel(sessionId))) {
      socket.send(this.#options.loggedOut.name, {});
      this.#close(socket, closeCodes.loggedOut);
    }
  };

  readonly ready = (isReady: boolean): void => {
    if (isReady === this.#isReady) return;
    this.#isReady = isReady;
    for (const socket of this.#sockets) if (socket.phase === 'joined') this.#sendReadiness(socket);
  };

  #sendReadiness(socket: LiveSocket): void {
    if (socket.kind !== 'lobby') return;
    socket.send(this.#isReady ? protocol.lobbyStart.name : protocol.lobbyStop.name, {});
  }

  readonly close = (): void => {
    for (const stop of this.#stops) stop();
    this.#channels.flush();
    for (const socket of this.#sockets) {
      if (socket.kind === 'lobby') socket.send(protocol.lobbyRestarting.name, {});
      socket.closeAndFlush(closeCodes.restarting);
      this.#leave(socket);
    }
  };

  /**
   * The bus was away: sockets of people who were logged out or removed meanwhile would stay, and missed
   * messages are unknown. So every socket has to reconnect, spread over a while, and receives what it missed
   * since its last sequence number.
   */
  #reseatAll(): void {
    const sockets = [...this.#sockets];
    sockets.forEach((socket, at) => {
      const delayMs = (at / sockets.length) * RESEAT_SPREAD_MS;
      socket.after('reseat', delayMs, () => this.#close(socket, closeCodes.reseat));
    });
  }

  #count(counter: GatewayCounter): void {
    this.#counters.set(counter, (this.#counters.get(counter) ?? 0) + 1);
  }

  async #upgrade(request: IncomingMessage, stream: Socket, head: Buffer, target: Target): Promise<void> {
    // Without a listener, a connection reset during the look-up would end the process.
    stream.on('error', () => stream.destroy());
    if (this.#pendingUpgrades >= this.#limits.pendingUpgrades) {
      this.#count('busy');
      return refuseUpgrade(stream, '503 Service Unavailable');
    }
    this.#pendingUpgrades += 1;
    const context = await this.#options.contextOf(request)
      .catch((error: unknown) => this.#logError('upgrade', error));
    this.#pendingUpgrades -= 1;
    if (stream.destroyed) return;
    if (context === undefined) return refuseUpgrade(stream, '503 Service Unavailable');
    if (context === null) {
      this.#count('unknownSite');
      return refuseUpgrade(stream, '421 Misdirected Request');
    }
    // Browsers always name the page's origin (RFC 6455 §4.1); a page of another site must not act for its
    // visitor.
    if (request.headers.origin !== context.origin) {
      this.#count('crossOrigin');
      return refuseUpgrade(stream, '403 Forbidden');
    }
    if (!this.#perAddress.hasRoom(context.address)) {
      this.#count('tooManySockets');
      return refuseUpgrade(stream, '429 Too Many Requests');
    }
    this.#wss.handleUpgrade(request, stream, head, (ws) => this.#open(ws, stream, context, target));
  }

  #open(ws: WebSocket, stream: Socket, context: CallContext, { kind, room }: Target): void {
    const { clock } = this.#options;
    const socket = new LiveSocket({
      id: randomId(),
      kind,
      room,
      context,
      ws,
      stream,
      clock,
      limits: this.#limits,
      encodings: this.#encodings,
    });
    this.#count('opened');
    this.#sockets.add(socket);
    this.#perAddress.add(context.address);
    ws.on('message', (data, isBinary) => this.#receive(socket, data, isBinary));
    // ws has already answered with the right close code, so this only counts.
    ws.on(
      'error',
      (error: Error & { code?: string }) =>
        this.#count(error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' ? 'oversized' : 'malformed'),
    );
    ws.on('close', () => {
      socket.phase = 'closed';
      socket.stopTimers();
      this.#leave(socket);
    });
    socket.after('authorize', this.#limits.authorizeWithinMs, () => {
      this.#count('authorizeLate');
      this.#close(socket, closeCodes.authorizeLate);
    });
    this.#pingLater(socket);
  }

  #pingLater(socket: LiveSocket): void {
    socket.after('ping', PING_EVERY_MS, () => {
      socket.write(PING);
      socket.after('pong', PONG_WAIT_MS, () => {
        this.#count('pongMissing');
        this.#close(socket, closeCodes.pongMissing);
      });
      this.#pingLater(socket);
    });
  }

  #receive(socket: LiveSocket, data: RawData, isBinary: boolean): void {
    if (!socket.isOpen) return;
    this.#count('messages');
    if (!socket.mayReceive()) return this.#violation(socket, 'tooFast');
    if (isBinary) return this.#violation(socket, 'binary');
    const text = (data as Buffer).toString('utf8');
    // Most messages of a room of quiet viewers are pongs, as our client writes them.
    if (text === PONG_TEXT) return socket.cancel('pong');
    const frame = decodeFrame(text);
    if (!frame || frame.seq !== null) return this.#violation(socket, 'malformed');
    // Pings and pongs do not wait behind a slow handler.
    if (frame.name === protocol.ping.name) return void socket.write(PONG);
    if (frame.name === protocol.pong.name) return socket.cancel('pong');
    if (!socket.enqueue(() => this.#handle(socket, frame))) this.#violation(socket, 'tooFast');
  }

  #violation(socket: LiveSocket, which: 'tooFast' | 'binary' | 'malformed'): void {
    this.#count(which);
    this.#close(socket, closeCodes[which]);
  }

  /** Handles one message in its turn. Errors are logged without the message and do not end the socket. */
  async #handle(socket: LiveSocket, frame: Frame): Promise<void> {
    if (!socket.isOpen) return;
    try {
      const { phase } = socket;
      if (phase === 'fresh' && frame.name === protocol.authorize.name) await this.#authorize(socket, frame);
      else if (phase === 'joined' && frame.name === protocol.discover.name) this.#discover(socket, frame);
      else await this.#handleEvent(socket, frame);
    } catch (error) {
      this.#logError(this.#eventHandlers.has(frame.name) ? frame.name : 'protocol', error);
      if (socket.phase !== 'joined' || socket.isHeld) this.#close(socket, closeCodes.error);
    }
  }

  async #handleEvent(socket: LiveSocket, frame: Frame): Promise<void> {
    const handler = this.#eventHandlers.get(frame.name);
    const { caller } = socket;
    const isFor = handler && (handler.event.socket === 'both' || handler.event.socket === socket.kind);
    if (!isFor || socket.phase !== 'joined' || !caller) return this.#count('unknownEvent');
    if (!this.#options.mayUse(handler.event.access as string, caller)) return this.#count('denied');
    const parsed = handler.event.shape.safeParse(storable(frame.payload));
    if (!parsed.success) return this.#count('invalidPayload');
    const context = this.#contextOf(socket, caller);
    if (!holdsCardNumber(frame.payload)) return handler.handle(parsed.data, context);
    this.#count('cardNumber');
    return handler.refuseCardNumber?.(parsed.data, context);
  }

  #contextOf(socket: LiveSocket, caller: Caller): EventContext {
    return {
      scope: socket.context.scope,
      locale: socket.context.locale,
      consent: socket.context.consent,
      caller,
      topic: socket.topic,
      socketId: socket.id,
      reply: (event, payload, seq) => void socket.send(event.name, payload, seq ?? null),
    };
  }

  #discover(socket: LiveSocket, frame: Frame): void {
    const asked = protocol.discover.shape.safeParse(storable(frame.payload));
    if (socket.kind !== 'lobby') return this.#count('unknownEvent');
    if (!asked.success) return this.#count('invalidPayload');
    if (!this.#isReady) return undefined;
    const { room } = asked.data;
    const base = socket.context.origin.replace(/^http/u, 'ws');
    const url = base + ROOM_PATH + encodeURIComponent(room);
    socket.send(protocol.discovered.name, { room, url });
  }

  async #authorize(socket: LiveSocket, frame: Frame): Promise<void> {
    const { port } = this.#options;
    const { scope } = socket.context;
    const asked = protocol.authorize.shape.safeParse(storable(frame.payload));
    if (!asked.success) return this.#fail(socket, 'tokenInvalid', 'token_invalid');
    socket.phase = 'authorizing';
    const caller = await port.redeem(scope, asked.data.token, socket.context);
    if (!socket.isOpen) return undefined;
    if (!caller || this.#hasEnded(caller.sessionId)) {
      return this.#fail(socket, 'tokenInvalid', 'token_invalid');
    }
    // From here on the end of the session closes this socket.
    socket.caller = caller;
    if (caller.sessionId !== null && !this.#enterSession(socket, caller.sessionId)) {
      return this.#fail(socket, 'tooManySockets', 'too_many_sockets');
    }
    const admitted = socket.room === null
      ? { topic: null }
      : await port.admit(scope, caller, socket.room, { ...socket.context, caller });
    if ('refused' in admitted) return this.#fail(socket, 'refused', admitted.refused);
    const user = await port.describe(scope, caller);
    if (!socket.isOpen) return undefined;
    this.#welcome(socket, caller, user, asked.data);
    if (admitted.topic === null) return undefined;
    socket.topic = admitted.topic;
    this.#subscribeToTopic(socket, caller, admitted);
    await port.joined(this.#contextOf(socket, caller), asked.data.seq ?? null);
    if (!socket.release()) this.#cut(socket);
    return undefined;
  }

  /** Admits the socket: it receives its user, and from now on the events of that person. */
  #welcome(
    socket: LiveSocket,
    caller: Caller,
    user: unknown,
    asked: PayloadOf<typeof protocol.authorize>,
  ): void {
    const { version, tierOf = tierByKind } = this.#options;
    socket.phase = 'joined';
    socket.cancel('authorize');
    socket.settle();
    socket.setRate(this.#limits.rates[tierOf(caller)]);
    this.#count('joined');
    socket.send(protocol.authorizeSuccess.name, { success: true, user });
    if (asked.version !== version) socket.send(protocol.clientVersion.name, { version });
    if (asked.templates === true && socket.kind === 'room') socket.compress();
    this.#sendReadiness(socket);
    const { operatorId } = socket.context.scope;
    const topics = socket.kind === 'lobby' ? this.#options.port.lobbyTopics?.(socket.context) ?? [] : [];
    for (const topic of topics) this.#channels.subscribe(operatorId, topicChannel(topic), socket);
    if (caller.personId === null) return;
    this.#channels.subscribe(operatorId, personChannel(caller.personId), socket);
  }

  /** From here on the socket misses nothing of its topic; new messages wait until missed ones are sent. */
  #subscribeToTopic(socket: LiveSocket, caller: Caller, { topic, beside = [] }: Admitted): void {
    const { operatorId } = socket.context.scope;
    const who = caller.personId ?? caller.sessionId;
    socket.hold();
    for (const one of [topic, ...beside]) {
      this.#channels.subscribe(operatorId, topicChannel(one), socket);
    }
    if (who !== null) this.#channels.subscribe(operatorId, topicPersonChannel(topic, who), socket);
  }

  #enterSession(socket: LiveSocket, sessionId: string): boolean {
    const channel = sessionChannel(sessionId);
    const count = this.#channels.socketsOf(socket.context.scope.operatorId, channel).length;
    if (count >= this.#limits.socketsPerSession) return false;
    this.#channels.subscribe(socket.context.scope.operatorId, channel, socket);
    return true;
  }

  #fail(socket: LiveSocket, counter: 'tokenInvalid' | 'tooManySockets' | 'refused', code: string): void {
    this.#count(counter);
    socket.send(protocol.authorizeFailed.name, { code });
    this.#close(socket, closeCodes[counter]);
  }

  #close(socket: LiveSocket, code: number): void {
    socket.close(code);
    this.#leave(socket);
  }

  /** Ends a socket that does not read. */
  #cut(socket: LiveSocket): void {
    this.#count('slowReader');
    socket.cut();
    this.#leave(socket);
  }

  /** Removes a socket once; `left` is called after all its messages have been handled. */
  #leave(socket: LiveSocket): void {
    if (!this.#sockets.delete(socket)) return;
    this.#count('closed');
    this.#channels.leave(socket);
    this.#perAddress.remove(socket.context.address);
    const { caller, topic } = socket;
    if (!caller || topic === null) return;
    socket.enqueueLast(() =>
      this.#options.port.left(this.#contextOf(socket, caller)).catch((error: unknown) => {
        this.#logError('leave', error);
      })
    );
  }

  #deliver(message: BusMessage): void {
    if (message.name === this.#options.loggedOut.name && message.channel.startsWith('session:')) {
      return this.closeSession(message.channel.slice('session:'.length));
    }
    const ofSession = message.channel.startsWith('session:');
    const closes = ofSession || message.channel.startsWith('seat:') || message.channel.startsWith('topic:');
    const code = closes ? this.#endings.get(message.name) : undefined;
    if (code === undefined) return this.#channels.publish(message);
    // An event that closes a session's sockets also ends the session here: its tokens open no more sockets.
    if (ofSession) this.#rememberEnded(message.channel.slice('session:'.length));
    // Earlier messages of a topic are sent first, because they may say why it closes.
    this.#channels.flush();
    // Bypasses the messages that wait while a socket joins, because closing drops those.
    for (const socket of this.#channels.socketsOf(ofSession ? 0 : message.operatorId, message.channel)) {
      socket.send(message.name, message.payload);
      this.#close(socket, code);
    }
  }

  #rememberEnded(sessionId: string): void {
    const nowMs = this.#options.clock.now().getTime();
    this.#ended.delete(sessionId);
    this.#ended.set(sessionId, nowMs);
    for (const [oldest, atMs] of this.#ended) {
      if (this.#ended.size <= MAX_ENDED_SESSIONS && nowMs - atMs < ENDED_SESSION_MS) break;
      this.#ended.delete(oldest);
    }
  }

  #hasEnded(sessionId: string | null): boolean {
    return sessionId !== null && this.#ended.has(sessionId);
  }

  #logError(where: string, error: unknown): undefined {
    this.#count('faults');
    this.#options.log.error({ where: `gateway.${where}`, ...describeError(error) }, 'unexpected error');
    return undefined;
  }
}

const NOBODY: Caller = { kind: 'anonymous', personId: null, sessionId: null, username: null, roles: [] };

const tierByKind = ({ kind }: Caller): Tier => (kind === 'person' ? 'member' : 'guest');
