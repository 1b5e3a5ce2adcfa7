/** Every limit of the outputs, with its reason. Times are in milliseconds unless named otherwise. */

import { MINUTE_MS } from '#platform/time/units.ts';

/** Packets held back while an earlier one is requested again: half a second of 8 Mbit/s. */
export const JITTER_PACKETS = 512;
/** The relay requests a lost packet from the publisher every 60 ms: after this it will not come any more. */
export const JITTER_WAIT_MS = 400;
/** What viewers see live must not wait as long as what they see some seconds later. */
export const JITTER_WAIT_LIVE_MS = 120;
/** Lost audio packets are never requested again: this covers reordering alone. */
export const JITTER_WAIT_SOUND_MS = 60;
/** How often waiting packets are checked. */
export const JITTER_TICK_MS = 20;

/** A frame whose time is this far from its arrival belongs to a clock that was reset. */
export const CLOCK_JUMP_MS = 3_000;
/** A publisher's clock is corrected by at most this share of elapsed time; crystals err by a tenth of it. */
export const CLOCK_DRIFT_PART = 0.0005;
/** Sender reports that move audio further than this from its arrival are wrong: no lips lag so much. */
export const MAX_SOUND_SHIFT_MS = 2_000;
/** Two sender reports of one source agree within a millisecond; a larger difference means two sources. */
export const REPORT_AGREEMENT_MS = 150;

/** Audio this far off its time is moved; a smaller shift is inaudible, while moving it would be audible. */
export const SOUND_TOLERANCE_MS = 30;
/** Audio this far behind the video is given up and replaced by silence. */
export const SOUND_PATIENCE_MS = 300;
/** A longer gap in the audio is left unfilled. */
export const MAX_SILENCE_MS = MINUTE_MS;
/** Audio frames that wait for video: 5 s of 21 ms frames; a publisher without a camera sends no more. */
export const MAX_WAITING_SOUNDS = 235;
/** Video frames that wait for audio: 5 s at 60 a second. */
export const MAX_WAITING_PICTURES = 300;

/** A child requests keyframes no more often than this; the relay spaces them too. */
export const KEYFRAME_ASK_MS = 500;

/** A segment ends at the first keyframe after this: keyframes come every 2 s, or when a viewer asks. */
export const MIN_SEGMENT_MS = 900;
/**
 * A segment ends after this even without a keyframe: encoders that never send one would otherwise put every
 * viewer that far behind.
 */
export const MAX_SEGMENT_MS = 4_000;
/** A segment also ends at this size: 16 Mbit/s for the longest segment. */
export const MAX_SEGMENT_BYTES = 8 * 1024 * 1024;
/** After this long without video the source is gone, and the next media begins another run. */
export const BREAK_MS = 3_000;
/** Runs begin no more often than this: parameters that change all the time are followed once a second. */
export const MIN_RUN_MS = 1_000;

/** Segments of a playlist: three are a player's distance, the rest is for players that fell behind. */
export const WINDOW_SEGMENTS = 8;
/** Segments retained behind the window: a player may still ask for what its last playlist named. */
export const RETAINED_BEHIND = 4;
/** Initial target duration of a playlist; it only grows, up to {@link MAX_SEGMENT_MS}. */
export const MIN_TARGET_SECONDS = 2;
/** How long the last window of an ended stream stays: no player is further behind than the longest window. */
export const TAIL_MS = WINDOW_SEGMENTS * MAX_SEGMENT_MS;
/** Time to write the last segment of an ended stream: a whole one takes some milliseconds. */
export const LAST_SEGMENT_MS = 1_000;
/** A request that waits longer for the first segment is refused and may be retried. */
export const FIRST_SEGMENT_MS = 10_000;
/** An output that nobody used for this long stops. */
export const IDLE_MS = 30_000;
export const SWEEP_MS = 5_000;
/** How long a stream that cannot be segmented or transcoded is not tried again. */
export const UNSUPPORTED_MS = 10_000;
/** Segmenting a stream takes 5 to 10% of a core. */
export const HLS_ROOMS_PER_CORE = 10;

