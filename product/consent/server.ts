import { handleCall, type CallHandler, type Slice } from '#platform/contract/bind.ts';
import type { CallContext, Caller, Consent, Purpose, Scope } from '#platform/contract/context.ts';
import { implement, type Extensions } from '#platform/contract/extension-point.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { Remembered } from '#platform/data/remembered.ts';
import type { RequestFacts } from '#platform/http/host-port.ts';
import { DAY_MS, SECOND_MS } from '#platform/time/units.ts';
import { personalData, personConsent } from '#product/accounts/extension-points.ts';
import type { SiteService } from '#product/site/server.ts';
import { getConsent, saveConsent } from './contract.ts';
import {
  choiceIn,
  CONSENT_COOKIE,
  CONSENT_DAYS,
  consentIn,
  cookieOf,
  isAsked,
  objectsBy,
  withObjection,
  type StoredChoice,
} from './rules.ts';
import { findChoice, insertChoice } from './store.ts';
import { ownRows } from './store/own-rows.ts';

/** The parts of a request that decide its consent. */
interface Asking extends Pick<RequestFacts, 'cookie' | 'headers'> {
  readonly scope: Scope;
  readonly region: string;
  readonly caller: Pick<Caller, 'personId'>;
  /** The choice of the request's person; null for a guest, and for a person who has not chosen. */
  readonly allowed: Consent | null;
}

export interface ConsentService {
  /** What the caller of a request allows. */
  readonly inForce: (asking: Asking) => Promise<Consent>;
  /**
   * Whether something about a person may be stored now: by their last choice, wherever they made it; without
   * one, by the consent of their socket or request.
   */
  readonly allows: (tx: Tx, personId: number, said: Consent, purpose: Purpose) => Promise<boolean>;
}

interface ConsentDependencies {
  readonly data: Data;
  readonly site: Pick<SiteService, 'settingsOf'>;
  readonly extensions: Extensions;
}

/** How long an operator's rule on whom to ask is cached: it changes once in years. */
const ASKED_MS = 10 * SECOND_MS;
/** Most operators of one process. */
const MAX_OPERATORS = 1_000;
const COOKIE = { maxAgeSeconds: CONSENT_DAYS * DAY_MS / SECOND_MS, httpOnly: false } as const;

/** Consent, by purpose: who is asked, what they allow, and the records of it. */
export function consentSlice({ data, site }: ConsentDependencies): Slice<ConsentService> {
  const settings = new Remembered<Promise<Parameters<typeof isAsked>[0]>>(MAX_OPERATORS);
  const nowMs = (): number => data.clock.now().getTime();
  const asks = async (scope: Scope, region: string): Promise<boolean> => {
    const where = await settings.ask(
      String(scope.operatorId),
      nowMs(),
      ASKED_MS,
      async () => (await site.settingsOf(scope)).consentAsked,
    );
    return isAsked(where, region);
  };
  const service: ConsentService = {
    inForce: async ({ scope, region, cookie, headers, caller: { personId }, allowed }) => {
      const chosen = allowed ?? browserChoice(cookie, personId, nowMs());
      const asked = chosen !== null || await asks(scope, region);
      return consentIn({ chosen, asked, objects: objectsBy(headers) });
    },
    allows: async (tx, personId, said, purpose) =>
      ((await findChoice(tx, personId))?.consent ?? said)[purpose],
  };
  return {
    name: 'consent',
    service,
    callHandlers: handlers(data, asks),
    extensions: [
      implement(personalData, ownRows),
      implement(personConsent, {
        chosen: async (tx, personId) => (await findChoice(tx, personId))?.consent ?? null,
        loggedIn,
      }),
    ],
  };
}

/** The choice made in a browser; for a person, only one that no other account made there. */
function browserChoice(
  cookie: CallContext['cookie'],
  personId: number | null,
  nowMs: number,
): Consent | null {
  const stored = choiceIn(cookie(CONSENT_COOKIE), nowMs);
  return stored && (personId === null || !stored.isOfAccount) ? stored.consent : null;
}

const storeChoice = (context: Pick<CallContext, 'setCookie'>, choice: StoredChoice): void =>
  context.setCookie(CONSENT_COOKIE, cookieOf(choice), COOKIE);

/** Updates a browser's cookie to its person's choice, wherever they made it. */
async function follow(
  tx: Tx,
  personId: number,
  context: Pick<CallContext, 'cookie' | 'setCookie'>,
): Promise<boolean> {
  const choice = await findChoice(tx, personId);
  if (!choice) return false;
  const stored: StoredChoice = { consent: choice.consent, atMs: choice.at.getTime(), isOfAccount: true };
  if (context.cookie(CONSENT_COOKIE) !== cookieOf(stored)) storeChoice(context, stored);
  return true;
}

/**
 * At log-in a person's choice applies to this browser; without one, the browser's earlier choice becomes
 * theirs.
 */
async function loggedIn(tx: Tx, personId: number, context: CallContext): Promise<void> {
  if (await follow(tx, personId, context)) return;
  const stored = choiceIn(context.cookie(CONSENT_COOKIE), tx.now.getTime());
  if (!stored || stored.isOfAccount) return;
  const { consent, atMs } = stored;
  await insertChoice(tx, personId, consent, {
    chosenIn: 'browser',
    region: context.region,
    at: new Date(Math.min(atMs, tx.now.getTime())),
  });
  storeChoice(context, { ...stored, isOfAccount: true });
}

const handlers = (
  data: Data,
  asks: (scope: Scope, region: string) => Promise<boolean>,
): CallHandler[] => [
  handleCall(getConsent)(async (_input, context) => {
    const { scope, region, caller: { personId } } = context;
    if (personId !== null) await data.read(scope, (tx) => follow(tx, personId, context));
    return { asked: await asks(scope, region) };
  }),
  handleCall(saveConsent)(async ({ chosen_in: chosenIn, ...wanted }, context) => {
    const { scope, region, caller: { personId }, raw } = context;
    const consent = withObjection(wanted, objectsBy(raw.headers));
    if (personId !== null) {
      await data.tx(scope, (tx) => insertChoice(tx, personId, consent, { chosenIn, region }));
    }
    storeChoice(context, { consent, atMs: data.clock.now().getTime(), isOfAccount: personId !== null });
    return consent;
  }),
];
