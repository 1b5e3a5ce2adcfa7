import { EngineRefused } from '../engine.ts';
import { MAX_OFFER_BYTES, MAX_OFFER_LINES } from '../limits.ts';

/**
 * Offers and answers (SDP, RFC 8866; JSEP, RFC 9429). An offer is parsed into checked values. The native side
 * gets an offer of its own, written from the values that matter to the transport, so that nothing a stranger
 * wrote reaches native code. Remote candidates are left out on purpose: the relay is reachable and learns a
 * peer's address from its first check (RFC 8445 §7.3.1.3), unresolvable mDNS names do no harm, and nobody can
 * make the relay send packets to an address of their choice.
 */

export type MediaKind = 'audio' | 'video';
export type CodecName = 'H264' | 'VP8' | 'opus';
export type Direction = 'sendonly' | 'recvonly' | 'sendrecv' | 'inactive';

export interface OfferedCodec {
  readonly name: CodecName;
  readonly payloadType: number;
  /** Lower-case names and values of `a=fmtp`. */
  readonly parameters: ReadonlyMap<string, string>;
}

export interface OfferedMedia {
  readonly kind: MediaKind;
  readonly mid: string;
  readonly direction: Direction;
  readonly codecs: readonly OfferedCodec[];
}

export interface Offer {
  readonly iceUser: string;
  readonly icePassword: string;
  /** `sha-256 AB:CD:…` */
  readonly fingerprint: string;
  readonly setup: 'actpass' | 'active' | 'passive';
  readonly media: readonly OfferedMedia[];
}

/** One section of an offer with the codec chosen for it. */
export interface ChosenMedia {
  readonly media: OfferedMedia;
  readonly codec: OfferedCodec;
  /** The source we send from; absent when we receive. */
  readonly ssrc?: number;
}

/** Where peers reach a relay. */
export interface PeerAddress {
  /** The UDP port that all peers of a relay share. */
  readonly udpPort: number;
  /** Address to listen on; every interface when absent. */
  readonly bindAddress?: string | undefined;
  /** Public address offered instead of the machine's own, behind NAT. */
  readonly publicAddress?: string | undefined;
  /** Loopback address offered as well, to browsers of this machine. */
  readonly loopbackAddress?: string | undefined;
}

/** Our end of the transport, as attribute lines. */
export interface Transport {
  readonly attributes: readonly string[];
  readonly candidates: readonly string[];
}

const LINE = /^[a-z]=[^\0\r\n]{0,4096}$/;
const MEDIA_LINE = /^m=(audio|video|application) (\d{1,5}) (\S{1,32}) ([\d ]{1,512}|\S{1,64})$/;
const PROFILES: ReadonlySet<string> = new Set(['UDP/TLS/RTP/SAVPF', 'UDP/TLS/RTP/SAVP']);
export const MID = /^[A-Za-z0-9!#$%&'*+.^_`{|}~-]{1,32}$/;
export const ICE_USER = /^[A-Za-z0-9+/=_-]{4,256}$/;
export const ICE_PASSWORD = /^[A-Za-z0-9+/=_-]{22,256}$/;
const FINGERPRINT = /^(sha-256|sha-384|sha-512) ((?:[0-9A-Fa-f]{2}:){31,63}[0-9A-Fa-f]{2})$/i;
const FINGERPRINT_BYTES: Readonly<Record<string, number>> = { 'sha-256': 32, 'sha-384': 48, 'sha-512': 64 };
const RTPMAP = /^(\d{1,3}) ([A-Za-z0-9-]{1,32})\/(\d{1,6})(?:\/(\d{1,2}))?$/;
const FMTP = /^(\d{1,3}) ([A-Za-z0-9=;,. _/+-]{1,512})$/;
const CODECS: Readonly<Record<string, CodecName>> = {
  'h264/90000': 'H264',
  'vp8/90000': 'VP8',
  'opus/48000': 'opus',
};
/** Constrained baseline first: every browser and phone decodes it, and it has no B-frames. */
const H264_PROFILES = ['42e01f', '42001f'];

const malformed = (detail: string): EngineRefused => new EngineRefused('malformed_offer', detail);

/**
 * Parses an offer. Throws {@link EngineRefused} `malformed_offer`, with what is wrong, if it cannot be
 * answered.
 */
export function readOffer(text: string): Offer {
  if (Buffer.byteLength(text) > MAX_OFFER_BYTES) throw malformed('the offer is too large');
  const lines = text.split(/\r?\n/);
  while (lines.at(-1) === '') lines.pop();
  if (lines.length > MAX_OFFER_LINES) throw malformed('the offer has too many lines');
  if (lines[0] !== 'v=0') throw malformed('the offer does not begin with v=0');
  if (!lines.every((line) => LINE.test(line))) throw malformed('a line is not of the form letter=value');
  const [session = [], ...sections] = splitSections(lines);
  if (sections.length === 0) throw malformed('the offer has no media');
  const media = sections.map(readMedia);
  // At most one video and one audio: RFC 9725 §4.4 requires that all of an offer is answered, or nothing.
  if (new Set(media.map((one) => one.kind)).size < media.length) throw malformed('two sections of one kind');
  if (new Set(media.map((one) => one.mid)).size < media.length) throw malformed('two sections with one mid');
  return { ...readRemoteTransport(session, sections[0]!), media };
}

function splitSections(lines: readonly string[]): string[][] {
  const sections: string[][] = [[]];
  for (const line of lines) {
    if (line.startsWith('m=')) sections.push([]);
    sections.at(-1)!.push(line);
  }
  return sections;
}

/** Values of `a=name:value` in a section, in their order. */
function attributes(section: readonly string[], name: string): string[] {
  const prefix = `a=${name}:`;
  return section.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length).trim());
}

