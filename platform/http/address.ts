import { BlockList, isIP } from 'node:net';

/** The most hops of X-Forwarded-For to examine; a longer chain is made up. */
const MAX_HOPS = 16;
/** The most addresses whose result is cached, in or outside a network: enough for a busy moment. */
const MAX_KNOWN_ADDRESSES = 4_096;
/** The longest spelling of an address without a zone (RFC 4291 §2.2). */
const MAX_ADDRESS_LENGTH = 45;

/** A matcher for addresses and networks (`10.0.0.0/8`, `::1`). Throws for anything else. */
export function networks(list: readonly string[]): (address: string) => boolean {
  const block = new BlockList();
  for (const entry of list) {
    const [address = '', bits, ...rest] = entry.split('/');
    const version = isIP(address);
    const width = Number(bits);
    const isNetwork = bits !== undefined && /^\d+$/u.test(bits) && width <= (version === 6 ? 128 : 32);
    if (version === 0 || rest.length > 0 || (bits !== undefined && !isNetwork)) {
      throw new Error(`${entry} is neither an address nor a network such as 10.0.0.0/8`);
    }
    const family = version === 6 ? 'ipv6' : 'ipv4';
    if (isNetwork) block.addSubnet(address, width, family);
    else block.addAddress(address, family);
  }
  const check = (address: string): boolean => {
    const plain = plainAddress(address);
    const version = isIP(plain);
    return version !== 0 && block.check(plain, version === 6 ? 'ipv6' : 'ipv4');
  };
  // The list makes an object of each address, which costs more than reading the rest of the request.
  const known = new Map<string, boolean>();
  return (address) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    const isIn = check(address);
    if (address.length > MAX_ADDRESS_LENGTH) return isIn;
    if (known.size >= MAX_KNOWN_ADDRESSES) known.clear();
    known.set(address, isIn);
    return isIn;
  };
}

/** The IPv4 address of an IPv4-mapped IPv6 one (RFC 4291 §2.5.5.2) in any notation; others unchanged. */
export function plainAddress(address: string | undefined): string {
  if (address === undefined || isIP(address) !== 6) return address ?? '';
  const groups = ipv6Groups(address);
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return address;
  return groups.slice(6).flatMap((group) => {
    const pair = Number.parseInt(group, 16);
    return [pair >> 8, pair & 0xff];
  }).join('.');
}

/** The two groups that correspond to the IPv4 tail of an IPv6 address (`::ffff:192.0.2.7`). */
const groupsOfTail = (_tail: string, ...bytes: string[]): string =>
  [0, 2].map((at) => (Number(bytes[at]) * 256 + Number(bytes[at + 1])).toString(16)).join(':');

/** The eight groups of an IPv6 address in lower case without leading zeros; fewer for anything else. */
function ipv6Groups(address: string): string[] {
  const plain = address.toLowerCase().replace(/%.*$/u, '')
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/u, groupsOfTail);
  const [head = '', tail] = plain.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array.from({ length: missing }, () => '0'), ...back];
  return groups.map((group) => group.replace(/^0+(?=.)/u, ''));
}

/**
 * How many times the limit of a /64 a /56 may use. Many providers give each customer a /56, which contains
 * 256 networks of /64; others put several customers into one.
 */
const SITE_SHARE = 8;

/** A group of addresses that are counted together. */
export interface AddressGroup {
  readonly key: string;
  /** How many times a limit for one address this group may use. */
  readonly share: number;
}

/**
 * The groups under which an address is counted. An IPv4 address is its own group; an IPv6 address is in two:
 * its /64, which belongs to one household or machine, and its /56 with a higher limit.
 */
export function addressGroups(address: string): readonly AddressGroup[] {
  const plain = plainAddress(address);
  if (!plain.includes(':')) return [{ key: plain, share: 1 }];
  const [a = '0', b = '0', c = '0', d = '0'] = ipv6Groups(plain);
  const site = (Number.parseInt(d, 16) & 0xff00).toString(16);
  return [
    { key: [a, b, c, d].join(':'), share: 1 },
    { key: `${[a, b, c, site].join(':')}::/56`, share: SITE_SHARE },
  ];
}

/**
 * The widest network of one household or company: /24 for IPv4; /48 for IPv6, the most a customer gets (RFC
 * 6177), so that changing the /64 within it evades no ban. Null when the text is not an address.
 */
export function customerNetwork(address: string): string | null {
  const plain = plainAddress(address).replace(/%.*$/u, '');
  const version = isIP(plain);
  if (version === 0) return null;
  if (version === 4) return `${plain.split('.').slice(0, 3).join('.')}.0/24`;
  return `${ipv6Groups(plain).slice(0, 3).join(':')}::/48`;
}

/** Counts resources that addresses hold at once, such as connections. */
export class AddressShares {
  readonly #limit: number;
  readonly #held = new Map<string, number>();

  /** @param limit the most that one address holds; of IPv6 its /64. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  hasRoom(address: string): boolean {
    return addressGroups(address).every(({ key, share }) => (this.#held.get(key) ?? 0) < this.#limit * share);
  }

  add(address: string): void {
    for (const { key } of addressGroups(address)) this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
  }

  remove(address: string): void {
    for (const { key } of addressGroups(address)) {
      const left = (this.#held.get(key) ?? 1) - 1;
      if (left > 0) this.#held.set(key, left);
      else this.#held.delete(key);
    }
  }
}

/**
 * The client's address: the peer, or behind trusted proxies the last hop of X-Forwarded-For that is not a
 * trusted proxy. Entries that a client forges in that header are further left and are never reached.
 */
export function clientAddress(
  peer: string | undefined,
  forwarded: string | undefined,
  isTrusted: (address: string) => boolean,
): string {
  let address = plainAddress(peer);
  if (forwarded === undefined) return address;
  const hops = forwarded
    .split(',')
    .slice(-MAX_HOPS)
    .map((hop) => plainAddress(hop.trim()));
  while (isTrusted(address)) {
    const hop = hops.pop();
    if (hop === undefined || isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}
