import { describe, expect, it } from 'vitest';
import { TestTap } from '../../conformance/local/local-peers.ts';
import { FRAME } from '../../local/frames.ts';
import { LocalLink } from '../../local/local-link.ts';
import { startsKeyframe, timestampOf } from '../../wire/rtp.ts';
import type { HlsWindow } from '../outputs.ts';
import { skewsOf } from '../trial/analyzer/analyzer.ts';
import { eventually, outputStage, type OutputStage } from '../trial/analyzer/stage.ts';
import { encodingOf, sizeAt } from './encoding.ts';

const staged = outputStage({ maxRenditions: 10 });
const MAX_SKEW_MS = 80;

const isGone = (stage: OutputStage, name: string): Promise<true> =>
  eventually(`${name} has gone`, () => (stage.outputs.pids().renditions.has(name) ? null : true));
const live = ({ segments }: HlsWindow): HlsWindow['segments'] => segments.slice(1);

describe('the size of a rendition', () => {
  it('keeps the shape, has even sides, and never grows', () => {
    expect(sizeAt({ width: 1_280, height: 720 }, 360)).toEqual({ width: 640, height: 360 });
    expect(sizeAt({ width: 720, height: 1_280 }, 480)).toEqual({ width: 270, height: 480 });
    expect(sizeAt({ width: 641, height: 361 }, 360).width % 2).toBe(0);
    expect(sizeAt({ width: 320, height: 240 }, 720)).toEqual({ width: 320, height: 240 });
    expect(sizeAt({ width: 4_096, height: 16 }, 120)).toEqual({ width: 4_096, height: 16 });
  });

  it('decides its rate: smaller ones need less', () => {
    const rates = [120, 240, 360, 480, 720, 1_080].map((height) =>
      encodingOf(sizeAt({ width: 1_920, height: 1_080 }, height)).bitsPerSecond
    );
    expect(rates).toEqual(rates.toSorted((a, b) => a - b));
    expect(rates.at(-1)).toBeLessThanOrEqual(2_500_000);
  });
});

/** Runs alone: two concurrent encodings would distort its measurement. */
describe('a rendition measured', () => {
  it('is a stream like any other, smaller, with its lips in step', async () => {
    const stage = staged();
    const { outputs, analyzer } = stage;
    await stage.feed(
      'small',
      { loop: await analyzer.flashAndBeep(4), framesPerSecond: 30, soundDelayMs: 250 },
    );
    expect(await outputs.rendition('small', 120)).toBe('small~120');
    const seen = await stage.window('small~120', 'five segments', ({ segments }) => segments.length >= 5);
    expect([seen.width, seen.height]).toEqual([160, 120]);
    const inside = await analyzer.inspect(await stage.bytes('small~120', live(seen)));
    expect(inside.broken).toBe(0);
    expect(new Set(inside.pictures.map(({ width }) => width))).toEqual(new Set([160]));
    // Nearly every frame of the source: 30 a second.
    const spanMs = inside.pictures.at(-1)!.atMs - inside.pictures[0]!.atMs;
    expect(inside.pictures.length).toBeGreaterThan((spanMs / 1_000) * 24);
    const skews = skewsOf(inside);
    expect(skews.length).toBeGreaterThanOrEqual(3);
    for (const skew of skews) expect(Math.abs(skew)).toBeLessThan(MAX_SKEW_MS);
    for (const { durationMs } of live(seen)) expect(durationMs).toBeLessThan(2_600);
    await outputs.forget('small');
  });

  it('has its segments where those of its source are, which come earlier', async () => {
    const stage = staged();
    await stage.feed('placed');
    await stage.outputs.rendition('placed', 180);
    const sizes = ['placed~180', 'placed'];
    await Promise.all(sizes.map((name) => stage.outputs.openHls(name)));
    const startsOf = ({ segments }: HlsWindow): number[] => segments.slice(2).map(({ startsAt }) => startsAt);
    const [small, source] = await Promise.all(
      sizes.map((name) => stage.window(name, 'seven segments', ({ segments }) => segments.length >= 7)),
    );
    // They are cut at the same keyframes. One may be a segment ahead.
    const own = startsOf(source!);
    const apart = startsOf(small!).map((at) => Math.min(...own.map((other) => Math.abs(other - at))));
    expect(apart.filter((ms) => ms < 10).length).toBeGreaterThanOrEqual(3);
    await stage.outputs.forget('placed');
  });
});

