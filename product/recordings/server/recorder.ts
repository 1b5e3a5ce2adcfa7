import type { RefusalOf } from '#platform/contract/call.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { randomId } from '#platform/data/ids.ts';
import { OutputRefused, type RecordingEnd } from '#platform/streaming/outputs/outputs.ts';
import { Turns } from '#platform/streaming/turns.ts';
import { notLive } from '#product/broadcast/contract.ts';
import {
  recordingChanged,
  recordingDeleted,
  recordingRuns,
  recordingsChanged,
  recordingSpaceFull,
  recordingUnavailable,
  showRecordingDeleted,
  type startRecording,
} from '../contract.ts';
import { evidence } from '../extension-points.ts';
import {
  isShow,
  judgedOf,
  MAX_RECORDING_MS,
  MAX_SHOW_PARTS,
  MIN_RECORDING_BYTES,
  RECORDING_CONSENT_VERSION,
  RECOVERY_PAGE,
  showOf,
  SPACE_CHECK_MS,
  spaceState,
  type RecordingMode,
  type ShowKey,
  type SpaceState,
} from '../rules.ts';
import {
  closeRecording,
  deleteRecording,
  findRecording,
  findRunning,
  insertRecording,
  knownFiles,
  pageOfRunning,
  partsOfShow,
  storedBytes,
  type RecordingResult,
  type StoredRecording,
} from '../store.ts';
import { evidenceFiles, insertEvidence, lockShow } from '../store/evidence.ts';
import { quotaOf, turnOf, type RecordingsDependencies } from './dependencies.ts';
import type { VideoFiles } from './files.ts';
import type { OutputRecording, OutputRecordings } from './output-recordings.ts';

/** A recording that runs in this process. */
interface Running {
  readonly scope: OperatorScope;
  readonly id: number;
  readonly performerId: number;
  readonly file: string;
  readonly stream: string;
  /** Null for a public recording. */
  readonly show: ShowKey | null;
  readonly startedAt: Date;
  readonly recording: OutputRecording;
  /** State of the performer's space as last sent to the tabs. */
  space: SpaceState;
}

/** An inserted recording that has not started yet. */
interface Prepared {
  readonly id: number;
  readonly stream: string;
  readonly maxBytes: number;
  readonly startedAt: Date;
}
export type StartRefusal = RefusalOf<typeof startRecording>;

/** A show, and the performer's consent to its recording. */
export interface RecordedShow extends ShowKey {
  /** The show's stream: nothing is recorded once the broadcast has another one. */
  readonly stream: string;
  /** Topic of the show; empty without one. */
  readonly title: string;
  readonly consentAt: Date;
  readonly consentVersion: number;
}
const modeOf = ({ show }: Pick<Running, 'show'>): RecordingMode => show?.mode ?? 'public';

/** A performer's space for recordings. */
export interface Space {
  readonly usedBytes: number;
  readonly quotaBytes: number;
  readonly state: SpaceState;
}

/**
 * Starts and ends recordings. Each records one stream by name. A broadcast that ends or moves changes its
 * stream name, so nothing beyond the consent is recorded.
 */
export class Recorder {
  readonly #deps: RecordingsDependencies;
  readonly #files: VideoFiles;
  readonly #tapes: OutputRecordings;
  readonly #turns = new Turns();
  /** Keyed by id; at most one per performer. */
  readonly #running = new Map<number, Running>();
  #stopWatching: (() => void) | null = null;

  constructor(deps: RecordingsDependencies, files: VideoFiles, outputRecordings: OutputRecordings) {
    this.#deps = deps;
    this.#files = files;
    this.#tapes = outputRecordings;
  }

