import type { CallHandler, PathFields } from '#platform/contract/bind.ts';
import { OPEN_ACCESS, type AnyCall, type RateLimit } from '#platform/contract/call.ts';
import { API_BASE, CallFailed, type CallFunction, type Problem } from '#platform/contract/client.ts';
import {
  NO_CONSENT,
  type CallContext,
  type Caller,
  type Consent,
  type HandlerContext,
  type Scope,
} from '#platform/contract/context.ts';
import { CallerGone, hostRefusals, Refused, type RefusalDetail } from '#platform/contract/refusal.ts';
import type { Clock } from '#platform/data/clock.ts';
import { describeError } from '#platform/data/errors.ts';
import type { RateLimitStore } from '#platform/data/limits/rate-limits.ts';
import { Remembered } from '#platform/data/remembered.ts';
import { holdsCardNumber, withoutCardNumbers } from '#platform/text/card-numbers.ts';
import { issueText, type ShapeIssue } from '#platform/text/issues.ts';
import { createHash, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { HostPort, RequestFacts } from '../host-port.ts';
import {
  bearerOf,
  hostNameOf,
  isFromElsewhere,
  isIdempotencyKey,
  isSameOrigin,
  sameSecret,
} from './credentials.ts';
import { CallLimits } from './limits.ts';
import { problemOf, problemOfError, type Issue, type Text } from './problem.ts';
import { bytesOf, compileInput, compileOutput, parseInput, type Parsed, type RawInput } from './shapes.ts';

/** A call with everything that can be compiled without a request. */
export interface BoundCall {
  readonly call: AnyCall;
  /** Full path, for the router. */
  readonly route: string;
  readonly handle: CallHandler['handle'];
  readonly linkOf?: CallHandler['linkOf'];
  readonly parse: (raw: RawInput) => Parsed;
  readonly stringify: (value: unknown) => string;
  /** Serializes an output as it is sent: text, or the bytes of a frozen output. */
  readonly write: (value: unknown) => string | Buffer;
}

/** Who makes a request, for which site, in which language, from where. */
export interface Visit {
  readonly scope: Scope;
  readonly caller: Caller;
  readonly csrf: string | null;
  readonly consent: Consent;
  readonly locale: string;
  readonly region: string;
  /** See {@link HostPort.epoch}. */
  readonly epoch: string;
  readonly origin: string;
}

export interface PipelineOptions {
  readonly handlers: readonly CallHandler[];
  readonly port: HostPort;
  readonly clock: Clock;
  /** Where rate limits are counted. */
  readonly limits: RateLimitStore;
  readonly log: Logger;
  /** `https` when the site is reached over TLS, even if a proxy terminates it. */
  readonly scheme: 'http' | 'https';
  /** Parses every output by its contract: development and tests. */
  readonly checkOutputs: boolean;
  /** Path below which calls are answered. */
  readonly apiBase?: string;
}

export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: Problem; readonly retryAfterSeconds?: number };

/**
 * How long the caller of a session is cached for players, which send the session with dozens of requests a
 * second. All other calls, and all with effects, resolve the caller each time.
 */
const CALLER_MS = 500;
/** Sessions remembered at once; the oldest go first. */
const MAX_CALLERS = 20_000;

/** Limit of refused effects per address, whoever the caller is: each costs a look-up of a session. */
const FOREIGN_EFFECTS: RateLimit = { points: 600, seconds: 60, per: 'address' };

/** The caller that a cookie identifies. */
interface Who {
  readonly caller: Caller;
  readonly csrf: string | null;
  readonly consent: Consent;
}

const NOBODY: Caller = { kind: 'anonymous', personId: null, sessionId: null, username: null, roles: [] };

/**
 * The steps of every call, over HTTP and in process: caller, rate limit, origin, permission, input, handler.
 */
