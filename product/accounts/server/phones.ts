import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { CallContext } from '#platform/contract/context.ts';
import { personChannel } from '#platform/contract/event.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { digest } from '#platform/data/database/seal.ts';
import type { RateLimitStore, Use } from '#platform/data/limits/rate-limits.ts';
import { addressGroups } from '#platform/http/address.ts';
import { maskedPhone } from '#product/notices/rules.ts';
import type { NoticesService } from '#product/notices/server.ts';
import { randomInt } from 'node:crypto';
import { accountChanged } from '../contract/life/username.ts';
import {
  confirmPhone,
  getPhone,
  phoneCodesLimited,
  phoneCodeWrong,
  phoneConfirmed,
  phoneMissing,
  removePhone,
  sendPhoneCode,
  smsAbsent,
  type PhoneView,
} from '../contract/phones.ts';
import { loginCode, typedLoginCode } from '../rules/login-codes.ts';
import { isPhoneCodeOpen, PHONE_CODE_LIMITS, PHONE_CODE_MS } from '../rules/phones.ts';
import { findById, lockPerson, type Account } from '../store.ts';
import {
  countWrongPhoneCode,
  deletePhoneCode,
  findPhone,
  findPhoneCode,
  savePhone,
  savePhoneCode,
} from '../store/phones.ts';
import { lockCaller } from './credentials/ways-in.ts';
import { recipientIn } from './emails.ts';
import type { SettingsOfPeople } from './settings.ts';
import type { SignInParts } from './sign-in.ts';

export interface PhoneParts extends Pick<SignInParts, 'data' | 'site' | 'emails'> {
  readonly notices: Pick<NoticesService, 'sms'>;
  readonly secret: string;
  readonly limits: RateLimitStore;
  readonly settings: SettingsOfPeople;
}

/** A million codes of six digits. */
const CODES = 1_000_000;
/** Counters of people, numbers and addresses: more than ask for codes in a day. */
const MAX_COUNTED = 200_000;

const numberOf = ({ settings: { phone = '' } }: Account): string => phone;

