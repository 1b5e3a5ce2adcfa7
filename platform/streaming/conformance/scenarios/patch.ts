import assert from 'node:assert/strict';
import { assertRefused, plays, type Scenario } from '../world.ts';

/** The ICE attributes of an offer, as a fragment begins with them (RFC 8840 §9). */
function credentialsOf(offer: string): string[] {
  return ['ice-ufrag', 'ice-pwd'].map((name) => {
    const line = offer.split('\r\n').find((text) => text.startsWith(`a=${name}:`));
    assert.ok(line);
    return line;
  });
}

const CANDIDATES = [
  'm=video 9 UDP/TLS/RTP/SAVPF 0',
  'a=mid:v',
  'a=candidate:1 1 udp 2113937151 0d0c5a3e-0f5f-4d0f-8a6e-1f2b3c4d5e6f.local 51000 typ host generation 0',
  'a=candidate:2 1 UDP 1677729535 203.0.113.7 61000 typ srflx raddr 10.0.0.5 rport 61000',
  'a=candidate:3 1 tcp 1518280447 2001:db8::7 9 typ host tcptype active',
  'a=end-of-candidates',
];
const fragment = (...lines: readonly string[]): string => `${lines.join('\r\n')}\r\n`;

/** Fragments of SDP sent to a running session (RFC 9725 §4.3). */
export const patchScenarios: readonly Scenario[] = [
  {
    title: 'candidates that trickle in are noted, of publishers and of readers, and nothing changes',
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'one');
      const reader = await world.play(peers, 'one');
      for (const { session, offer } of [publisher, reader]) {
        const whole = fragment(...credentialsOf(offer), 'a=group:BUNDLE v a', ...CANDIDATES);
        assert.deepEqual(await world.engine.patch(session(), whole), { kind: 'noted' });
        assert.deepEqual(await world.engine.patch(session(), fragment(...CANDIDATES)), { kind: 'noted' });
      }
      await plays(reader);
    },
  },
  {
    title: 'a restart of ICE is carried out or refused as unsupported, and media goes on either way',
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'one');
      const reader = await world.play(peers, 'one');
      const before = await plays(reader);
      const restart = fragment('a=ice-ufrag:anew', 'a=ice-pwd:anew0123456789abcdefgh', ...CANDIDATES);
      for (const { session } of [publisher, reader]) {
        const { kind } = await world.engine.patch(session(), restart);
        assert.ok(kind === 'restarted' || kind === 'restart_unsupported', kind);
      }
      await reader.seen.until('more', (view) => view.videoPackets > before.videoPackets + 60);
    },
  },
  {
    title: 'a fragment that is none is refused as malformed, and one of an unknown session as unknown',
    run: async (world) => {
      const peers = world.peers();
      const publisher = await world.publish(peers, 'one');
      const [user = '', password = ''] = credentialsOf(publisher.offer);
      const broken = [
        '',
        '\r\n',
        'hello',
        publisher.offer,
        fragment(user),
        fragment(password),
        `${fragment(user)}\0`,
        fragment(user, 'a=ice-pwd:short'),
        fragment(user, 'a=ice-ufrag:other', password),
        fragment(user, password, CANDIDATES[2]!),
        fragment(user, password, 'm=video 9 X 0'),
        fragment(user, password, ...CANDIDATES, 'a=candidate:1 1 udp 1 a.local 70000 typ host'),
        fragment(...Array.from({ length: 5_000 }, () => user)),
      ];
      for (const one of broken) {
        await assertRefused(world.engine.patch(publisher.session(), one), 'malformed_fragment');
      }
      await assertRefused(world.engine.patch('no-such-session', fragment(user, password)), 'session_unknown');
      await world.engine.end(publisher.session());
      const late = world.engine.patch(publisher.session(), fragment(user, password));
      await assertRefused(late, 'session_unknown');
    },
  },
];
