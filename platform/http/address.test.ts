import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressKey, networks } from './address.ts';

describe('networks', () => {
  it('hold their addresses, IPv4 also as a socket of both families spells it', () => {
    const isIn = networks(['64.38.212.0/24', '2001:db8::/32']);
    expect(['64.38.212.9', '::ffff:64.38.212.9', '2001:db8::1'].map(isIn)).toEqual([true, true, true]);
    expect(['64.38.213.9', '64.38.212', '', 'x', '::1', '64.38.212.9, 1.1.1.1'].some(isIn)).toBe(false);
  });
});

describe('an address', () => {
  it('count an IPv6 customer once, however many addresses they use', () => {
    fc.assert(fc.property(fc.ipV6(), (address) => {
      const network = addressKey(address);
      expect(addressKey(`${network}:1:2:3:4`)).toBe(network);
    }));
    expect(addressKey('2001:db8::1')).toBe(addressKey('2001:0DB8:0:0:ffff::2'));
    expect(addressKey('2001:db8:0:1::1')).not.toBe(addressKey('2001:db8::1'));
    expect(addressKey('::1')).toBe(addressKey('0:0:0:0:0:0:0:2'));
    expect(addressKey('::ffff:192.0.2.7')).toBe('192.0.2.7');
    expect(addressKey('192.0.2.7')).not.toBe(addressKey('192.0.2.8'));
  });
});