/** Transport values are in the session part or in the first section, whose transport the bundle uses. */
function readRemoteTransport(session: readonly string[], first: readonly string[]): Omit<Offer, 'media'> {
  const value = (name: string): string => attributes(first, name)[0] ?? attributes(session, name)[0] ?? '';
  const [iceUser, icePassword, setup] = [value('ice-ufrag'), value('ice-pwd'), value('setup')];
  const canCheck = ICE_USER.test(iceUser) && ICE_PASSWORD.test(icePassword);
  if (!canCheck) throw malformed('no usable ICE credentials');
  const fingerprint = FINGERPRINT.exec(value('fingerprint'));
  const algorithm = fingerprint?.[1]?.toLowerCase() ?? '';
  const digest = fingerprint?.[2]?.toUpperCase() ?? '';
  const isWhole = digest.split(':').length === FINGERPRINT_BYTES[algorithm];
  if (!isWhole) throw malformed('no usable DTLS fingerprint');
  if (setup !== 'actpass' && setup !== 'active' && setup !== 'passive') {
    throw malformed('no usable setup role');
  }
  return { iceUser, icePassword, fingerprint: `${algorithm} ${digest}`, setup };
}

function readMedia(section: readonly string[]): OfferedMedia {
  const head = MEDIA_LINE.exec(section[0]!);
  const kind = head?.[1];
  if (!head || (kind !== 'audio' && kind !== 'video')) {
    throw malformed('a section is neither audio nor video');
  }
  if (!PROFILES.has(head[3]!)) throw malformed('media is not RTP over DTLS');
  const mid = attributes(section, 'mid')[0] ?? '';
  if (!MID.test(mid)) throw malformed('a section has no mid');
  const directions = ['sendonly', 'recvonly', 'sendrecv', 'inactive'] as const;
  const direction = directions.find((text) => section.includes(`a=${text}`)) ?? 'sendrecv';
  return { kind, mid, direction, codecs: readCodecs(section, head[4]!.split(' ').map(Number)) };
}

function readCodecs(section: readonly string[], payloadTypes: readonly number[]): OfferedCodec[] {
  const parameters = new Map<number, ReadonlyMap<string, string>>();
  for (const match of attributes(section, 'fmtp').map((value) => FMTP.exec(value))) {
    if (match) parameters.set(Number(match[1]), readParameters(match[2]!));
  }
  const codecs: OfferedCodec[] = [];
  for (const match of attributes(section, 'rtpmap').map((value) => RTPMAP.exec(value))) {
    const name = match ? CODECS[`${match[2]!.toLowerCase()}/${match[3]!}`] : undefined;
    const payloadType = Number(match?.[1]);
    // 64 to 95 would be taken for RTCP on a shared port (RFC 5761 §4).
    const usable = payloadType <= 127 && (payloadType < 64 || payloadType > 95);
    if (!name || !usable || !payloadTypes.includes(payloadType)) continue;
    codecs.push({ name, payloadType, parameters: parameters.get(payloadType) ?? new Map() });
  }
  return codecs;
}

