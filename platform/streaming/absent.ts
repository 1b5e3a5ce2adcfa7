import { EngineRefused, type Engine } from './engine.ts';
import type { MediaPlane } from './media-plane.ts';
import { OutputRefused, type Outputs } from './outputs/outputs.ts';

const WHY = 'media is carried by another process';
const refuse = (): Promise<never> => Promise.reject(new EngineRefused('unavailable', WHY));
const refuseOutput = (): Promise<never> => Promise.reject(new OutputRefused('unavailable', WHY));

/**
 * The media plane of a process that carries no media: every call is refused and no report arrives. A call
 * goes to the process that carries media.
 */
export function absentMedia(): MediaPlane {
  const engine: Engine = {
    plays: 'whep',
    start: async () => {},
    features: () => [],
    publish: refuse,
    play: refuse,
    patch: refuse,
    end: refuse,
    stop: refuse,
    move: refuse,
    onReport: () => () => {},
    close: async () => {},
  };
  const outputs: Outputs = {
    features: () => [],
    openHls: refuseOutput,
    readHls: refuseOutput,
    rendition: refuseOutput,
    record: refuseOutput,
    picture: refuseOutput,
    watch: () => {},
    forget: refuseOutput,
    onReport: () => () => {},
    close: async () => {},
  };
  return { engine, local: { tap: refuse, feed: refuse, end: refuse }, outputs, rtmp: null };
}
