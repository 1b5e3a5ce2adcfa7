import type { CallContext, Caller, Consent, Scope } from '#platform/contract/context.ts';
import { sessionChannel } from '#platform/contract/event.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { digest, seal, unseal } from '#platform/data/database/seal.ts';
import { randomId } from '#platform/data/ids.ts';
import { Remembered } from '#platform/data/remembered.ts';
import type { RequestFacts } from '#platform/http/host-port.ts';
import type { NoticesService } from '#product/notices/server.ts';
import Bowser from 'bowser';
import { loggedOut, sessionReplaced, sessionsEnded } from '../contract.ts';
import { personConsent } from '../extension-points.ts';
import {
  DEVICE_NAME_LENGTH,
  GUEST_PREFIX,
  GUEST_SECONDS,
  isRenewalDue,
  MAX_SESSIONS,
  NODE_TOKEN_SECONDS,
  rolesOf,
  SESSION_SECONDS,
  sessionEnd,
} from '../rules.ts';
import {
  deleteSessions,
  findSession,
  insertSession,
  renewSession,
  spendToken,
  steppedAtOf,
  type SessionChoice,
  type SessionRow,
} from '../store/sessions.ts';
import type { RequiredStep } from './credentials/required-step.ts';

/** The session cookie. A guest's is sealed and contains a dot; a person's is random and contains none. */
const COOKIE = 'session';
/** Number of random characters in a guest's name. */
const GUEST_NAME_LENGTH = 8;
/** Guests remembered at once; the oldest are dropped first. */
const MAX_GUESTS = 10_000;

const ANONYMOUS: Caller = {
  kind: 'anonymous',
  personId: null,
  sessionId: null,
  username: null,
  roles: rolesOf(null),
};

type Bearer = Pick<RequestFacts, 'cookie' | 'setCookie'>;
/** The request that starts a session. */
type StartedBy = Pick<CallContext, 'scope' | 'caller' | 'userAgent' | 'region'>;
/** `allowed`: what a person consented to; null for guests, and for people who have not chosen. */
type Known = { readonly caller: Caller; readonly csrf: string | null; readonly allowed: Consent | null };
/** When the guest expires, in milliseconds since 1970. */
type KnownGuest = Known & { readonly until: number };

/** Guests, sessions, and their CSRF and node tokens. All secrets are bound to the operator. */
export class Sessions {
  readonly #data: Data;
  readonly #secret: string;
  readonly #notices: Pick<NoticesService, 'endPushOf' | 'movePush'>;
  readonly #step: RequiredStep;
  readonly #extensions: Extensions;
  readonly #guests = new Remembered<KnownGuest>(MAX_GUESTS);

  constructor({ data, secret, notices, step, extensions }: {
    readonly data: Data;
    readonly secret: string;
    readonly step: RequiredStep;
    readonly extensions: Extensions;
    readonly notices: Pick<NoticesService, 'endPushOf' | 'movePush'>;
  }) {
    this.#data = data;
    this.#secret = secret;
    this.#notices = notices;
    this.#step = step;
    this.#extensions = extensions;
  }

