import { EngineRefused } from '../engine.ts';
import { MAX_FRAGMENT_BYTES, MAX_FRAGMENT_LINES } from '../limits.ts';
import { ICE_PASSWORD, ICE_USER, MID } from './sdp.ts';

/**
 * SDP fragments that trickle candidates or restart ICE (application/trickle-ice-sdpfrag, RFC 8840 §9).
 * Attributes that the grammar leaves to extensions are ignored; everything else must match it.
 */

export interface IceFragment {
  /** The credentials that all its sections agree on; null without any. */
  readonly credentials: { readonly user: string; readonly password: string } | null;
  /** Number of candidates, all well-formed. */
  readonly candidates: number;
}

const ATTRIBUTE = /^a=([a-z][a-z0-9-]{0,31})(?::([^\0\r\n]{0,1024}))?$/i;
const SECTION = /^m=(?:audio|video|application) \d{1,5} [A-Za-z0-9/]{1,32} [A-Za-z0-9 -]{1,128}$/;
/** RFC 8839 §5.1: foundation, component, transport, priority, address, port, type, pairs of extensions. */
const CANDIDATE = new RegExp(
  '^[A-Za-z0-9+/]{1,32} ([1-9]\\d{0,2}) (?:udp|tcp) \\d{1,10} [A-Za-z0-9.:-]{1,253} (\\d{1,5})'
    + ' typ (?:host|srflx|prflx|relay)(?: [\\x21-\\x7e]{1,64} [\\x21-\\x7e]{1,253}){0,12}$',
  'i',
);
/** Attributes that belong to a section and are invalid before the first. */
const OF_SECTIONS: ReadonlySet<string> = new Set(['mid', 'candidate', 'end-of-candidates']);

const malformed = (detail: string): EngineRefused => new EngineRefused('malformed_fragment', detail);

/** Reads a fragment. Throws {@link EngineRefused} `malformed_fragment`, with what was wrong. */
export function readFragment(text: string): IceFragment {
  if (Buffer.byteLength(text) > MAX_FRAGMENT_BYTES) throw malformed('the fragment is too large');
  const lines = text.split(/\r?\n/);
  while (lines.at(-1) === '') lines.pop();
  if (lines.length === 0) throw malformed('the fragment is empty');
  if (lines.length > MAX_FRAGMENT_LINES) throw malformed('the fragment has too many lines');
  const [users, passwords] = [new Set<string>(), new Set<string>()];
  let candidates = 0;
  let expectsMid = false;
  let inSection = false;
  for (const line of lines) {
    if (SECTION.test(line)) {
      if (expectsMid) throw malformed('a section has no mid');
      expectsMid = inSection = true;
      continue;
    }
    const [, name = '', value = ''] = ATTRIBUTE.exec(line) ?? [];
    if (!name) throw malformed('a line is neither a section nor an attribute');
    if (OF_SECTIONS.has(name) && !inSection) throw malformed(`${name} stands outside a section`);
    if (name === 'mid') {
      if (!expectsMid || !MID.test(value)) throw malformed('a mid is doubled or of another form');
      expectsMid = false;
    } else if (name === 'candidate') {
      if (!isCandidate(value)) throw malformed('a candidate is of another form');
      candidates += 1;
    } else if (name === 'ice-ufrag') users.add(value);
    else if (name === 'ice-pwd') passwords.add(value);
  }
  if (expectsMid) throw malformed('a section has no mid');
  return { credentials: agree(users, passwords), candidates };
}

function isCandidate(value: string): boolean {
  const found = CANDIDATE.exec(value);
  return found !== null && Number(found[1]) <= 256 && Number(found[2]) <= 65_535;
}

/** Bundled sections share one transport, and so one pair of credentials. */
function agree(users: ReadonlySet<string>, passwords: ReadonlySet<string>): IceFragment['credentials'] {
  if (users.size === 0 && passwords.size === 0) return null;
  if (users.size !== 1 || passwords.size !== 1) throw malformed('its ICE credentials are not one pair');
  const [[user = ''], [password = '']] = [[...users], [...passwords]];
  const usable = ICE_USER.test(user) && ICE_PASSWORD.test(password);
  if (!usable) throw malformed('no usable ICE credentials');
  return { user, password };
}
