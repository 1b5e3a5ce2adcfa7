import { API_BASE } from '#platform/contract/client.ts';
import { readRecordedFile } from '#platform/streaming/wire/files/recorded-file.ts';
import { endBroadcast } from '#product/broadcast/contract.ts';
import { decideClearance } from '#product/compliance/contract.ts';
import { playbackOf } from '#product/testkit/media/media-client.ts';
import { recordingsAgain } from '#product/testkit/media/recordings-again.ts';
import { createSite, type Member, type TestSite } from '#product/testkit/site.ts';
import { sql } from 'kysely';
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  deleteRecording,
  listRecordings,
  recordingsChanged,
  startRecording,
  stopRecording,
} from './contract.ts';
import { MAX_RECORDING_MS, MIN_RECORDING_BYTES, RECORDING_CONSENT_VERSION } from './rules.ts';

const MIB = 1024 ** 2;
let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());
const quota = (bytes: number | null): Promise<void> =>
  site.tx((tx) => site.services.site.configure(tx, { recordingQuotaBytes: bytes }, null));
beforeEach(() => quota(null));

const streamOf = async (performer: Member): Promise<string> =>
  (await playbackOf(await site.viewer(), performer)).stream;
const filesOf = (): string[] => {
  const folder = join(site.folder, 'kept', '1');
  return existsSync(folder) ? readdirSync(folder) : [];
};
const fileOf = (id: number): Promise<string> =>
  site.tx(async (tx) => {
    const { rows } = await sql<{ file: string }>`select file from recordings.recordings where id = ${id}`
      .execute(tx.sql());
    return join(site.folder, 'kept', '1', `${rows[0]?.file}.mp4`);
  });

/** Goes live and records some seconds. Returns the recording's id. */
async function records(performer: Member, seconds: number, bytesPerSecond = 0): Promise<number> {
  const { id } = await performer.call(startRecording, { consent: true });
  site.outputs.film(await streamOf(performer), seconds, bytesPerSecond);
  await performer.call(stopRecording, {});
  return id;
}

