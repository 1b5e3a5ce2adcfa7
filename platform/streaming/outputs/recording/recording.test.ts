import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { childEntry } from '../../child-entry.ts';
import { skewsOf } from '../trial/analyzer/analyzer.ts';
import type { OutputStage } from '../trial/analyzer/stage.ts';
import { eventually, outputStage } from '../trial/analyzer/stage.ts';

const staged = outputStage();
const UNLIMITED = { maxBytes: 1e9, maxMs: 3_600_000 };
const MAX_SKEW_MS = 80;

const fileOf = ({ folder }: OutputStage, name: string): string => join(folder, `${name}.mp4`);
const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);
const grows = (file: string, beyond: number): Promise<number> =>
  eventually(`${file} grows`, () => (sizeOf(file) > beyond ? sizeOf(file) : null));
const endOf = async (stage: OutputStage, id: string) =>
  (await stage.report('recording_ended', ({ end }) => end.recording === id)).end;
const isGone = (pid: number): true | null => {
  try {
    process.kill(pid, 0);
    return null;
  } catch {
    return true;
  }
};

/** Each test has its own stream and waits for live media, so they run concurrently. */
describe.concurrent('a recording', () => {
  it('holds what was sent, picture and sound in step, and says how much', async () => {
    const stage = staged();
    const file = fileOf(stage, 'held');
    const loop = await stage.analyzer.flashAndBeep(4);
    await stage.feed('held', { loop, framesPerSecond: 30, soundDelayMs: 250 });
    const recording = await stage.outputs.record('held', { file, ...UNLIMITED });
    await grows(file, 40_000);
    await recording.stop();
    const end = await endOf(stage, recording.id);
    expect(end).toMatchObject({ reason: 'stopped', bytes: statSync(file).size, width: 320, height: 240 });
    const seen = await stage.analyzer.inspectFile(file);
    expect(seen.broken).toBe(0);
    const last = seen.pictures.at(-1)!;
    expect(Math.abs(last.atMs - end.durationMs)).toBeLessThan(100);
    const skews = skewsOf(seen).slice(1, -1);
    expect(skews.length).toBeGreaterThanOrEqual(2);
    for (const skew of skews) expect(Math.abs(skew)).toBeLessThan(MAX_SKEW_MS);
    // The header has the duration in milliseconds, after version, times and timescale.
    const head = readFileSync(file).subarray(0, 200);
    expect(head.readUInt32BE(head.indexOf('mvhd') + 20)).toBe(end.durationMs);
  });

  it('is playable after its process was killed', async () => {
    const stage = staged();
    const file = fileOf(stage, 'killed');
    await stage.feed('killed');
    const recording = await stage.outputs.record('killed', { file, ...UNLIMITED });
    await grows(file, 150_000);
    process.kill(stage.outputs.pids().recordings.get(recording.id)!, 'SIGKILL');
    const end = await endOf(stage, recording.id);
    expect(end).toMatchObject({ reason: 'fault', bytes: statSync(file).size });
    await stage.report('fault', ({ what }) => what === 'recording of killed');
    const { pictures, broken } = await stage.analyzer.inspectFile(file);
    expect(broken).toBe(0);
    // Nothing that was reported as recorded is missing.
    expect(pictures.at(-1)!.atMs).toBeGreaterThanOrEqual(end.durationMs - 100);
    expect(pictures.length).toBeGreaterThanOrEqual(((end.durationMs - 2_000) / 1_000) * 15);
    await recording.stop();
  });

  it('is whole after the process that ordered it was killed, and its own process ends', async () => {
    const stage = staged();
    const file = fileOf(stage, 'orphaned');
    await stage.feed('orphaned');
    const entry = childEntry(import.meta.url, '../trial/recorder-parent-child');
    const parent = fork(entry.path, [], { execArgv: [...entry.execArgv] });
    parent.send({ directory: join(stage.folder, 'orphan'), file });
    expect(await once(parent, 'message')).toEqual(['ticket', undefined]);
    parent.send(await stage.engine.local.tap('orphaned'));
    const [pid] = await once(parent, 'message') as [number];
    await grows(file, 100_000);
    parent.kill('SIGKILL');
    await eventually('the recording process has gone', () => isGone(pid));
    const { pictures, broken } = await stage.analyzer.inspectFile(file);
    expect(broken).toBe(0);
    const head = readFileSync(file).subarray(0, 200);
    const durationMs = head.readUInt32BE(head.indexOf('mvhd') + 20);
    expect(Math.abs(pictures.at(-1)!.atMs - durationMs)).toBeLessThan(150);
  });

  it('goes on when its publisher comes back, in the same file and in time', async () => {
    const stage = staged();
    const file = fileOf(stage, 'returns');
    const first = await stage.feed('returns');
    const recording = await stage.outputs.record('returns', { file, ...UNLIMITED });
    await grows(file, 80_000);
    first.close();
    await stage.feed('returns', { loop: await stage.analyzer.flashAndBeep(2, 160), framesPerSecond: 30 });
    await grows(file, sizeOf(file) + 20_000);
    await recording.stop();
    const end = await endOf(stage, recording.id);
    expect(end.reason).toBe('stopped');
    const { pictures, broken } = await stage.analyzer.inspectFile(file);
    expect(broken).toBe(0);
    expect(new Set(pictures.map(({ width }) => width))).toEqual(new Set([640, 160]));
    for (const [i, { atMs }] of pictures.slice(1).entries()) expect(atMs).toBeGreaterThan(pictures[i]!.atMs);
    expect(Math.abs(pictures.at(-1)!.atMs - end.durationMs)).toBeLessThan(100);
  });

  it('ends by itself at its limits, whole', async () => {
    const stage = staged();
    await stage.feed('limited');
    const [small, short] = [fileOf(stage, 'small'), fileOf(stage, 'short')];
    const [bytes, time] = await Promise.all([
      stage.outputs.record('limited', { file: small, maxBytes: 120_000, maxMs: 1e9 }),
      stage.outputs.record('limited', { file: short, maxBytes: 1e9, maxMs: 2_500 }),
    ]);
    expect(await endOf(stage, bytes.id)).toMatchObject({ reason: 'full', bytes: statSync(small).size });
    expect(statSync(small).size).toBeLessThanOrEqual(120_000);
    const end = await endOf(stage, time.id);
    expect(end.reason).toBe('full');
    expect(end.durationMs).toBeLessThanOrEqual(2_600);
    for (const file of [small, short]) expect((await stage.analyzer.inspectFile(file)).broken).toBe(0);
    await Promise.all([bytes.stop(), time.stop()]);
    expect(stage.outputs.pids().recordings.has(bytes.id)).toBe(false);
  });

  it('ends with its stream', async () => {
    const stage = staged();
    const file = fileOf(stage, 'stopped');
    await stage.feed('stopped');
    const recording = await stage.outputs.record('stopped', { file, ...UNLIMITED });
    await grows(file, 50_000);
    await stage.engine.stop('stopped');
    const end = await endOf(stage, recording.id);
    expect(end).toMatchObject({ reason: 'source', bytes: statSync(file).size });
    expect((await stage.analyzer.inspectFile(file)).broken).toBe(0);
  });

  it('is refused where it cannot be, and leaves what is there alone', async () => {
    const stage = staged();
    await stage.feed('refused');
    const file = fileOf(stage, 'taken');
    writeFileSync(file, 'somebody else\'s');
    await expect(stage.outputs.record('refused', { file, ...UNLIMITED }))
      .rejects.toMatchObject({ code: 'unavailable' });
    expect(readFileSync(file, 'utf8')).toBe('somebody else\'s');
    await expect(stage.outputs.record('refused', { file: join(stage.folder, 'none/x.mp4'), ...UNLIMITED }))
      .rejects.toMatchObject({ code: 'unavailable' });
    await expect(stage.outputs.record('nobody', { file: fileOf(stage, 'nobody'), ...UNLIMITED }))
      .rejects.toMatchObject({ code: 'stream_offline' });
    expect(existsSync(fileOf(stage, 'nobody'))).toBe(false);
  });
});
