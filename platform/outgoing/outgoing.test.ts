import { describe, expect, it } from 'vitest';
import { isPublicAddress, publicLookup } from './public-address.ts';
import { isPushEndpoint } from './web-push.ts';

describe('addresses that requests may go to', () => {
  it.each([
    '127.0.0.1', '10.1.2.3', '172.31.255.255', '192.168.0.1', '169.254.169.254', '0.0.0.0', '100.64.0.1',
    '224.0.0.1', '255.255.255.255', '::1', '::', 'fe80::1', 'fd00::1', '::ffff:10.0.0.1', '::ffff:7f00:1',
    '2002:7f00:1::', '64:ff9b::7f00:1', 'not an address', '',
  ])('are not %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each(['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '::ffff:1.1.1.1'])('are %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it('are what a name leads to when the connection is made', async () => {
    const answer = await new Promise<Error | null>((resolve) => {
      publicLookup('localhost', { all: true }, (error) => resolve(error));
    });
    expect(answer?.message).toBe('the name leads to an address that is not public');
  });
});

it('push services have names of their own and https', () => {
  expect(isPushEndpoint('https://updates.push.services.mozilla.com/wpush/v2/abc', false)).toBe(true);
  expect(isPushEndpoint('https://fcm.googleapis.com/fcm/send/abc:def', false)).toBe(true);
  const wrongOnes = [
    'http://127.0.0.1:1/x', 'https://127.0.0.1/x', 'https://printer.local/x', 'https://a/b',
  ];
  for (const wrong of wrongOnes) {
    expect(isPushEndpoint(wrong, false)).toBe(false);
  }
  expect(isPushEndpoint('http://127.0.0.1:1/x', true)).toBe(true);
});
