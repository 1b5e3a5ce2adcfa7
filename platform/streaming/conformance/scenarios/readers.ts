import assert from 'node:assert/strict';
import type { Engine, GoneReason, ReaderHealth } from '../../engine.ts';

/** A reader that plays. */
export interface PlayingReader {
  readonly session: string;
  /** Cuts its network: it receives and sends nothing any more. */
  readonly stopNetwork: () => Promise<void>;
}

/** A reader that plays, and never reports what it receives. */
export interface UnreportedReader {
  /** The reason it was reported gone with, once its peer received it; null while it is attached. */
  readonly ended: () => Promise<GoneReason | null>;
  /** Resolves when it has received more video and more audio. */
  readonly receivesMore: () => Promise<void>;
}

/** How these scenarios are played: with peers and packets, or on a fake engine that moves no media. */
export interface ReadersStage {
  readonly engine: Engine;
  /** Publishes media that reaches the engine. */
  readonly publish: (stream: string) => Promise<void>;
  /** Resolves when the reader has received media. */
  readonly play: (stream: string, isMetered: boolean) => Promise<PlayingReader>;
  /** The same for a reader that sends no RTCP at all. */
  readonly playUnreported: (stream: string, isMetered: boolean) => Promise<UnreportedReader>;
  /** The publisher of a stream stops sending. */
  readonly stopMedia: (stream: string) => Promise<void>;
  /** The readers in the next health report of a stream; null when none comes in two seconds. */
  readonly nextSecond: (stream: string) => Promise<readonly ReaderHealth[] | null>;
}

export interface ReaderScenario {
  readonly title: string;
  readonly run: (stage: ReadersStage) => Promise<void>;
}

/** A silent reader is cut within ten seconds; a loaded machine may take a little longer. */
const PATIENCE_SECONDS = 15;
/** Readers report about once a second; on a loaded machine some reports are late. */
const WATCHED_SECONDS = 6;
const FEWEST_SECONDS = 3;
/** Seconds of media a reader is sent although it never reports on them. */
const MOST_LOST_SECONDS = 3;

/** The next report on a session; an empty one when the session is not in it. */
async function nextOf(
  stage: ReadersStage,
  stream: string,
  { session }: PlayingReader,
): Promise<ReaderHealth> {
  const readers = await stage.nextSecond(stream);
  return readers?.find((reader) => reader.session === session)
    ?? { session, isSent: false, received: [], lost: [] };
}

async function assertReceives(stage: ReadersStage, stream: string, reader: PlayingReader): Promise<void> {
  let received = 0;
  for (let second = 0; second < WATCHED_SECONDS; second++) {
    received += (await nextOf(stage, stream, reader)).received.length;
  }
  // The first report may cover a second that was sent earlier.
  assert.ok(received >= FEWEST_SECONDS && received <= WATCHED_SECONDS + 2, `${received} seconds received`);
}

/** The first second may still report earlier media; after it nothing is received, and little was lost. */
async function assertReceivesNothingSoon(
  stage: ReadersStage,
  stream: string,
  reader: PlayingReader,
): Promise<void> {
  let [received, lost] = [0, 0];
  for (let second = 0; second < PATIENCE_SECONDS; second++) {
    const seen = await nextOf(stage, stream, reader);
    received += seen.received.length;
    lost += seen.lost.length;
  }
  assert.ok(received <= 2, `${received} seconds received after the end`);
  assert.ok(lost <= MOST_LOST_SECONDS, `${lost} seconds lost`);
}

/** Reports on metered readers. */
export const readerScenarios: readonly ReaderScenario[] = [
  {
    title: 'each second says what a metered reader received, and nothing of other readers',
    run: async (stage) => {
      await stage.publish('one');
      const [metered, other] = [await stage.play('one', true), await stage.play('one', false)];
      await assertReceives(stage, 'one', metered);
      const readers = await stage.nextSecond('one');
      assert.deepEqual(readers?.map(({ session }) => session), [metered.session]);
      assert.notEqual(metered.session, other.session);
    },
  },
  {
    title: 'a metered reader whose network stopped receives nothing from then on, and the others do',
    run: async (stage) => {
      await stage.publish('one');
      const [gone, stays] = [await stage.play('one', true), await stage.play('one', true)];
      await assertReceives(stage, 'one', gone);
      await gone.stopNetwork();
      await assertReceivesNothingSoon(stage, 'one', gone);
      await assertReceives(stage, 'one', stays);
    },
  },
  {
    title: 'a metered reader that left is not named any more',
    run: async (stage) => {
      await stage.publish('one');
      const reader = await stage.play('one', true);
      await assertReceives(stage, 'one', reader);
      assert.equal(await stage.engine.end(reader.session), true);
      await stage.nextSecond('one');
      assert.deepEqual(await stage.nextSecond('one'), []);
    },
  },
  {
    title: 'a reader that never reports is cut with the reason if it is metered, and else watches on',
    run: async (stage) => {
      await stage.publish('one');
      const metered = await stage.playUnreported('one', true);
      const other = await stage.playUnreported('one', false);
      for (let second = 0; second < PATIENCE_SECONDS; second++) await stage.nextSecond('one');
      assert.equal(await metered.ended(), 'silent');
      assert.equal(await other.ended(), null);
      await other.receivesMore();
    },
  },
  {
    title: 'a moved stream names the readers of its new name alone, and its old name has no report',
    run: async (stage) => {
      await stage.publish('open');
      const outside = await stage.play('open', true);
      await assertReceives(stage, 'open', outside);
      await stage.engine.move('open', 'closed');
      const inside = await stage.play('closed', true);
      await assertReceives(stage, 'closed', inside);
      const readers = await stage.nextSecond('closed');
      assert.deepEqual(readers?.map(({ session }) => session), [inside.session]);
      assert.equal(await stage.nextSecond('open'), null);
    },
  },
  {
    title: 'a publisher that sends nothing has no readers that receive anything',
    run: async (stage) => {
      await stage.publish('one');
      const reader = await stage.play('one', true);
      await assertReceives(stage, 'one', reader);
      await stage.stopMedia('one');
      await assertReceivesNothingSoon(stage, 'one', reader);
    },
  },
];
