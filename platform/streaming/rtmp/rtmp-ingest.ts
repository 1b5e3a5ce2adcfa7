import type { Clock } from '#platform/data/clock.ts';
import { childEntry, type ChildEntry } from '../child-entry.ts';
import type { MediaFeature } from '../engine.ts';
import type { RtmpAdmission, RtmpAsked, RtmpIngest, RtmpReport } from './ingest.ts';
import { MAX_TRANSCODERS } from './limits.ts';
import { RtmpProcess } from './process/rtmp-process.ts';

export interface RtmpIngestOptions {
  /** 1935, as encoders expect; 0 picks a free port. */
  readonly port: number;
  /** Every address of the machine when absent. */
  readonly bindAddress?: string;
  /** The program, found beside this module by default; see {@link childEntry}. */
  readonly entry?: ChildEntry;
  readonly transcoderEntry?: ChildEntry;
  /** Concurrent transcoders, at most and by default {@link MAX_TRANSCODERS}. */
  readonly transcoders?: number;
  readonly clock: Clock;
}

export interface RunningRtmpIngest extends RtmpIngest {
  /** The port, once it listens. */
  readonly port: () => number | undefined;
  /** Process id of its program, while that runs. */
  readonly pid: () => number | undefined;
}

/**
 * RTMP ingest in a process of its own. `start` never rejects: without its port or its codecs the feature is
 * off, as `features` says, and everything else runs.
 */
export function createRtmpIngest(options: RtmpIngestOptions): RunningRtmpIngest {
  const listeners = new Set<(report: RtmpReport) => void>();
  let child: RtmpProcess | null = null;
  return {
    start: async (admit) => {
      child = new RtmpProcess({
        clock: options.clock,
        entry: options.entry ?? childEntry(import.meta.url, './process/rtmp-child'),
        settings: {
          port: options.port,
          bindAddress: options.bindAddress,
          transcoders: Math.min(options.transcoders ?? MAX_TRANSCODERS, MAX_TRANSCODERS),
          transcoder: options.transcoderEntry
            ?? childEntry(import.meta.url, './media/transcode/transcode-child'),
        },
        admit: (asked) => answered(admit, asked),
        report: (report) => {
          for (const listener of listeners) listener(report);
        },
      });
      await child.start();
    },
    features: () => [feature(options, child)],
    onReport: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    port: () => child?.port,
    pid: () => child?.pid,
    close: async () => {
      await child?.close();
    },
  };
}

function feature({ bindAddress, port }: RtmpIngestOptions, child: RtmpProcess | null): MediaFeature {
  const name = 'RTMP ingest';
  if (child?.port === undefined) return { name, on: false, detail: child?.detail ?? 'not started' };
  return { name, on: true, detail: `rtmp://${bindAddress ?? '*'}:${child.port ?? port}/live` };
}

/** A publisher whose admission check fails is refused; the caller logs the error. */
async function answered(
  admit: (asked: RtmpAsked) => Promise<RtmpAdmission>,
  asked: RtmpAsked,
): Promise<RtmpAdmission> {
  try {
    return await admit(asked);
  } catch {
    return { admitted: false, reason: 'The server is at fault. Try again.' };
  }
}
