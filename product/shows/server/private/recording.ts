import { subscribe, type DeadlineHandler, type Subscription } from '#platform/contract/bind.ts';
import { topicPersonChannel } from '#platform/contract/event.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { Turns } from '#platform/streaming/turns.ts';
import { broadcastResumed, broadcastStarted } from '#product/broadcast/contract.ts';
import type { NoticeKind } from '#product/notices/rules.ts';
import { recordingChanged, showRecordingDeleted } from '#product/recordings/contract.ts';
import type { ShowKey } from '#product/recordings/rules.ts';
import type { RecordingsService } from '#product/recordings/server.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { privateRecordingChanged } from '../../contract/private-running.ts';
import { privateRecordingPath, UNFINISHED_PAGE } from '../../rules/private.ts';
import {
  changePrivate,
  findAllRunning,
  findPrivate,
  findRunning,
  findUnfinished,
  readPrivate,
  type PrivateChange,
  type PrivateRow,
} from '../../store/privates.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { namesOf, recordingState } from './views.ts';

/** Notice to the viewer of a private show that its recording can be watched. */
export const RECORDING_READY: NoticeKind = {
  name: 'shows:notices.privateRecordingReady',
  channels: ['app', 'email', 'push'],
  usual: ['app'],
};
/** When the recording of a show that is over is completed, even if a process died in the meantime. */
const RECORDING_DUE = 'shows.privateRecording';

const keyOf = (showId: number): ShowKey => ({ mode: 'private', showId });
type Agreed = Parameters<RecordingsService['recordShow']>[2];

/** Schedules the recording's completion, in the unit of work that ended the show. */
export async function scheduleRecording(tx: Tx, row: PrivateRow): Promise<void> {
  if (row.recording_performer_at === null) return;
  await tx.schedule({ kind: RECORDING_DUE, key: String(row.id), at: tx.now });
}

/**
 * Recordings of private shows to which both agreed: of the show's own stream, from its first second to its
 * end. Nobody who performs or watches waits for them, and a show continues if it cannot be recorded.
 */
export class PrivateRecordings {
  readonly #deps: ShowsDependencies;
  readonly #turns = new Turns();

  constructor(deps: ShowsDependencies) {
    this.#deps = deps;
  }

  /** Resumes the recordings of shows that a restart interrupted. */
  async start(): Promise<void> {
    const { data, site } = this.#deps;
    for (const operatorId of await site.operators()) {
      const rows = await data.tx({ operatorId }, findAllRunning);
      for (const row of rows) if (row.phase === 'running') this.record({ operatorId }, row.performer_id);
      await this.#completeAll({ operatorId });
    }
  }

  /** Resolves when no work on recordings is left. */
  settled(): Promise<void> {
    return this.#turns.idle();
  }

