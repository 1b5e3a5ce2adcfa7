/**
 * The times of a client, in milliseconds (readings.md, Sockets): `docs/protocol.md` lists them for whoever
 * writes another one.
 */
export const CLIENT_TIMERS = {
  /** A token, or an answer to `v3.authorize`, that does not come within this is asked for on a new socket. */
  answerWaitMs: 10_000,
  /** A lost lobby is tried again after this; … */
  lobbyRetryMs: 1_000,
  /** … this often while it says that it restarts, … */
  restartingRetryMs: 100,
  /** … for this long. */
  restartingForMs: 30_000,
  /** A lobby that is away this long is worth a line in the server's log. */
  outageMs: 10_000,
  /** After an outage this long, rooms are joined again, … */
  longOutageMs: 300_000,
  /** … this long after the lobby is back. */
  rejoinAfterOutageMs: 1_500,
  /** A lobby that does not answer `v3.lobby.discover` is asked again after this. */
  joinRetryMs: 1_000,
  /** A lobby that is not ready is not asked: the client looks this often whether it is. */
  notReadyRetryMs: 100,
  /** A lost room waits a random first time, so that a full room does not come back in one wave, … */
  roomBackoffLeastMs: 50,
  roomBackoffFirstMostMs: 300,
  /** … then twice as long each time, at most this. */
  roomBackoffMostMs: 3_000,
  /** Coming back at once more often than this is a loop: then the back-off holds. */
  atOnceEveryMs: 1_000,
} as const;