  /** The caller of a request. Renews a person's session at most once a day; never starts one. */
  async resolve(scope: Scope, { cookie, setCookie }: Bearer): Promise<Known> {
    const value = cookie(COOKIE);
    if (value === null) return { caller: ANONYMOUS, csrf: null, allowed: null };
    if (value.includes('.')) return this.#guestOf(scope, value);
    const session = await this.#data.read(scope, async (tx) => {
      const found = await findSession(tx, { digest: this.#digest(scope, 'session', value) });
      if (!found || found.person.inactiveSince) return null;
      const [caller, allowed] = await Promise.all([
        this.#callerOf(tx, found),
        this.#extensions.one(personConsent).chosen(tx, found.person.id),
      ]);
      return { caller, allowed, found };
    });
    if (!session) return this.#known(scope, ANONYMOUS);
    const { caller, allowed, found } = session;
    if (isRenewalDue(found.renewedAt, this.#data.clock.now())) {
      const end = await this.#data.tx(scope, async (tx) => {
        const until = sessionEnd(found.startedAt, tx.now);
        await renewSession(tx, found.id, until);
        return until;
      });
      setCookie(COOKIE, value, { maxAgeSeconds: this.#secondsUntil(end) });
    }
    return this.#known(scope, caller, allowed);
  }

  /** Starts a guest session: a sealed cookie, no row. */
  startGuest(scope: Scope, { setCookie }: Pick<Bearer, 'setCookie'>): { caller: Caller; csrf: string } {
    const until = this.#data.clock.now().getTime() + GUEST_SECONDS * 1000;
    const id = randomId();
    const sealed = seal(this.#secret, purpose(scope, 'guest'), { id, until } satisfies Guest);
    setCookie(COOKIE, sealed, { maxAgeSeconds: GUEST_SECONDS });
    const caller = this.#guest(scope, id);
    return { caller, csrf: this.#csrf(scope, caller) as string };
  }

  /**
   * Starts a person's session within a unit of work, always with a new token: the browser's earlier one is
   * never reused. The caller's current session ends.
   * @param steppedAt when it proved a second step; null where a password or a provider alone was enough
   */
  async start(
    tx: Tx,
    personId: number,
    by: StartedBy,
    steppedAt: Date | null = null,
  ): Promise<string> {
    const { scope, caller: before } = by;
    if (before.personId !== null) {
      const isSame = before.personId === personId;
      await this.end(tx, before.personId, { only: before.sessionId ?? '' }, { keepsPush: isSame });
    }
    const token = randomId();
    await insertSession(tx, {
      digest: this.#digest(scope, 'session', token),
      personId,
      expiresAt: sessionEnd(tx.now, tx.now),
      steppedAt,
      ...deviceOf(by),
    });
    // Push stays: a browser that comes back after its session ended here reports its registration again.
    await this.end(tx, personId, { beyondNewest: MAX_SESSIONS }, { keepsPush: true });
    return token;
  }

  /**
   * Starts a person's session in place of the caller's: its tabs and the browser's push go on. It takes over
   * the second step, because the holder of the earlier session proved it already.
   */
  async replace(tx: Tx, personId: number, by: StartedBy): Promise<string> {
    const { sessionId } = by.caller;
    const isOwn = by.caller.personId === personId;
    const steppedAt = isOwn ? await steppedAtOf(tx, sessionId) : null;
    if (sessionId !== null) {
      const sessionIds = await deleteSessions(tx, personId, { only: sessionId });
      await tx.send(sessionChannel(sessionId), sessionReplaced, {});
      await tx.publish(sessionsEnded, `person:${personId}`, { personId, sessionIds });
    }
    const token = await this.start(tx, personId, by, steppedAt);
    if (sessionId !== null) {
      const to = this.#digest(by.scope, 'session', token);
      await this.#notices.movePush(tx, personId, { from: sessionId, to });
    }
    return token;
  }

  /** Sets the cookie of a started session, once its unit of work is committed. */
  setCookie({ setCookie }: Pick<CallContext, 'setCookie'>, token: string): void {
    setCookie(COOKIE, token, { maxAgeSeconds: SESSION_SECONDS });
  }

  clearCookie({ setCookie }: Pick<CallContext, 'setCookie'>): void {
    setCookie(COOKIE, null);
  }

  /**
   * Ends sessions and their push messages, sends an event to their open pages, and publishes the fact.
   * @returns how many sessions ended
   */
  async end(
    tx: Tx,
    personId: number,
    choice: SessionChoice,
    { keepsPush } = { keepsPush: false },
  ): Promise<number> {
    const sessionIds = await deleteSessions(tx, personId, choice);
    if (sessionIds.length === 0) return 0;
    if (!keepsPush) await this.#notices.endPushOf(tx, personId, sessionIds);
    for (const sessionId of sessionIds) await tx.send(sessionChannel(sessionId), loggedOut, {});
    await tx.publish(sessionsEnded, `person:${personId}`, { personId, sessionIds });
    return sessionIds.length;
  }

  /** A node token for the caller's session, or '' without one. `session` is null for guests. */
  nodeToken(scope: Scope, { cookie }: Pick<Bearer, 'cookie'>, session: SessionRow | null): string {
    const guest = session ? null : this.#openGuest(scope, cookie(COOKIE) ?? '')?.id ?? null;
    if (!session && guest === null) return '';
    const until = this.#data.clock.now().getTime() + NODE_TOKEN_SECONDS * 1000;
    const of = session ? { session: session.id } : { guest };
    return seal(this.#secret, purpose(scope, 'node token'), { ...of, nonce: randomId(), until });
  }

  /**
   * Redeems a node token. Null when it is forged, expired or already redeemed, when its session has ended, or
   * when another session sends it; the latter does not use it up.
   */
  async redeem(
    scope: Scope,
    token: string,
    { sessionId: from }: Pick<Caller, 'sessionId'>,
  ): Promise<Caller | null> {
    const opened = unseal(this.#secret, purpose(scope, 'node token'), token) as NodeToken | null;
    if (!opened || opened.until <= this.#data.clock.now().getTime()) return null;
    return this.#data.tx(scope, async (tx) => {
      const caller = await this.#ownerOf(tx, scope, opened);
      if (caller === null || caller.sessionId !== from) return null;
      return (await spendToken(tx, opened.nonce, new Date(opened.until))) ? caller : null;
    });
  }

  /** The caller a node token was made for; null when the session has ended. */
  async #ownerOf(tx: Tx, scope: Scope, token: NodeToken): Promise<Caller | null> {
    if ('guest' in token) return this.#guest(scope, token.guest);
    const session = await findSession(tx, { id: token.session });
    return session && !session.person.inactiveSince ? this.#callerOf(tx, session) : null;
  }

  /** The caller of a session: the one place where roles are withheld, from calls and sockets alike. */
  async #callerOf(tx: Tx, session: SessionRow): Promise<Caller> {
    const { digest: sessionId, person } = session;
    return {
      kind: 'person',
      personId: person.id,
      sessionId,
      username: person.username,
      ...await this.#step.rolesIn(tx, session),
    };
  }

  #known(scope: Scope, caller: Caller, allowed: Consent | null = null): Known {
    return { caller, csrf: this.#csrf(scope, caller), allowed };
  }

  #csrf(scope: Scope, { sessionId }: Caller): string | null {
    return sessionId === null ? null : this.#digest(scope, 'csrf', sessionId);
  }

  /**
   * The guest of a sealed cookie. Guests are cached, because the same bytes are the same guest until they
   * expire; people are not, because their session may end.
   */
  #guestOf(scope: Scope, value: string): Known {
    const now = this.#data.clock.now().getTime();
    const key = `${scope.operatorId} ${value}`;
    const remembered = this.#guests.get(key, now, Number.POSITIVE_INFINITY);
    if (remembered && remembered.until > now) return remembered;
    const guest = this.#openGuest(scope, value);
    if (!guest) return { caller: ANONYMOUS, csrf: null, allowed: null };
    const known = { ...this.#known(scope, this.#guest(scope, guest.id)), until: guest.until };
    this.#guests.set(key, known, now);
    return known;
  }

  #openGuest(scope: Scope, value: string): Guest | null {
    const guest = unseal(this.#secret, purpose(scope, 'guest'), value) as Guest | null;
    return guest && guest.until > this.#data.clock.now().getTime() ? guest : null;
  }

  #guest(scope: Scope, id: string): Caller {
    const letters = this.#digest(scope, 'guest name', id).toLowerCase().replaceAll(/[^a-z0-9]/gu, '');
    return {
      kind: 'guest',
      personId: null,
      sessionId: this.#digest(scope, 'guest session', id),
      username: GUEST_PREFIX + letters.slice(0, GUEST_NAME_LENGTH),
      roles: rolesOf(null),
    };
  }