  /**
   * Records the running show of a performer, unless it is being recorded already or somebody has not agreed.
   */
  record(scope: OperatorScope, performerId: number): void {
    this.#later(scope, performerId, async () => {
      const { data, recordings } = this.#deps;
      const agreed = await data.tx(scope, (tx) => this.#agreed(tx, performerId));
      if (!agreed) return;
      try {
        await recordings.recordShow(scope, performerId, agreed);
      } finally {
        await this.#note(scope, performerId, true);
      }
    });
  }

  /** Ends the recording of a show that is over, and notifies both people of the result. */
  complete(scope: OperatorScope, { id, performer_id: performerId }: PrivateRow): void {
    this.#later(scope, performerId, () => this.#complete(scope, id));
  }

  subscriptions(): Subscription[] {
    const again = ({ operatorId, payload: { performerId } }: {
      readonly operatorId: number;
      readonly payload: { readonly performerId: number };
    }): Promise<void> => Promise.resolve(this.record({ operatorId }, performerId));
    return [
      // An interruption ended the recording: it continues as another part.
      subscribe(broadcastStarted, 'shows.privateRecordingStarted')(again),
      subscribe(broadcastResumed, 'shows.privateRecordingResumed')(again),
      subscribe(recordingChanged, 'shows.privateRecordingChanged')(({ operatorId, payload }) =>
        this.#note({ operatorId }, payload.performerId, false)
      ),
      subscribe(showRecordingDeleted, 'shows.privateRecordingDeleted')(async ({ operatorId, payload }) => {
        const { performerId, showId, mode } = payload;
        if (mode !== 'private') return;
        await this.#deps.data.tx({ operatorId }, (tx) => this.#withdraw(tx, performerId, showId));
        // A part may have begun since the deletion.
        await this.#note({ operatorId }, performerId, false);
      }),
    ];
  }

  deadline(): DeadlineHandler {
    return {
      kind: RECORDING_DUE,
      handle: async ({ operatorId, key }) => {
        const show = await this.#deps.data.tx({ operatorId }, (tx) => readPrivate(tx, Number(key)));
        if (!show) return;
        await this.#inTurn({ operatorId }, show.performer_id, () => this.#complete({ operatorId }, show.id));
      },
    };
  }

  /** Includes shows whose deadline has failed too often to be delivered again. */
  async #completeAll(scope: OperatorScope): Promise<void> {
    let after = 0;
    for (;;) {
      const rows = await this.#deps.data.tx(scope, (tx) => findUnfinished(tx, after));
      for (const row of rows) this.complete(scope, row);
      if (rows.length < UNFINISHED_PAGE) return;
      after = rows.at(-1)?.id ?? after;
    }
  }

  #inTurn(scope: OperatorScope, performerId: number, work: () => Promise<void>): Promise<void> {
    return this.#turns.take(`${scope.operatorId}:${performerId}`, work);
  }

  #later(scope: OperatorScope, performerId: number, work: () => Promise<void>): void {
    this.#inTurn(scope, performerId, work).catch(this.#deps.onError);
  }

  /**
   * The running show of a performer and its stream, if both agreed and nothing of the recording was deleted.
   */
  async #agreed(tx: Tx, performerId: number): Promise<Agreed | null> {
    const row = await findRunning(tx, 'performer_id', performerId);
    if (row?.phase !== 'running' || row.recording_withdrawn_at !== null) return null;
    const { recording_performer_at: consentAt, recording_performer_version: consentVersion } = row;
    const { stream, mode } = await this.#deps.broadcast.viewOf(tx, performerId);
    if (consentAt === null || consentVersion === null || stream === null || mode !== 'private') return null;
    // No title, because the viewer's name in it would outlive their account.
    return { ...keyOf(row.id), stream, title: '', consentAt, consentVersion };
  }

  /**
   * Stores whether the running show is being recorded, and notifies both people if that has changed. Drops
   * what was recorded after the performer withdrew the recording.
   * @param isTried recording was tried: a show that is not being recorded now cannot be
   */
  async #note(scope: OperatorScope, performerId: number, isTried: boolean): Promise<void> {
    const { data, recordings } = this.#deps;
    const withdrawn = await data.tx(scope, async (tx) => {
      const running = await findRunning(tx, 'performer_id', performerId);
      const row = running && await findPrivate(tx, running.id);
      if (row?.phase !== 'running' || row.recording_performer_at === null) return null;
      const parts = await recordings.showPartsOf(tx, keyOf(row.id));
      const isRecorded = parts.some(({ isRunning }) => isRunning);
      if (row.recording_withdrawn_at !== null) return isRecorded ? row.id : null;
      if (isRecorded === (row.is_recorded ?? (isTried ? null : false))) return null;
      await this.#change(tx, row, { is_recorded: isRecorded });
      return null;
    });
    if (withdrawn !== null) await recordings.dropShow(scope, performerId, keyOf(withdrawn));
  }

  async #complete(scope: OperatorScope, showId: number): Promise<void> {
    const { data, recordings } = this.#deps;
    const isOpen = (row: PrivateRow | null): row is PrivateRow =>
      row?.phase === 'ended' && row.recording_performer_at !== null && row.recorded_ms === null;
    const show = await data.tx(scope, (tx) => readPrivate(tx, showId));
    if (!isOpen(show)) return;
    await recordings.endShow(scope, show.performer_id, keyOf(showId));
    await data.tx(scope, async (tx) => {
      const row = await findPrivate(tx, showId);
      if (!isOpen(row)) return;
      const parts = await recordings.showPartsOf(tx, keyOf(showId));
      // The deadline is delivered again once the parts left by a dead process are closed.
      if (parts.some(({ isRunning }) => isRunning)) throw new Error(`show ${showId} is still being recorded`);
      const recordedMs = parts.reduce((sum, { durationMs }) => sum + durationMs, 0);
      const changed = await this.#change(tx, row, { recorded_ms: recordedMs });
      if (recordingState(changed) === 'ready') await this.#noticeReady(tx, changed);
    });
  }

  /**
   * A performer who deletes a part of a recording withdraws all of it, and this show is not recorded again.
   */
  async #withdraw(tx: Tx, performerId: number, showId: number): Promise<void> {
    const row = await findPrivate(tx, showId);
    if (row?.performer_id !== performerId || row.recording_performer_at === null) return;
    if (row.recording_withdrawn_at !== null) return;
    await this.#change(tx, row, {
      recording_withdrawn_at: tx.now,
      is_recorded: row.is_recorded === null ? null : false,
    });
  }

  /** Stores what happened to a recording, and notifies both people. */
  async #change(tx: Tx, row: PrivateRow, change: PrivateChange): Promise<PrivateRow> {
    const changed = await changePrivate(tx, row.id, change);
    const state = recordingState(changed);
    if (state === null) return changed;
    const { viewer_id: viewer, performer_id: performer } = row;
    const nameOf = await namesOf(this.#deps.accounts, tx, [viewer, performer]);
    for (const personId of [viewer, performer]) {
      await tx.send(topicPersonChannel(roomTopic(performer), personId), privateRecordingChanged, {
        username: nameOf(viewer),
        broadcaster: nameOf(performer),
        requested_at: row.requested_at.toISOString(),
        recording_state: state,
      });
    }
    return changed;
  }

  /** No notice for viewers who may no longer enter the room: they may not watch the recording. */
  async #noticeReady(
    tx: Tx,
    { id, viewer_id: personId, performer_id: performerId }: PrivateRow,
  ): Promise<void> {
    const { accounts, notices, rooms } = this.#deps;
    const performer = await accounts.findById(tx, performerId);
    const isReached = (await rooms.reachable(tx, performerId, [personId])).has(personId);
    if (!performer || !isReached) return;
    await notices.notify(tx, {
      personId,
      kind: RECORDING_READY.name,
      values: { name: performer.displayName, username: performer.username },
      link: privateRecordingPath(id),
      once: `private recording:${id}`,
    });
  }
}
