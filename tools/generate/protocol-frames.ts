import type { AnyEvent } from '#platform/contract/event.ts';
import * as sockets from '#platform/contract/sockets/wire.ts';
import { CLIENT_TIMERS } from '#platform/realtime/client/timers.ts';
import { Encodings, shapeOf, type Shape } from '#platform/realtime/gateway/encodings.ts';
import {
  GATEWAY_LIMITS,
  MAX_FRAGMENTS,
  MAX_FRAME_BYTES,
  MAX_TOPIC_TICK_MS,
  TOPIC_TICK_MS,
} from '#platform/realtime/limits.ts';
import { FREQUENT_EVENTS } from '#product/assembly.ts';

const EXAMPLES: Readonly<Record<string, unknown>> = {
  boolean: true,
  integer: 7,
  number: 0.5,
  string: 'text',
  null: null,
};

/** A value of a shape, the same each time: the last of alternatives is mostly null, so the first is shown. */
function exampleOf(shape: Shape): unknown {
  if ('const' in shape) return shape.const;
  if (shape.enum) return shape.enum[0];
  if (shape.anyOf) return exampleOf(shape.anyOf[0] as Shape);
  if (shape.properties) {
    return Object.fromEntries(
      Object.entries(shape.properties).map(([name, field]) => [name, exampleOf(field)]),
    );
  }
  if (shape.type === 'array') return [exampleOf(shape.items ?? {})];
  if (typeof shape.additionalProperties === 'object') return { name: exampleOf(shape.additionalProperties) };
  return EXAMPLES[[shape.type ?? 'null'].flat()[0] as string] ?? null;
}

const encodings = new Encodings(FREQUENT_EVENTS);
const exampleFor = ({ shape }: AnyEvent): unknown => exampleOf(shapeOf(shape));

/** Example lines of an event: plain, and compressed where it has a template. */
export function examplesOf(event: AnyEvent): string[] {
  const payload = exampleFor(event);
  const plain = encodings.text('plain', event.name, payload);
  const compressed = event.from === 'client' ? plain : encodings.text('compressed', event.name, payload);
  return [
    `- Example \`${plain}\``,
    ...(compressed === plain ? [] : [`- Compressed \`${compressed}\``]),
  ];
}

/** What a client does about each close code. */
const ADVICE: Readonly<Record<keyof typeof sockets.closeCodes, string>> = {
  binary: 'It sent a binary message. A fault of the client: frames are text.',
  malformed: 'It sent what is no frame, or no UTF-8. A fault of the client.',
  tooFast: 'It sent more than its tier may, or more than waits for handlers. Come back by the back-off.',
  error: 'The server failed while it let the socket in. Come back by the back-off.',
  restarting: 'The gateway restarts. Come back; every 100 ms for 30 s where `v3.lobby.restarting` was said.',
  slowReader: 'It read too slowly. Come back by the back-off with the last `seq`: nothing is lost.',
  authorizeLate: 'No good `v3.authorize` in time. Come back by the back-off with a fresh token.',
  tokenInvalid: 'The node_token was wrong, spent or too old. Come back by the back-off with a fresh one.',
  refused: 'The room, or this person\'s place in it, is refused: stay away until somebody joins anew.',
  loggedOut: 'The session has ended: start again as whoever the page is now.',
  pongMissing: 'It did not answer `v3.ping` in time. Come back by the back-off.',
  tooManySockets: 'The session has too many sockets. Come back by the back-off, once others are closed.',
  reseat: 'What this socket may hear has changed: come back at once with the last `seq`.',
};

const TIMER_WORDS: Readonly<Record<keyof typeof CLIENT_TIMERS, string>> = {
  answerWaitMs: 'an answer to `v3.authorize` is waited for',
  lobbyRetryMs: 'a lost lobby is tried again after',
  restartingRetryMs: '… while it restarts, every',
  restartingForMs: '… which it is taken to do for at most',
  outageMs: 'a lobby that stays away is reported once (`POST /log/frontend-ws-fail`) after',
  longOutageMs: 'rooms are joined anew after an outage of more than',
  rejoinAfterOutageMs: '… this long after the lobby is back',
  joinRetryMs: 'an unanswered `v3.lobby.discover` is sent again after',
  notReadyRetryMs: 'while the lobby is not ready, the join is tried again every',
  roomBackoffLeastMs: 'a lost room is tried again after a random time of at least',
  roomBackoffFirstMostMs: '… and the first time at most',
  roomBackoffMostMs: '… then twice as long each time, at most',
  atOnceEveryMs: 'coming back at once (reseat, gap) happens at most every',
};

