import { BlockList, isIP } from 'node:net';

/** Says whether an address lies in one of `networks`, e.g. `64.38.212.0/24` or `::1/128`. */
export function networksOf(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/');
    list.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return (address) => {
    // IPv4 as a socket of both families spells it.
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    const family = isIP(plain);
    return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  };
}
