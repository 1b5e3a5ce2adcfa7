import { FRAME, writeFrame } from '../../local/frames.ts';
import {
  writeBandwidth,
  writeGoodbye,
  writeKeyframeRequest,
  writeNack,
  writeReceiverReport,
  writeSenderReport,
} from '../../wire/rtcp.ts';
import { rtpPacket } from '../../wire/rtp.ts';

/** Well-formed inputs of every kind the media plane reads, from which hostile ones are made. */

export const VIDEO_TYPE = 96;
export const AUDIO_TYPE = 111;
const VIDEO_SSRC = 0x1001;
const AUDIO_SSRC = 0x1002;
/** Ids of a viewer's tracks. */
export const VIEWER_SSRC = 0x2001;

const video = (sequence: number, timestamp: number, ...payload: readonly number[]): Buffer =>
  rtpPacket(
    { payloadType: VIDEO_TYPE, marker: true, sequence, timestamp, ssrc: VIDEO_SSRC },
    Buffer.from([...payload, ...Buffer.alloc(40, sequence)]),
  );

/** H.264 alone, aggregated and in fragments, VP8, Opus, and headers with sources and extensions. */
export const RTP_SEEDS: readonly Buffer[] = [
  video(1, 3_000, 0x67, 0x42),
  video(2, 3_000, 0x65),
  video(3, 6_000, 0x61),
  video(65_535, 9_000, 0x41),
  video(4, 9_000, 0x78, 0, 2, 0x67, 1, 0, 2, 0x68, 1),
  video(5, 9_000, 0x7c, 0x85, 1),
  video(6, 9_000, 0x7c, 0x45, 1),
  video(7, 12_000, 0x90, 0x80, 0x81, 0x01, 0),
  rtpPacket({
    payloadType: AUDIO_TYPE,
    marker: false,
    sequence: 9,
    timestamp: 960,
    ssrc: AUDIO_SSRC,
  }, Buffer.alloc(60, 0xfc)),
  Buffer.concat([
    Buffer.from([0x92, VIDEO_TYPE, 0, 8, 0, 0, 0, 1, 0, 0, 0x10, 1]),
    Buffer.alloc(8),
    Buffer.from([0xbe, 0xde, 0, 1, 1, 2, 3, 4, 0x65, 1]),
  ]),
];

const block = {
  ssrc: VIEWER_SSRC,
  fractionLost: 3,
  packetsLost: 7,
  highestSequence: 70_000,
  jitter: 12,
  lastSenderReport: 5,
  sinceSenderReport: 6,
};
const sender = { ntpSeconds: 3_900_000_000, ntpFraction: 7, packets: 40, octets: 4_000 };

export const RTCP_SEEDS: readonly Buffer[] = [
  writeSenderReport({ ...sender, ssrc: VIDEO_SSRC, timestamp: 3_000 }),
  writeSenderReport({ ...sender, ssrc: AUDIO_SSRC, timestamp: 960 }),
  writeReceiverReport(1, [block, block]),
  writeKeyframeRequest(1, VIEWER_SSRC),
  writeNack(1, VIEWER_SSRC, [1, 2, 3, 20, 21, 65_535]),
  writeBandwidth(1, 2e6, [VIEWER_SSRC]),
  writeGoodbye(1),
  Buffer.from([0x84, 206, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x20, 1, 1, 0, 0, 0]),
  // A source description whose chunk is cut short, which sent a native parser into an endless loop.
  Buffer.from([0x81, 202, 0, 3, 0, 0, 0, 1, 1, 200, 65, 65, 65, 65, 65, 65]),
  Buffer.concat([writeReceiverReport(1, [block]), writeKeyframeRequest(1, VIEWER_SSRC), writeGoodbye(1)]),
];

