import { systemClock } from '#platform/data/clock.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { freeUdpPort } from '../../../conformance/network/free-port.ts';
import { createEmbeddedEngine, type EmbeddedEngine } from '../../../embedded/embedded-engine.ts';
import { createOutputs, type MediaOutputs, type MediaOutputsOptions } from '../../media-outputs.ts';
import type { HlsWindow, OutputReport } from '../../outputs.ts';
import { LoopFeed, type LoopFeedOptions } from '../loop-feed.ts';
import { MediaAnalyzer } from './analyzer.ts';

/** Long enough for a starved machine. */
const FACT_TIMEOUT_MS = 40_000;
const LOOK_AGAIN_MS = 100;

/** Asks again and again; resolves with the first answer that is not null. */
export async function eventually<T>(what: string, ask: () => T | null | Promise<T | null>): Promise<T> {
  const untilMs = performance.now() + FACT_TIMEOUT_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() > untilMs) throw new Error(`never came true: ${what}`);
    await new Promise<void>((resolve) => systemClock.after(what, LOOK_AGAIN_MS, resolve));
  }
}

/** The engine and outputs of a test. */
export class OutputStage {
  readonly engine: EmbeddedEngine;
  readonly outputs: MediaOutputs;
  readonly analyzer: MediaAnalyzer;
  /** Folder of the outputs' files and of the test's own. */
  readonly folder: string;
  readonly reports: OutputReport[] = [];
  readonly #feeds: LoopFeed[] = [];

  constructor(engine: EmbeddedEngine, outputs: MediaOutputs, analyzer: MediaAnalyzer, folder: string) {
    this.engine = engine;
    this.outputs = outputs;
    this.analyzer = analyzer;
    this.folder = folder;
    outputs.onReport((report) => this.reports.push(report));
  }

  /** Publishes a loop until it is closed or the last test ends. */
  readonly feed = async (stream: string, options: LoopFeedOptions = {}): Promise<LoopFeed> => {
    const feed = await LoopFeed.at(this.engine.local, stream, options);
    this.#feeds.push(feed);
    return feed;
  };

  /** Ends all publishers. */
  endFeeds(): void {
    for (const feed of this.#feeds.splice(0)) feed.close();
  }

  /** Waits for a report of this kind that satisfies the condition. */
  readonly report = <K extends OutputReport['kind']>(
    kind: K,
    holds: (report: Extract<OutputReport, { kind: K }>) => boolean = () => true,
  ): Promise<Extract<OutputReport, { kind: K }>> => {
    const matches = (report: OutputReport): report is Extract<OutputReport, { kind: K }> =>
      report.kind === kind && holds(report as Extract<OutputReport, { kind: K }>);
    return eventually(`a report ${kind}`, () => this.reports.find(matches) ?? null);
  };

  /** Waits until the window of a stream satisfies the condition. */
  readonly window = (
    stream: string,
    what: string,
    holds: (window: HlsWindow) => boolean,
  ): Promise<HlsWindow> =>
    eventually(what, async () => {
      const window = await this.outputs.openHls(stream);
      return holds(window) ? window : null;
    });

  /** The bytes of some segments of one run, after their initialisation segment. */
  readonly bytes = async (stream: string, segments: HlsWindow['segments']): Promise<Buffer> => {
    const names = [segments[0]!.init, ...segments.map(({ name }) => name)];
    const parts = await Promise.all(names.map((name) => this.outputs.readHls(stream, name)));
    return Buffer.concat(parts.map((part, i) => {
      if (!part) throw new Error(`${names[i]} is not there`);
      return part.bytes;
    }));
  };
}

/** One engine with outputs for all tests of a file. */
export function outputStage(
  options: Partial<MediaOutputsOptions> & { readonly graceMs?: number } = {},
): () => OutputStage {
  let stage: OutputStage | null = null;
  beforeAll(async () => {
    const { graceMs, ...rest } = options;
    const folder = mkdtempSync(join(tmpdir(), 'candela-outputs-'));
    const engine = createEmbeddedEngine({ udpPort: await freeUdpPort(), bindAddress: '127.0.0.1', graceMs });
    await engine.start();
    const outputs = await createOutputs({ local: engine.local, directory: join(folder, 'outputs'), ...rest });
    stage = new OutputStage(engine, outputs, new MediaAnalyzer(), folder);
  });
  afterAll(async () => {
    stage?.endFeeds();
    await stage?.outputs.close();
    await stage?.engine.close();
    await stage?.analyzer.close();
    if (stage) rmSync(stage.folder, { recursive: true, force: true });
  });
  return () => {
    if (!stage) throw new Error('the stage is not set yet');
    return stage;
  };
}