const table = (head: string, rows: readonly (readonly string[])[]): string =>
  [head, head.replaceAll(/[^|]+/gu, '---'), ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');

const OPENING = `## Sockets: opening

1. Open \`${sockets.LOBBY_PATH}\` with the page's \`Origin\` (other origins are refused with 403) and send
   \`v3.authorize {token, version}\` with a fresh \`node_token\` of \`GET /user/current\`: single use, at most
   60 s old, bound to its session.
2. After \`v3.authorize.success\` the lobby says \`v3.lobby.start\`. Ask \`v3.lobby.discover {room}\`; the
   answer \`v3.lobby.discovered {room, url}\` has the address of the room's socket.
3. Open it and authorize with another token. Several rooms can be open at once over one lobby. A room
   connection goes none → discovery → connecting → sent (authorize) → joined, and back to discovery when lost.
4. Answer each \`v3.ping\` with \`v3.pong\`, and send pings of your own.
5. \`v3.client.version\` names another version than yours: load the new scripts at the next navigation.
   \`v3.refresh\`: reload now. An id no events list named, or a message that cannot be read: log it, go on.`;

const FRAMES = `## Sockets: frames

Every message is one JSON array in a text frame; clients send plain frames without a place only.

| Frame | Meaning |
|---|---|
| \`[name, payload]\` | plain, passing |
| \`[name, payload, seq]\` | plain, an entry of the room's log |
| \`[id, values, bitmask]\` | compressed, passing |
| \`[id, values, bitmask, seq]\` | compressed, an entry of the room's log |

**Templates.** A room socket that sent \`templates: true\` in \`v3.authorize\` hears \`v3.templates\` (what
the values of an id are) and \`v3.events\` (the events list: which event an id is) after
\`v3.authorize.success\`. Both add to what the socket knows, or replace it per id. Bit \`i\` of the bitmask (a
number; at most ${sockets.MAX_TEMPLATE_FIELDS} fields) says that field \`i\` of the template is the next of
\`values\`; a field without its bit is its \`default\`, or not there when the template names none. A field
with \`row\` holds one object of that template, with \`rows\` a list of them, each as
\`[bitmask, …values]\`. What a template cannot say exactly is sent plain, so a client reads both encodings.

**Places.** The log of a room counts its lasting entries 1, 2, 3 … without gaps; \`seq\` is that place. A
client

- keeps the last place and sends it as \`seq\` in \`v3.authorize\` when it comes back: what it missed follows
  one by one, each with its place, or a snapshot when that is too much;
- drops entries at or below its place;
- takes a payload with a field \`seq\` (\`v3.chat.history\`) as a snapshot: the state at that place, from
  which it goes on, also when it is lower than its own;
- that sees a gap comes back at once from the last place without one; if the gap is there again, without
  \`seq\`, for a snapshot.`;

/** The part of the protocol that is the same for every event. */
export function framesText(): string {
  const codes = Object.entries(sockets.closeCodes).map((
    [name, code],
  ) => [String(code), `\`${name}\``, ADVICE[name as keyof typeof ADVICE]]);
  const timers = Object.entries(CLIENT_TIMERS).map((
    [name, ms],
  ) => [TIMER_WORDS[name as keyof typeof TIMER_WORDS], `${ms} ms`]);
  const { rates, ...limits } = GATEWAY_LIMITS;
  const paces = Object.entries(rates).map((
    [tier, { burst, perSecond }],
  ) => [`messages of a ${tier} per socket`, `${burst} at once, then ${perSecond} a second`]);
  const bounds = Object.entries(limits).map(([name, value]) => [`\`${name}\``, String(value)]);
  const introduction = encodings.introduction().map((text) => `    ${text}`).join('\n');
  return [
    OPENING,
    FRAMES,
    `What a client that asked is told today:\n\n${introduction}`,
    `## Sockets: close codes\n\n${
      table('| Code | Name | What happened, and what a client does |', [
        ...codes,
        ['1009', '(ws)', 'It sent a message above the limit. A fault of the client.'],
      ])
    }`,
    `## Sockets: times\n\n${
      table('| What | Time |', [
        ['both sides ping every', `${sockets.PING_EVERY_MS} ms`],
        ['… and give up without a pong after', `${sockets.PONG_WAIT_MS} ms`],
        ['messages of a room are written together every', `${TOPIC_TICK_MS} ms`],
        ['… in a large room `tickMsPerSocket` for each who is there, at most', `${MAX_TOPIC_TICK_MS} ms`],
        ...timers,
      ])
    }`,
    `## Sockets: limits\n\n${
      table('| What | Limit |', [
        ['bytes of one message to the server', String(MAX_FRAME_BYTES)],
        ['fragments of one message', String(MAX_FRAGMENTS)],
        ...paces,
        ...bounds,
      ])
    }`,
  ].join('\n\n');
}
