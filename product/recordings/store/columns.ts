import type { RecordingEndReason, RecordingMode, RecordingState } from '../rules.ts';

/** Columns whose types are narrower than those of the database: tables.ts reads them. */
export interface Columns {
  'recordings.evidence.mode': RecordingMode;
  'recordings.recordings.mode': RecordingMode;
  'recordings.recordings.state': RecordingState;
  'recordings.recordings.reason': RecordingEndReason;
}
