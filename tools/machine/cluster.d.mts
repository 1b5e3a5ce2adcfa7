/** A throw-away PostgreSQL of one's own. */
export interface Cluster {
  readonly url: string;
  /** Of the server as it was started first. */
  readonly pid: number;
  readonly stop: () => Promise<void>;
  /** Kills the whole server, or the process of one session, by SIGKILL; resolves when it answers again. */
  readonly kill: (what: 'server' | 'session') => Promise<void>;
}
/** Folder of the newest installed `initdb` and `postgres`; null when there is none. */
export declare function findPrograms(): string | null;
/** Starts a throw-away PostgreSQL on loopback; `durable`: with fsync, as in production. */
export declare function startCluster(
  programs: string, options?: { readonly durable?: boolean },
): Promise<Cluster>;