/** A child that does not exit when asked is killed after this. */
export const CHILD_CLOSE_MS = 3_000;
/** A child that dies is restarted after this; the wait doubles each time it dies young, up to the longest. */
export const RESTART_FIRST_MS = 200;
export const RESTART_LONGEST_MS = 10_000;
/** A child that lived this long is healthy: its next restart is quick again. */
export const RESTART_FORGIVEN_AFTER_MS = MINUTE_MS;
/** A relay that died is back within a second, and its publishers some seconds later. */
export const RETAP_MS = 500;
export const RETAP_LIMIT_MS = 15_000;

/** A recording loses at most this much when everything stops at once, with the audio that waited with it. */
export const RECORDED_FRAGMENT_MS = 1_000;
/**
 * What is written survives a sudden end of our processes. To survive a sudden end of the machine it is synced
 * to disk this often: each sync pauses every writer of the disk.
 */
export const RECORDING_SYNC_MS = 5_000;
/** A recording takes 5% of a core, and an hour of 2 Mbit/s takes 900 MB. */
export const RECORDINGS_PER_CORE = 12;
/** How long a caller waits for a recording to start. */
export const RECORDING_START_MS = 10_000;
/** Time for the last fragment and a sync, on a busy disk. */
export const RECORDING_STOP_MS = 10_000;

/**
 * Keyframes of a rendition are at most this far apart, since segments begin with them. Longer than the
 * interval of most sources, whose keyframes a rendition repeats anyway.
 */
export const RENDITION_KEYFRAME_MS = 2_400;
/** Encoding a rendition takes a fifth to half a core. */
export const RENDITIONS_PER_CORE = 2;
/** A rendition this far behind its source drops frames up to the next keyframe. */
export const RENDITION_DEBT_MS = 1_000;
/** How often a rendition sends reports of its own when its source sends none. */
export const OWN_REPORT_MS = 1_000;
/** How long a caller waits for the first frame of a rendition. */
export const RENDITION_START_MS = 10_000;
/** Heights of renditions: a lower one would show nothing, a higher one no more than the source. */
export const MIN_RENDITION_HEIGHT = 120;
export const MAX_RENDITION_HEIGHT = 1_080;

/** How often a watched stream gets a new thumbnail. */
export const THUMBNAIL_EVERY_MS = 15_000;
export const PICTURE_WIDTH = 320;
/** A stream that gave no thumbnail is tried half as often each time, but at least this often. */
export const THUMBNAIL_SELDOM_MS = MINUTE_MS;
/**
 * Streams with thumbnails. One takes some 100 ms; when there are more streams than fit into the interval,
 * their thumbnails come later.
 */
export const MAX_WATCHED = 600;
/** Thumbnails at once: few, to spread the work over time, but several, since one may wait for a keyframe. */
export const MAX_THUMBNAIL_JOBS = 4;
export const THUMBNAIL_STEP_MS = 250;
/** A keyframe comes every 2 s while we read; after this the stream is tried again at its next turn. */
export const THUMBNAIL_JOB_MS = 6_000;
/** A stream that was being read when the process died is read alone from then on, up to this many deaths. */
export const MAX_STRIKES = 2;
/** Such a stream is then left out for this long. */
export const SUSPECT_MS = 600_000;
/** A thumbnail 320 pixels wide has some 10 kB; a larger one is dropped. */
export const MAX_PICTURE_BYTES = 128 * 1024;

export const PREVIEW_MS = 3_000;
export const PREVIEW_FRAMES_PER_SECOND = 12;
export const PREVIEW_BITS_PER_SECOND = 180_000;
/** How long a clip is served before a new one is made. */
export const PREVIEW_RETAINED_MS = MINUTE_MS;
/** Clips in memory, of some 70 kB each. */
export const MAX_PREVIEWS = 64;
/** A viewer behind this many clips would be gone before theirs is made. */
export const MAX_WAITING_PREVIEWS = 8;
/** Time for a keyframe, the clip itself, and some more for a busy machine. */
export const PREVIEW_JOB_MS = 10_000;

/** Loading the library and opening its codecs takes a third of a second; this long means an ill machine. */
export const PROBE_MS = 15_000;