describe('recording', () => {
  it('starts with consent, and is stored with it and with the people in it', async () => {
    const performer = await site.performer({ live: true });
    const at = site.clock.now().toISOString();
    const { id, startedAt } = await performer.call(startRecording, { consent: true });
    expect(startedAt).toBe(at);
    site.outputs.film(await streamOf(performer), 12);
    site.clock.advance(12_400);
    const running = await performer.call(listRecordings, {});
    expect(running).toMatchObject({ running: id, recordings: [{ id, state: 'recording', seconds: 12 }] });
    expect(running.recordings[0]?.bytes).toBe(statSync(await fileOf(id)).size);
    await performer.call(stopRecording, {});
    const { recordings, space } = await performer.call(listRecordings, {});
    const clearance = await site.tx((tx) => site.services.compliance.clearanceOf(tx, performer.id));
    expect(recordings).toEqual([{
      id,
      title: '',
      mode: 'public',
      state: 'ready',
      startedAt: at,
      seconds: 12,
      bytes: statSync(await fileOf(id)).size,
      width: 640,
      height: 360,
      consent: { at, version: RECORDING_CONSENT_VERSION },
      isOfflineVideo: false,
      people: [{ username: performer.username, clearance_id: clearance }],
    }]);
    expect(space).toMatchObject({ usedBytes: recordings[0]?.bytes, state: 'ok' });
    expect(await readRecordedFile(await fileOf(id))).toMatchObject({ durationMs: 12_000 });
  });

  it('is refused without consent, offline, twice, and where recording is unavailable', async () => {
    const performer = await site.performer();
    const begin = (consent = true) => performer.refused(startRecording, { consent });
    expect(await begin()).toMatchObject({ status: 409, errorType: 'not_live' });
    await performer.goesLive();
    expect(await begin(false)).toMatchObject({ status: 422, errorType: 'recording_consent_missing' });
    const outdated = RECORDING_CONSENT_VERSION - 1;
    expect(await performer.refused(startRecording, { consent: true, consent_version: outdated }))
      .toMatchObject({ status: 409, errorType: 'recording_consent_outdated' });
    for (const input of [{}, { consent: 'yes' }, { consent: 1 }]) {
      expect((await performer.refused(startRecording, input)).errorType).toBe('invalid_input');
    }
    for (const code of ['overloaded', 'unavailable', 'unsupported_codec'] as const) {
      site.outputs.refuseWith(code);
      expect(await begin()).toMatchObject({ status: 429, errorType: 'recording_unavailable' });
    }
    site.outputs.refuseWith('stream_offline');
    expect((await begin()).errorType).toBe('not_live');
    site.outputs.refuseWith(null);
    expect(await performer.call(listRecordings, {})).toMatchObject({ recordings: [], running: null });
    await performer.call(startRecording, { consent: true });
    expect(await begin()).toMatchObject({ status: 409, errorType: 'recording_runs' });
    const [first, second] = await Promise.all([begin(), begin()]);
    expect([first?.errorType, second?.errorType]).toEqual(['recording_runs', 'recording_runs']);
    await performer.call(stopRecording, {});
    expect((await performer.refused(stopRecording, {})).errorType).toBe('recording_unknown');
  });

  it('leaves nothing behind when no media arrived', async () => {
    const performer = await site.performer({ live: true });
    const before = filesOf().length;
    await performer.call(startRecording, { consent: true });
    await performer.call(stopRecording, {});
    expect((await performer.call(listRecordings, {})).recordings).toEqual([]);
    expect(filesOf()).toHaveLength(before);
  });

  it('ends with the broadcast, whatever the reason', async () => {
    const admin = await site.admin();
    const ends: ((performer: Member) => Promise<unknown>)[] = [
      (performer) => performer.call(endBroadcast, {}),
      async (performer) => {
        site.engine.drop(await streamOf(performer), 'silent');
        await site.settle();
        await site.passes(30_000);
      },
      ({ username }) => admin.call(decideClearance, { username, decision: 'revoke', reason: 'a test' }),
      ({ id }) =>
        site.tx((tx) =>
          site.services.accounts.suspend(tx, id, {
            suspended: true,
            actorId: null,
            reason: 'a test',
          })
        ),
    ];
    for (const end of ends) {
      const performer = await site.performer({ live: true });
      const { id } = await performer.call(startRecording, { consent: true });
      site.outputs.film(await streamOf(performer), 3);
      await end(performer);
      await site.settle();
      const { rows } = await site.tx((tx) =>
        sql`select state, reason, duration_ms::int as ms
        from recordings.recordings where id = ${id}`.execute(tx.sql())
      );
      expect(rows).toEqual([{ state: 'ready', reason: 'source', ms: 3_000 }]);
      expect(site.outputs.recordings).toEqual([]);
    }
  });

  it('never continues into a private show, and never starts in one', async () => {
    const performer = await site.performer({ live: true });
    const { id } = await performer.call(startRecording, { consent: true });
    site.outputs.film(await streamOf(performer), 5);
    await site.services.broadcast.move(site.scope, performer.id, 'private');
    await site.settle();
    expect(site.outputs.recordings).toEqual([]);
    expect(await performer.call(listRecordings, {})).toMatchObject({
      running: null,
      recordings: [{ id, state: 'ready', seconds: 5 }],
    });
    expect((await performer.refused(startRecording, { consent: true })).errorType).toBe('not_live');
    const asIfPrivate = site.tx((tx) =>
      sql`update recordings.recordings set mode = 'private'
      where id = ${id}`.execute(tx.sql())
    );
    await expect(asIfPrivate).rejects.toThrow(/check constraint/);
    // As a ticket show's recording only its buyers may see it: it cannot become the offline video in any way.
    await expect(site.tx(async (tx) => {
      await sql`update recordings.recordings set mode = 'limited', show_id = 1 where id = ${id}`
        .execute(tx.sql());
      await sql`insert into recordings.choices (operator_id, performer_id, offline_recording_id)
        values (1, ${performer.id}, ${id})`.execute(tx.sql());
    })).rejects.toThrow(/foreign key/u);
    await site.services.broadcast.move(site.scope, performer.id, 'public');
    await site.settle();
    expect(site.outputs.recordings).toEqual([]);
    await performer.call(startRecording, { consent: true });
  });

  it('survives an interruption of the broadcast', async () => {
    const performer = await site.performer({ live: true });
    const { id } = await performer.call(startRecording, { consent: true });
    await site.passes(1_000);
    await site.settle();
    expect((await performer.call(listRecordings, {})).running).toBe(id);
  });

  it('is not ended by a late fact of the previous broadcast', async () => {
    const performer = await site.performer({ live: true });
    await performer.call(endBroadcast, {});
    // The fact is delivered only while the next broadcast is being recorded.
    const key = await site.tx((tx) => site.services.broadcast.makeStreamKey(tx, performer.id));
    await site.rtmp.publishes(key);
    site.engine.arrive();
    await site.services.broadcast.settled();
    const { id } = await performer.call(startRecording, { consent: true });
    await site.settle();
    expect((await performer.call(listRecordings, {})).running).toBe(id);
  });

  it('ends at the maximum length', async () => {
    const performer = await site.performer({ live: true });
    await performer.call(startRecording, { consent: true });
    const [running] = site.outputs.recordings.slice(-1);
    expect(running?.options.maxMs).toBe(MAX_RECORDING_MS);
  });

  it('is sent to the performer\'s own tabs only', async () => {
    const performer = await site.performer({ live: true });
    const tab = await site.socketOf(await site.anotherTabOf(performer));
    const other = await site.socketOf(await site.performer());
    const { id, startedAt } = await performer.call(startRecording, { consent: true });
    await site.settle();
    expect(await tab.waitFor(recordingsChanged)).toMatchObject({
      running: { id, startedAt },
      space: { state: 'ok' },
    });
    site.outputs.film(await streamOf(performer), 2);
    await performer.call(stopRecording, {});
    await site.settle();
    expect((await tab.waitFor(recordingsChanged, ({ running }) => running === null)).space.usedBytes)
      .toBeGreaterThan(0);
    expect(other.received(recordingsChanged)).toEqual([]);
  });
});

