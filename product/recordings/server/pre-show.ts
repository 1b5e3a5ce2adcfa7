import type { DeadlineHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { OperatorScope } from '#platform/data/data.ts';
import { randomId } from '#platform/data/ids.ts';
import type { DownReason, StreamHealth } from '#platform/streaming/engine.ts';
import { OUTPUT_FEATURES, OutputRefused, type RecordingEnd } from '#platform/streaming/outputs/outputs.ts';
import { Turns } from '#platform/streaming/turns.ts';
import { alreadyLive } from '#product/broadcast/contract/settings.ts';
import { adviceFor, RECONNECT_GRACE_MS, type Measured } from '#product/broadcast/rules.ts';
import type { DivertedReport } from '#product/broadcast/server.ts';
import { clearanceMissing } from '#product/compliance/contract.ts';
import { recordingUnavailable, type getTest } from '../contract.ts';
import {
  MAX_TEST_BYTES,
  MAX_TEST_REPORTS,
  MIN_TEST_MS,
  overallOf,
  RECOVERY_PAGE,
  TEST_KEEP_MS,
  TEST_LIMIT_MS,
  TEST_RECORD_MS,
  TEST_RESUME_MS,
  TEST_WAIT_MS,
  type TestState,
} from '../rules.ts';
import { deleteTest, insertTest, pageOfTests } from '../store.ts';
import { turnOf, type RecordingsDependencies } from './dependencies.ts';
import type { VideoFiles } from './files.ts';
import type { OutputRecording, OutputRecordings } from './output-recordings.ts';

/** Deadlines of a test's next step and of the end of its diversion. Keys are performer ids. */
const STEP = 'recordings.test';
const RELEASE = 'recordings.testRelease';

type Refusal = typeof alreadyLive | typeof clearanceMissing | typeof recordingUnavailable;

/** The test of one performer. */
interface Trial {
  readonly scope: OperatorScope;
  readonly performerId: number;
  /** Log-in session that began it; null after a restart. */
  sessionId: string | null;
  readonly stream: string;
  /** Whether publishers are diverted to it. */
  isDiverting: boolean;
  state: TestState;
  source: 'browser' | 'encoder' | null;
  isSending: boolean;
  clip: string | null;
  recording: OutputRecording | null;
  recordedSince: number;
  seconds: number;
  reports: Measured[];
  codec: StreamHealth['codec'];
  trouble: Measured['trouble'];
}

/**
 * Pre-show tests. The next publisher of a performer is diverted to a hidden stream; 10 s are recorded and
 * shown to the performer only. An encoder stays diverted until it stops: if it were cut, it would reconnect
 * by itself and go on air unintentionally.
 */
export class PreShowTests {
  readonly #deps: RecordingsDependencies;
  readonly #files: VideoFiles;
  readonly #tapes: OutputRecordings;
  readonly #turns = new Turns();
  /** Keyed by operator and performer. */
  readonly #trials = new Map<string, Trial>();

  constructor(deps: RecordingsDependencies, files: VideoFiles, outputRecordings: OutputRecordings) {
    this.#deps = deps;
    this.#files = files;
    this.#tapes = outputRecordings;
  }

  readonly deadlineHandlers = (): DeadlineHandler[] => [
    {
      kind: STEP,
      handle: ({ operatorId, key }) => this.#inTurn(operatorId, key, (trial) => this.#step(trial)),
    },
    {
      kind: RELEASE,
      handle: ({ operatorId, key }) =>
        this.#inTurn(operatorId, key, async (trial) => {
          if (!trial.isSending) await this.#release(trial);
        }),
    },
  ];

  /** Deletes clips left by the previous process, and restores its diversions. */
  async open(): Promise<void> {
    const { data, site } = this.#deps;
    for (const operatorId of await site.operators()) {
      const scope = { operatorId };
      for (const clip of await this.#files.list(operatorId)) await this.#files.remove(operatorId, clip);
      let after = 0;
      for (;;) {
        const page = await data.tx(scope, (tx) => pageOfTests(tx, after, RECOVERY_PAGE));
        for (const performerId of page) await this.#resume(scope, performerId);
        if (page.length < RECOVERY_PAGE) break;
        after = page.at(-1) ?? 0;
      }
    }
  }

  async close(): Promise<void> {
    for (const { recording } of this.#trials.values()) await recording?.stop();
    await this.idle();
  }

  /** Resolves when everything reported so far is handled. */
  idle(): Promise<void> {
    return this.#turns.idle();
  }

  /** Begins a test, replacing the previous one. */
  begin(scope: OperatorScope, performerId: number, sessionId: string): Promise<Refusal | null> {
    const turn = turnOf(scope, performerId);
    return this.#turns.take(turn, async () => {
      const { compliance, data, outputs } = this.#deps;
      const clearanceId = await data.tx(scope, (tx) => compliance.clearanceOf(tx, performerId));
      if (clearanceId === null) return clearanceMissing;
      const canRecord = outputs.features().some(({ name, on }) => name === OUTPUT_FEATURES.recording && on);
      if (!canRecord) return recordingUnavailable;
      const before = this.#trials.get(turn);
      if (before?.isSending && before.source === 'encoder') {
        await this.#dropClip(before);
        before.sessionId = sessionId;
        await this.#record(before);
        return null;
      }
      const trial = newTrial(scope, performerId, sessionId, 'waiting');
      if (!(await this.#divert(trial))) return alreadyLive;
      if (before) await this.#dropClip(before);
      this.#trials.set(turn, trial);
      await this.#schedule(trial, TEST_WAIT_MS);
      return null;
    });
  }

  /** Ends a test and cuts its publisher. */
  cancel(scope: OperatorScope, performerId: number): Promise<void> {
    return this.#inTurn(scope.operatorId, String(performerId), (trial) => this.#end(trial));
  }

  /** Handles the end of log-in sessions: deletes the clip of a test that one of them began. */
  sessionsEnded(scope: OperatorScope, performerId: number, sessionIds: readonly string[]): Promise<void> {
    return this.#inTurn(scope.operatorId, String(performerId), async (trial) => {
      if (trial.sessionId === null || !sessionIds.includes(trial.sessionId)) return;
      await this.#expire(trial);
    });
  }

  /** State of a performer's test. */
  viewOf(scope: OperatorScope, performerId: number): OutputOf<typeof getTest> {
    const trial = this.#trials.get(turnOf(scope, performerId));
    if (!trial) {
      return { state: 'none', seconds: 0, advice: [], health: null, source: null, isSending: false };
    }
    const { state, source, isSending, trouble, recordedSince, codec } = trial;
    const overall = state === 'ready' || state === 'failed' ? overallOf(trial.reports) : null;
    const passed = Math.floor((this.#nowMs() - recordedSince) / 1_000);
    const judged = overall ?? (trouble === null ? null : { ...NOTHING_MEASURED, trouble });
    const advice = judged ? adviceFor(judged, source ?? 'encoder') : [];
    return {
      state,
      source,
      isSending,
      advice,
      seconds: state === 'recording' ? Math.min(passed, TEST_RECORD_MS / 1_000) : trial.seconds,
      health: overall && { ...overall, stream: '', codec, viewers: 0, advice },
    };
  }

  /** File of the clip; null before it is ready. */
  clipOf(scope: OperatorScope, performerId: number): string | null {
    const trial = this.#trials.get(turnOf(scope, performerId));
    return trial?.state === 'ready' ? trial.clip : null;
  }

  async #inTurn(operatorId: number, key: string, task: (trial: Trial) => Promise<void>): Promise<void> {
    const turn = turnOf({ operatorId }, Number(key));
    await this.#turns.take(turn, async () => {
      const trial = this.#trials.get(turn);
      if (trial) await task(trial);
    });
  }

  async #divert(trial: Trial): Promise<boolean> {
    const { broadcast, data, onError } = this.#deps;
    const { scope, performerId, stream } = trial;
    const onReport = (report: DivertedReport): void => {
      // Reports about a previous test are ignored.
      const handle = async (): Promise<void> => {
        if (this.#trials.get(turnOf(scope, performerId)) === trial) await this.#handleReport(trial, report);
      };
      this.#turns.take(turnOf(scope, performerId), handle).catch(onError);
    };
    if (!(await broadcast.divert(scope, performerId, { stream, onReport }))) return false;
    trial.isDiverting = true;
    await data.tx(scope, (tx) => insertTest(tx, performerId));
    return true;
  }

  async #handleReport(trial: Trial, report: DivertedReport): Promise<void> {
    if (report.kind === 'published') {
      Object.assign(trial, { source: report.source, isSending: true, trouble: null });
    }
    if (report.kind === 'trouble') await this.#troubled(trial, report.trouble);
    const isExpected = trial.state === 'waiting' && trial.trouble === null;
    if (report.kind === 'up' && isExpected) await this.#record(trial);
    if (report.kind === 'health') await this.#measured(trial, report.health);
    if (report.kind === 'down') await this.#lost(trial, report.reason);
  }

  /** Audio may arrive while the video cannot be played: then recording waits. */
  async #measured(trial: Trial, health: StreamHealth): Promise<void> {
    if (health.trouble !== null) {
      await this.#troubled(trial, health.trouble);
      return;
    }
    if (trial.trouble !== null && health.videoBitsPerSecond > 0) trial.trouble = null;
    if (trial.state === 'waiting' && trial.trouble === null) await this.#record(trial);
    if (trial.state !== 'recording') return;
    trial.codec = health.codec ?? trial.codec;
    if (trial.reports.length < MAX_TEST_REPORTS) trial.reports.push(health);
  }

  /** Records why the media cannot be played, and waits until that is fixed. */
  async #troubled(trial: Trial, trouble: NonNullable<Measured['trouble']>): Promise<void> {
    trial.trouble = trouble;
    if (trial.state !== 'recording') return;
    await this.#dropClip(trial);
    Object.assign(trial, { state: 'waiting', reports: [] });
    await this.#schedule(trial, TEST_WAIT_MS);
  }

  async #lost(trial: Trial, reason: DownReason): Promise<void> {
    trial.isSending = false;
    if (trial.state === 'waiting' || trial.state === 'recording') return;
    // A publisher that ended its session may go on air next; one that was lost may be reconnecting.
    if (reason === 'ended' || reason === 'finished') await this.#release(trial);
    else await this.#scheduleRelease(trial, RECONNECT_GRACE_MS);
  }

  async #record(trial: Trial): Promise<void> {
    const { scope, performerId, stream } = trial;
    const clip = randomId();
    Object.assign(trial, {
      state: 'recording',
      clip,
      recordedSince: this.#nowMs(),
      seconds: 0,
      reports: [],
      trouble: null,
    });
    await this.#files.prepare(scope.operatorId);
    const file = this.#files.pathOf(scope.operatorId, clip);
    const onEnd = (end: RecordingEnd): void => {
      const task = async (): Promise<void> => {
        if (trial.clip === clip) await this.#recorded(trial, end);
      };
      this.#turns.take(turnOf(scope, performerId), task).catch(this.#deps.onError);
    };
    await this.#schedule(trial, TEST_LIMIT_MS);
    try {
      const options = { file, maxBytes: MAX_TEST_BYTES, maxMs: TEST_RECORD_MS };
      trial.recording = await this.#tapes.record(stream, options, onEnd);
    } catch (error) {
      if (!(error instanceof OutputRefused)) throw error;
      if (error.code === 'unsupported_codec') trial.trouble = 'video_codec';
      await this.#finish(trial, 'failed');
    }
  }

  async #recorded(trial: Trial, { reason, durationMs }: RecordingEnd): Promise<void> {
    trial.recording = null;
    trial.seconds = Math.round(durationMs / 1_000);
    await this.#finish(trial, reason === 'fault' || durationMs < MIN_TEST_MS ? 'failed' : 'ready');
  }

  async #finish(trial: Trial, state: 'ready' | 'failed'): Promise<void> {
    trial.state = state;
    if (state === 'failed') await this.#dropClip(trial);
    await this.#schedule(trial, TEST_KEEP_MS);
    if (trial.source !== 'encoder') await this.#release(trial);
    else if (!trial.isSending) await this.#scheduleRelease(trial, RECONNECT_GRACE_MS);
  }

  /** Handles the timeout of waiting or recording, or the expiry of the clip. */
  async #step(trial: Trial): Promise<void> {
    if (trial.state === 'waiting' || trial.state === 'recording') await this.#finish(trial, 'failed');
    else await this.#expire(trial);
  }

  /** Deletes the clip, and ends the test unless an encoder is still sending. */
  async #expire(trial: Trial): Promise<void> {
    await this.#dropClip(trial);
    trial.state = 'none';
    if (!trial.isSending || trial.source !== 'encoder') await this.#end(trial);
  }

  async #end(trial: Trial): Promise<void> {
    const { scope, performerId } = trial;
    await this.#dropClip(trial);
    await this.#release(trial);
    this.#trials.delete(turnOf(scope, performerId));
    await this.#deps.data.tx(scope, (tx) => tx.unschedule(STEP, String(performerId)));
  }

  /** Ends the diversion and cuts its publisher; the next one goes on air. */
  async #release(trial: Trial): Promise<void> {
    const { scope, performerId } = trial;
    if (!trial.isDiverting) return;
    Object.assign(trial, { isDiverting: false, isSending: false });
    await this.#deps.broadcast.undivert(scope, performerId);
    await this.#deps.data.tx(scope, async (tx) => {
      await deleteTest(tx, performerId);
      await tx.unschedule(RELEASE, String(performerId));
    });
    if (trial.state === 'none') this.#trials.delete(turnOf(scope, performerId));
  }

  async #dropClip(trial: Trial): Promise<void> {
    const { clip, recording, scope } = trial;
    Object.assign(trial, { clip: null, recording: null });
    await recording?.stop();
    if (clip !== null) await this.#files.remove(scope.operatorId, clip);
  }

  async #resume(scope: OperatorScope, performerId: number): Promise<void> {
    const trial = newTrial(scope, performerId, null, 'none');
    this.#trials.set(turnOf(scope, performerId), trial);
    if (await this.#divert(trial)) await this.#scheduleRelease(trial, TEST_RESUME_MS);
    else await this.#end(trial);
  }

  #schedule({ scope, performerId }: Trial, ms: number): Promise<void> {
    const at = new Date(this.#nowMs() + ms);
    return this.#deps.data.tx(scope, (tx) => tx.schedule({ kind: STEP, key: String(performerId), at }));
  }

  #scheduleRelease({ scope, performerId }: Trial, ms: number): Promise<void> {
    const at = new Date(this.#nowMs() + ms);
    return this.#deps.data.tx(scope, (tx) => tx.schedule({ kind: RELEASE, key: String(performerId), at }));
  }

  #nowMs(): number {
    return this.#deps.data.clock.now().getTime();
  }
}

const NOTHING_MEASURED: Measured = {
  videoBitsPerSecond: 0,
  audioBitsPerSecond: 0,
  framesPerSecond: 0,
  lossFraction: 0,
  roundTripMs: null,
  keyframeIntervalMs: null,
  trouble: null,
  bFrames: null,
};

const newTrial = (
  scope: OperatorScope,
  performerId: number,
  sessionId: string | null,
  state: TestState,
): Trial => ({
  scope,
  performerId,
  sessionId,
  state,
  stream: randomId(),
  isDiverting: false,
  source: null,
  isSending: false,
  clip: null,
  recording: null,
  recordedSince: 0,
  seconds: 0,
  reports: [],
  codec: null,
  trouble: null,
});
