import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressGroups, AddressShares, networks } from './address.ts';

describe('networks', () => {
  it('hold their addresses, IPv4 also as a socket of both families spells it', () => {
    const isIn = networks(['64.38.212.0/24', '2001:db8::/32']);
    expect(['64.38.212.9', '::ffff:64.38.212.9', '2001:db8::1'].map(isIn)).toEqual([true, true, true]);
    expect(['64.38.213.9', '64.38.212', '', 'x', '::1', '64.38.212.9, 1.1.1.1'].some(isIn)).toBe(false);
  });
});

describe('an address', () => {
  const keysOf = (address: string): string[] => addressGroups(address).map(({ key }) => key);

  it('counts an IPv6 customer once, however many addresses they use', () => {
    fc.assert(fc.property(fc.ipV6().filter((address) => keysOf(address).length === 2), (address) => {
      const [network = ''] = keysOf(address);
      expect(keysOf(`${network}:1:2:3:4`)).toEqual(keysOf(address));
    }));
    expect(keysOf('2001:db8::1')).toEqual(keysOf('2001:0DB8:0:0:ffff::2'));
    expect(keysOf('2001:db8:0:1::1')[0]).not.toBe(keysOf('2001:db8::1')[0]);
    expect(keysOf('::1')).toEqual(keysOf('0:0:0:0:0:0:0:2'));
  });

  it('counts all networks of a /56 too, with a higher limit', () => {
    expect(addressGroups('2001:db8:1:23ab::9')).toEqual([
      { key: '2001:db8:1:23ab', share: 1 },
      { key: '2001:db8:1:2300::/56', share: 8 },
    ]);
    expect(keysOf('2001:db8:1:23ff::1')[1]).toBe(keysOf('2001:db8:1:2300::1')[1]);
    expect(keysOf('2001:db8:1:24ab::1')[1]).not.toBe(keysOf('2001:db8:1:23ab::1')[1]);
  });

  it('is IPv4 in every spelling of IPv4 mapped into IPv6, and each of those counts for itself', () => {
    for (const spelled of ['::ffff:192.0.2.7', '::FFFF:c000:0207', '0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7']) {
      expect(addressGroups(spelled)).toEqual([{ key: '192.0.2.7', share: 1 }]);
    }
    expect(keysOf('192.0.2.7')).not.toEqual(keysOf('192.0.2.8'));
    expect(networks(['192.0.2.0/24'])('::ffff:c000:207')).toBe(true);
  });

  it('holds its share: of a /64 once, of a /56 eight times', () => {
    const shares = new AddressShares(2);
    for (let network = 0; network < 8; network += 1) {
      for (const host of [1, 2]) {
        const address = `2001:db8:0:${network.toString(16)}::${host}`;
        expect(shares.hasRoom(address)).toBe(true);
        shares.add(address);
      }
      expect(shares.hasRoom(`2001:db8:0:${network.toString(16)}::3`)).toBe(false);
    }
    expect([shares.hasRoom('2001:db8:0:99::1'), shares.hasRoom('2001:db8:0:100::1')]).toEqual([false, true]);
    shares.remove('2001:db8::1');
    expect([shares.hasRoom('2001:db8:0:99::1'), shares.hasRoom('2001:db8:0:1::1')]).toEqual([true, false]);
  });
});
