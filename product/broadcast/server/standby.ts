import {
  handleCall,
  subscribe,
  type CallHandler,
  type DeadlineHandler,
  type Subscription,
} from '#platform/contract/bind.ts';
import type { CallContext, PersonContext } from '#platform/contract/context.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { Tx } from '#platform/data/data.ts';
import { normalizeUsername } from '#platform/text/usernames.ts';
import { sessionsEnded } from '#product/accounts/contract.ts';
import type { Person } from '#product/accounts/server.ts';
import { clearanceRevoked, performerHidden, performerUnknown } from '#product/compliance/contract.ts';
import { broadcastStarted, broadcastStateChanged, standbyChanged, studioChanged } from '../contract.ts';
import {
  alreadyLive,
  setStandby,
  setStudio,
  standbyNotAllowed,
  standbyVisitor,
} from '../contract/settings.ts';
import { MAX_STANDBY_NOTICES, mayStandby, STANDBY_MS, STANDBY_NOTICE_MS } from '../rules.ts';
import { lastBroadcasts } from '../store.ts';
import {
  deleteStandby,
  findStreamerSettings,
  findStudio,
  isStandby,
  saveStandby,
  saveStreamerSettings,
  saveStudio,
} from '../store/settings.ts';
import { performerOf, type BroadcastDependencies } from './dependencies.ts';
import { mayPublish } from './ingest/admission.ts';
import { loginDigest } from './ingest/keys.ts';

const DEADLINE = 'broadcast.standby';

/**
 * Standby: offline, but available soon. Open to the sites and studios the operator lists. The performer
 * begins it; it ends after {@link STANDBY_MS}, on going live, and with the log-in session that began it.
 */
export class Standby {
  readonly #deps: BroadcastDependencies;
  readonly #notices = new Notices();

  constructor(deps: BroadcastDependencies) {
    this.#deps = deps;
  }

  readonly callHandlers = (): CallHandler[] => [
    handleCall(setStandby)(async ({ on }, context) => {
      const { data } = this.#deps;
      const { personId: performerId } = context;
      // Ending is always allowed, even after the permission was withdrawn.
      if (on && !(await this.isAllowed(context))) return context.refuse(standbyNotAllowed);
      const done = await data.tx(
        context.scope,
        (tx) => on ? this.#begin(tx, context) : this.end(tx, performerId).then(() => true),
      );
      return done ? { status: 1, standby: on } : context.refuse(alreadyLive);
    }),
    handleCall(setStudio)(async ({ username, studio }, context) => {
      const { scope, caller, refuse } = context;
      const { data, accounts } = this.#deps;
      return data.tx(scope, async (tx) => {
        await accounts.lockCaller(tx, context);
        const person = await accounts.findByUsername(tx, normalizeUsername(username));
        if (person?.type !== 'model') return refuse(performerUnknown);
        await this.setStudio(tx, person, studio, caller.personId);
        return { status: 1, studio };
      });
    }),
  ];

  /** Sets or removes the studio of a performer. @param actorId who does it; null for the site itself */
  async setStudio(
    tx: Tx,
    { id, username }: Pick<Person, 'id' | 'username'>,
    studio: string | null,
    actorId: number | null,
  ): Promise<void> {
    const before = await findStudio(tx, id);
    if (before === studio) return;
    await saveStudio(tx, id, studio);
    await tx.audit({
      action: 'broadcast.studio',
      actorId,
      subject: `person:${id}`,
      detail: { before, after: studio },
    });
    await tx.publish(studioChanged, `performer:${id}`, { performerId: id, username });
    // The previous studio may have allowed standby; the performer begins it again if still allowed.
    await this.end(tx, id);
  }

