import { systemClock } from '#platform/data/clock.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childEntry } from '../../../child-entry.ts';
import type { LoopMedia } from '../../../loop-publisher/loop-media.ts';
import { readFrames } from '../../../wire/codecs/h264.ts';
import { opusTicks } from '../../../wire/files/ogg-opus.ts';
import { MediaChild } from '../../media-child.ts';
import {
  FLASH_MS,
  LOUDNESS_STEP_MS,
  type AnalyzerReply,
  type AnalyzerRequest,
  type DrawnMedia,
  type Inspection,
} from './messages.ts';

const PLAIN_WIDTH = 320;

interface Waiting {
  readonly resolve: (outcome: AnalyzerReply['outcome']) => void;
  readonly reject: (error: Error) => void;
}

/** Makes and analyses media for tests, in a process of its own. */
export class MediaAnalyzer {
  readonly folder = mkdtempSync(join(tmpdir(), 'candela-analyzer-'));
  readonly #child: MediaChild<AnalyzerRequest, AnalyzerReply>;
  readonly #waiting = new Map<number, Waiting>();
  #requests = 0;

  constructor() {
    this.#child = new MediaChild({
      entry: childEntry(import.meta.url, './analyzer-child'),
      settings: {},
      clock: systemClock,
      news: ({ request, outcome }) => this.#waiting.get(request)?.resolve(outcome),
      died: (detail) => {
        for (const { reject } of this.#waiting.values()) reject(new Error(`the analyzer died: ${detail}`));
      },
    });
  }

  /** What is in a file. */
  async inspectFile(file: string): Promise<Inspection> {
    const request = this.#requests += 1;
    const outcome = await this.#ask({ kind: 'inspect', request, file });
    if (!outcome) throw new Error(`${file} cannot be read`);
    return outcome as Inspection;
  }

  /** What is in a file of these bytes. */
  async inspect(bytes: Buffer): Promise<Inspection> {
    const file = join(this.folder, `${this.#requests}.mp4`);
    writeFileSync(file, bytes);
    return this.inspectFile(file);
  }

  /** A loop to publish, with a flash and a beep at the start of each second. */
  flashAndBeep(seconds: number, width = 320): Promise<LoopMedia> {
    return this.#draw(seconds, width, null);
  }

  /** A loop to publish, of one constant luma from 16 to 235, with a beep each second. */
  plain(seconds: number, light: number): Promise<LoopMedia> {
    return this.#draw(seconds, PLAIN_WIDTH, light);
  }

  async #draw(seconds: number, width: number, light: number | null): Promise<LoopMedia> {
    const request = this.#requests += 1;
    const { video, sound } = await this.#ask({ kind: 'draw', request, seconds, width, light }) as DrawnMedia;
    return {
      frames: readFrames(Buffer.from(video)),
      sound: sound.map((bytes) => ({ payload: Buffer.from(bytes), ticks: opusTicks(bytes) })),
    };
  }

  async close(): Promise<void> {
    await this.#child.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #ask(order: AnalyzerRequest): Promise<AnalyzerReply['outcome']> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(order.request, { resolve, reject });
      this.#child.send(order);
    });
  }
}

/** How much later each beep begins than the nearest flash, in milliseconds. */
export function skewsOf({ pictures, sound }: Inspection): number[] {
  const flashes = pictures.filter(({ light }, i) => light > 120 && (pictures[i - 1]?.light ?? 255) < 120);
  const loud = sound?.loudness.map((step) => step > 0.1) ?? [];
  const beeps = loud.flatMap((
    is,
    i,
  ) => (is && i > 0 && !loud[i - 1] ? [(sound?.fromMs ?? 0) + i * LOUDNESS_STEP_MS] : []));
  return flashes.flatMap(({ atMs }) => {
    const nearest = beeps.toSorted((a, b) => Math.abs(a - atMs) - Math.abs(b - atMs))[0];
    return nearest === undefined || Math.abs(nearest - atMs) > 1_000 - FLASH_MS ? [] : [nearest - atMs];
  });
}
