import {
  handleCall, subscribe, type CallHandler, type DeadlineHandler, type Subscription,
} from '../../../platform/contract/bind.ts';
import type { CallContext } from '../../../platform/contract/context.ts';
import { personChannel } from '../../../platform/contract/event.ts';
import type { Tx } from '../../../platform/data/data.ts';
import { sessionsEnded } from '../../accounts/contract.ts';
import { clearanceRevoked } from '../../compliance/contract.ts';
import {
  alreadyLive, broadcastCourse, broadcastStarted, setStandby, standbyChanged,
  standbyNotAllowed, standbyVisitor,
} from '../contract.ts';
import { performerStudio } from '../extension-points.ts';
import { MAX_STANDBY_NOTICES, mayStandby, STANDBY_MS, STANDBY_NOTICE_MS } from '../rules.ts';
import {
  deleteStandby, findStreamerSettings, isStandby, lastBroadcasts, saveStandby, saveStreamerSettings,
} from '../store.ts';
import { loginDigest } from './ingest/keys.ts';
import { performerOf, type BroadcastDependencies } from './dependencies.ts';

const DEADLINE = 'broadcast.standby';

/**
 * Standby: offline, but near. Open to the sites and studios the operator names, begun by hand, over after
 * {@link STANDBY_MS}, when she goes live, and with the log-in session that began it.
 */
export class Standby {
  readonly #deps: BroadcastDependencies;
  readonly #notices = new Notices();

  constructor(deps: BroadcastDependencies) {
    this.#deps = deps;
  }

  readonly answers = (): CallHandler[] => [
    handleCall(setStandby)(async ({ on }, context) => {
      const { data } = this.#deps;
      const { performerId } = performerOf(context);
      // Whoever lost the right to it may still end it.
      if (on && !(await this.isAllowed(context))) return context.refuse(standbyNotAllowed);
      const done = await data.tx(context.scope, (tx) =>
        on ? this.#begin(tx, context) : this.end(tx, performerId).then(() => true));
      return done ? { status: 1, standby: on } : context.refuse(alreadyLive);
    }),
  ];

  readonly due = (): DeadlineHandler => ({
    kind: DEADLINE,
    handle: ({ operatorId, key }) => this.#deps.data.tx({ operatorId }, async (tx) => {
      await this.end(tx, Number(key), { by: tx.now });
    }),
  });

  readonly hearings = (): Subscription[] => {
    const { data, accounts, secret } = this.#deps;
    return [
      subscribe(broadcastStarted, 'broadcast.standbyStarted')(({ operatorId, payload }) =>
        data.tx({ operatorId }, async (tx) => void (await this.end(tx, payload.performerId)))),
      subscribe(clearanceRevoked, 'broadcast.standbyRevoked')(({ operatorId, payload }) =>
        data.tx({ operatorId }, async (tx) => void (await this.end(tx, payload.performerId)))),
      subscribe(sessionsEnded, 'broadcast.standbySessions')((
        { operatorId, payload: { personId, sessionIds } },
      ) =>
        data.tx({ operatorId }, async (tx) => {
          const isOut = (await accounts.findById(tx, personId))?.suspendedAt != null;
          const sessions = sessionIds.map((id) => loginDigest(secret, id));
          if (isOut) await this.end(tx, personId);
          else if (sessions.length > 0) await this.end(tx, personId, { sessions });
        })),
    ];
  };

  /** Whether the operator opens standby to this performer on the site she calls from. */
  async isAllowed(context: CallContext): Promise<boolean> {
    const { data, site, extensions, compliance } = this.#deps;
    const { scope } = context;
    const { performerId } = performerOf(context);
    const { standby } = await site.settingsOf(scope);
    // Most operators have it closed, and the page asks every few seconds.
    if (standby.domains.length + standby.studios.length === 0) return false;
    const { domain_name: domain } = await site.viewOf(scope);
    return data.tx(scope, async (tx) => {
      const studio = await extensions.one(performerStudio)(tx, performerId);
      return mayStandby({ domain, studio }, standby)
        && (await compliance.clearanceOf(tx, performerId)) !== null;
    });
  }

  /** Ends the standby of a performer, and says so; false when there was none that `only` means. */
  async end(
    tx: Tx, performerId: number, only?: Parameters<typeof deleteStandby>[2],
  ): Promise<boolean> {
    if (!(await deleteStandby(tx, performerId, only))) return false;
    await tx.unschedule(DEADLINE, String(performerId));
    await this.#say(tx, performerId, false);
    this.#notices.forget(placeOf(tx, performerId));
    return true;
  }

  /**
   * A member came into a performer's room. In standby her tabs are told, if she wants it, once a minute a
   * member and at most {@link MAX_STANDBY_NOTICES} times a minute.
   */
  async visitorCame(tx: Tx, performerId: number, memberId: number): Promise<void> {
    if (memberId === performerId || !(await isStandby(tx, performerId))) return;
    if (!(await findStreamerSettings(tx, performerId)).standby_notifications_enabled) return;
    const visitor = await this.#deps.accounts.findById(tx, memberId);
    if (!visitor || !this.#notices.take(placeOf(tx, performerId), memberId, tx.now.getTime())) return;
    await tx.send(personChannel(performerId), standbyVisitor, {
      username: visitor.username, display_name: visitor.displayName,
    });
  }

  /** False while a broadcast runs. */
  async #begin(tx: Tx, context: CallContext): Promise<boolean> {
    const { performerId, sessionId } = performerOf(context);
    if ((await lastBroadcasts(tx, performerId)).open) return false;
    const wasOn = await isStandby(tx, performerId);
    const endsAt = new Date(tx.now.getTime() + STANDBY_MS);
    await saveStandby(tx, performerId, loginDigest(this.#deps.secret, sessionId), endsAt);
    await saveStreamerSettings(tx, performerId, { standby_enabled: true });
    await tx.schedule({ kind: DEADLINE, key: String(performerId), at: endsAt });
    if (!wasOn) await this.#say(tx, performerId, true);
    return true;
  }

  async #say(tx: Tx, performerId: number, on: boolean): Promise<void> {
    const person = await this.#deps.accounts.findById(tx, performerId);
    if (!person) throw new Error(`performer ${performerId} in standby has no account`);
    const { open } = await lastBroadcasts(tx, performerId);
    const phase = open?.course.phase ?? 'ended';
    await tx.send(personChannel(performerId), broadcastCourse, {
      state: phase === 'ended' ? 'offline' : phase, reason: null, standby: on,
    });
    const who = { performerId, username: person.username };
    await tx.publish(standbyChanged, `performer:${performerId}`, { ...who, on });
  }
}

const placeOf = (tx: Tx, performerId: number): string => `${tx.operatorId}:${performerId}`;

/** Whom performers in standby were told of, for {@link STANDBY_NOTICE_MS}. Lost with the process: no harm. */
class Notices {
  /** By performer, then by member: when. Oldest first, at most {@link MAX_STANDBY_NOTICES} each. */
  readonly #told = new Map<string, Map<number, number>>();

  /** Whether this member is news; it is none from then on. */
  take(place: string, memberId: number, nowMs: number): boolean {
    const told = this.#told.get(place) ?? new Map<number, number>();
    this.#told.set(place, told);
    for (const [member, at] of told) {
      if (nowMs - at < STANDBY_NOTICE_MS) break;
      told.delete(member);
    }
    if (told.has(memberId) || told.size >= MAX_STANDBY_NOTICES) return false;
    told.set(memberId, nowMs);
    return true;
  }

  forget(place: string): void {
    this.#told.delete(place);
  }
}
