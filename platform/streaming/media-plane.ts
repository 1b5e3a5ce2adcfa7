import type { Engine, LocalMedia, MediaFeature } from './engine.ts';
import type { Outputs } from './outputs/outputs.ts';
import type { RtmpIngest } from './rtmp/ingest.ts';

/** The ports of an installation's media plane. */
export interface MediaPlane {
  readonly engine: Engine;
  /** For processes of this machine that publish or read. */
  readonly local: LocalMedia;
  readonly outputs: Outputs;
  /** Null when it is turned off. */
  readonly rtmp: RtmpIngest | null;
}

/** What this machine can do, for the start banner. */
export const mediaFeatures = ({ engine, outputs, rtmp }: MediaPlane): readonly MediaFeature[] => [
  ...engine.features(),
  ...outputs.features(),
  ...(rtmp?.features() ?? []),
];

/** Ends readers and publishers of streams before the engine that carries them. */
export async function closeMedia({ engine, outputs, rtmp }: MediaPlane): Promise<void> {
  await rtmp?.close();
  await outputs.close();
  await engine.close();
}
