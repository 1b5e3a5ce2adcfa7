import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QUALITIES } from '../../../rules.ts';
import { addressOf, failureOfStatus, withToken } from './session.ts';

const DESCRIPTOR = {
  edge_servers: ['https://edge-1.example', 'https://edge-2.example'],
  stream_name: 's1',
  token: 't/+1',
};

describe('the URL of a stream', () => {
  it('is built from the first edge server, the stream, the token and the track [B-334]', () => {
    expect(addressOf(DESCRIPTOR, { via: 'webrtc', quality: 'hd' }))
      .toBe('https://edge-1.example/whep/s1?token=t%2F%2B1&multitrack=0&track=hd');
    expect(addressOf(DESCRIPTOR, { via: 'hls', quality: 'sd' }))
      .toBe('https://edge-1.example/hls/s1/index.m3u8?token=t%2F%2B1&multitrack=0&track=sd');
  });

  it('offers every rendition over HLS, unless sd is preferred', () => {
    for (const quality of QUALITIES) {
      const query = new URL(addressOf(DESCRIPTOR, { via: 'hls', quality })).searchParams;
      expect([query.get('multitrack'), query.get('track')]).toEqual([quality === 'hd' ? '1' : '0', quality]);
    }
    const nowhere = { ...DESCRIPTOR, edge_servers: [] };
    expect(() => addressOf(nowhere, { via: 'hls', quality: 'hd' })).toThrow('edge');
  });

  it('can get a new token, whatever the old one contains', () => {
    fc.assert(fc.property(fc.string(), fc.string({ minLength: 1 }), (before, token) => {
      const url = addressOf({ ...DESCRIPTOR, token: `x${before}` }, { via: 'hls', quality: 'sd' });
      const renewed = new URL(withToken(url, token));
      expect(renewed.searchParams.get('token')).toBe(new URLSearchParams({ token }).get('token'));
      expect(renewed.searchParams.get('track')).toBe('sd');
      expect(renewed.pathname).toBe('/hls/s1/index.m3u8');
    }));
    expect(withToken('/a.m3u8', 't')).toBe('/a.m3u8');
  });
});

describe('a status of a playback endpoint', () => {
  it.each(
    [
      [401, 'denied'],
      [403, 'denied'],
      [404, 'offline'],
      [410, 'offline'],
      [415, 'codec'],
      [422, 'codec'],
      [429, 'full'],
      [503, 'full'],
      [500, 'blocked'],
      [0, 'blocked'],
    ] as const,
  )('%i is "%s"', (status, failure) => {
    expect(failureOfStatus(status)).toBe(failure);
  });
});