function readParameters(text: string): ReadonlyMap<string, string> {
  const entries = text.split(';').map((entry) => entry.trim().toLowerCase().split('=', 2));
  return new Map(entries.map(([name = '', value = '']) => [name, value]));
}

/**
 * The offered payload type for a codec; H.264 only with packetization mode 1, constrained baseline preferred.
 * Null when the section offers none.
 */
export function chooseCodec(media: OfferedMedia, name: CodecName): OfferedCodec | null {
  const codecs = media.codecs.filter((codec) => codec.name === name);
  if (name !== 'H264') return codecs[0] ?? null;
  const usable = codecs.filter((codec) => codec.parameters.get('packetization-mode') === '1');
  const preferred = H264_PROFILES.map((profile) =>
    usable.find((codec) => codec.parameters.get('profile-level-id') === profile)
  );
  return preferred.find((codec) => codec) ?? usable[0] ?? null;
}

/** The parameters of Opus (RFC 7587 §6.1), with the values we repeat. */
const OPUS_PARAMETERS: ReadonlyMap<string, RegExp> = new Map([
  ['minptime', /^[1-9]\d?$/],
  ['useinbandfec', /^[01]$/],
  ['stereo', /^[01]$/],
  ['sprop-stereo', /^[01]$/],
  ['maxplaybackrate', /^(?:8|12|16|24|48)000$/],
  ['usedtx', /^[01]$/],
  ['cbr', /^[01]$/],
]);

/**
 * Opus is answered as it was offered: packets pass unread, and a viewer that asks for stereo gets what the
 * publisher sends. Chromium decodes and encodes in mono unless the other end says `stereo=1`.
 */
function opusParameters({ parameters }: OfferedCodec): string {
  const repeated = [...parameters].filter(([name, value]) => OPUS_PARAMETERS.get(name)?.test(value));
  // A publisher that offers to send stereo may do so.
  if (parameters.get('sprop-stereo') === '1' && !parameters.has('stereo')) repeated.push(['stereo', '1']);
  if (repeated.length === 0) return 'minptime=10;useinbandfec=1';
  return repeated.map(([name, value]) => `${name}=${value}`).join(';');
}

/** Level 4 allows 1080 lines at 30 frames a second (H.264, A.3); 3.1, which browsers offer, allows 720. */
const FULL_HD_LEVEL = 0x28;

/** What a publisher may send: the level of an answer is the answerer's own (RFC 6184 §8.2.2). */
function withFullHd(profile: string, { parameters }: OfferedCodec): string {
  const isOwn = parameters.get('level-asymmetry-allowed') === '1';
  const isLower = Number.parseInt(profile.slice(4), 16) < FULL_HD_LEVEL;
  return isOwn && isLower ? profile.slice(0, 4) + FULL_HD_LEVEL.toString(16) : profile;
}

/** The format parameters that an answer repeats, made of checked values only. */
function formatParameters(codec: OfferedCodec, receives: boolean): string {
  if (codec.name === 'opus') return opusParameters(codec);
  if (codec.name === 'VP8') return '';
  const profile = codec.parameters.get('profile-level-id') ?? '';
  const checked = /^[0-9a-f]{6}$/.test(profile) ? profile : H264_PROFILES[0]!;
  const level = receives ? withFullHd(checked, codec) : checked;
  return `level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=${level}`;
}

/** An offer for the transport alone: one section, whatever media is sent through it. */
export function writeTransportOffer(
  offer: Offer,
  mid: string,
  payloadType: number,
  direction: Direction,
): string {
  return lines([
    'v=0',
    'o=- 1 2 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    `a=group:BUNDLE ${mid}`,
    `m=video 9 UDP/TLS/RTP/SAVPF ${payloadType}`,
    'c=IN IP4 0.0.0.0',
    `a=ice-ufrag:${offer.iceUser}`,
    `a=ice-pwd:${offer.icePassword}`,
    'a=ice-options:trickle',
    `a=fingerprint:${offer.fingerprint}`,
    `a=setup:${offer.setup}`,
    `a=mid:${mid}`,
    `a=${direction}`,
    'a=rtcp-mux',
    `a=rtpmap:${payloadType} VP8/90000`,
  ]);
}

