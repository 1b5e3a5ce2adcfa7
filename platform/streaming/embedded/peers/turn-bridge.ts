import type { Clock } from '#platform/data/clock.ts';
import { randomBytes } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { BRIDGE_IDLE_MS, BRIDGED_FOR_PUBLISHERS, MAX_BRIDGED, MAX_BRIDGED_BY_SESSION } from '../../limits.ts';
import type { Transport } from '../../wire/sdp.ts';
import { isBindingRequest, readBindingRequest } from '../../wire/stun.ts';

export interface TurnBridgeOptions {
  /** UDP port it listens on, besides the relay's. */
  readonly port: number;
  /** Where the native side listens. */
  readonly relayPort: number;
  readonly bindAddress: string | undefined;
  readonly clock: Clock;
  readonly nowMs: () => number;
}

/** A session of the relay that peers may check. */
interface Known {
  readonly password: string;
  readonly isPublisher: boolean;
}

/** A peer behind TURN over TCP, with the socket that represents it to the native side. */
interface Guest {
  readonly user: string;
  readonly isPublisher: boolean;
  readonly socket: Socket;
  readonly tiebreaker: Buffer;
  lastAtMs: number;
}

const HOST_CANDIDATE = /^a=candidate:\S+ (\d+ \S+) \d+ (\S+) \d+ typ host/;
/** Below every candidate of the relay itself: only peers that can use no other should come here. */
const PRIORITY = 1;

/**
 * A second UDP port for peers whose ICE tiebreaker is 0. Chromium sends 0 through TURN over TCP; the native
 * side (libjuice in node-datachannel 0.33.4) takes it for a missing tiebreaker and refuses the check, so that
 * these peers could neither watch nor publish. The bridge puts a tiebreaker into their checks and signs them
 * again with our ICE password; everything else passes unchanged. Other peers get no answer here and use the
 * relay's own port.
 */
export class TurnBridge {
  readonly #options: TurnBridgeOptions;
  /** What peers reach; by family, where it listens on every interface. */
  readonly #fronts: readonly Socket[];
  /** Whether it listens over IPv6, and over IPv4; known once it is open. */
  readonly #families = new Set<'IPv4' | 'IPv6'>();
  /** Between the bridge and the native side, whichever way a peer came. */
  readonly #address: string;
  /** The relay's own sessions, by ICE user. */
  readonly #sessions = new Map<string, Known>();
  /** Keyed by address and port of the other end. */
  readonly #guests = new Map<string, Guest>();
  readonly #cancelSweep: () => void;

