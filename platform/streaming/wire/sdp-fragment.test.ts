import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EngineRefused } from '../engine.ts';
import { MAX_FRAGMENT_LINES } from '../limits.ts';
import { readFragment } from './sdp-fragment.ts';

/** RFC 8840 §9.2's example, with what Chromium adds. */
const lines = [
  'a=ice-pwd:asd88fgpdd777uzjYhagZg',
  'a=ice-ufrag:8hhY',
  'a=ice-options:trickle ice2',
  'a=group:BUNDLE 0 1',
  'm=audio 9 RTP/AVP 0',
  'a=mid:0',
  'a=candidate:1 1 UDP 1694498815 192.0.2.3 47312 typ srflx raddr 192.168.1.1 rport 9 ufrag 8hhY',
  'a=candidate:2847 1 udp 2122 2001:db8::1 51000 typ host generation 0 network-id 1 network-cost 10',
  'a=end-of-candidates',
  'm=video 9 UDP/TLS/RTP/SAVPF 96',
  'a=mid:1',
  'a=ice-ufrag:8hhY',
  'a=ice-pwd:asd88fgpdd777uzjYhagZg',
  'a=candidate:3 2 tcp 1518280447 host.local 9 typ host tcptype active',
];
const whole = `${lines.join('\r\n')}\r\n`;
const changed = (from: string, to: string): string => whole.replace(from, to);
const refusalOf = (text: string): string | null => {
  try {
    readFragment(text);
    return null;
  } catch (error) {
    if (error instanceof EngineRefused) return error.code;
    throw error;
  }
};

describe('fragments', () => {
  it('are taken apart, whichever line ends they have', () => {
    const credentials = { user: '8hhY', password: 'asd88fgpdd777uzjYhagZg' };
    for (const text of [whole, lines.join('\n'), `${whole}\r\n`]) {
      expect(readFragment(text)).toEqual({ credentials, candidates: 3 });
    }
    expect(readFragment('m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:0\r\na=end-of-candidates\r\n'))
      .toEqual({ credentials: null, candidates: 0 });
  });

  it('never do anything but read or be refused, whatever the text', () => {
    const line = fc.oneof(fc.constantFrom(...lines), fc.string(), fc.string().map((text) => `a=${text}`));
    const text = fc.array(line, { maxLength: 40, size: 'max' }).map((some) => some.join('\r\n'));
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (item) => {
        expect(['malformed_fragment', null]).toContain(refusalOf(item));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['nothing', ''],
    ['line ends alone', '\r\n\r\n'],
    ['a whole offer', `v=0\r\n${whole}`],
    ['a password alone', 'a=ice-pwd:asd88fgpdd777uzjYhagZg'],
    ['a user alone', 'a=ice-ufrag:8hhY'],
    ['a short password', whole.replaceAll('asd88fgpdd777uzjYhagZg', 'short')],
    ['a short user', whole.replaceAll('8hhY', 'x')],
    [
      'two users',
      changed(
        'm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:1\r\na=ice-ufrag:8hhY',
        'm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:1\r\na=ice-ufrag:other',
      ),
    ],
    ['a section without a mid', changed('a=mid:0\r\n', '')],
    ['a section without a mid at its end', `${whole}m=audio 9 RTP/AVP 0\r\n`],
    ['a mid of another form', changed('a=mid:0', 'a=mid:0 0')],
    ['two mids in a section', changed('a=mid:0', 'a=mid:0\r\na=mid:0')],
    ['a candidate before the first section', `a=candidate:1 1 udp 1 192.0.2.3 9 typ host\r\n${whole}`],
    ['a candidate that is cut short', changed(' typ srflx', '')],
    ['a candidate of an unknown type', changed('typ srflx', 'typ other')],
    ['a candidate with a port too high', changed('47312', '65536')],
    ['a candidate with a component too high', changed('candidate:1 1 ', 'candidate:1 257 ')],
    ['a candidate with odd bytes', changed('192.0.2.3', '192.0.2.3\0')],
    ['a section of another kind', changed('m=audio', 'm=text')],
    ['too many lines', `${whole}${'a=x\r\n'.repeat(MAX_FRAGMENT_LINES)}`],
    ['too much of everything', `${whole}a=x:${'y'.repeat(20_000)}`],
  ])('with %s are malformed', (_name, text) => {
    expect(refusalOf(text)).toBe('malformed_fragment');
  });
});