export class Pipeline {
  readonly calls: readonly BoundCall[];
  readonly apiBase: string;
  readonly #options: PipelineOptions;
  readonly #limits: CallLimits;
  readonly #byName: ReadonlyMap<string, BoundCall>;
  readonly #callers = new Remembered<Promise<Who>>(MAX_CALLERS);
  /** One visit per request, however many calls a page makes. */
  readonly #visits = new WeakMap<RequestFacts, Map<boolean, Promise<Visit | null>>>();

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#limits = new CallLimits(options.limits);
    this.apiBase = options.apiBase ?? API_BASE;
    assertBindings(options, this.apiBase);
    this.calls = options.handlers.map(({ call, handle, linkOf }) => {
      const stringify = onFirstUse(() => compileOutput(call, options.checkOutputs));
      const route = (call.root ? '' : this.apiBase) + call.path;
      const parse = onFirstUse(() => compileInput(call));
      return { call, handle, linkOf, route, parse, stringify, write: bytesOf(stringify) };
    });
    this.#byName = new Map(this.calls.map((bound) => [bound.call.name, bound]));
  }

  /** Resolves site and caller once per request; null for a host name without a site. */
  visit(facts: RequestFacts, call?: AnyCall): Promise<Visit | null> {
    const isForeign = call?.crossOrigin === true && isFromElsewhere(facts.headers, this.#originOf(facts));
    const readsCookie = call === undefined || call.credential === 'cookie' || call.readsSession === true;
    const byCookie = readsCookie && !isForeign;
    const visits = this.#visits.get(facts) ?? new Map<boolean, Promise<Visit | null>>();
    this.#visits.set(facts, visits);
    const known = visits.get(byCookie);
    if (known && !call?.startsSession) return known;
    const isPiece = call?.readsSession === true && !call.effects;
    const visit = known
      ? this.#withSession(known, facts)
      : this.#resolve(facts, byCookie, call?.startsSession ?? false, isPiece);
    visits.set(byCookie, visit);
    return visit;
  }

  /** The same visit; a caller without a session gets a guest session. */
  async #withSession(known: Promise<Visit | null>, facts: RequestFacts): Promise<Visit | null> {
    const visit = await known;
    if (visit?.caller.kind !== 'anonymous') return visit;
    return { ...visit, ...(await this.#options.port.startGuest(visit.scope, facts)) };
  }

  async #resolve(
    facts: RequestFacts,
    byCookie: boolean,
    startsSession: boolean,
    isPiece: boolean,
  ): Promise<Visit | null> {
    const { port } = this.#options;
    const name = hostNameOf(facts.host);
    const scope = name === null ? null : await port.resolveScope(name);
    if (!scope) return null;
    // Before anything is decided: what is decided later belongs to no earlier epoch.
    const epoch = port.epoch?.() ?? '';
    let who: Who = { caller: NOBODY, csrf: null, consent: NO_CONSENT };
    if (byCookie) who = await (isPiece ? this.#callerOf(scope, facts) : port.resolveCaller(scope, facts));
    if (startsSession && who.caller.kind === 'anonymous') {
      who = { ...who, ...await port.startGuest(scope, facts) };
    }
    return {
      scope,
      ...who,
      epoch,
      locale: port.localeOf(facts),
      region: port.regionOf(facts),
      origin: this.#originOf(facts),
    };
  }

  #callerOf(scope: Scope, facts: RequestFacts): Promise<Who> {
    const { clock, port } = this.#options;
    // A digest, because an unknown cookie may be long.
    const cookie = createHash('sha256').update(facts.headers.cookie ?? '').digest('base64');
    const key = `${scope.operatorId} ${scope.siteId} ${cookie}`;
    return this.#callers.ask(key, clock.now().getTime(), CALLER_MS, () => port.resolveCaller(scope, facts));
  }

  #originOf({ host }: RequestFacts): string {
    return `${this.#options.scheme}://${host}`;
  }

  /** Counts a request for a file of the host against its limit: 0 when allowed, else the seconds to wait. */
  countFile(name: string, limit: RateLimit, address: string): Promise<number> {
    return this.#limits.take(name, limit, NOBODY, address);
  }

  localeOf(facts: RequestFacts): string {
    return this.#options.port.localeOf(facts);
  }

  /** Texts in the language of the request, also when its host has no site. */
  textOf(facts: RequestFacts): Text {
    const { port } = this.#options;
    const locale = port.localeOf(facts);
    return (key, values) => port.text(locale, key, values);
  }

  /**
   * Everything that can be refused before the body is read.
   * @param inProcess our own page renderer asks: the request it works for was a navigation, so there is no
   * CSRF token, and only calls without effects are made
   * @param path the parameters of the request's path
   */
  async admit(
    bound: BoundCall,
    visit: Visit,
    facts: RequestFacts,
    { inProcess = false, path = {} }: { readonly inProcess?: boolean; readonly path?: PathFields } = {},
  ): Promise<Refused | null> {
    const { call } = bound;
    // Counted separately: otherwise a page of another site could use up the limits of its visitors or their
    // households.
    if (call.credential === 'cookie' && call.effects && (inProcess || !isGenuine(visit, facts))) {
      const waitSeconds = await this.countFile('foreign effects', FOREIGN_EFFECTS, facts.address);
      return waitSeconds > 0 ? tooMany(waitSeconds) : new Refused(hostRefusals.csrf);
    }
    // A document makes several calls, and documents are rendered for many viewers; `ssr.ts` limits how many
    // are rendered.
    const wait = inProcess ? 0 : await this.#limits.take(
      call.name,
      call.limit,
      visit.caller,
      facts.address,
      linkIn(bound, visit.scope, path),
    );
    return wait > 0 ? tooMany(wait) : this.#denied(call, visit.caller) ?? checkIdempotencyKey(call, facts);
  }

  /**
   * Checks the visit again when the body arrived after the request was admitted: a caller who was logged out
   * since, or lost a role, can no longer act, however slowly they sent it.
   */
  async revisit({ call }: BoundCall, visit: Visit, facts: RequestFacts): Promise<Visit | Refused> {
    if (!call.effects || call.credential !== 'cookie' || visit.caller.kind !== 'person') return visit;
    const who = await this.#options.port.resolveCaller(visit.scope, facts);
    if (who.caller.sessionId !== visit.caller.sessionId) return new Refused(hostRefusals.notAuthenticated);
    return this.#denied(call, who.caller) ?? { ...visit, ...who };
  }

  /** The reason why the permission table denies a call; null when it is allowed. */
  #denied({ access }: AnyCall, caller: Caller): Refused | null {
    const { mayUse } = this.#options.port;
    // Handlers of every other row rely on a person, whatever the table says.
    const isKnown = access === OPEN_ACCESS || caller.personId !== null;
    if (isKnown && mayUse(access, caller)) return null;
    if (caller.kind !== 'person') return new Refused(hostRefusals.notAuthenticated);
    const mayLater = mayUse(access, { ...caller, roles: [...caller.roles, ...caller.withheld ?? []] });
    return new Refused(mayLater ? hostRefusals.twoFactorRequired : hostRefusals.forbidden);
  }

  /** The context of a request that is not a call, e.g. the upgrade to a socket; null without a site. */
  async contextOf(facts: RequestFacts): Promise<CallContext | null> {
    const visit = await this.visit(facts);
    return visit && contextOf(null, visit, facts);
  }

  /**
   * Runs an admitted call. Never rejects: an error is logged once, without user text, and answered by its
   * reference.
   */
  async perform(
    bound: BoundCall,
    visit: Visit,
    facts: RequestFacts,
    parsed: Parsed,
    file: Uint8Array | null = null,
  ): Promise<Outcome> {
    const text = this.textOf(facts);
    if (!parsed.ok) {
      return this.refused(
        new Refused(hostRefusals.invalidInput, { extra: { issues: this.#issuesOf(parsed.issues, facts) } }),
        facts,
      );
    }
    try {
      const value = await bound.handle(parsed.input, contextOf(bound.call, visit, facts, file));
      return value instanceof Refused ? this.refused(value as Refused, facts) : { ok: true, value };
    } catch (error) {
      if (error instanceof CallerGone) {
        return this.refused(new Refused(hostRefusals.notAuthenticated), facts);
      }
      return { ok: false, problem: problemOfError(this.logError(error, bound.call.name), text) };
    }
  }

  /** The issues of an input, field by field, in the caller's language. */
  #issuesOf(issues: readonly ShapeIssue[], facts: RequestFacts): Issue[] {
    const language = { locale: this.#options.port.localeOf(facts), text: this.textOf(facts) };
    return issues.map((issue) => ({
      path: (issue.path ?? []).map(String).join('.'),
      message: issueText(issue, language),
    }));
  }

  /** A refusal as an outcome, in the caller's language. */
  refused(refused: Refused, facts: RequestFacts): Outcome & { ok: false } {
    const { retryAfterSeconds } = refused.detail;
    return { ok: false, problem: problemOf(refused, this.textOf(facts)), retryAfterSeconds };
  }

  /** Logs an error and returns the reference the caller gets. */
  logError(error: unknown, where: string): string {
    const reference = randomUUID();
    this.#options.log.error({ reference, where, ...describeError(error) }, 'unexpected error');
    return reference;
  }

  /**
   * Makes calls in process for one request, e.g. for server-side rendering; same checks, no CSRF, no effects.
   * @param visit visit of the same request, if known: site and caller are not resolved again
   */
  invoker(facts: RequestFacts, visit?: Visit): CallFunction {
    if (visit) {
      const inLanguage: Visit = { ...visit, locale: this.localeOf(facts) };
      this.#visits.set(facts, new Map([[true, Promise.resolve(inLanguage)]]));
    }
    return async ({ name }, input) => {
      // Pages are a separate build with copies of the constants, so only the names are equal.
      const bound = this.#byName.get(name);
      if (!bound) throw new Error(`call ${name} is not bound`);
      const { call } = bound;
      if (call.effects) throw new Error(`call ${name} has effects and cannot be made while rendering`);
      const asked = await this.visit(facts, call);
      if (!asked) throw new CallFailed(this.refused(new Refused(hostRefusals.unknownSite), facts).problem);
      const refused = await this.admit(bound, asked, facts, { inProcess: true });
      if (refused) throw new CallFailed(this.refused(refused, facts).problem);
      const outcome = await this.perform(bound, asked, facts, parseInput(call, input));
      if (!outcome.ok) throw new CallFailed(outcome.problem);
      return JSON.parse(bound.stringify(outcome.value)) as never;
    };
  }
}

/** Shapes are compiled on their first request: compiling all would delay the start by more than a second. */
function onFirstUse<In, Out>(compile: () => (value: In) => Out): (value: In) => Out {
  let compiled: ((value: In) => Out) | null = null;
  return (value) => {
    compiled ??= compile();
    return compiled(value);
  };
}

/** The link of a request, for this operator; null unless the site made it. */
function linkIn({ linkOf }: BoundCall, scope: Scope, path: PathFields): string | null {
  const link = linkOf?.(path, scope) ?? null;
  return link === null ? null : `${scope.operatorId} ${link}`;
}

const tooMany = (seconds: number): Refused =>
  new Refused(hostRefusals.tooManyRequests, { retryAfterSeconds: seconds, values: { seconds } });

const isGenuine = (visit: Visit, facts: RequestFacts): boolean => {
  const sent = facts.headers['x-csrf-token'];
  if (visit.csrf === null || typeof sent !== 'string') return false;
  return sameSecret(sent, visit.csrf) && isSameOrigin(facts.headers, visit.origin);
};

function checkIdempotencyKey(call: AnyCall, facts: RequestFacts): Refused | null {
  if (!call.idempotency) return null;
  const key = facts.headers['idempotency-key'];
  if (key === undefined && call.idempotency === 'optional') return null;
  if (typeof key === 'string' && isIdempotencyKey(key)) {
    // It is stored with the effect it was used for.
    return holdsCardNumber(key) ? new Refused(hostRefusals.cardNumber) : null;
  }
  const message = key === undefined ? 'required' : '1 to 255 visible ASCII characters';
  return new Refused(hostRefusals.invalidInput, {
    extra: { issues: [{ path: 'Idempotency-Key', message }] },
  });
}

const flatHeaders = ({ headers }: RequestFacts): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]]
    ),
  );