  constructor(options: TurnBridgeOptions) {
    this.#options = options;
    const { bindAddress, clock } = options;
    this.#address = bindAddress ?? '127.0.0.1';
    const types = bindAddress === undefined ? ['udp4', 'udp6'] as const : [typeOf(bindAddress)];
    this.#fronts = types.map((type) => {
      const front = createSocket({ type, ipv6Only: type === 'udp6' });
      return front.on('message', (bytes, from) => this.#fromPeer(front, bytes, from));
    });
    this.#cancelSweep = clock.every('bridge sweep', BRIDGE_IDLE_MS, () => this.#sweep());
  }

  /** Rejects when its port is taken. A machine may lack one of the families. */
  async open(): Promise<void> {
    const { port, bindAddress } = this.#options;
    for (const front of this.#fronts) {
      front.bind({ port, ...(bindAddress === undefined ? {} : { address: bindAddress }) });
      try {
        await once(front, 'listening');
        this.#families.add(familyOf(front.address().address));
      } catch (error) {
        if (bindAddress !== undefined || !isFamilyLacking(error)) throw error;
      }
      // A datagram that cannot be sent is lost, as on any network.
      front.on('error', () => undefined);
    }
  }

  /** The transport of a session with the bridge as another candidate. The session is known until `forget`. */
  offer(transport: Transport, { isPublisher }: Pick<Known, 'isPublisher'>): Transport {
    const [user, password] = [valueOf(transport, 'ice-ufrag'), valueOf(transport, 'ice-pwd')];
    this.#sessions.set(user, { password, isPublisher });
    const { port } = this.#options;
    const own = transport.candidates.map((line) => HOST_CANDIDATE.exec(line)).filter((item) => item !== null)
      .filter(([, , address]) => this.#families.has(familyOf(address!)))
      .map(([, kind, address]) => `a=candidate:9 ${kind!} ${PRIORITY} ${address!} ${port} typ host`);
    return { ...transport, candidates: [...transport.candidates, ...own] };
  }

  /** Forgets the session of this transport, which is over. */
  forget(transport: Transport): void {
    const user = valueOf(transport, 'ice-ufrag');
    this.#sessions.delete(user);
    for (const [key, guest] of this.#guests) if (guest.user === user) this.#drop(key, guest);
  }

  close(): void {
    this.#cancelSweep();
    for (const [key, guest] of this.#guests) this.#drop(key, guest);
    for (const front of this.#fronts) front.close();
  }

  #fromPeer(front: Socket, bytes: Buffer, from: RemoteInfo): void {
    const key = `${from.address} ${from.port}`;
    const known = this.#guests.get(key);
    if (!isBindingRequest(bytes)) {
      if (known) this.#pass(known, bytes);
      return;
    }
    const request = readBindingRequest(bytes, (user) => this.#sessions.get(user)?.password ?? null);
    if (!request?.isTiebreakerZero) return;
    if (known && known.user !== request.user) this.#drop(key, known);
    const guest = this.#guests.get(key) ?? this.#welcome(key, request.user, { front, from });
    if (guest) this.#pass(guest, request.withTiebreaker(guest.tiebreaker));
  }

  #welcome(
    key: string,
    user: string,
    { front, from: { address, port } }: { readonly front: Socket; readonly from: RemoteInfo },
  ): Guest | null {
    const isPublisher = this.#sessions.get(user)?.isPublisher === true;
    this.#makeRoom(user);
    if (!this.#hasPlaceFor(isPublisher)) return null;
    const socket = createSocket({ type: typeOf(this.#address) });
    socket.on('message', (bytes) => front.send(bytes, port, address));
    socket.on('error', () => undefined);
    const { nowMs } = this.#options;
    const guest: Guest = { user, isPublisher, socket, tiebreaker: randomBytes(8), lastAtMs: nowMs() };
    guest.tiebreaker[0]! |= 1;
    socket.bind({ port: 0, address: this.#address });
    this.#guests.set(key, guest);
    return guest;
  }

  /** A session that connects from ever more addresses displaces only its own guests. */
  #makeRoom(user: string): void {
    const own = [...this.#guests].filter(([, guest]) => guest.user === user);
    if (own.length < MAX_BRIDGED_BY_SESSION) return;
    const [key, guest] = own.reduce((item, other) => (other[1].lastAtMs < item[1].lastAtMs ? other : item));
    this.#drop(key, guest);
  }

  #hasPlaceFor(isPublisher: boolean): boolean {
    if (this.#guests.size >= MAX_BRIDGED) return false;
    const viewers = [...this.#guests.values()].filter((guest) => !guest.isPublisher).length;
    return isPublisher || viewers < MAX_BRIDGED - BRIDGED_FOR_PUBLISHERS;
  }

  #pass(guest: Guest, bytes: Buffer): void {
    guest.lastAtMs = this.#options.nowMs();
    guest.socket.send(bytes, this.#options.relayPort, this.#address);
  }

  #drop(key: string, { socket }: Guest): void {
    this.#guests.delete(key);
    socket.close();
  }

  #sweep(): void {
    const sinceMs = this.#options.nowMs() - BRIDGE_IDLE_MS;
    for (const [key, guest] of this.#guests) if (guest.lastAtMs < sinceMs) this.#drop(key, guest);
  }
}

const familyOf = (address: string): 'IPv4' | 'IPv6' => (address.includes(':') ? 'IPv6' : 'IPv4');
const typeOf = (address: string): 'udp4' | 'udp6' => (familyOf(address) === 'IPv6' ? 'udp6' : 'udp4');

/** Whether a socket could not be bound because the machine has no addresses of its family. */
const isFamilyLacking = (error: unknown): boolean =>
  ['EAFNOSUPPORT', 'EADDRNOTAVAIL'].includes((error as { code?: string }).code ?? '');

const valueOf = ({ attributes }: Transport, name: string): string =>
  attributes.find((line) => line.startsWith(`a=${name}:`))?.slice(name.length + 3).trim() ?? '';