  /** Recovers recordings after a crash, then monitors the space of running ones. */
  async open(): Promise<void> {
    const { data, site, onError } = this.#deps;
    for (const operatorId of await site.operators()) await this.#recover({ operatorId });
    this.#stopWatching = data.clock.every('recordings.space', SPACE_CHECK_MS, () => {
      for (const running of this.#running.values()) {
        const { scope, performerId } = running;
        this.#turns.take(turnOf(scope, performerId), () => this.#checkSpace(running)).catch(onError);
      }
    });
  }

  async close(): Promise<void> {
    this.#stopWatching?.();
    for (const { scope, performerId } of this.#running.values()) await this.stop(scope, performerId);
    await this.idle();
  }

  /** Resolves when everything reported so far is saved. */
  idle(): Promise<void> {
    return this.#turns.idle();
  }

  /**
   * Starts recording the performer's broadcast, after the performer has consented.
   * @param show the show to record; null for a public broadcast
   */
  start(
    scope: OperatorScope,
    performerId: number,
    show: RecordedShow | null = null,
  ): Promise<{ refused: StartRefusal } | { id: number; startedAt: Date }> {
    return this.#turns.take(turnOf(scope, performerId), async () => {
      const { data } = this.#deps;
      const quota = await quotaOf(this.#deps, scope);
      const freeBytes = await this.#files.prepare(scope.operatorId);
      if (freeBytes < MIN_RECORDING_BYTES) return { refused: recordingUnavailable };
      const file = randomId();
      const prepared = await data.tx(scope, (tx) => this.#prepare(tx, performerId, { file, quota, show }));
      if ('refused' in prepared) return prepared;
      const { id, stream, startedAt } = prepared;
      const options = {
        file: this.#files.pathOf(scope.operatorId, file),
        maxMs: MAX_RECORDING_MS,
        maxBytes: Math.min(prepared.maxBytes, freeBytes),
      };
      try {
        const recording = await this.#tapes.record(
          stream,
          options,
          (end) => this.#ended(scope, performerId, id, end),
        );
        const running: Running = {
          scope,
          id,
          performerId,
          file,
          stream,
          startedAt,
          recording,
          space: 'ok',
          show: show && { mode: show.mode, showId: show.showId },
        };
        this.#running.set(id, running);
        running.space = await this.#sendChange(scope, performerId);
        return { id, startedAt };
      } catch (error) {
        await this.#forget(scope, performerId, id);
        if (!(error instanceof OutputRefused)) throw error;
        return { refused: error.code === 'stream_offline' ? notLive : recordingUnavailable };
      }
    });
  }

  /** Records the stream of a show, unless it is being recorded already or cannot be. */
  async startShow(scope: OperatorScope, performerId: number, show: RecordedShow): Promise<void> {
    // An earlier recording of the public broadcast receives no more media.
    await this.stopUnlessOnAir(scope, performerId);
    const running = this.#runningOf(scope, performerId);
    if (!isShow(show, running?.show ?? null)) await this.start(scope, performerId, show);
  }

  /** Ends the recording of a show; it is complete and saved when this resolves. */
  async endShow(scope: OperatorScope, performerId: number, show: ShowKey): Promise<void> {
    const running = this.#runningOf(scope, performerId);
    if (isShow(show, running?.show ?? null)) await this.stop(scope, performerId, show.mode);
    // Another call, or a report, may just be saving it.
    await this.#turns.take(turnOf(scope, performerId), async () => {});
  }

  /**
   * Ends a performer's running recording; false without one. The file is complete when it resolves.
   * @param only the mode to end; a recording of any other mode continues
   */
  async stop(scope: OperatorScope, performerId: number, only?: RecordingMode): Promise<boolean> {
    const running = this.#runningOf(scope, performerId);
    if (!running || (only !== undefined && modeOf(running) !== only)) return false;
    await running.recording.stop();
    // The report of its end may arrive before or after this; only the first one is saved.
    await this.#turns.take(turnOf(scope, performerId), () => this.#close(running, null));
    return true;
  }

  /** Ends a performer's recording unless its stream is still on air for the same viewers. */
  async stopUnlessOnAir(scope: OperatorScope, performerId: number): Promise<void> {
    const running = this.#runningOf(scope, performerId);
    if (!running) return;
    const { stream, mode } = await this.#deps.data.tx(
      scope,
      (tx) => this.#deps.broadcast.viewOf(tx, performerId),
    );
    if (stream !== running.stream || mode !== modeOf(running)) await this.stop(scope, performerId);
  }

  /**
   * Deletes a recording and its file at once, even while it runs; false if the performer has none with this
   * id. A show of which a part was deleted is not recorded any further, and its running part is deleted too.
   */
  delete(scope: OperatorScope, performerId: number, id: number): Promise<boolean> {
    return this.#turns.take(turnOf(scope, performerId), async () => {
      const deleted = await this.#forget(scope, performerId, id, true);
      if (!deleted) return false;
      const running = this.#runningOf(scope, performerId);
      const show = showOf(deleted);
      if (running && (running.id === id || (show && isShow(show, running.show)))) await this.#drop(running);
      await this.#sendChange(scope, performerId);
      return true;
    });
  }

  /** Stops recording a show whose recording was withdrawn, and deletes what was recorded. */
  async dropShow(scope: OperatorScope, performerId: number, show: ShowKey): Promise<void> {
    await this.#turns.take(turnOf(scope, performerId), async () => {
      const running = this.#runningOf(scope, performerId);
      if (!running || !isShow(show, running.show)) return;
      await this.#drop(running);
      await this.#sendChange(scope, performerId);
    });
  }

  /** Deletes a running recording, if it still exists, and stops it. Runs in the performer's turn. */
  async #drop({ scope, id, performerId, file, recording }: Running): Promise<void> {
    this.#running.delete(id);
    await this.#forget(scope, performerId, id);
    // The recorder still has the deleted file open, so it is stopped afterwards.
    await recording.stop();
    await this.#files.remove(scope.operatorId, file);
  }

  /** A performer's space, including the running recording. */
  async spaceOf(scope: OperatorScope, performerId: number): Promise<Space> {
    const quotaBytes = await quotaOf(this.#deps, scope);
    const stored = await this.#deps.data.tx(scope, (tx) => storedBytes(tx, performerId));
    const usedBytes = stored + await this.runningBytes(scope, performerId);
    return { usedBytes, quotaBytes, state: spaceState(usedBytes, quotaBytes) };
  }

  /** Size of the running recording in bytes. */
  async runningBytes(scope: OperatorScope, performerId: number): Promise<number> {
    const running = this.#runningOf(scope, performerId);
    return running ? this.#files.sizeOf(scope.operatorId, running.file) : 0;
  }

  #runningOf({ operatorId }: OperatorScope, performerId: number): Running | null {
    const all = [...this.#running.values()];
    return all.find((one) => one.scope.operatorId === operatorId && one.performerId === performerId) ?? null;
  }

  async #prepare(
    tx: Tx,
    performerId: number,
    { file, quota, show }: {
      readonly file: string;
      readonly quota: number;
      readonly show: RecordedShow | null;
    },
  ): Promise<{ refused: StartRefusal } | Prepared> {
    const { broadcast, compliance } = this.#deps;
    if (await findRunning(tx, performerId)) return { refused: recordingRuns };
    const { state, stream, title, broadcastId, mode } = await broadcast.viewOf(tx, performerId);
    const clearanceId = await compliance.clearanceOf(tx, performerId);
    if (state !== 'online' || stream === null || broadcastId === null) return { refused: notLive };
    // Only the agreed mode is recorded, and without a clearance nothing may be on air.
    const agreed: RecordingMode = show?.mode ?? 'public';
    if (mode !== agreed || clearanceId === null) return { refused: notLive };
    // This may already be the stream of the next show, to which the consent does not apply.
    if (show !== null && show.stream !== stream) return { refused: notLive };
    const parts = show ? await partsOfShow(tx, show) : [];
    if (parts.length >= MAX_SHOW_PARTS) return { refused: recordingSpaceFull };
    const maxBytes = quota - await storedBytes(tx, performerId);
    if (maxBytes < MIN_RECORDING_BYTES) return { refused: recordingSpaceFull };
    const consentVersion = show?.consentVersion ?? RECORDING_CONSENT_VERSION;
    const id = await insertRecording(tx, {
      performerId,
      broadcastId,
      file,
      title: show?.title ?? title,
      show,
      consentAt: show?.consentAt ?? tx.now,
      consentVersion,
      people: [{ performerId, clearanceId }],
    });
    await tx.audit({
      action: 'recordings.start',
      actorId: performerId,
      subject: `person:${performerId}`,
      detail: { recordingId: id, consentVersion, mode: agreed, showId: show?.showId ?? null },
    });
    return { id, stream, maxBytes, startedAt: tx.now };
  }

  /** Runs in turn, so that a recording that ends while starting is registered first. */
  #ended(scope: OperatorScope, performerId: number, id: number, end: RecordingEnd): void {
    const close = async (): Promise<void> => {
      const running = this.#running.get(id);
      if (running) await this.#close(running, end);
    };
    this.#turns.take(turnOf(scope, performerId), close).catch(this.#deps.onError);
  }

  /** Saves the result of a recording, once; without a report of its end, reads it from the file. */
  async #close(running: Running, end: RecordingEnd | null): Promise<void> {
    const { scope, id, performerId, file } = running;
    if (!this.#running.delete(id)) return;
    // After an error only the file shows what is complete.
    const result = end && end.reason !== 'fault'
      ? resultOf(end)
      : await this.#readResult(scope, file, end?.reason ?? 'stopped');
    await this.#write(scope, { id, performerId, file }, result);
    await this.#sendChange(scope, performerId);
  }

  /** The result as read from a file; null if no part of it can be played. */
  async #readResult(
    { operatorId }: OperatorScope,
    file: string,
    reason: RecordingResult['reason'],
  ): Promise<RecordingResult | null> {
    const whole = await this.#files.repair(operatorId, file);
    return whole && { ...whole, reason, state: reason === 'stopped' ? 'ready' : 'interrupted' };
  }

  /** Saves a result; deletes a recording that is empty. */
  async #write(
    scope: OperatorScope,
    { id, performerId, file }: Pick<StoredRecording, 'id' | 'performerId' | 'file'>,
    result: RecordingResult | null,
  ): Promise<void> {
    await this.#deps.data.tx(scope, async (tx) => {
      if (result && result.durationMs > 0) await closeRecording(tx, id, result);
      else await deleteRecording(tx, performerId, id);
    });
    if (!result || result.durationMs === 0) await this.#files.remove(scope.operatorId, file);
  }

  /**
   * Deletes row and file; null without such a recording.
   * @param isWithdrawn the performer deleted it, so other people who may watch it must be notified
   */
  async #forget(
    scope: OperatorScope,
    performerId: number,
    id: number,
    isWithdrawn = false,
  ): Promise<Pick<StoredRecording, 'mode' | 'showId'> | null> {
    const deleted = await this.#deps.data.tx(scope, async (tx) => {
      const found = await findRecording(tx, performerId, id);
      if (!found) return null;
      const show = showOf(found);
      const isHeld = isWithdrawn && await this.#isEvidence(tx, found);
      if (show && isWithdrawn) {
        await tx.publish(showRecordingDeleted, `performer:${performerId}`, { performerId, ...show });
      }
      if (isWithdrawn) await tx.publish(recordingDeleted, `performer:${performerId}`, { performerId, id });
      await tx.audit({
        action: 'recordings.delete',
        actorId: performerId,
        subject: `person:${performerId}`,
        detail: { recordingId: id },
      });
      if (isHeld) await insertEvidence(tx, found, judgedOf(found));
      await deleteRecording(tx, performerId, id);
      return { ...found, isHeld };
    });
    if (deleted && !deleted.isHeld) await this.#files.remove(scope.operatorId, deleted.file);
    return deleted;
  }

  /** Whether somebody still has to judge a recording: then its file stays, for those people only. */
  async #isEvidence(tx: Tx, recording: StoredRecording): Promise<boolean> {
    if (recording.state === 'recording') return false;
    const judged = judgedOf(recording);
    await lockShow(tx, judged);
    for (const judges of this.#deps.extensions.all(evidence)) {
      if (await judges(tx, recording.performerId, judged)) return true;
    }
    return false;
  }

  /** Notifies the performer when the running recording has changed the state of the space. */
  async #checkSpace(running: Running): Promise<void> {
    const { scope, id, performerId } = running;
    if (!this.#running.has(id)) return;
    if ((await this.spaceOf(scope, performerId)).state === running.space) return;
    running.space = await this.#sendChange(scope, performerId);
  }

  async #sendChange(scope: OperatorScope, performerId: number): Promise<SpaceState> {
    const space = await this.spaceOf(scope, performerId);
    const running = this.#runningOf(scope, performerId);
    await this.#deps.data.tx(scope, async (tx) => {
      await tx.send(personChannel(performerId), recordingsChanged, {
        running: running && { id: running.id, startedAt: running.startedAt.toISOString() },
        space,
      });
      await tx.publish(recordingChanged, `performer:${performerId}`, { performerId });
    });
    return space.state;
  }

  /** Closes the recordings that the previous process left running, and deletes orphaned files. */
  async #recover(scope: OperatorScope): Promise<void> {
    const { data } = this.#deps;
    let after = 0;
    for (;;) {
      const page = await data.tx(scope, (tx) => pageOfRunning(tx, after, RECOVERY_PAGE));
      for (const one of page) await this.#write(scope, one, await this.#readResult(scope, one.file, 'lost'));
      if (page.length < RECOVERY_PAGE) break;
      after = page.at(-1)?.id ?? 0;
    }
    const files = await this.#files.list(scope.operatorId);
    for (let at = 0; at < files.length; at += RECOVERY_PAGE) {
      const some = files.slice(at, at + RECOVERY_PAGE);
      const known = await data.tx(
        scope,
        async (tx) => new Set([...await knownFiles(tx, some), ...await evidenceFiles(tx, some)]),
      );
      for (const file of some) if (!known.has(file)) await this.#files.remove(scope.operatorId, file);
    }
  }
}

const resultOf = ({ reason, bytes, durationMs, width, height }: RecordingEnd): RecordingResult => ({
  reason,
  bytes,
  durationMs,
  state: 'ready',
  width: width || null,
  height: height || null,
});
