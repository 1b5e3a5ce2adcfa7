import { describe, expect, it } from 'vitest';
import { ConnectionLimits, type Guest } from './connection-limits.ts';
import {
  MAX_CONNECTIONS,
  MAX_CONNECTIONS_PER_ADDRESS,
  MAX_WAITING,
  MAX_WAITING_PER_ADDRESS,
} from './limits.ts';

interface Visitor extends Guest {
  isGone: boolean;
}

function visitor(address: string): Visitor {
  const made: Visitor = {
    address,
    isGone: false,
    leave: () => {
      made.isGone = true;
    },
  };
  return made;
}

/** Lets guests in one by one, and returns who is still there. */
function crowd(limits: ConnectionLimits, count: number, addressOf: (i: number) => string): Visitor[] {
  return Array.from({ length: count }, (_, i) => {
    const guest = visitor(addressOf(i));
    guest.isGone = !limits.enter(guest);
    return guest;
  });
}

describe('limits of connections', () => {
  it('sends the one who waited longest away when too many of one address wait', () => {
    const limits = new ConnectionLimits();
    const guests = crowd(limits, MAX_WAITING_PER_ADDRESS + 3, () => '192.0.2.1');
    expect(guests.map(({ isGone }) => isGone).lastIndexOf(true)).toBe(2);
    const other = visitor('192.0.2.2');
    expect(limits.enter(other)).toBe(true);
    expect(limits.inside).toBe(MAX_WAITING_PER_ADDRESS + 1);
  });

  it('sends the one who waited longest away when too many wait in all, and nobody who was admitted', () => {
    const limits = new ConnectionLimits();
    const admitted = visitor('192.0.2.1');
    limits.enter(admitted);
    limits.admit(admitted);
    const guests = crowd(limits, MAX_WAITING + 5, (i) => `198.51.100.${i}`);
    expect(guests.filter(({ isGone }) => isGone)).toEqual(guests.slice(0, 5));
    expect(admitted.isGone).toBe(false);
  });

  it('takes no more of one address, and no more at all, than its bounds', () => {
    const limits = new ConnectionLimits();
    const enter = (address: string): boolean => {
      const guest = visitor(address);
      const isIn = limits.enter(guest);
      if (isIn) limits.admit(guest);
      return isIn;
    };
    for (let i = 0; i < MAX_CONNECTIONS_PER_ADDRESS; i++) expect(enter('192.0.2.1')).toBe(true);
    expect(enter('192.0.2.1')).toBe(false);
    for (let i = MAX_CONNECTIONS_PER_ADDRESS; i < MAX_CONNECTIONS; i++) enter(`198.51.${i >> 8}.${i & 255}`);
    expect(limits.inside).toBe(MAX_CONNECTIONS);
    expect(enter('203.0.113.1')).toBe(false);
  });

  it('gives a place back when its guest has left', () => {
    const limits = new ConnectionLimits();
    const guest = visitor('192.0.2.1');
    limits.enter(guest);
    limits.left(guest);
    expect(limits.inside).toBe(0);
  });
});

describe('the addresses of one customer', () => {
  const waitingOf = (addressOf: (i: number) => string): number => {
    const limits = new ConnectionLimits();
    return crowd(limits, 200, addressOf).filter(({ isGone }) => !isGone).length;
  };
  it.each<[string, (i: number) => string, number]>([
    ['an IPv4 address in every spelling', (i) => (i % 2 ? '192.0.2.7' : '::ffff:192.0.2.7'), 16],
    ['a mapped one in hexadecimal', (i) => (i % 2 ? '192.0.2.7' : '::ffff:c000:207'), 16],
    ['a /64 of IPv6', (i) => `2001:db8:1:2::${i.toString(16)}`, 16],
    ['a /64 in another spelling', (i) => `2001:0DB8:0001:2:0:0:0:${i.toString(16)}`, 16],
    ['a scoped address', () => 'fe80::1%eth0', 16],
    ['the /64 networks of a /56, together eight times as many', (i) => `2001:db8:1:${i % 200}::1`, 128],
    ['networks apart, as many as may wait in all', (i) => `2001:db8:${i}::1`, 128],
  ])('wait together: %s', (_name, addressOf, most) => {
    expect(waitingOf(addressOf)).toBe(most);
  });

  it('do not use up the places of a /56 with admitted connections of other networks', () => {
    const limits = new ConnectionLimits();
    const enters = (address: string): boolean => {
      const guest = visitor(address);
      const isIn = limits.enter(guest);
      if (isIn) limits.admit(guest);
      return isIn;
    };
    for (let i = 0; i < 64; i += 1) expect(enters(`2001:db8:1:2::${i.toString(16)}`)).toBe(true);
    expect(enters('2001:db8:1:2:ffff::1')).toBe(false);
    expect(enters('2001:db8:1:3::1')).toBe(true);
  });
});
