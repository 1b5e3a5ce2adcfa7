import { BlockList, isIP } from 'node:net';

/** Hops of X-Forwarded-For looked at; a longer chain is somebody's invention. */
const MAX_HOPS = 16;

/** A matcher of addresses and networks (`10.0.0.0/8`, `::1`). Throws for what is neither. */
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
  return (address) => {
    const plain = plainAddress(address);
    const version = isIP(plain);
    return version !== 0 && block.check(plain, version === 6 ? 'ipv6' : 'ipv4');
  };
}

/** IPv4 addresses as such, also where the socket speaks IPv6. */
export const plainAddress = (address: string | undefined): string =>
  (address ?? '').replace(/^::ffff:(?=\d+\.)/iu, '');

/** The eight groups of an IPv6 address, lower case and without leading zeros; fewer of what is none. */
export function ipv6Groups(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().replace(/%.*$/u, '').split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array.from({ length: missing }, () => '0'), ...back];
  return groups.map((group) => group.replace(/^0+(?=.)/u, ''));
}

/**
 * The address attempts are counted under: of IPv6 the /64 prefix, which is what one household or machine has.
 */
export function addressKey(address: string): string {
  const plain = plainAddress(address);
  return plain.includes(':') ? ipv6Groups(plain).slice(0, 4).join(':') : plain;
}

/**
 * The client's address: the peer, or behind trusted proxies the last hop of X-Forwarded-For that none of them
 * is. What a client writes into that header itself stands further left and is never reached.
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
