import { heldBytes } from '#platform/streaming/conformance/load/heap.ts';
import { writeProof } from '#platform/streaming/conformance/load/proof-report.ts';
import { expect, it } from 'vitest';
import { sendHostile } from './hostile-run.ts';

const MESSAGES = 1_000_000;
const MESSAGES_A_SOCKET = 400;
const MEGABYTE = 1024 * 1024;
/** The most that the heap may grow from the first to the last tenth; a leak would exceed it. */
const HEAP_SLACK = 4 * MEGABYTE;
const TENTH = MESSAGES / 10;

it('a million mutated messages crash nothing, leave nothing behind, and others are served', async () => {
  const held: number[] = [];
  const { messages, sockets, marks, codes, counters } = await sendHostile(
    MESSAGES,
    MESSAGES_A_SOCKET,
    1,
    (received) => {
      if (received < (held.length + 1) * TENTH) return;
      held.push(heldBytes());
      process.stderr.write(`messages: ${received}\n`);
    },
  );
  const growth = (held.at(-1) as number) - (held[0] as number);
  expect(messages).toBeGreaterThanOrEqual(MESSAGES);
  expect(growth).toBeLessThan(HEAP_SLACK);
  expect(marks).toBe(sockets / 8);
  expect(counters['faults']).toBeUndefined();
  expect([...codes.keys()].filter((code) => ![1003, 1007, 1009, 4002].includes(code))).toEqual([]);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  const of = (counter: string): number => counters[counter] ?? 0;
  writeProof({
    name: 'hostile-frames',
    title: 'Hostile messages on sockets',
    claim: 'Mutated messages (flipped and cut text, deep nesting, names of prototypes, lone surrogates, huge '
      + 'numbers, places and compressed frames of a client, binary, oversized, not UTF-8) go to a real '
      + 'gateway over lobby and room sockets that have authorized, and that have not. Two bystanders hear a '
      + 'message of their room after every eight hostile sockets. No handler faults, nothing is left behind.',
    facts: [
      ['Messages the gateway received', messages],
      ['Hostile sockets', sockets],
      ['Messages that each bystander was told meanwhile, and heard', marks],
      ['Events nobody listens to, ignored', of('unknownEvent')],
      ['Payloads of the wrong shape, ignored', of('invalidPayload')],
      ['Malformed messages, each the end of its socket', of('malformed')],
      ['Binary messages, likewise', of('binary')],
      ['Oversized messages, likewise', of('oversized')],
      ['Forged tokens, likewise', of('tokenInvalid')],
      ['Faults', of('faults')],
      ['Held more after the last than after the first tenth', `${(growth / MEGABYTE).toFixed(1)} MB`],
    ],
  });
});