const TRANSPORT_ATTRIBUTE = /^a=(?:ice-ufrag|ice-pwd|ice-options|fingerprint|setup):/;

/**
 * Our end of the transport, from the native answer; null when that is incomplete. A machine without a network
 * has no candidates.
 */
export function readTransport(answer: string): Transport | null {
  const all = answer.split(/\r?\n/);
  const attributes = [...new Set(all.filter((line) => TRANSPORT_ATTRIBUTE.test(line)))];
  const candidates = all.filter((line) => line.startsWith('a=candidate:'));
  return attributes.length >= 4 ? { attributes, candidates } : null;
}

const CLOCKS: Readonly<Record<CodecName, string>> = {
  H264: 'H264/90000',
  VP8: 'VP8/90000',
  opus: 'opus/48000/2',
};
/**
 * Feedback we support. Transport-wide congestion control is not included: REMB and loss steer the publisher.
 */
const VIDEO_FEEDBACK = ['nack', 'nack pli', 'ccm fir', 'goog-remb'];
/** One media stream for both tracks; otherwise the browser would not synchronise audio and video. */
const MEDIA_STREAM = 'stream';

/**
 * The answer: every offered section in order, each with one codec and no extensions. A publisher is answered
 * with `recvonly`, a reader with `sendonly`.
 */
export function writeAnswer(
  transport: Transport,
  chosen: readonly ChosenMedia[],
  direction: 'sendonly' | 'recvonly',
): string {
  return lines([
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    `a=group:BUNDLE ${chosen.map(({ media }) => media.mid).join(' ')}`,
    `a=msid-semantic:WMS ${MEDIA_STREAM}`,
    ...chosen.flatMap((section, i) => [
      `m=${section.media.kind} 9 UDP/TLS/RTP/SAVPF ${section.codec.payloadType}`,
      'c=IN IP4 0.0.0.0',
      ...transport.attributes,
      `a=mid:${section.media.mid}`,
      `a=${direction}`,
      'a=rtcp-mux',
      'a=rtcp-rsize',
      ...describeCodec(section),
      // Bundled sections share the transport of the first.
      ...(i === 0 ? [...transport.candidates, 'a=end-of-candidates'] : []),
    ]),
  ]);
}

function describeCodec({ media, codec, ssrc }: ChosenMedia): string[] {
  const parameters = formatParameters(codec, ssrc === undefined);
  return [
    `a=rtpmap:${codec.payloadType} ${CLOCKS[codec.name]}`,
    ...(media.kind === 'video' ? VIDEO_FEEDBACK.map((text) => `a=rtcp-fb:${codec.payloadType} ${text}`) : []),
    ...(parameters ? [`a=fmtp:${codec.payloadType} ${parameters}`] : []),
    ...(ssrc ? [`a=msid:${MEDIA_STREAM} ${media.kind}`, `a=ssrc:${ssrc} cname:relay`] : []),
  ];
}

const lines = (all: readonly string[]): string => `${all.join('\r\n')}\r\n`;

const HOST_CANDIDATE = /^(a=candidate:\S+ \d+ \S+ \d+ )(\S+)( \d+ typ host.*)$/;

/** The highest priority of a host candidate (RFC 8445 §5.1.2.1). */
const FIRST_PRIORITY = 2_130_706_431;

/**
 * The transport as peers reach it. Behind NAT the relay's own addresses are useless: its host candidates
 * become one with the public address. The native side gathers no loopback address by itself; a site on
 * loopback alone offers it first, and the others for browsers that never pair with loopback.
 */
export function advertise(
  transport: Transport,
  { udpPort, publicAddress, loopbackAddress }: PeerAddress,
): Transport {
  const candidates = [
    ...(loopbackAddress
      ? [`a=candidate:loopback 1 UDP ${FIRST_PRIORITY} ${loopbackAddress} ${udpPort} typ host`]
      : []),
    ...(publicAddress ? translated(transport, publicAddress) : transport.candidates),
  ];
  return { ...transport, candidates };
}

function translated({ candidates }: Transport, publicAddress: string): string[] {
  const isSix = (address: string): boolean => address.includes(':');
  const hosts = candidates.map((line) => HOST_CANDIDATE.exec(line));
  const host = hosts.find((item) => item && isSix(item[2]!) === isSix(publicAddress))
    ?? hosts.find((item) => item);
  return host ? [`${host[1]!}${publicAddress}${host[3]!}`] : [];
}
