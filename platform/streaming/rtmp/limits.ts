/** Every limit of RTMP ingest, with its reason. Times are in milliseconds unless named otherwise. */

import { MINUTE_MS } from '#platform/time/units.ts';

/* What a stranger may send before a key was accepted. */

/** C0, C1 and C2 of an encoder on a bad mobile line arrive within a second or two. */
export const HANDSHAKE_TIMEOUT_MS = 5_000;
/** From connecting to `publish`; encoders need four round trips. Waiting for our answer does not count. */
export const PUBLISH_TIMEOUT_MS = 10_000;
/** Handshake (3 kB) and commands (1 kB) of every known encoder, many times over. */
export const MAX_BYTES_BEFORE_PUBLISH = 64 * 1024;
/** `connect` of a Flash-era client is 500 bytes; a command with a long key and address stays below 4 kB. */
export const MAX_COMMAND_BYTES = 16 * 1024;
/** Encoders send eight to ten messages; an empty one may be a single byte, but costs us more than that. */
export const MAX_MESSAGES_BEFORE_PUBLISH = 64;
/** Our keys have below 50 characters; other operators may write longer ones. */
export const MAX_KEY_LENGTH = 256;

/* Connections. */

/** Publishers and clients that ask to become one; a relay takes 64 publishers, a machine has few relays. */
export const MAX_CONNECTIONS = 512;
/** A studio behind one address. */
export const MAX_CONNECTIONS_PER_ADDRESS = 64;
/**
 * Connections not yet admitted. When there are more, the one that has waited longest is closed: encoders are
 * admitted within a second, so crowds of silent connections cannot lock them out.
 */
export const MAX_WAITING = 128;
/** The same for one address. */
export const MAX_WAITING_PER_ADDRESS = 16;
/** Bytes queued for a client that does not read: a few replies. Then the client is cut off. */
export const MAX_UNSENT_BYTES = 64 * 1024;
/** A refusal is sent with the last bytes; after this the socket is destroyed, read or not. */
export const LINGER_MS = 1_000;

/* Chunks and messages. */

/** The size every connection begins with. Nobody makes it smaller; headers would then be most of the work. */
export const MIN_CHUNK_BYTES = 128;

/** One video frame: a keyframe of 1080p at 10 Mbit/s has some 500 kB. */
export const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;
/** Encoders use four to six chunk streams; each may hold an incomplete message. */
export const MAX_CHUNK_STREAMS = 16;
/** All incomplete messages of one connection. */
export const MAX_PARTIAL_BYTES = MAX_MESSAGE_BYTES + 256 * 1024;
/** First allocation for a message; more is allocated as its bytes really arrive. */
export const FIRST_RESERVED_BYTES = 4 * 1024;

/* AMF0. */

/** `onMetaData` is flat; `connect` carries one object. */
export const MAX_AMF_DEPTH = 6;
/** Members and elements of one message, all levels together; `connect` has about fifteen. */
export const MAX_AMF_VALUES = 256;
/** Addresses and keys; a long string may claim a length of 4 GB. */
export const MAX_AMF_STRING_BYTES = 4 * 1024;

/* Media. */

/** A publisher that completes no message for this long is gone; its relay ends its session after 3 s. */
export const IDLE_TIMEOUT_MS = 20_000;
/**
 * Rate limit of one publisher, averaged over {@link RATE_WINDOW_MS}. Above it reading pauses, and to the
 * encoder the line looks slow. Twice what 1080p60 needs.
 */
export const MAX_BITS_PER_SECOND = 20_000_000;
export const RATE_WINDOW_MS = 4_000;
/** Each message counts as this many more bytes: empty ones are work too. Encoders send some 110 a second. */
export const MESSAGE_COST_BYTES = 500;
/** Slices of one picture: x264 makes one per thread, hardware encoders at most 32. */
export const MAX_UNITS_PER_PICTURE = 256;
/** Parameter sets of one stream: encoders have one of each kind, the syntax allows 31 and 255. */
export const MAX_PARAMETER_SETS = 16;
/** With VUI and scaling lists a parameter set stays below 300 bytes. */
export const MAX_PARAMETER_SET_BYTES = 1_024;
/** AAC-LC frames have at most 768 bytes per channel; eight channels. */
export const MAX_SOUND_BYTES = 8 * 768;
/** Frames held back at the start until it is clear whether B-frames come: encoders reorder fewer. */
export const HELD_PICTURES = 5;
/** After B-frames, a stream counts as free of them after a whole group of at least this many pictures. */
export const CLEAN_PICTURES = 10;
/** After this long with audio alone, the stream goes on air without video. */
export const NO_PICTURE_AFTER_MS = 5_000;

/* Time. */

/** Tags of one track further apart are a new timeline, not a pause: encoders restart their clock. */
export const MAX_PAUSE_MS = 10_000;
/** Tags that step back less than this are late; a larger step is a new timeline. */
export const MAX_STEP_BACK_MS = 1_000;
/** Timestamps are whole milliseconds and jitter by a few: below this, audio counts as on time. */
export const SOUND_TOLERANCE_MS = 8;
/** Above this, stretching would be audible: silence is inserted, or audio dropped. */
export const SOUND_STRETCH_MS = 60;
/** A longer gap is not filled with silence: the time of the packets jumps. */
export const SOUND_SILENCE_MS = 1_000;
/** Sender reports: a joining viewer has lip sync after the first pair. */
export const REPORT_PERIOD_MS = 1_000;
/** When the encoder's clock and ours have drifted this far apart, both reports move together. */
export const MAX_CLOCK_DRIFT_MS = 2_000;

/* The way into the engine. */

/** Attaching to a relay on the same machine takes a millisecond. */
export const ATTACH_TIMEOUT_MS = 5_000;
/** Wait between attempts to attach again after a relay was lost; it is back after half a second. */
export const REATTACH_WAITS_MS: readonly number[] = [100, 200, 200, 200, 300, 500, 1_000, 2_000, 3_000];
/**
 * Attachments of one connection in {@link REATTACH_WINDOW_MS}: limits two publishers of one stream that keep
 * replacing each other.
 */
export const MAX_REATTACHMENTS = 5;
export const REATTACH_WINDOW_MS = MINUTE_MS;
/** Frames since the last keyframe, retained for the next relay: 4 s of 6 Mbit/s. */
export const MAX_RETAINED_BYTES = 3 * 1024 * 1024;
export const MAX_RETAINED_PACKETS = 4_000;
/** Re-encoding takes a fifth of a core for 720p30 and half a core for 1080p30. */
export const MAX_TRANSCODERS = 4;
/** Frames inside a transcoder: a whole second of them means that it cannot keep up. */
export const MAX_PICTURES_UNDER_WAY = 30;
/** A publisher whose transcoders died this often gets no other: its input kills them. */
export const MAX_TRANSCODER_STARTS = 3;
/** Bit rate of re-encoded video: the profile is wasteful, but the source is seldom above 6 Mbit/s. */
export const TRANSCODED_BITS_PER_SECOND = 4_000_000;
/** Loading FFmpeg's library takes 0.2 s on an idle machine. */
export const START_TIMEOUT_MS = 15_000;
/** Publish requests that wait for an answer of the parent. */
export const MAX_ASKED = MAX_WAITING;
/** How long the parent may take to ask its database; the client waits as long. */
export const ADMIT_TIMEOUT_MS = 8_000;