  readonly deadlineHandler = (): DeadlineHandler => ({
    kind: DEADLINE,
    handle: ({ operatorId, key }) =>
      this.#deps.data.tx({ operatorId }, async (tx) => {
        await this.end(tx, Number(key), { by: tx.now });
      }),
  });

  readonly subscriptions = (): Subscription[] => {
    const { data, accounts, secret } = this.#deps;
    return [
      subscribe(broadcastStarted, 'broadcast.standbyStarted')(({ operatorId, payload }) =>
        data.tx({ operatorId }, async (tx) => void (await this.end(tx, payload.performerId)))
      ),
      subscribe(clearanceRevoked, 'broadcast.standbyRevoked')(({ operatorId, payload }) =>
        data.tx({ operatorId }, async (tx) => void (await this.end(tx, payload.performerId)))
      ),
      subscribe(performerHidden, 'broadcast.standbyHidden')(({ operatorId, payload }) =>
        data.tx({ operatorId }, async (tx) => void (await this.end(tx, payload.performerId)))
      ),
      subscribe(sessionsEnded, 'broadcast.standbySessions')((
        { operatorId, payload: { personId, sessionIds } },
      ) =>
        data.tx({ operatorId }, async (tx) => {
          const isSuspended = (await accounts.findById(tx, personId))?.inactiveSince != null;
          const sessions = sessionIds.map((id) => loginDigest(secret, id));
          if (isSuspended) await this.end(tx, personId);
          else if (sessions.length > 0) await this.end(tx, personId, { sessions });
        })
      ),
    ];
  };

  /** Whether this performer may go on the air, and the operator allows them standby on the calling site. */
  async isAllowed(context: PersonContext): Promise<boolean> {
    const { data, site } = this.#deps;
    const { personId: performerId, scope } = context;
    const { standby } = await site.settingsOf(scope);
    // Most operators allow it to nobody, and the page calls this every few seconds.
    if (standby.domains.length + standby.studios.length === 0) return false;
    const { domain_name: domain } = await site.viewOf(scope);
    return data.tx(scope, async (tx) => {
      const studio = await findStudio(tx, performerId);
      return mayStandby({ domain, studio }, standby)
        && 'clearanceId' in await mayPublish(this.#deps, tx, performerId);
    });
  }

  /** Ends a performer's standby and publishes it; false when there was none matching `only`. */
  async end(
    tx: Tx,
    performerId: number,
    only?: Parameters<typeof deleteStandby>[2],
  ): Promise<boolean> {
    if (!(await deleteStandby(tx, performerId, only))) return false;
    await tx.unschedule(DEADLINE, String(performerId));
    await this.#publishChange(tx, performerId, false);
    this.#notices.forget(noticeKey(tx, performerId));
    return true;
  }

  /**
   * Notifies the tabs of a performer in standby that a member entered the room, unless the performer has
   * turned that off: once a minute per member, at most {@link MAX_STANDBY_NOTICES} times a minute.
   */
  async memberEntered(tx: Tx, performerId: number, memberId: number): Promise<void> {
    if (memberId === performerId || !(await isStandby(tx, performerId))) return;
    if (!(await findStreamerSettings(tx, performerId)).standby_notifications_enabled) return;
    const member = await this.#deps.accounts.findById(tx, memberId);
    if (!member || !this.#notices.take(noticeKey(tx, performerId), memberId, tx.now.getTime())) return;
    await tx.send(personChannel(performerId), standbyVisitor, {
      username: member.username,
      display_name: member.displayName,
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
    if (!wasOn) await this.#publishChange(tx, performerId, true);
    return true;
  }

  async #publishChange(tx: Tx, performerId: number, on: boolean): Promise<void> {
    const person = await this.#deps.accounts.findById(tx, performerId);
    if (!person) throw new Error(`performer ${performerId} in standby has no account`);
    const { open } = await lastBroadcasts(tx, performerId);
    const phase = open?.state.phase ?? 'ended';
    await tx.send(personChannel(performerId), broadcastStateChanged, {
      state: phase === 'ended' ? 'offline' : phase,
      reason: null,
      standby: on,
    });
    const who = { performerId, username: person.username };
    await tx.publish(standbyChanged, `performer:${performerId}`, { ...who, on });
  }
}

const noticeKey = (tx: Tx, performerId: number): string => `${tx.operatorId}:${performerId}`;

/** Recent notifications of performers in standby, in memory: a restart may repeat one. */
class Notices {
  /** Times by performer and member, oldest first, at most {@link MAX_STANDBY_NOTICES} each. */
  readonly #notified = new Map<string, Map<number, number>>();

  /** Whether to notify about this member now; if so, records it. */
  take(key: string, memberId: number, nowMs: number): boolean {
    const notified = this.#notified.get(key) ?? new Map<number, number>();
    this.#notified.set(key, notified);
    for (const [member, at] of notified) {
      if (nowMs - at < STANDBY_NOTICE_MS) break;
      notified.delete(member);
    }
    if (notified.has(memberId) || notified.size >= MAX_STANDBY_NOTICES) return false;
    notified.set(memberId, nowMs);
    return true;
  }

  forget(key: string): void {
    this.#notified.delete(key);
  }
}
