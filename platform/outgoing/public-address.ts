import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Networks that are not public (RFC 6890): our requests never go there. */
const NETWORKS: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
];

function blockList(): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of NETWORKS) {
    list.addSubnet(network, prefix, network.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Whether an IP address is public; an IPv4 address in IPv6 notation counts as IPv4. */
export function isPublicAddress(address: string, blocked: BlockList = blockList()): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  const mapped = /^::ffff:(?<v4>\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.groups?.['v4'];
  if (mapped !== undefined) return isPublicAddress(mapped, blocked);
  // Other notations of mapped addresses, which no resolver returns.
  if (/^(?:0{0,4}:){2,5}(?:0{0,4}:)?ffff:/iu.test(address)) return false;
  return !blocked.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Resolves a name to public addresses only, at the time of the connection: a name that resolved differently a
 * moment before gains nothing.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error) return callback(error, []);
    const blocked = blockList();
    const allowed = addresses.filter(({ address }) => isPublicAddress(address, blocked));
    const [first] = allowed;
    if (!first || allowed.length < addresses.length) {
      return callback(new Error('the name leads to an address that is not public'), []);
    }
    return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
  });
};
