import { systemClock, VirtualClock } from '#platform/data/clock.ts';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IDLE_MS } from './limits.ts';
import { createOutputs, MediaOutputs } from './media-outputs.ts';
import { probeLibrary } from './probe.ts';
import { eventually, outputStage } from './trial/analyzer/stage.ts';

const clock = new VirtualClock();
const staged = outputStage({ clock, maxHlsRooms: 2, maxRecordings: 1, maxRenditions: 1 });
const UNLIMITED = { maxBytes: 1e9, maxMs: 1e9 };

describe('the outputs', () => {
  it('say what this machine can do', () => {
    const features = staged().outputs.features();
    expect(features.map(({ name, on }) => [name, on])).toEqual(
      ['HLS', 'Recording', 'Thumbnails', 'Renditions'].map((name) => [name, true]),
    );
    expect(features[0]!.detail).toContain('at most 2 streams');
  });

  it('say why nothing is possible where the library does not load, and refuse it', async () => {
    const { engine, folder } = staged();
    const trouble = await probeLibrary({ path: join(folder, 'none.js'), execArgv: [] }, systemClock);
    expect(trouble).toMatch(/ends its process/);
    const options = { local: engine.local, directory: join(folder, 'off') };
    const outputs = new MediaOutputs(options, systemClock, trouble);
    for (const { on, detail } of outputs.features()) {
      expect(on).toBe(false);
      expect(detail).toContain('node-av does not run here');
    }
    outputs.watch(['any']);
    expect(await outputs.picture('any', 'thumbnail')).toBeNull();
    expect(await outputs.readHls('any', 'any')).toBeNull();
    for (const asked of [
      outputs.openHls('any'),
      outputs.rendition('any', 360),
      outputs.picture('any', 'preview'),
      outputs.record('any', { file: join(folder, 'x.mp4'), ...UNLIMITED }),
    ]) await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    await outputs.forget('any');
    await outputs.close();
  });

  it('remove what an earlier run left', async () => {
    const { engine, folder } = staged();
    const directory = join(folder, 'left');
    mkdirSync(join(directory, 'hls/old'), { recursive: true });
    writeFileSync(join(directory, 'hls/old/0.m4s'), 'of yesterday');
    const outputs = await createOutputs({ local: engine.local, directory });
    expect(existsSync(join(directory, 'hls'))).toBe(false);
    await outputs.close();
  });

  it('refuse one more than they may make at once', async () => {
    const { feed, outputs, folder } = staged();
    await feed('bounded');
    await feed('bounded-too');
    await outputs.rendition('bounded', 180);
    await expect(outputs.rendition('bounded', 120)).rejects.toMatchObject({ code: 'overloaded' });
    const recording = await outputs.record('bounded', { file: join(folder, 'one.mp4'), ...UNLIMITED });
    await expect(outputs.record('bounded', { file: join(folder, 'two.mp4'), ...UNLIMITED }))
      .rejects.toMatchObject({ code: 'overloaded' });
    await recording.stop();
    await (await outputs.record('bounded', { file: join(folder, 'two.mp4'), ...UNLIMITED })).stop();
    await outputs.forget('bounded');
    expect(await outputs.rendition('bounded-too', 120)).toBe('bounded-too~120');
    await outputs.forget('bounded-too');
  });

  it('stop what nobody needed for half a minute, and nothing that is needed', async () => {
    const { feed, outputs, folder } = staged();
    await Promise.all([feed('idle'), feed('busy')]);
    await outputs.rendition('busy', 180);
    await Promise.all([outputs.openHls('idle'), outputs.openHls('busy~180')]);
    for (let passed = 0; passed < IDLE_MS; passed += 5_000) {
      clock.advance(5_000);
      // Reading its HLS is enough to need the rendition, although nobody asks for the rendition itself.
      await outputs.openHls('busy~180');
    }
    clock.advance(5_000);
    await eventually('the idle one has gone', () => (outputs.pids().hls.has('idle') ? null : true));
    expect(outputs.pids().renditions.has('busy~180')).toBe(true);
    const { segments } = await outputs.openHls('busy~180');
    expect(await outputs.readHls('busy~180', segments[0]!.name)).not.toBeNull();
    clock.advance(35_000);
    await eventually(
      'everything has gone',
      () => (outputs.pids().hls.size + outputs.pids().renditions.size === 0 ? true : null),
    );
    const left = (): string[] => readdirSync(join(folder, 'outputs/hls'));
    await eventually('and its files', () => (left().length === 0 ? true : null));
  });

  it('retain the last segments of an ended stream for half a minute, though nobody reads', async () => {
    const { feed, window, outputs, engine, folder } = staged();
    await feed('over');
    await window('over', 'two segments', (seen) => seen.segments.length >= 2);
    // The last segment a player had is from some time before the end.
    clock.advance(5_000);
    await Promise.all([engine.stop('over'), outputs.forget('over', true)]);
    const { segments } = await outputs.openHls('over', true);
    expect(segments.length).toBeGreaterThanOrEqual(2);
    const left = (): string[] => readdirSync(join(folder, 'outputs/hls'));
    for (let seconds = 5; seconds <= 30; seconds += 5) clock.advance(5_000);
    expect((await outputs.openHls('over', true)).segments).toEqual(segments);
    for (const { name } of segments) {
      expect((await outputs.readHls('over', name))?.bytes.length, name).toBeGreaterThan(0);
    }
    expect(left()).toHaveLength(1);
    // 35 seconds.
    clock.advance(5_000);
    await expect(outputs.openHls('over', true)).rejects.toMatchObject({ code: 'stream_offline' });
    for (const { name } of segments) expect(await outputs.readHls('over', name)).toBeNull();
    await eventually('its files have gone', () => (left().length === 0 ? true : null));
  });

  it('end with all they started', async () => {
    const { feed, engine, folder } = staged();
    await feed('closing');
    const outputs = await createOutputs({ local: engine.local, directory: join(folder, 'closing') });
    const file = join(folder, 'closing.mp4');
    await outputs.record('closing', { file, ...UNLIMITED });
    outputs.watch(['closing']);
    await Promise.all([outputs.openHls('closing'), outputs.rendition('closing', 120)]);
    const { hls, renditions, recordings } = outputs.pids();
    const pids = [...hls.values(), ...renditions.values(), ...recordings.values()];
    expect(pids).toHaveLength(3);
    await outputs.close();
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow();
    expect(readdirSync(join(folder, 'closing/hls'))).toEqual([]);
    expect(existsSync(file)).toBe(true);
  });
});
