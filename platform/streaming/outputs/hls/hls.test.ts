import { describe, expect, it } from 'vitest';
import { Dice } from '../../conformance/network/dice.ts';
import type { HlsWindow } from '../outputs.ts';
import { skewsOf } from '../trial/analyzer/analyzer.ts';
import { eventually, outputStage } from '../trial/analyzer/stage.ts';

const staged = outputStage();
const MAX_SKEW_MS = 80;

const continuous = ({ segments }: HlsWindow): HlsWindow['segments'] => {
  const begin = segments.findLastIndex(({ discontinuity }) => discontinuity);
  return segments.slice(Math.max(0, begin));
};

/** Each test has its own stream and waits for live media, so they run concurrently. */
describe.concurrent('HLS', () => {
  it('plays from every segment on its own, and on from one to the next', async () => {
    const { feed, window, bytes, analyzer, outputs } = staged();
    await feed('plays');
    const { segments, ...rest } = await window('plays', 'four segments', (seen) => seen.segments.length >= 4);
    expect(rest).toMatchObject({ codecs: 'avc1.42c01f,mp4a.40.2', width: 640, height: 360 });
    // The first segment is the rest of one group of pictures plus the next group.
    expect([2, 3]).toContain(rest.targetDurationSeconds);
    let count = 0;
    for (const segment of segments) {
      const alone = await analyzer.inspect(await bytes('plays', [segment]));
      expect(alone.broken).toBe(0);
      expect(alone.pictures.length).toBeGreaterThan(0);
      count += alone.pictures.length;
    }
    const whole = await analyzer.inspect(await bytes('plays', segments));
    expect([whole.pictures.length, whole.broken]).toEqual([count, 0]);
    // The first segment begins with the running group of pictures, which is sent at once.
    const live = whole.pictures.filter(({ atMs }) => atMs >= segments[0]!.durationMs);
    const steps = live.slice(1).map(({ atMs }, i) => atMs - live[i]!.atMs);
    for (const step of steps) expect(Math.abs(step - 1_000 / 15)).toBeLessThan(15);
    // The meter of fetched segments needs to know which segment a file is.
    expect((await outputs.readHls('plays', segments[0]!.name))?.segment).toEqual(segments[0]);
    expect((await outputs.readHls('plays', segments[0]!.init))?.segment).toBeNull();
    await outputs.forget('plays');
  });

  it('keeps lips and words together, though the sound comes 300 ms later than the picture', async () => {
    const { feed, window, bytes, analyzer, outputs } = staged();
    await feed('in-step', { loop: await analyzer.flashAndBeep(4), framesPerSecond: 30, soundDelayMs: 300 });
    const { segments } = await window('in-step', 'five segments', (seen) => seen.segments.length >= 5);
    const skews = skewsOf(await analyzer.inspect(await bytes('in-step', segments.slice(1))));
    expect(skews.length).toBeGreaterThanOrEqual(3);
    for (const skew of skews) expect(Math.abs(skew)).toBeLessThan(MAX_SKEW_MS);
    await outputs.forget('in-step');
  });

  it('has silence where a publisher sends no sound', async () => {
    const { feed, window, bytes, analyzer, outputs } = staged();
    await feed('mute', { silent: true });
    const { segments } = await window('mute', 'two segments', (seen) => seen.segments.length >= 2);
    const { sound } = await analyzer.inspect(await bytes('mute', segments));
    expect(sound!.loudness.length).toBeGreaterThan(100);
    expect(Math.max(...sound!.loudness)).toBe(0);
    await outputs.forget('mute');
  });

  it('shows no damaged picture when packets are lost, doubled and out of order', async () => {
    const { feed, window, bytes, analyzer, outputs } = staged();
    const dice = new Dice(5);
    let retained: Buffer | null = null;
    await feed('bad-line', {
      video: (packet) => {
        const late = retained;
        retained = null;
        if (dice.below(100) === 0) return late ? [late] : [];
        if (dice.below(10) === 0) return [packet, packet, ...(late ? [late] : [])];
        if (late || dice.below(5) > 0) return [packet, ...(late ? [late] : [])];
        retained = packet;
        return [];
      },
    });
    const seen = await window('bad-line', 'four segments', ({ segments }) => segments.length >= 4);
    const { broken, pictures } = await analyzer.inspect(await bytes('bad-line', continuous(seen)));
    expect(broken).toBe(0);
    expect(pictures.length).toBeGreaterThan(30);
    await outputs.forget('bad-line');
  });

  it('goes on with another publisher and other pictures behind a discontinuity', async () => {
    const { feed, window, bytes, analyzer, outputs } = staged();
    const first = await feed('changes');
    const before = await window('changes', 'two segments', ({ segments }) => segments.length >= 2);
    first.close();
    await feed('changes', { loop: await analyzer.flashAndBeep(2, 160), framesPerSecond: 30 });
    const after = await window(
      'changes',
      'the other size',
      ({ segments, width }) =>
        width === 160 && segments.filter(({ init }) => init === segments.at(-1)!.init).length >= 2,
    );
    expect(after.mediaSequence).toBe(before.mediaSequence);
    expect(after.segments[0]).toEqual(before.segments[0]);
    const begin = after.segments.findIndex(({ discontinuity }) => discontinuity);
    expect(begin).toBeGreaterThanOrEqual(2);
    expect(after.segments[begin]!.init).not.toBe(after.segments[begin - 1]!.init);
    const [old, fresh] = [after.segments.slice(0, begin), after.segments.slice(begin)];
    const widths = async (segments: HlsWindow['segments']): Promise<Set<number>> =>
      new Set((await analyzer.inspect(await bytes('changes', segments))).pictures.map(({ width }) => width));
    expect([await widths(old), await widths(fresh)]).toEqual([new Set([640]), new Set([160])]);
    await outputs.forget('changes');
  });

  it('comes back by itself when its process is killed, and says so', async () => {
    const { feed, window, outputs, report } = staged();
    await feed('killed');
    const before = await window('killed', 'two segments', ({ segments }) => segments.length >= 2);
    const pid = outputs.pids().hls.get('killed')!;
    process.kill(pid, 'SIGKILL');
    const { detail } = await report('fault', ({ what }) => what === 'HLS of killed');
    expect(detail).toBe('exit SIGKILL');
    const after = await window(
      'killed',
      'more segments',
      ({ segments }) => segments.some(({ discontinuity }) => discontinuity),
    );
    expect(after.segments[0]).toEqual(before.segments[0]);
    expect(outputs.pids().hls.get('killed')).not.toBe(pid);
    expect(await outputs.readHls('killed', before.segments[0]!.name)).not.toBeNull();
    await outputs.forget('killed');
  });

  it('is asked by many at once and runs once', async () => {
    const { feed, outputs } = staged();
    await feed('many');
    const windows = await Promise.all(Array.from({ length: 20 }, () => outputs.openHls('many')));
    expect(new Set(windows.map(({ segments }) => segments[0]!.name)).size).toBe(1);
    await outputs.forget('many');
  });

  it('reads nothing but its own files, whatever is asked for', async () => {
    const { feed, outputs } = staged();
    await feed('closed');
    const { segments } = await outputs.openHls('closed');
    const names = [
      '',
      '.',
      '..',
      '../../secret',
      `./${segments[0]!.name}`,
      `${segments[0]!.name}.part`,
      `../closed/${segments[0]!.name}`,
      '/etc/passwd',
      'nul\0byte',
    ];
    for (const name of names) expect(await outputs.readHls('closed', name)).toBeNull();
    expect(await outputs.readHls('other', segments[0]!.name)).toBeNull();
    await outputs.forget('closed');
  });

  it('ends when the stream is stopped, and refuses until somebody publishes again', async () => {
    const { feed, outputs, engine } = staged();
    await feed('stopped');
    await outputs.openHls('stopped');
    await engine.stop('stopped');
    await eventually('its process has gone', () => (outputs.pids().hls.has('stopped') ? null : true));
    await expect(outputs.openHls('stopped')).rejects.toMatchObject({ code: 'stream_offline' });
    await feed('stopped');
    expect((await outputs.openHls('stopped')).segments.length).toBeGreaterThan(0);
    await outputs.forget('stopped');
  });
});
