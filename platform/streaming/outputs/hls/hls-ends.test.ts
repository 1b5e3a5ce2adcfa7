import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { World } from '../../conformance/world.ts';
import { eventually, outputStage } from '../trial/analyzer/stage.ts';

const staged = outputStage({ maxHlsRooms: 4 });

describe('HLS that ends or never begins', () => {
  it('comes back when the relay is killed and the publisher returns', async () => {
    const { feed, window, outputs, engine } = staged();
    await feed('relay-lost');
    const before = await window('relay-lost', 'two segments', ({ segments }) => segments.length >= 2);
    process.kill(engine.relayPids()[0]!, 'SIGKILL');
    await eventually('the publisher is back', () => feed('relay-lost').then(() => true, () => null));
    const after = await window(
      'relay-lost',
      'more segments',
      ({ segments }) => segments.some(({ discontinuity }) => discontinuity),
    );
    expect(after.segments[0]).toEqual(before.segments[0]);
    await outputs.forget('relay-lost');
  });

  it('forgets a stream at once, on disk too, and begins afresh when it is opened again', async () => {
    const { feed, window, outputs, folder, bytes } = staged();
    await feed('forgotten');
    const { segments } = await window('forgotten', 'two segments', (seen) => seen.segments.length >= 2);
    const directory = join(folder, 'outputs/hls');
    expect(readdirSync(directory)).toHaveLength(1);
    const [old] = readdirSync(directory);
    const pid = outputs.pids().hls.get('forgotten')!;
    const reading = outputs.readHls('forgotten', segments[0]!.name);
    const forgetting = outputs.forget('forgotten');
    // From the call on nothing is readable; a read that began earlier may still have succeeded.
    expect(await outputs.readHls('forgotten', segments[1]!.name)).toBeNull();
    await forgetting;
    await reading;
    expect(existsSync(join(directory, old!))).toBe(false);
    expect(() => process.kill(pid, 0)).toThrow();
    const again = await outputs.openHls('forgotten');
    expect(again.segments.map(({ name }) => name)).not.toContain(segments[0]!.name);
    expect(again.mediaSequence).toBeGreaterThan(segments.length);
    await expect(bytes('forgotten', segments)).rejects.toThrow(/is not there/);
    await outputs.forget('forgotten');
    expect(readdirSync(directory)).toEqual([]);
  });

  it('has what an ended stream had last, until it is forgotten or published again', async () => {
    const { feed, window, outputs, engine, bytes } = staged();
    await feed('over');
    const before = await window('over', 'two segments', (seen) => seen.segments.length >= 2);
    const pid = outputs.pids().hls.get('over')!;
    await Promise.all([engine.stop('over'), outputs.forget('over', true)]);
    const { segments } = await outputs.openHls('over', true);
    // The segment that had begun when the stream ended is the last one.
    expect(segments.length).toBeGreaterThan(before.segments.length);
    expect(segments.slice(0, before.segments.length)).toEqual(before.segments);
    expect((await bytes('over', segments)).length).toBeGreaterThan(0);
    await eventually('its process has gone', () => {
      try {
        return process.kill(pid, 0) ? null : true;
      } catch {
        return true;
      }
    });
    await feed('over');
    const again = await outputs.openHls('over');
    expect(again.segments.map(({ name }) => name)).not.toContain(segments[0]!.name);
    expect(await outputs.readHls('over', segments[0]!.name)).toBeNull();
    await Promise.all([engine.stop('over'), outputs.forget('over', true)]);
    await outputs.forget('over');
    await expect(outputs.openHls('over', true)).rejects.toMatchObject({ code: 'stream_offline' });
    expect(await outputs.readHls('over', again.segments[0]!.name)).toBeNull();
  });

  it('refuses a stream that is offline, one of VP8, and one too many', async () => {
    const { feed, outputs, engine } = staged();
    await expect(outputs.openHls('nobody')).rejects.toMatchObject({ code: 'stream_offline' });
    const world = new World(engine, engine.local);
    try {
      await world.publish(world.peers(), 'vp8', 'anna', { codec: 'VP8' });
      await expect(outputs.openHls('vp8')).rejects.toMatchObject({ code: 'unsupported_codec' });
      await expect(outputs.openHls('vp8')).rejects.toMatchObject({ code: 'unsupported_codec' });
      expect(outputs.pids().hls.has('vp8')).toBe(false);
      await outputs.forget('vp8');
    } finally {
      await world.close();
    }
    const names = ['one', 'two', 'three', 'four', 'five'];
    await Promise.all(names.map((name) => feed(name)));
    await Promise.all(names.slice(0, 4).map((name) => outputs.openHls(name)));
    await expect(outputs.openHls('five')).rejects.toMatchObject({ code: 'overloaded' });
    await outputs.forget('one');
    expect((await outputs.openHls('five')).segments.length).toBeGreaterThan(0);
    await Promise.all(names.map((name) => outputs.forget(name)));
  });
});
