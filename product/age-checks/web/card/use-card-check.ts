import type { OutputOf } from '#platform/contract/call.ts';
import type { Problem } from '#platform/contract/client.ts';
import { problemOf, useCall } from '#platform/ui/calls/calls.ts';
import { useServerClock } from '#platform/ui/time/server-clock.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { isoDate, withParts, type ChosenDate } from '#product/accounts/web/sign-in/birth-dates.ts';
import { useRef, useState } from 'react';
import { getCardToken, verifyByCard } from '../../client.ts';
import {
  CARD_FIELDS,
  cardInput,
  faultsOf,
  type CardEntry,
  type CardFaults,
  type CardField,
} from '../../rules/card-form.ts';
import { sendCard, type CardToken, type TokenAnswer } from './token-service.ts';

export type CardResult = OutputOf<typeof verifyByCard>;

const NO_DATE: ChosenDate = { year: null, month: null, day: null };
const emptyEntry = (country: string): CardEntry => ({
  ...(Object.fromEntries(CARD_FIELDS.map((field) => [field, ''])) as Record<CardField, string>),
  country,
});

/** A card whose check had no answer: the same must be sent again, so that nothing is bought twice. */
interface Unanswered {
  readonly entry: CardEntry;
  readonly paymentToken: string;
  readonly key: string;
}

export interface CardCheck {
  readonly entry: CardEntry;
  readonly birth: ChosenDate;
  readonly faults: CardFaults;
  /** Why the token service took no card; the person may send it again. */
  readonly trouble: 'expired' | 'failed' | null;
  readonly busy: boolean;
  readonly set: (field: CardField, value: string) => void;
  readonly setBirth: (change: Partial<ChosenDate>) => void;
  /** Forgets everything that was entered. */
  readonly clear: () => void;
  /** Sends the card; resolves with the fields to correct. */
  readonly send: () => Promise<CardFaults>;
}

/** The entry of the card form, which outlives the dialog it is in, and its way to the two servers. */
export function useCardCheck(
  token: CardToken,
  { onDone, onFailed }: {
    readonly onDone: (result: CardResult) => void;
    readonly onFailed: (message: string) => void;
  },
): CardCheck {
  const me = useMe();
  const clock = useServerClock();
  const call = useCall();
  const country = me?.user.geo.isoCode ?? '';
  const [entry, setEntry] = useState(() => emptyEntry(country));
  const [birth, setChosen] = useState(NO_DATE);
  const [faults, setFaults] = useState<CardFaults>({});
  const [trouble, setTrouble] = useState<CardCheck['trouble']>(null);
  const [busy, setBusy] = useState(false);
  const unanswered = useRef<Unanswered | null>(null);

  const set = (field: CardField, value: string): void => {
    setEntry((known) => ({
      ...known,
      [field]: value,
      // The lists of states and provinces have nothing in common with each other or with free text.
      ...(field === 'country' && value !== known.country ? { state: '', province: '' } : {}),
    }));
    setFaults(({ [field]: _mended, ...others }) => others);
  };
  const setBirth = (change: Partial<ChosenDate>): void => {
    const chosen = withParts(birth, change);
    setChosen(chosen);
    set('birth_date', isoDate(chosen));
  };
  const clear = (): void => {
    setEntry(emptyEntry(country));
    setChosen(NO_DATE);
    setFaults({});
    setTrouble(null);
    unanswered.current = null;
  };
  const refuse = (refused: CardFaults): CardFaults => {
    setFaults(refused);
    return refused;
  };

  /** The payment token, with a fresh bearer where the first one is over. */
  const tokenize = async (): Promise<TokenAnswer> => {
    const answer = await sendCard(token, entry, (...args) => fetch(...args));
    if (answer.kind !== 'expired') return answer;
    const fresh = await call(getCardToken, {}).catch(() => null);
    return fresh ? sendCard(fresh, entry, (...args) => fetch(...args)) : answer;
  };
  const verify = async ({ paymentToken, key }: Unanswered): Promise<CardFaults> => {
    const input = cardInput(entry, paymentToken, token.needs_email);
    const { result, problem } = await call(verifyByCard, input, { idempotencyKey: key }).then(
      (answer) => ({ result: answer, problem: null }),
      (error: unknown) => ({ result: null, problem: problemOf(error) }),
    );
    if (problem === null) {
      onDone(result);
      return {};
    }
    // Without an answer the card may have been charged.
    if (problem.status !== 0 && problem.status < 500) unanswered.current = null;
    const wrong = faultsIn(problem);
    if (Object.keys(wrong).length > 0) return refuse(wrong);
    onFailed(problem.message);
    return {};
  };
  const send = async (): Promise<CardFaults> => {
    const refused = refuse(faultsOf(entry, token.needs_email, new Date(clock.now())));
    setTrouble(null);
    if (Object.keys(refused).length > 0) return refused;
    setBusy(true);
    try {
      if (unanswered.current?.entry !== entry) {
        const answer = await tokenize();
        if (answer.kind === 'wrong') {
          return refuse(Object.fromEntries(answer.fields.map((field) => [field, 'wrong'])));
        }
        if (answer.kind !== 'token') {
          setTrouble(answer.kind);
          return {};
        }
        unanswered.current = { entry, paymentToken: answer.token, key: crypto.randomUUID() };
      }
      return await verify(unanswered.current);
    } finally {
      setBusy(false);
    }
  };
  return { entry, birth, faults, trouble, busy, set, setBirth, clear, send };
}

/** The fields that the server refuses. */
function faultsIn({ issues = [] }: Problem): CardFaults {
  const names: ReadonlySet<string> = new Set(CARD_FIELDS);
  const fields = issues.flatMap(({ path }) => path.split(/[./]/u).find(Boolean) ?? []);
  return Object.fromEntries(fields.filter((field) => names.has(field)).map((field) => [field, 'wrong']));
}
