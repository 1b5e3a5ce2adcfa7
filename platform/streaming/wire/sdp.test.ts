import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EngineRefused } from '../engine.ts';
import { advertise, chooseCodec, readOffer, readTransport, writeAnswer, writeTransportOffer } from './sdp.ts';

/** Chromium's offer for a camera and a microphone, shortened to one line of each kind. */
const offer = [
  'v=0',
  'o=- 4611 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0 1',
  'a=extmap-allow-mixed',
  'a=msid-semantic: WMS 5b1c',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111 63 9',
  'c=IN IP4 0.0.0.0',
  'a=rtcp:9 IN IP4 0.0.0.0',
  'a=candidate:1 1 udp 2113937151 0d0c5a3e-0f5f-4d0f-8a6e-1f2b3c4d5e6f.local 51000 typ host generation 0',
  'a=ice-ufrag:aBc+',
  'a=ice-pwd:0123456789abcdefghijkl/+',
  'a=ice-options:trickle',
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level',
  'a=sendonly',
  'a=rtcp-mux',
  'a=rtpmap:111 opus/48000/2',
  'a=rtcp-fb:111 transport-cc',
  'a=fmtp:111 minptime=10;useinbandfec=1',
  'a=rtpmap:63 red/48000/2',
  'a=rtpmap:9 G722/8000',
  'a=ssrc:1 cname:x',
  'm=video 9 UDP/TLS/RTP/SAVPF 96 97 103 107 109',
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:aBc+',
  'a=ice-pwd:0123456789abcdefghijkl/+',
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`,
  'a=setup:actpass',
  'a=mid:1',
  'a=sendonly',
  'a=rtcp-mux',
  'a=rtpmap:96 VP8/90000',
  'a=rtpmap:97 rtx/90000',
  'a=fmtp:97 apt=96',
  'a=rtpmap:103 H264/90000',
  'a=fmtp:103 level-asymmetry-allowed=1;packetization-mode=0;profile-level-id=42e01f',
  'a=rtpmap:107 H264/90000',
  'a=fmtp:107 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f',
  'a=rtpmap:109 H264/90000',
  'a=fmtp:109 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f',
  '',
].join('\r\n');

const transport = {
  attributes: ['a=ice-ufrag:own', 'a=ice-pwd:secret', 'a=fingerprint:sha-256 CD', 'a=setup:active'],
  candidates: ['a=candidate:1 1 UDP 2122317823 10.0.0.5 41200 typ host'],
};
const refusalOf = (text: string): string | null => {
  try {
    readOffer(text);
    return null;
  } catch (error) {
    if (error instanceof EngineRefused) return error.code;
    throw error;
  }
};

describe('offers', () => {
  it('are taken apart, and H.264 is chosen with packetization mode 1 and the plainest profile', () => {
    const { media, iceUser, setup } = readOffer(offer);
    expect([iceUser, setup]).toEqual(['aBc+', 'actpass']);
    expect(media.map(({ kind, mid, direction }) => [kind, mid, direction])).toEqual([
      ['audio', '0', 'sendonly'],
      ['video', '1', 'sendonly'],
    ]);
    expect(chooseCodec(media[0]!, 'opus')?.payloadType).toBe(111);
    expect(chooseCodec(media[1]!, 'H264')?.payloadType).toBe(109);
    expect(chooseCodec(media[1]!, 'VP8')?.payloadType).toBe(96);
  });

  it('never do anything but read or be refused, whatever the text', () => {
    const attribute = fc.string().map((text) => `a=${text}`);
    const line = fc.oneof(fc.constantFrom(...offer.split('\r\n')), fc.string(), attribute);
    const text = fc.array(line, { maxLength: 60, size: 'max' }).map((lines) => lines.join('\r\n'));
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (item) => {
        expect(['malformed_offer', null]).toContain(refusalOf(item));
        expect(['malformed_offer', null]).toContain(refusalOf(`v=0\r\n${item}`));
      }),
      { numRuns: 1_000 },
    );
  });

  it('with any one line left out or doubled are read or refused, never half-read', () => {
    const lines = offer.split('\r\n');
    const texts = lines.flatMap((line, i) => [lines.toSpliced(i, 1), lines.toSpliced(i, 0, line)])
      .map((changed) => changed.join('\r\n'));
    const readable = texts.filter((text) => refusalOf(text) === null).map(readOffer);
    expect(readable.length).toBeGreaterThan(lines.length);
    expect(readable.every(({ icePassword }) => icePassword.length >= 22)).toBe(true);
  });

  it.each([
    ['a fingerprint of another length', offer.replaceAll('AB:AB:AB', 'AB:AB')],
    ['an unknown hash', offer.replaceAll('sha-256', 'md5')],
    ['a short password', offer.replaceAll('0123456789abcdefghijkl/+', 'short')],
    ['no setup role', offer.replaceAll('a=setup:actpass', 'a=setup:holdconn')],
    ['plain RTP', offer.replaceAll('UDP/TLS/RTP/SAVPF', 'RTP/AVP')],
    ['a data channel', `${offer}m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\na=mid:2\r\n`],
    ['two videos', offer.replace('m=audio', 'm=video')],
    ['one mid twice', offer.replace('a=mid:1', 'a=mid:0')],
    ['a line of another form', offer.replace('s=-', 'nonsense')],
    ['a line too long', offer.replace('s=-', `s=${'x'.repeat(5_000)}`)],
  ])('with %s are malformed', (_name, text) => {
    expect(refusalOf(text)).toBe('malformed_offer');
  });

  it('reach the native side as checked transport values alone: no candidate, no foreign line', () => {
    const written = writeTransportOffer(readOffer(offer), 'media', 96, 'sendonly');
    expect(written).not.toMatch(/candidate|\.local|ssrc|extmap|H264/);
    expect(written.match(/^m=/gm)).toHaveLength(1);
  });
});

describe('answers', () => {
  const { media } = readOffer(offer);
  const chosen = [
    { media: media[0]!, codec: chooseCodec(media[0]!, 'opus')!, ssrc: 11 },
    { media: media[1]!, codec: chooseCodec(media[1]!, 'H264')!, ssrc: 12 },
  ];

  it('hold every offered section in its order with one codec and our sources', () => {
    const answer = writeAnswer(transport, chosen, 'sendonly');
    expect(answer.match(/^m=.*$/gm)).toEqual([
      'm=audio 9 UDP/TLS/RTP/SAVPF 111',
      'm=video 9 UDP/TLS/RTP/SAVPF 109',
    ]);
    expect(answer).toContain('a=group:BUNDLE 0 1\r\n');
    expect(answer).toContain('a=ssrc:12 cname:relay\r\n');
    expect(answer).toContain(
      'a=fmtp:109 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f\r\n',
    );
    expect(answer).not.toContain('transport-cc');
    expect(answer.match(/a=candidate/g)).toHaveLength(1);
  });

  it.each([
    ['minptime=10;useinbandfec=1', 'minptime=10;useinbandfec=1'],
    ['minptime=10;stereo=1;sprop-stereo=1', 'minptime=10;stereo=1;sprop-stereo=1'],
    ['maxplaybackrate=48000;stereo=1;useinbandfec=1', 'maxplaybackrate=48000;stereo=1;useinbandfec=1'],
    ['sprop-stereo=1;useinbandfec=1', 'sprop-stereo=1;useinbandfec=1;stereo=1'],
    // Sent by OBS and other users of libdatachannel; FFmpeg sends no stereo parameters.
    [
      'minptime=10;maxaveragebitrate=96000;stereo=1;sprop-stereo=1;useinbandfec=1',
      'minptime=10;stereo=1;sprop-stereo=1;useinbandfec=1',
    ],
    ['stereo=0', 'stereo=0'],
    ['stereo=7;x=1;minptime=1e9;maxaveragebitrate=9', 'minptime=10;useinbandfec=1'],
  ])('repeat what was offered of Opus, as far as it is known: %s', (offered, answered) => {
    const asked = readOffer(offer.replace('a=fmtp:111 minptime=10;useinbandfec=1', `a=fmtp:111 ${offered}`));
    const codec = chooseCodec(asked.media[0]!, 'opus')!;
    const answer = writeAnswer(transport, [{ media: asked.media[0]!, codec }], 'sendonly');
    expect(answer).toContain(`a=fmtp:111 ${answered}\r\n`);
  });

  it.each([
    ['level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f', '42e028'],
    ['level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e034', '42e034'],
    ['packetization-mode=1;profile-level-id=42e01f', '42e01f'],
  ])(
    'let a publisher send 1080 lines where levels may differ, and no bandwidth line stops it: %s',
    (offered, profile) => {
      const chromium = 'level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f';
      const others = offer.replace(/^a=fmtp:107 .*$/mu, 'a=fmtp:107 packetization-mode=0');
      const { media: [, video] } = readOffer(others.replaceAll(chromium, offered));
      const codec = chooseCodec(video!, 'H264')!;
      const receiving = writeAnswer(transport, [{ media: video!, codec }], 'recvonly');
      expect(receiving).toContain(`packetization-mode=1;profile-level-id=${profile}\r\n`);
      expect(receiving).not.toMatch(/^b=|max-|imageattr|a=rid|simulcast/mu);
      const sending = writeAnswer(transport, [{ media: video!, codec, ssrc: 1 }], 'sendonly');
      expect(sending).toContain(`profile-level-id=${codec.parameters.get('profile-level-id')}\r\n`);
    },
  );

  it('take their transport from the native answer, or from none', () => {
    const media = 'm=video 9 UDP/TLS/RTP/SAVPF 96';
    const native = ['v=0', media, ...transport.attributes, ...transport.candidates].join('\r\n');
    expect(readTransport(native)).toEqual(transport);
    expect(readTransport('v=0\r\n')).toBeNull();
  });

  it('offer a public address once in place of all own ones', () => {
    const two = {
      ...transport,
      candidates: [
        'a=candidate:1 1 UDP 2122317823 fd00::2 41200 typ host',
        ...transport.candidates,
      ],
    };
    expect(advertise(two, { udpPort: 41_200, publicAddress: '203.0.113.9' }).candidates).toEqual([
      'a=candidate:1 1 UDP 2122317823 203.0.113.9 41200 typ host',
    ]);
    expect(advertise(two, { udpPort: 41_200 })).toEqual(two);
  });

  it('offer loopback before the others on a site of this machine, and alone without a network', () => {
    const loopback = 'a=candidate:loopback 1 UDP 2130706431 127.0.0.1 41200 typ host';
    const address = { udpPort: 41_200, loopbackAddress: '127.0.0.1' };
    expect(advertise(transport, address).candidates).toEqual([loopback, ...transport.candidates]);
    const unplugged = readTransport(['v=0', ...transport.attributes].join('\r\n'))!;
    expect(advertise(unplugged, address).candidates).toEqual([loopback]);
    expect(advertise(transport, { ...address, publicAddress: '203.0.113.9' }).candidates).toEqual([
      loopback,
      'a=candidate:1 1 UDP 2122317823 203.0.113.9 41200 typ host',
    ]);
  });
});