const FINGERPRINT = Array.from({ length: 32 }, () => 'AB').join(':');
const transport = (mid: string): string[] => [
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:aBc+',
  'a=ice-pwd:0123456789abcdefghijkl/+',
  'a=ice-options:trickle',
  `a=fingerprint:sha-256 ${FINGERPRINT}`,
  'a=setup:actpass',
  `a=mid:${mid}`,
];
const offer = (direction: string, ...media: readonly string[]): string =>
  [
    'v=0',
    'o=- 4611 2 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=group:BUNDLE 0 1',
    'a=msid-semantic: WMS 5b1c',
    'm=audio 9 UDP/TLS/RTP/SAVPF 111 63',
    ...transport('0'),
    `a=${direction}`,
    'a=rtcp-mux',
    'a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level',
    'a=rtpmap:111 opus/48000/2',
    'a=fmtp:111 minptime=10;useinbandfec=1',
    'a=rtpmap:63 red/48000/2',
    'a=ssrc:1 cname:x',
    ...media,
    `a=${direction}`,
    'a=rtcp-mux',
    '',
  ].join('\r\n');

/** Offers as browsers and encoders write them, shortened to one line of each kind. */
export const OFFER_SEEDS: readonly string[] = ['sendonly', 'recvonly', 'sendrecv'].flatMap((direction) => [
  offer(
    direction,
    'm=video 9 UDP/TLS/RTP/SAVPF 96 107 109',
    ...transport('1'),
    'a=rtpmap:96 VP8/90000',
    'a=rtpmap:107 H264/90000',
    'a=fmtp:107 packetization-mode=0;profile-level-id=42e01f',
    'a=rtpmap:109 H264/90000',
    'a=fmtp:109 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f',
    'a=candidate:1 1 udp 2113937151 0d0c5a3e.local 51000 typ host generation 0',
  ),
  offer(
    direction,
    'm=video 9 UDP/TLS/RTP/SAVP 96',
    ...transport('1'),
    'a=rtpmap:96 H264/90000',
    'a=fmtp:96 profile-level-id=64001f;packetization-mode=1',
    'a=ssrc:2 msid:obs video',
  ),
]);

export const FRAGMENT_SEEDS: readonly string[] = [
  [
    'a=ice-ufrag:8hhY',
    'a=ice-pwd:asd88fgpdd777uzjYhagZg',
    'a=group:BUNDLE 0 1',
    'm=audio 9 RTP/AVP 0',
    'a=mid:0',
    'a=candidate:1 1 UDP 1694498815 192.0.2.3 47312 typ srflx raddr 192.168.1.1 rport 9',
    'a=candidate:2 1 tcp 1518280447 2001:db8::7 9 typ host tcptype active',
    'a=end-of-candidates',
    '',
  ].join('\r\n'),
  [
    'm=video 9 UDP/TLS/RTP/SAVPF 96',
    'a=mid:1',
    'a=ice-ufrag:8hhY',
    'a=ice-pwd:asd88fgpdd777uzjYhagZg',
    'a=candidate:3 1 udp 2122 host.local 9 typ host generation 0 ufrag 8hhY',
    '',
  ].join('\r\n'),
];

/** What a local publisher and a local reader send after their hello. */
export const FRAME_SEEDS: readonly Buffer[] = [
  ...RTP_SEEDS.map((packet) => writeFrame(FRAME.video, packet)),
  ...RTP_SEEDS.slice(8, 9).map((packet) => writeFrame(FRAME.audio, packet)),
  ...RTCP_SEEDS.map((packet) => writeFrame(FRAME.videoReport, packet)),
  writeFrame(FRAME.keyframe),
  writeFrame(FRAME.keyframe),
  writeFrame(FRAME.hello, Buffer.from('A'.repeat(32))),
  writeFrame(FRAME.bFrames, Buffer.from('"copied"')),
  writeFrame(FRAME.bFrames, Buffer.from('null')),
  writeFrame(FRAME.trouble, Buffer.from('"b_frames"')),
  writeFrame(FRAME.trouble, Buffer.from('null')),
];
