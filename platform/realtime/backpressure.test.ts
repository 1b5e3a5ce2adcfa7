import { encodeFrame } from '#platform/contract/sockets/frame.ts';
import type { Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { GUEST, openStage, type Stage } from './testing.ts';

const CROWD = 200;
const UNREAD_BYTES = 256 * 1024;
/** One wave is four lines of 32 kB, the most that a tick of this test writes. */
const LINE = 'x'.repeat(32 * 1024);
const LINES_A_WAVE = 4;
/** Many times more than the kernel buffers for a socket that nobody reads. */
const MOST_WAVES = 400;

/** Every line begins like this; the rest is not parsed, because that would take most of the test's time. */
const LINE_HEAD = Buffer.from('["v3.test.heard"');

let on: Stage | null = null;
const members: Member[] = [];
afterEach(async () => {
  for (const { ws } of members.splice(0)) ws.terminate();
  await on?.close();
});

/** A socket that counts the lines it reads, and their bytes. */
class Member {
  readonly ws: WebSocket;
  lines = 0;
  bytes = 0;
  /** The number of lines it waits for. */
  expected = 0;
  #whole: () => void = () => undefined;

  constructor({ origin }: Stage) {
    this.ws = new WebSocket(`${origin.replace('http', 'ws')}/ws/room/open`, { origin });
    this.ws.on('error', () => undefined);
    this.ws.on('message', (data: Buffer) => {
      if (!data.subarray(0, LINE_HEAD.length).equals(LINE_HEAD)) return;
      this.lines += 1;
      this.bytes += data.length;
      if (this.lines === this.expected) this.#whole();
    });
  }

  async enters({ token }: Stage, at: number): Promise<void> {
    await new Promise((resolve) => {
      this.ws.once('open', resolve);
    });
    const spent = token({ ...GUEST, sessionId: `session ${at}` });
    const welcomed = this.holds(1);
    this.ws.send(encodeFrame('v3.authorize', { token: spent, version: 'v1' }));
    await welcomed;
  }

  /** Starts counting from zero. */
  startsOver(): void {
    [this.lines, this.bytes, this.expected] = [0, 0, 0];
  }

  /** Resolves when that many lines were read, the welcome included. */
  holds(lines: number): Promise<void> {
    return new Promise((resolve) => {
      this.expected = lines;
      this.#whole = resolve;
      if (this.lines >= lines) resolve();
    });
  }
}

async function memberAt(stage: Stage, at: number): Promise<Member> {
  const member = new Member(stage);
  members.push(member);
  await member.enters(stage, at);
  return member;
}

it('one of 200 who does not read costs no more than its bound, and the others miss nothing', async () => {
  on = await openStage({ limits: { unreadBytes: UNREAD_BYTES, socketsPerAddress: CROWD } });
  const { gateway, publish, server } = on;
  const served = new Set<Socket>();
  server.on('connection', (socket: Socket) => void served.add(socket));
  const unread = (): number => Math.max(...[...served].map(({ writableLength }) => writableLength));
  let [waves, most] = [0, 0];
  /**
   * The next wave is sent when all but the slow socket have this one, so nothing has waited for the slow one.
   */
  const wave = async (): Promise<void> => {
    for (let line = 0; line < LINES_A_WAVE; line += 1) publish(LINE);
    waves += 1;
    await Promise.all(others.map((member) => member.holds(member.expected + LINES_A_WAVE)));
    most = Math.max(most, unread());
  };
  const slow = await memberAt(on, 0);
  const others: Member[] = [await memberAt(on, 1)];
  slow.ws.pause();
  // Fills the kernel's buffers for the slow socket, several megabytes, before the other sockets join.
  for (let left = MOST_WAVES; left > 0 && unread() === 0; left -= 1) await wave();
  while (others.length < CROWD - 1) others.push(await memberAt(on, 1 + others.length));
  expect(gateway.size()).toBe(CROWD);
  for (const member of others) member.startsOver();
  const alone = waves;
  for (let left = MOST_WAVES; left > 0 && !gateway.counters().slowReader; left -= 1) await wave();
  expect(waves).toBeGreaterThan(alone);
  expect(gateway.counters().slowReader).toBe(1);
  // The limit and one tick's write, however long the test ran.
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(UNREAD_BYTES + (LINES_A_WAVE + 1) * LINE.length);
  expect(gateway.size()).toBe(CROWD - 1);
  publish('after');
  await Promise.all(others.map((member) => member.holds(member.expected + 1)));
  const least = (waves - alone) * LINES_A_WAVE * LINE.length;
  expect(others.filter(({ bytes }) => bytes < least)).toEqual([]);
  expect(new Set(others.map(({ bytes }) => bytes)).size).toBe(1);
  await expect.poll(unread, { timeout: 10_000 }).toBe(0);
});