describe('space', () => {
  it('is limited by the operator, with a warning before it is full', async () => {
    await quota(100 * MIB);
    const performer = await site.performer({ live: true });
    const tab = await site.socketOf(performer);
    const stream = await streamOf(performer);
    await performer.call(startRecording, { consent: true });
    expect(site.outputs.recordings.at(-1)?.options.maxBytes).toBe(100 * MIB);
    site.outputs.film(stream, 8, 10 * MIB);
    await site.passes(10_000);
    expect((await performer.call(listRecordings, {})).space.state).toBe('ok');
    site.outputs.film(stream, 1, 10 * MIB);
    await site.passes(10_000);
    await site.settle();
    const near = await tab.waitFor(recordingsChanged, ({ space }) => space.state === 'near');
    expect(near.space.quotaBytes).toBe(100 * MIB);
    expect(near.running).not.toBeNull();
    site.outputs.film(stream, 5, 10 * MIB);
    await site.settle();
    const full = await tab.waitFor(recordingsChanged, ({ space }) => space.state === 'full');
    expect(full.running).toBeNull();
    const { recordings, space } = await performer.call(listRecordings, {});
    expect([recordings[0]?.state, recordings[0]?.seconds, space.state]).toEqual(['ready', 10, 'full']);
    expect(await performer.refused(startRecording, { consent: true })).toMatchObject({
      status: 409,
      errorType: 'recording_space_full',
    });
    // The remaining space limits the next recording.
    await performer.call(deleteRecording, { id: recordings[0]?.id ?? 0 });
    await records(performer, 6, 10 * MIB);
    await performer.call(startRecording, { consent: true });
    const left = site.outputs.recordings.at(-1)?.options.maxBytes ?? 0;
    expect(left).toBeLessThan(40 * MIB);
    expect(left).toBeGreaterThan(39 * MIB);
  });

  it('is counted per performer', async () => {
    await quota(2 * MIN_RECORDING_BYTES);
    const [one, other] = [await site.performer({ live: true }), await site.performer({ live: true })];
    await records(one, 1, 1.5 * MIN_RECORDING_BYTES);
    expect((await one.refused(startRecording, { consent: true })).errorType).toBe('recording_space_full');
    await other.call(startRecording, { consent: true });
  });
});

describe('after a crash', () => {
  it('closes running recordings from their files, and deletes orphaned files', async () => {
    const [cut, empty, gone] = [
      await site.performer({ live: true }),
      await site.performer({ live: true }),
      await site.performer({ live: true }),
    ];
    const ids: number[] = [];
    for (const performer of [cut, empty, gone]) {
      ids.push((await performer.call(startRecording, { consent: true })).id);
    }
    const [cutFile = '', emptyFile = '', goneFile = ''] = await Promise.all(ids.map(fileOf));
    site.outputs.film(await streamOf(cut), 9);
    site.outputs.film(await streamOf(gone), 9);
    truncateSync(cutFile, statSync(cutFile).size - 100);
    unlinkSync(goneFile);
    const orphan = join(site.folder, 'kept', '1', `${'x'.repeat(22)}.mp4`);
    writeFileSync(orphan, 'nobody knows me');
    const restarted = recordingsAgain(site);
    await restarted.start?.();
    const { recordings } = await cut.call(listRecordings, {});
    expect(recordings).toMatchObject([{ state: 'interrupted', seconds: 8, width: 640, height: 360 }]);
    expect(statSync(cutFile).size).toBe(recordings[0]?.bytes);
    expect(await readRecordedFile(cutFile)).toMatchObject({ bytes: recordings[0]?.bytes, durationMs: 8_000 });
    const { rawPayload } = await cut.request({ url: `${API_BASE}/video/recordings/${ids[0]}/file` });
    expect(rawPayload.equals(readFileSync(cutFile))).toBe(true);
    for (const performer of [empty, gone]) {
      expect((await performer.call(listRecordings, {})).recordings).toEqual([]);
    }
    expect([existsSync(emptyFile), existsSync(orphan)]).toEqual([false, false]);
    await restarted.stop?.();
  });
});
