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
    const version = isIP(address);
    return version !== 0 && block.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
}

/** IPv4 addresses as such, also where the socket speaks IPv6. */
export const plainAddress = (address: string | undefined): string =>
  (address ?? '').replace(/^::ffff:(?=\d)/u, '');

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