/** Each test has its own stream and waits for live media, so they run concurrently. */
describe.concurrent('a rendition', () => {
  it('plays from a keyframe for who joins', async () => {
    const stage = staged();
    await stage.feed('joined');
    await stage.outputs.rendition('joined', 180);
    const tap = await TestTap.at(stage.engine.local, 'joined~180');
    const view = await tap.seen.until(
      'pictures and sound come',
      ({ videoPackets, audioPackets }) => videoPackets > 20 && audioPackets > 10,
    );
    expect(view).toMatchObject({ beganWithKeyframe: true, timeWentBack: 0, jumps: 0 });
    tap.close();
    await stage.outputs.forget('joined');
  });

  it('has sender reports, whether its source has or not', async () => {
    const stage = staged();
    for (const unreported of [false, true]) {
      const name = `reports-${unreported}`;
      await stage.feed(name, { unreported });
      const source = await TestTap.at(stage.engine.local, name);
      const tap = await TestTap.at(stage.engine.local, await stage.outputs.rendition(name, 180));
      await tap.seen.until('reports come', ({ senderReports }) => senderReports > 1);
      expect(source.seen.value!.senderReports > 0).toBe(!unreported);
      source.close();
      tap.close();
      await stage.outputs.forget(name);
    }
  });

  it('has keyframes where its source has them, and when a viewer wants one', async () => {
    const stage = staged();
    await stage.feed('wanted');
    const ticket = await stage.engine.local.tap(await stage.outputs.rendition('wanted', 180));
    const begins: number[] = [];
    let wanting = false;
    const link = new LocalLink(ticket, {
      ready: () => undefined,
      media: (type, packet) => {
        if (type !== FRAME.video || !startsKeyframe('H264', packet)) return;
        if (timestampOf(packet) === begins.at(-1)) return;
        begins.push(timestampOf(packet));
        if (wanting) link.requestKeyframe();
      },
      gone: () => undefined,
    });
    const intervals = (): number[] =>
      begins.slice(1).map((at, i) => Math.round(((at - begins[i]!) | 0) / 90));
    // The first may hold frames sent at once on joining; the others are two seconds apart.
    await eventually('keyframes of the source', () => (begins.length >= 4 ? true : null));
    for (const ms of intervals().slice(1)) expect(Math.abs(ms - 2_000)).toBeLessThan(20);
    wanting = true;
    await eventually('a keyframe in between', () => intervals().find((ms, i) => i > 1 && ms < 1_900) ?? null);
    link.close();
    await stage.outputs.forget('wanted');
  });

  it('is made once for all who ask, and ends at once when its stream is forgotten', async () => {
    const stage = staged();
    await stage.feed('once');
    const names = await Promise.all(Array.from({ length: 10 }, () => stage.outputs.rendition('once', 180)));
    expect(new Set(names)).toEqual(new Set(['once~180']));
    const pid = stage.outputs.pids().renditions.get('once~180')!;
    await stage.outputs.openHls('once~180');
    await stage.outputs.forget('once');
    expect(() => process.kill(pid, 0)).toThrow();
    expect(stage.outputs.pids().hls.has('once~180')).toBe(false);
    await expect(stage.outputs.openHls('once~180')).rejects.toMatchObject({ code: 'stream_offline' });
    expect(await stage.outputs.rendition('once', 180)).toBe('once~180');
    await stage.outputs.forget('once');
  });

  it('ends with its source', async () => {
    const stage = staged();
    await stage.feed('ends');
    await stage.outputs.rendition('ends', 180);
    await stage.engine.stop('ends');
    await isGone(stage, 'ends~180');
    await expect(stage.outputs.rendition('ends', 180)).rejects.toMatchObject({ code: 'stream_offline' });
  });

  it('says when its process is killed, and comes back when it is asked for again', async () => {
    const stage = staged();
    await stage.feed('killed');
    const name = await stage.outputs.rendition('killed', 180);
    process.kill(stage.outputs.pids().renditions.get(name)!, 'SIGKILL');
    await stage.report('fault', ({ what }) => what === `rendition of ${name}`);
    await eventually('it is there again', () => stage.outputs.rendition('killed', 180).catch(() => null));
    expect((await stage.outputs.openHls(name)).segments.length).toBeGreaterThan(0);
    await stage.outputs.forget('killed');
  });

  it('is not made of what is not there, nor in sizes nobody wants', async () => {
    const { outputs } = staged();
    await expect(outputs.rendition('nobody', 360)).rejects.toMatchObject({ code: 'stream_offline' });
    for (const height of [0, 119, 1_081, 360.5, Number.NaN]) {
      await expect(outputs.rendition('nobody', height)).rejects.toThrow(RangeError);
    }
    await expect(outputs.rendition('nobody~360', 180)).rejects.toThrow(RangeError);
  });
});
