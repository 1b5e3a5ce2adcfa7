import assert from 'node:assert/strict';
import type { Engine, ReaderHealth } from '../../engine.ts';

/** A reader that plays. */
export interface PlayingReader {
  readonly session: string;
  /** Its network takes nothing any more, and it answers nothing. */
  readonly stopNetwork: () => Promise<void>;
}

/** How these stories are played: with peers and packets, or on a fake of the engine that moves no media. */
export interface ReadersStage {
  readonly engine: Engine;
  /** Publishes media that reaches the engine. */
  readonly publish: (stream: string) => Promise<void>;
  /** Resolves when the reader has got media. */
  readonly play: (stream: string, isMetered: boolean) => Promise<PlayingReader>;
  /** The publisher of a stream sends nothing any more. */
  readonly stopMedia: (stream: string) => Promise<void>;
  /** What the next health report of a stream says of its readers; null when there is none in two seconds. */
  readonly nextSecond: (stream: string) => Promise<readonly ReaderHealth[] | null>;
}

export interface ReaderScenario {
  readonly title: string;
  readonly run: (stage: ReadersStage) => Promise<void>;
}

/** A reader that answers nothing is let go within ten seconds; a loaded machine may be some slower. */
const PATIENCE_SECONDS = 15;
/** Sound alone comes in 50 packets a second. */
const MANY_PACKETS = 40;

/** What a session was sent in the next second; 0 when the report does not name it. */
async function nextSent(stage: ReadersStage, stream: string, { session }: PlayingReader): Promise<number> {
  const readers = await stage.nextSecond(stream);
  return readers?.find((reader) => reader.session === session)?.packetsSent ?? 0;
}

/** The first second may have begun before the reader joined. */
async function assertIsSent(stage: ReadersStage, stream: string, reader: PlayingReader): Promise<void> {
  await stage.nextSecond(stream);
  const sent = await nextSent(stage, stream, reader);
  assert.ok(sent > MANY_PACKETS, `${sent} packets in a second`);
}

async function assertIsSentNothingSoon(
  stage: ReadersStage, stream: string, reader: PlayingReader,
): Promise<void> {
  for (let second = 0; second < PATIENCE_SECONDS; second++) {
    if (await nextSent(stage, stream, reader) === 0) return;
  }
  assert.fail(`it is still sent media after ${PATIENCE_SECONDS} s`);
}

/** What the reports say of readers that are metered. */
export const readerScenarios: readonly ReaderScenario[] = [
  {
    title: 'each second says how many packets a metered reader was sent, and nothing of other readers',
    run: async (stage) => {
      await stage.publish('one');
      const [metered, other] = [await stage.play('one', true), await stage.play('one', false)];
      await assertIsSent(stage, 'one', metered);
      const readers = await stage.nextSecond('one');
      assert.deepEqual(readers?.map(({ session }) => session), [metered.session]);
      assert.notEqual(metered.session, other.session);
    },
  },
  {
    title: 'a metered reader whose network stopped is soon sent nothing, while the others are',
    run: async (stage) => {
      await stage.publish('one');
      const [gone, stays] = [await stage.play('one', true), await stage.play('one', true)];
      await assertIsSent(stage, 'one', gone);
      await gone.stopNetwork();
      await assertIsSentNothingSoon(stage, 'one', gone);
      await assertIsSent(stage, 'one', stays);
    },
  },
  {
    title: 'a metered reader that left is not named any more',
    run: async (stage) => {
      await stage.publish('one');
      const reader = await stage.play('one', true);
      await assertIsSent(stage, 'one', reader);
      assert.equal(await stage.engine.end(reader.session), true);
      await stage.nextSecond('one');
      assert.deepEqual(await stage.nextSecond('one'), []);
    },
  },
  {
    title: 'a moved stream names the readers of its new name alone, and its old name has no report',
    run: async (stage) => {
      await stage.publish('open');
      const outside = await stage.play('open', true);
      await assertIsSent(stage, 'open', outside);
      await stage.engine.move('open', 'closed');
      const inside = await stage.play('closed', true);
      await assertIsSent(stage, 'closed', inside);
      const readers = await stage.nextSecond('closed');
      assert.deepEqual(readers?.map(({ session }) => session), [inside.session]);
      assert.equal(await stage.nextSecond('open'), null);
    },
  },
  {
    title: 'a publisher that sends nothing has no readers that are sent anything',
    run: async (stage) => {
      await stage.publish('one');
      const reader = await stage.play('one', true);
      await assertIsSent(stage, 'one', reader);
      await stage.stopMedia('one');
      await assertIsSentNothingSoon(stage, 'one', reader);
    },
  },
];
