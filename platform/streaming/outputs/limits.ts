/** Every bound of what is made of streams, with its reason. Times in milliseconds unless named otherwise. */

import { MINUTE_MS } from '#platform/time/units.ts';

/** Packets held in order while one before them is asked for again: half a second of 8 Mbit/s. */
export const JITTER_PACKETS = 512;
/** The relay asks a publisher for a lost packet every 60 ms: after this it will not come any more. */
export const JITTER_WAIT_MS = 400;
/** What is seen live must not wait as long as what is seen some seconds later. */
export const JITTER_WAIT_LIVE_MS = 120;
/** Lost sound is never asked for again: this is reordering alone. */
export const JITTER_WAIT_SOUND_MS = 60;
/** How often waiting packets are looked at. */
export const JITTER_TICK_MS = 20;

/** A picture whose time is this far from the time it came at belongs to a clock that was reset. */
export const CLOCK_JUMP_MS = 3_000;
/** A publisher's clock is followed by so much of the time that passes; crystals err by a tenth of it. */
export const CLOCK_DRIFT_PART = 0.0005;
/** Sender reports that move sound further than this from its arrival are wrong: nobody's lips lag so much. */
export const MAX_SOUND_SHIFT_MS = 2_000;
/** Two sender reports of one source agree within a millisecond; beyond this they are of two sources. */
export const REPORT_AGREEMENT_MS = 150;

/** Sound this far off its time is moved; a smaller shift is inaudible, and moving it would be audible. */
export const SOUND_TOLERANCE_MS = 30;
/** Sound that is this much behind the pictures is given up and silence put in its place. */
export const SOUND_PATIENCE_MS = 300;
/** A longer hole in the sound is not filled, but left. */
export const MAX_SILENCE_MS = MINUTE_MS;
/** Sound that waits for pictures: 5 s of frames of 21 ms; a publisher without a camera sends no more. */
export const MAX_WAITING_SOUNDS = 235;
/** Pictures that wait for sound: 5 s of 60 in a second. */
export const MAX_WAITING_PICTURES = 300;

/** A child asks for keyframes no oftener; the relay spaces them too. */
export const KEYFRAME_ASK_MS = 500;

/** A segment ends at the first keyframe after this: keyframes come every 2 s, or when a viewer asked. */
export const MIN_SEGMENT_MS = 900;
/**
 * A segment ends after this without a keyframe too: encoders that never send one would otherwise put every
 * viewer as far behind.
 */
export const MAX_SEGMENT_MS = 4_000;
/** And when it is this long in bytes: 16 Mbit/s for the longest time. */
export const MAX_SEGMENT_BYTES = 8 * 1024 * 1024;
/** After this without a picture the source is gone, and what follows is another run. */
export const BREAK_MS = 3_000;
/** Runs follow each other no faster: who changes his picture all the time is shown it once a second. */
export const MIN_RUN_MS = 1_000;

/** Segments of a playlist: three of them are a player's distance, the rest is for those who fell behind. */
export const WINDOW_SEGMENTS = 8;
/** Segments retained behind the window: a player may still ask for what its last playlist named. */
export const RETAINED_BEHIND = 4;
/** Target duration of a playlist before it is known; it only grows, to that of {@link MAX_SEGMENT_MS}. */
export const MIN_TARGET_SECONDS = 2;
/** What an ended stream had last stays so long: no player is further behind than the longest window. */
export const TAIL_MS = WINDOW_SEGMENTS * MAX_SEGMENT_MS;
/** A stream that ended writes what it began: a whole segment takes some milliseconds. */
export const LAST_SEGMENT_MS = 1_000;
/** A request that waits longer for the first segment is refused and may be retried. */
export const FIRST_SEGMENT_MS = 10_000;
/** What nobody needed for this long stops. */
export const IDLE_MS = 30_000;
export const SWEEP_MS = 5_000;
/** How long a stream that cannot be segmented or transcoded is not looked at again. */
export const UNSUPPORTED_MS = 10_000;
/** A watched stream takes 5 to 10% of a core. */
export const HLS_ROOMS_PER_CORE = 10;

