import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isBindingRequest, readBindingRequest, writeBindingRequest } from './stun.ts';

const PASSWORD = 'an ice password of ours';
const ZERO = Buffer.alloc(8);
const passwordOf = (user: string): string | null => (user === 'ours' ? PASSWORD : null);
const request = (tiebreaker: Buffer, password = PASSWORD, user = 'ours:theirs'): Buffer =>
  writeBindingRequest({ user, password, tiebreaker, id: randomBytes(12) });

/** A request of RFC 5769 §2.1, with its fingerprint and its short-term password. */
const RFC_5769 = Buffer.from(
  [
    '000100582112a442b7e7a701bc34d686fa87dfae',
    '802200105354554e207465737420636c69656e74',
    '002400046e0001ff80290008932ff9b151263b36',
    '000600096576746a3a68367659202020',
    '000800149aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a2',
    '80280004e57a3bcf',
  ].join(''),
  'hex',
);

describe('a binding request', () => {
  it('is read as RFC 5769 signs it', () => {
    const read = readBindingRequest(RFC_5769, (user) => (user === 'evtj' ? 'VOkJxbRl1RmTxUk/WvJxBt' : null));
    expect(read).toMatchObject({ user: 'evtj', isTiebreakerZero: false });
    const again = read!.withTiebreaker(Buffer.from('932ff9b151263b36', 'hex'));
    expect(again.toString('hex')).toBe(RFC_5769.toString('hex'));
  });

  it('with a tiebreaker of zero gets another, and is signed again', () => {
    const read = readBindingRequest(request(ZERO), passwordOf)!;
    expect(read).toMatchObject({ user: 'ours', isTiebreakerZero: true });
    const again = readBindingRequest(read.withTiebreaker(Buffer.alloc(8, 7)), passwordOf);
    expect(again).toMatchObject({ user: 'ours', isTiebreakerZero: false });
    expect(readBindingRequest(request(Buffer.alloc(8, 7)), passwordOf)!.isTiebreakerZero).toBe(false);
  });

  it('of somebody else, with another password, or changed on its way is none', () => {
    expect(readBindingRequest(request(ZERO, PASSWORD, 'other:theirs'), passwordOf)).toBeNull();
    expect(readBindingRequest(request(ZERO, 'a guess'), passwordOf)).toBeNull();
    const signed = request(ZERO).subarray(0, -32).length;
    fc.assert(fc.property(fc.nat(signed - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = request(ZERO);
      changed[at]! ^= change;
      expect(readBindingRequest(changed, passwordOf)).toBeNull();
    }));
  });

  it('is nothing that was made up', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const head = Buffer.from('000100002112a442', 'hex');
      for (const one of [Buffer.from(bytes), Buffer.concat([head, bytes])]) {
        if (one.length >= 20) one.writeUInt16BE(one.length - 20, 2);
        expect(readBindingRequest(one, passwordOf)).toBeNull();
      }
      expect(isBindingRequest(Buffer.alloc(0))).toBe(false);
    }));
  });
});