function contextOf(
  call: AnyCall | null,
  visit: Visit,
  facts: RequestFacts,
  file: Uint8Array | null = null,
): HandlerContext<never> {
  const key = call?.idempotency ? facts.headers['idempotency-key'] : undefined;
  return {
    ...visit,
    personId: visit.caller.personId,
    address: facts.address,
    // Computed on demand, because few calls read these.
    get userAgent() {
      return withoutCardNumbers(facts.headers['user-agent'] ?? '');
    },
    get raw() {
      return { query: facts.query ?? '', headers: flatHeaders(facts) };
    },
    bearer: call?.credential === 'bearer' ? bearerOf(facts.headers) : null,
    idempotencyKey: typeof key === 'string' ? key : null,
    ifMatch: facts.headers['if-match'] ?? null,
    range: facts.headers.range ?? null,
    file,
    cookie: facts.cookie,
    setCookie: facts.setCookie,
    refuse: (refusal: never, detail?: RefusalDetail) => new Refused(refusal, detail),
  };
}

/** A site that cannot keep its contract does not start. */
function assertBindings({ handlers: answers, port }: PipelineOptions, apiBase: string): void {
  const names = new Set<string>();
  const routes = new Set<string>();
  for (const { call, linkOf } of answers) {
    // Parameter names do not distinguish two routes.
    const route = `${call.method} ${call.root ? '' : apiBase}${call.path.replaceAll(/:[^/]+/gu, ':')}`;
    if (names.has(call.name)) throw new Error(`call ${call.name} is bound twice`);
    if (routes.has(route)) throw new Error(`two calls answer ${route}`);
    // Links and images make GETs too: only a CSRF token or a signature proves an intent.
    const isProven = call.credential === 'cookie' || call.credential === 'signature';
    if (call.effects && call.method === 'GET' && !isProven) {
      throw new Error(`call ${call.name} changes things with a GET that nothing proves`);
    }
    if ((call.limit.per === 'link') !== (linkOf !== undefined)) {
      throw new Error(`call ${call.name} has a limit per link and no \`linkOf\`, or the other way round`);
    }
    port.mayUse(call.access, NOBODY);
    names.add(call.name);
    routes.add(route);
  }
}