/** A child that is asked to finish and does not is killed after this. */
export const CHILD_CLOSE_MS = 3_000;
/** A child that dies is started again after this, doubled each time it dies young, up to the longest wait. */
export const RESTART_FIRST_MS = 200;
export const RESTART_LONGEST_MS = 10_000;
/** A child that lived this long is healthy: its next restart is quick again. */
export const RESTART_FORGIVEN_AFTER_MS = MINUTE_MS;
/** A relay that died is back within a second, and its publishers some seconds later. */
export const RETAP_MS = 500;
export const RETAP_LIMIT_MS = 15_000;

/** A recording loses at most this much when everything stops at once, and the sound that waited with it. */
export const RECORDED_FRAGMENT_MS = 1_000;
/**
 * What is written survives the end of our processes at once. Against the end of the machine it is forced to
 * the disk this often: each time costs every writer of the disk a pause.
 */
export const RECORDING_SYNC_MS = 5_000;
/** A recording takes 5% of a core, a recorded hour of 2 Mbit/s 900 MB. */
export const RECORDINGS_PER_CORE = 12;
/** Who records waits this long for the child to come up. */
export const RECORDING_START_MS = 10_000;
/** The last fragment and a forced write, on a disk with much to do. */
export const RECORDING_STOP_MS = 10_000;

/**
 * Keyframes of a rendition are at most this far apart: segments begin with them. Longer than those of most
 * sources, whose keyframes it has in any case.
 */
export const RENDITION_KEYFRAME_MS = 2_400;
/** Encoding one takes a fifth to half a core. */
export const RENDITIONS_PER_CORE = 2;
/** A rendition that is this much slower than its source leaves pictures out up to the next keyframe. */
export const RENDITION_DEBT_MS = 1_000;
/** A rendition of a source that never reports says so often when its pictures came. */
export const OWN_REPORT_MS = 1_000;
/** Who asks for a rendition waits this long for its first picture. */
export const RENDITION_START_MS = 10_000;
/** Heights a rendition can have: below, nobody sees anything; above, the source does as well. */
export const MIN_RENDITION_HEIGHT = 120;
export const MAX_RENDITION_HEIGHT = 1_080;

/** How often a watched stream has a new picture. */
export const THUMBNAIL_EVERY_MS = 15_000;
export const PICTURE_WIDTH = 320;
/** A stream that gave no picture is looked at half as often each time, but at least this often. */
export const THUMBNAIL_SELDOM_MS = MINUTE_MS;
/**
 * Streams watched at once. A look takes some 100 ms: where there are more than can have their turn in time,
 * they have it later.
 */
export const MAX_WATCHED = 600;
/** Looks at once: few, so that they are spread over time, and some, because one may wait for a keyframe. */
export const MAX_THUMBNAIL_JOBS = 4;
export const THUMBNAIL_STEP_MS = 250;
/** A keyframe comes every 2 s while we read; after this the stream has its turn when it is due again. */
export const THUMBNAIL_JOB_MS = 6_000;
/** Each stream that was being looked at when the process died is looked at alone, until it did so again. */
export const MAX_STRIKES = 2;
/** Then it is left out for so long. */
export const SUSPECT_MS = 600_000;
/** A picture of 320 pixels has some 10 kB; a larger one is dropped. */
export const MAX_PICTURE_BYTES = 128 * 1024;

export const PREVIEW_MS = 3_000;
export const PREVIEW_FRAMES_PER_SECOND = 12;
export const PREVIEW_BITS_PER_SECOND = 180_000;
/** A clip is given out for so long before a new one is made. */
export const PREVIEW_RETAINED_MS = MINUTE_MS;
/** Clips in memory, of some 70 kB each. */
export const MAX_PREVIEWS = 64;
/** Who waits behind so many clips has gone before his is made. */
export const MAX_WAITING_PREVIEWS = 8;
/** A keyframe, the clip itself, and some time for a machine with much to do. */
export const PREVIEW_JOB_MS = 10_000;

/** Loading the library and opening its codecs takes a third of a second; longer is a machine that is ill. */
export const PROBE_MS = 15_000;
