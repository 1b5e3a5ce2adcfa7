import { VirtualClock } from '#platform/data/clock.ts';
import { randomFillSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RTP_HEADER_BYTES, startsKeyframe, timestampOf } from '../../wire/rtp.ts';
import { eventually, outputStage } from '../trial/analyzer/stage.ts';
import { boxesOf } from '../trial/read-fragment.ts';
import { smallSize } from './sizes.ts';

const clock = new VirtualClock();
const staged = outputStage({ clock });

/** The same, with a schedule that runs faster than the streams. */
const inTime = <T>(what: string, ask: () => Promise<T | null>): Promise<T> =>
  eventually(what, () => {
    clock.advance(250);
    return ask();
  });

/** Width and height of a JPEG, from its start-of-frame segment. */
function sizeOfJpeg(bytes: Buffer): [number, number] {
  expect(bytes.readUInt16BE(0)).toBe(0xffd8);
  expect(bytes.readUInt16BE(bytes.length - 2)).toBe(0xffd9);
  for (let at = 2;; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at);
    if (marker === 0xffc0) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    expect(marker >> 8).toBe(0xff);
  }
}

/** Noise inside valid headers of packets and units. */
function junk(packet: Buffer): readonly Buffer[] {
  const noise = Buffer.from(packet);
  const aggregated = (noise[RTP_HEADER_BYTES]! & 31) === 24;
  if (!aggregated) randomFillSync(noise, RTP_HEADER_BYTES + 3);
  return [noise];
}

/** Drops every packet of a keyframe. */
function withoutKeyframes(): (packet: Buffer) => readonly Buffer[] {
  let left = -1;
  return (packet) => {
    if (startsKeyframe('H264', packet)) left = timestampOf(packet);
    return timestampOf(packet) === left ? [] : [packet];
  };
}

describe('the size of small pictures', () => {
  it('is 320 wide, whatever the source', () => {
    expect(smallSize({ width: 1_280, height: 720 })).toEqual({ width: 320, height: 180 });
    expect(smallSize({ width: 720, height: 1_280 })).toEqual({ width: 320, height: 568 });
    expect(smallSize({ width: 16, height: 4_096 })).toEqual({ width: 320, height: 640 });
    expect(smallSize({ width: 4_096, height: 2 })).toEqual({ width: 320, height: 2 });
  });
});

describe('live pictures', () => {
  it('come for all that are watched, beside streams of junk, and again after a kill', async () => {
    const { feed, outputs, report, reports } = staged();
    const thumbnail = (stream: string): Promise<Buffer | null> => outputs.picture(stream, 'thumbnail');
    await Promise.all([
      feed('good'),
      feed('noise', { video: junk }),
      feed('unwatched'),
      feed('other', { loop: 'neon' }),
    ]);
    expect(await thumbnail('good')).toBeNull();
    outputs.watch(['noise', 'good', 'nobody', 'other']);
    const picture = await inTime('a picture', () => thumbnail('good'));
    expect(sizeOfJpeg(picture)).toEqual([320, 180]);
    expect((await inTime('another picture', () => thumbnail('other'))).equals(picture)).toBe(false);
    for (const none of ['unwatched', 'nobody', 'noise']) expect(await thumbnail(none)).toBeNull();
    process.kill(outputs.pids().thumbnails!, 'SIGKILL');
    await report('fault', ({ what }) => what === 'thumbnails');
    const before = reports.length;
    await inTime(
      'a new picture',
      async () =>
        reports.slice(before).find((item) => item.kind === 'thumbnail' && item.stream === 'good') ?? null,
    );
    expect((await thumbnail('good'))!.equals(picture)).toBe(false);
  });

  it('are dropped when their stream is forgotten or no longer watched', async () => {
    const { feed, outputs } = staged();
    await Promise.all([feed('dropped'), feed('left')]);
    outputs.watch(['dropped', 'left']);
    for (const stream of ['dropped', 'left']) {
      await inTime('a picture', () => outputs.picture(stream, 'thumbnail'));
    }
    await outputs.forget('dropped');
    expect(await outputs.picture('dropped', 'thumbnail')).toBeNull();
    expect(await outputs.picture('left', 'thumbnail')).not.toBeNull();
    outputs.watch(['dropped']);
    expect(await outputs.picture('left', 'thumbnail')).toBeNull();
    outputs.watch([]);
  });
});

describe('previews', () => {
  it('are silent clips of three seconds, made once for all who ask and cached', async () => {
    const { feed, outputs, analyzer } = staged();
    await feed('clip');
    const clips = await Promise.all(Array.from({ length: 5 }, () => outputs.picture('clip', 'preview')));
    const clip = clips[0]!;
    for (const other of clips) expect(other).toBe(clip);
    expect(await outputs.picture('clip', 'preview')).toBe(clip);
    expect(boxesOf(clip).map(({ type }) => type)).toEqual(['ftyp', 'moov', 'moof', 'mdat']);
    const { pictures, sound, broken } = await analyzer.inspect(clip);
    expect([sound, broken]).toEqual([null, 0]);
    expect(new Set(pictures.map(({ width }) => width))).toEqual(new Set([320]));
    expect(pictures.length).toBeGreaterThan(25);
    expect(pictures.length).toBeLessThan(46);
    expect(pictures.at(-1)!.atMs).toBeGreaterThan(2_700);
    expect(pictures.at(-1)!.atMs).toBeLessThan(3_000);
    expect(clip.length).toBeLessThan(150_000);
    await outputs.forget('clip');
    const again = await outputs.picture('clip', 'preview');
    expect(again).not.toBe(clip);
  });

  it('wait for each other, no more than so many; ending one ends no other', async () => {
    const { feed, outputs, report } = staged();
    const names = Array.from({ length: 11 }, (_, i) => `queued-${i}`);
    await Promise.all([feed(names[0]!), feed(names[1]!)]);
    const first = outputs.picture(names[0]!, 'preview');
    const second = outputs.picture(names[1]!, 'preview');
    const rest = names.slice(2).map((name) => outputs.picture(name, 'preview'));
    const outcomes = Promise.allSettled(rest);
    await expect(rest.at(-1)).rejects.toMatchObject({ code: 'overloaded' });
    const [[forgotten]] = await Promise.all([Promise.allSettled([first]), outputs.forget(names[0]!)]);
    expect(forgotten).toMatchObject({ status: 'rejected', reason: { code: 'stream_offline' } });
    expect(await second).not.toBeNull();
    for (const { status } of await outcomes) expect(status).toBe('rejected');
    const killing = Promise.allSettled([outputs.picture(names[0]!, 'preview')]);
    process.kill(await eventually('its process', () => outputs.pids().previews ?? null), 'SIGKILL');
    expect((await killing)[0]).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    await report('fault', ({ what }) => what === `preview of ${names[0]}`);
    expect(await outputs.picture(names[0]!, 'preview')).not.toBeNull();
  });

  it('are refused of what is offline, and null of what never shows a whole picture', async () => {
    const { feed, outputs } = staged();
    await expect(outputs.picture('nobody', 'preview')).rejects.toMatchObject({ code: 'stream_offline' });
    await feed('blind', { video: withoutKeyframes() });
    expect(await outputs.picture('blind', 'preview')).toBeNull();
  });
});
