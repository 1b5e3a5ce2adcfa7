/** Every limit of the media plane, with its reason. Times are in milliseconds unless named otherwise. */

import { MINUTE_MS } from '#platform/time/units.ts';

/** RTP of peers is below 1,300 bytes; longer packets would be fragmented on the way to viewers. */
export const MAX_RTP_BYTES = 1_500;

/** Offers of browsers are 2 to 8 kB; larger WHIP and WHEP bodies are refused before they are parsed. */
export const MAX_OFFER_BYTES = 64 * 1024;
/** Chromium with every codec and extension writes about 250 lines. */
export const MAX_OFFER_LINES = 1_000;

/** A fragment has one session part and a few candidates; browsers trickle one to ten at a time. */
export const MAX_FRAGMENT_BYTES = 16 * 1024;
/** One candidate for every interface, address family and server of a large machine. */
export const MAX_FRAGMENT_LINES = 200;

/** Packets retained per track for retransmission: about 5 s of 2 Mbit/s video, more than viewers ask for. */
export const RING_PACKETS = 1_024;
/** A longer gap is a jump, not loss: requesting it again would only add to the congestion that made it. */
export const MAX_GAP_PACKETS = 200;
/** Packets requested again from one publisher at a time; beyond this a keyframe is cheaper. */
export const MAX_MISSING_PACKETS = 512;
/** Reordering on a network is shorter than this; earlier requests would double packets that are only late. */
export const FIRST_NACK_AFTER_MS = 10;
/** Above the round trip of most publishers, so that a retransmission in flight is not requested again. */
export const NACK_RETRY_MS = 60;
export const MAX_NACKS_PER_PACKET = 8;
/** Viewers have played past a packet this late. */
export const GIVE_UP_NACK_AFTER_MS = 1_000;
/** Retransmissions per viewer and second: limits what a viewer who requests everything costs the others. */
export const MAX_RETRANSMITS_PER_SECOND = 600;

/**
 * Chromium ignores a keyframe request within 400 ms of one that it honoured, and a keyframe in flight must
 * not be requested again.
 */
export const KEYFRAME_SPACING_MS = 500;
/** One viewer can make the publisher send at most one extra keyframe in this time. */
export const KEYFRAME_PER_READER_MS = 1_000;
/** A joining viewer is sent the running group of pictures at once when it is at most this long. */
export const CATCH_UP_PACKETS = 240;
/** Decoding more frames than this at once takes longer than waiting for a fresh keyframe. */
export const CATCH_UP_FRAMES = 60;

/** A publisher is alive while media came within this time. */
export const PUBLISHER_SILENCE_MS = 3_000;
/** A publisher sends something every 50 ms; one that paused this long and returns had lost its line. */
export const PUBLISHER_PAUSE_MS = 1_000;
/**
 * ICE and DTLS over a bad mobile line take some seconds; a peer that sent and received nothing by then is
 * closed.
 */
export const CONNECT_TIMEOUT_MS = 10_000;
/**
 * Viewers that report do so every 1 to 5 s; otherwise a closed page would be noticed only after 28 s. With
 * the second between two checks, a viewer that left is gone here within 10 s.
 */
export const READER_SILENCE_MS = 8_000;
/**
 * Seconds a metered reader is sent without reporting on them: Chromium reports on video every 0.5 to 1.5 s,
 * and on audio every 5 s.
 */
export const MAX_UNREPORTED_SECONDS = { video: 3, audio: 8 } as const;
/** A share of lost packets that makes video unwatchable, in this many consecutive reports. */
export const LOSSY_SHARE = 0.25;
export const LOSSY_REPORTS = 2;
/** A reader whose network loses this much is sent no media for this long. */
export const LOSSY_PAUSE_MS = 2_000;
/** Viewers stay attached this long to a stream whose publisher is gone (the room shows "reconnecting"). */
export const PUBLISHER_GRACE_MS = 30_000;

/** Viewers of one relay: 508 took 61% of a core at 2 Mbit/s and saturation came near 750. */
export const MAX_READERS_PER_RELAY = 450;
/** Peers of one relay behind TURN over TCP: each has a socket, and its packets pass our event loop twice. */
export const MAX_BRIDGED = 128;
/** As many of these viewers leave free: they can watch over HLS instead, a publisher has no other way. */
export const BRIDGED_FOR_PUBLISHERS = 16;
/** Guests of one session: a browser connects from one address of each TURN server. */
export const MAX_BRIDGED_BY_SESSION = 8;
/** A guest silent for this long is gone: its checks come every second or two. */
export const BRIDGE_IDLE_MS = 30_000;
/** Processes of this machine that read streams of one relay: four for each publisher. */
export const MAX_TAPS_PER_RELAY = 256;
/** Publishers of one relay. Each costs two rings, about 2.5 MB when full. */
export const MAX_PUBLISHERS_PER_RELAY = 64;
/** Above this lag of the event loop nobody new is admitted: the sessions that exist come first. */
export const ADMISSION_LAG_MS = 500;
/**
 * Above this lag video is skipped until the next keyframe, because the native queue grows instead of
 * dropping.
 */
export const SHED_LAG_MS = 2_000;
/** Most a publisher may send, by REMB (draft-alvestrand-rmcat-remb): 1080p at 6 Mbit/s, and room. */
export const MAX_VIDEO_BITS_PER_SECOND = 8_000_000;
/**
 * Limit before the publisher has sent more: Chromium starts at the limit and goes down one step a report, so
 * a slow line would be flooded for seconds with four times what its page means to send.
 */
export const FIRST_VIDEO_BITS_PER_SECOND = 2_500_000;
/** A publisher may send this many times what arrives: Chromium adds 8% a second. */
export const BANDWIDTH_ROOM = 1.5;
/** Above this share of lost packets Chromium sends less. */
export const CONGESTED_SHARE = 0.1;

/** A running process uses its ticket at once; one that must first be started, within some seconds. */
export const TICKET_MS = 10_000;
/** A process has its ticket in hand when it connects: one that sends nothing for this long is not ours. */
export const HELLO_TIMEOUT_MS = 5_000;
/** Connections that have not identified themselves: tickets are claimed within a turn or two of the loop. */
export const MAX_STRANGERS = 64;
/** A tap this far behind (some 4 s of 2 Mbit/s) gets no video until it has caught up, from a keyframe. */
export const TAP_BEHIND_BYTES = 1024 * 1024;
/** A tap that stays behind for this long no longer reads. */
export const TAP_STALLED_MS = 10_000;
/** Segments and recordings are cut at keyframes, and Chromium sends none by itself. */
export const TAP_KEYFRAME_MS = 2_000;

/** Requests waiting for one relay: it answers each within some 20 ms. */
export const MAX_PENDING_REQUESTS = 256;
export const REQUEST_TIMEOUT_MS = 5_000;
export const RELAY_START_TIMEOUT_MS = 15_000;
/** A relay that dies is restarted after this; the wait doubles each time it dies young, up to the longest. */
export const RESTART_FIRST_MS = 200;
export const RESTART_LONGEST_MS = 10_000;
/** A relay that lived this long is healthy: its next restart is quick again. */
export const RESTART_FORGIVEN_AFTER_MS = MINUTE_MS;
