/**
 * Times of a client, in milliseconds (readings.md, Sockets); `docs/protocol.md` lists them for authors of
 * other clients.
 */
export const CLIENT_TIMERS = {
  /** A token, or an answer to `v3.authorize`, that takes longer is requested again on a new socket. */
  answerWaitMs: 10_000,
  /** A lost lobby is reconnected after this time, … */
  lobbyRetryMs: 1_000,
  /** … this often while it says that it restarts, … */
  restartingRetryMs: 100,
  /** … for this long. */
  restartingForMs: 30_000,
  /** A lobby that is away for this long is reported to the server's log. */
  outageMs: 10_000,
  /** After an outage this long, rooms are joined again, … */
  longOutageMs: 300_000,
  /** … this long after the lobby is back. */
  rejoinAfterOutageMs: 1_500,
  /** A lobby that does not answer `v3.lobby.discover` is asked again after this. */
  joinRetryMs: 1_000,
  /** How often the client checks whether a lobby that is not ready has become ready. */
  notReadyRetryMs: 100,
  /** A lost room waits a random time at first, so that a full room does not reconnect in one wave, … */
  roomBackoffLeastMs: 50,
  roomBackoffFirstMostMs: 300,
  /** … then twice as long each time, up to this limit. */
  roomBackoffMostMs: 3_000,
  /** More frequent immediate reconnects are a loop: then the back-off applies. */
  atOnceEveryMs: 1_000,
} as const;