/** Calls that confirm a person's phone number by a code sent to it, and remove it. */
export function phoneHandlers(parts: PhoneParts): CallHandler[] {
  const { data, notices: { sms } } = parts;
  const counted = parts.limits.family('accounts.phones', { maxKeys: MAX_COUNTED, whenAway: 'refuse' });
  const viewOf = async (tx: Tx, person: Account): Promise<PhoneView> => {
    const number = numberOf(person);
    const sent = await findPhoneCode(tx, person.id);
    const isConfirmed = number !== '' && (await findPhone(tx, person.id)) === number;
    return {
      sms_offered: sms.isOffered,
      phone: number === '' ? null : maskedPhone(number),
      confirmed: isConfirmed,
      code_sent: !isConfirmed && sent !== null && isPhoneCodeOpen(sent, tx.now),
    };
  };
  return [
    handleCall(getPhone)((_input, context) =>
      data.tx(context.scope, async (tx) => viewOf(tx, await lockPerson(tx, context.personId)))
    ),
    handleCall(sendPhoneCode)(async (_input, context) => {
      const { scope, refuse } = context;
      if (!sms.isOffered) return refuse(smsAbsent);
      const { personId } = context;
      const now = await data.tx(scope, async (tx) => {
        const person = await lockCaller(tx, context);
        return { number: numberOf(person), confirmed: await findPhone(tx, personId) };
      });
      if (now.number === '') return refuse(phoneMissing);
      if (now.confirmed === now.number) return refuse(phoneConfirmed);
      const waitMs = await counted.takeAll(usesOf(parts, context, personId, now.number));
      if (waitMs > 0) {
        return refuse(phoneCodesLimited, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
      }
      return data.tx(scope, async (tx) => {
        const person = await lockCaller(tx, context);
        // If the number changed meanwhile, no code is sent: the limits counted the other number.
        if (numberOf(person) === now.number) await sendCode(tx, parts, person);
        return viewOf(tx, person);
      });
    }),
    handleCall(confirmPhone)(async ({ code }, context) => {
      const { scope, refuse } = context;
      if (!sms.isOffered) return refuse(smsAbsent);
      const { display_name: siteName } = await parts.site.viewOf(scope);
      const view = await data.tx(scope, async (tx) => {
        const person = await lockCaller(tx, context);
        if (!(await spendCode(tx, parts, person, code))) return null;
        const before = await savePhone(tx, person.id, numberOf(person));
        if (before !== null) await movedFrom(tx, parts, before, context, siteName);
        await report(tx, parts, person, context, { kind: 'phoneConfirmed', siteName });
        await changed(tx, person.id, 'accounts.confirmPhone');
        return viewOf(tx, person);
      });
      return view ?? refuse(phoneCodeWrong);
    }),
    handleCall(removePhone)((_input, context) =>
      data.tx(context.scope, async (tx) => {
        const { id: personId } = await lockCaller(tx, context);
        await parts.settings.change(tx, personId, { phone: '' });
        await changed(tx, personId, 'accounts.removePhone');
        return viewOf(tx, await lockPerson(tx, personId));
      })
    ),
  ];
}

/** The limits that a code counts against. */
function usesOf(
  { secret }: PhoneParts,
  { scope, address }: Pick<CallContext, 'scope' | 'address'>,
  personId: number,
  number: string,
): Use[] {
  const keyOf = (what: string): string =>
    digest(secret, `accounts phones of operator ${scope.operatorId}`, what);
  const { rest, person, number: ofNumber, address: ofAddress } = PHONE_CODE_LIMITS;
  return [
    { key: keyOf(`rest ${personId}`), limit: rest },
    { key: keyOf(`person ${personId}`), limit: person },
    { key: keyOf(`number ${number}`), limit: ofNumber },
    ...addressGroups(address).map(({ key, share }) => ({
      key: keyOf(`address ${key}`),
      limit: { ...ofAddress, points: ofAddress.points * share },
    })),
  ];
}

/** Binds a code to its person and number. */
const digestOf = (
  { secret }: PhoneParts,
  { operatorId }: OperatorScope,
  person: Account,
  code: string,
): string =>
  digest(secret, `accounts phone code of operator ${operatorId}`, `${person.id} ${numberOf(person)} ${code}`);

async function sendCode(tx: Tx, parts: PhoneParts, person: Account): Promise<void> {
  const code = loginCode(randomInt(CODES));
  const until = new Date(tx.now.getTime() + PHONE_CODE_MS);
  await savePhoneCode(tx, person.id, digestOf(parts, tx, person, code), until);
  await parts.notices.sms.send(tx, {
    personId: person.id,
    to: numberOf(person),
    kind: 'accounts:sms.phoneCode',
    locale: recipientIn(person).locale,
    values: { code },
    until,
  });
}

/** Uses up a code; false for a wrong one, which is counted. */
async function spendCode(tx: Tx, parts: PhoneParts, person: Account, typed: string): Promise<boolean> {
  const sent = await findPhoneCode(tx, person.id);
  if (numberOf(person) === '' || !sent || !isPhoneCodeOpen(sent, tx.now)) return false;
  if (sent.digest !== digestOf(parts, tx, person, typedLoginCode(typed))) {
    await countWrongPhoneCode(tx, person.id);
    return false;
  }
  await deletePhoneCode(tx, person.id);
  return true;
}

/** Emails the account that gained or lost a number. */
const report = (
  tx: Tx,
  { emails }: PhoneParts,
  person: Account,
  context: CallContext,
  { kind, siteName: site }: {
    readonly kind: 'phoneConfirmed' | 'phoneMoved';
    readonly siteName: string;
  },
): Promise<void> => emails.phone(tx, person, context, kind, { site, phone: maskedPhone(numberOf(person)) });

/** Somebody else proved that the number is theirs: reports to its former owner why text messages end. */
async function movedFrom(
  tx: Tx,
  parts: PhoneParts,
  beforeId: number,
  context: CallContext,
  siteName: string,
): Promise<void> {
  const before = await findById(tx, beforeId);
  if (!before) return;
  await report(tx, parts, before, context, { kind: 'phoneMoved', siteName });
  await tx.send(personChannel(beforeId), accountChanged, {});
}

async function changed(tx: Tx, personId: number, action: string): Promise<void> {
  await tx.audit({ action, actorId: personId, subject: `person:${personId}` });
  await tx.send(personChannel(personId), accountChanged, {});
}
