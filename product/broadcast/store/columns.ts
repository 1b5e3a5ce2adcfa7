import type { Json } from '#platform/data/columns.ts';
import type { CamView } from '../contract/settings.ts';
import type { EndReason, Phase, PlaybackMode, Protocol, StreamingTech } from '../rules.ts';

/** The credential of a publisher. */
export type KeyKind = 'stream_key' | 'browser_key';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'broadcast.broadcasts.phase': Phase;
  'broadcast.broadcasts.published_with': KeyKind;
  'broadcast.broadcasts.end_reason': EndReason;
  'broadcast.broadcasts.mode': PlaybackMode;
  'broadcast.broadcasts.protocol': Protocol;
  'broadcast.streamer_settings.streaming_tech': StreamingTech;
  'broadcast.streamer_settings.cam': Json<Partial<CamView>>;
}