  #digest(scope: Scope, use: Purpose, text: string): string {
    return digest(this.#secret, purpose(scope, use), text);
  }

  #secondsUntil(at: Date): number {
    return (at.getTime() - this.#data.clock.now().getTime()) / 1000;
  }
}

interface Guest {
  readonly id: string;
  readonly until: number;
}
type NodeToken =
  & { readonly nonce: string; readonly until: number }
  & (
    | { readonly session: number }
    | { readonly guest: string }
  );
type Purpose = 'session' | 'guest' | 'guest session' | 'guest name' | 'csrf' | 'node token';

/** The device of a request: the names of its browser and system, without versions. */
export function deviceOf({ userAgent, region }: Pick<CallContext, 'userAgent' | 'region'>) {
  // The parser throws for an empty text.
  const { browser, os } = Bowser.parse(userAgent || '-');
  // For an unknown browser the parser returns any text of the request.
  const name = (
    known: Readonly<Record<string, string>>,
    text = '',
  ): string => (Object.values(known).includes(text) ? text.slice(0, DEVICE_NAME_LENGTH) : '');
  return { browser: name(Bowser.BROWSER_MAP, browser.name), platform: name(Bowser.OS_MAP, os.name), region };
}

const purpose = ({ operatorId }: Scope, use: Purpose): string => `accounts ${use} of operator ${operatorId}`;
