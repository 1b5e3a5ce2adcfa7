import { VirtualClock } from '#platform/data/clock.ts';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { RawLine } from '../conformance/local/raw-line.ts';
import { LocalDoor, type LocalGuest, type LocalLine } from './door.ts';
import { FRAME, writeFrame } from './frames.ts';

async function opened() {
  const clock = new VirtualClock();
  const socketPath = join(mkdtempSync(join(tmpdir(), 'candela-door-')), '0.sock');
  const door = new LocalDoor({ socketPath, clock, nowMs: () => clock.now().getTime() });
  await door.open();
  onTestFinished(() => door.close());
  const knock = (session: string): RawLine => {
    const line = new RawLine(socketPath);
    line.say(writeFrame(FRAME.hello, Buffer.from(session)));
    return line;
  };
  return { clock, door, knock, socketPath };
}

const isClosed = (line: RawLine): Promise<unknown> => line.seen.until('closed', (view) => view.closed);

/** A guest that answers every frame with `ready`. */
class Guest implements LocalGuest {
  line: LocalLine | null = null;
  goneCount = 0;
  readonly attach = (line: LocalLine): void => {
    this.line = line;
    line.send(FRAME.ready);
  };
  readonly take = (): boolean => true;
  readonly gone = (): void => {
    this.goneCount += 1;
  };
}

it('a ticket is good for ten seconds', async () => {
  const { clock, door, knock } = await opened();
  const [early, late] = [new Guest(), new Guest()];
  door.expect('early', early);
  door.expect('late', late);
  clock.advance(10_000);
  await knock('early').seen.until('attached', (view) => view.bytes > 0);
  clock.advance(1);
  await isClosed(knock('late'));
  expect([early.line !== null, late.line]).toEqual([true, null]);
  expect([early.goneCount, late.goneCount]).toEqual([0, 0]);
});

it('who says nothing is sent away after a while, and who is known is not', async () => {
  const { clock, door, knock, socketPath } = await opened();
  door.expect('known', new Guest());
  const known = knock('known');
  const silent = new RawLine(socketPath);
  await known.seen.until('attached', (view) => view.bytes > 0);
  silent.say(Buffer.from([FRAME.hello, 0, 0]));
  await silent.seen.until('connected', (view) => view.connected);
  clock.advance(5_000);
  // If the server had not accepted the connection before, its timer starts only now.
  while (!silent.seen.value!.closed) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(5_000);
  }
  expect(known.seen.value!.closed).toBe(false);
});

it(
  'a door that closes closes its lines and removes its file, and a file left by a dead one is no hindrance',
  async () => {
    const { clock, door, knock, socketPath } = await opened();
    const guest = new Guest();
    door.expect('known', guest);
    const known = knock('known');
    await known.seen.until('attached', (view) => view.bytes > 0);
    const next = new LocalDoor({ socketPath, clock, nowMs: () => 0 });
    await next.open();
    next.close();
    door.close();
    await isClosed(known);
    expect([existsSync(socketPath), existsSync(dirname(socketPath)), guest.goneCount])
      .toEqual([false, false, 1]);
  },
);
