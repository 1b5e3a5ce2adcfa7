import { MessageRefused } from './smtp.ts';

/** An account at a provider of text messages with Twilio's Messages API, and the sender. */
export interface SmsSettings {
  /** `https://ACCOUNT:SECRET@api.twilio.com`: the account's id and its secret before the host. */
  readonly url: string;
  /** A number of ours (E.164), a name of up to 11 letters and digits, or the id of a messaging service. */
  readonly from: string;
}

export interface SmsMessage {
  /** E.164. */
  readonly to: string;
  readonly text: string;
}

/** The recipient answered STOP: the provider sends them no more of our messages. */
export class SmsUnsubscribed extends Error {
  override readonly name = 'SmsUnsubscribed';
}

export interface SmsTransport {
  /**
   * Resolves when the provider has accepted the message. Throws {@link SmsUnsubscribed},
   * {@link MessageRefused} when a retry cannot help, and other errors when it may; none contains the number.
   */
  readonly send: (message: SmsMessage) => Promise<void>;
}

const VERSION = '2010-04-01';
const ANSWER_MS = 10_000;
/** The provider's code for a recipient who answered STOP. */
const UNSUBSCRIBED = 21_610;
/** Statuses caused by the account or the provider, not by the message: a retry may help. */
const MAY_PASS = new Set([401, 403, 408, 425, 429]);

const isService = (from: string): boolean => /^MG[0-9a-f]{32}$/u.test(from);

/** Whether a text is a valid sender of text messages. */
export const isSmsSender = (from: string): boolean =>
  isService(from) || /^\+[1-9]\d{6,14}$/u.test(from) || /^(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}$/u.test(from);

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || host.startsWith('127.');

/** Whether a text is the address of a provider with its account; secrets are never sent unencrypted. */
export function isSmsAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(url);
  return (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)))
    && username !== '' && password !== '' && pathname === '/' && search + hash === '';
}

/** Sends text messages through a provider. */
export function openSms({ url, from }: SmsSettings): SmsTransport {
  const { origin, username, password } = new URL(url);
  const [account, secret] = [decodeURIComponent(username), decodeURIComponent(password)];
  const address = `${origin}/${VERSION}/Accounts/${encodeURIComponent(account)}/Messages.json`;
  const authorization = `Basic ${Buffer.from(`${account}:${secret}`).toString('base64')}`;
  const sender = isService(from) ? 'MessagingServiceSid' : 'From';
  return {
    send: async ({ to, text }) => {
      const answer = await fetch(address, {
        method: 'POST',
        redirect: 'error',
        signal: AbortSignal.timeout(ANSWER_MS),
        headers: { authorization },
        body: new URLSearchParams({ To: to, Body: text, [sender]: from }),
      });
      if (answer.ok) {
        await answer.body?.cancel();
        return;
      }
      const code = codeOf(await answer.json().catch(() => null));
      const what = `the provider of text messages answered ${answer.status}, code ${code}`;
      if (code === UNSUBSCRIBED) throw new SmsUnsubscribed(what);
      if (answer.status >= 500 || MAY_PASS.has(answer.status)) throw new Error(what);
      throw new MessageRefused(what);
    },
  };
}

/** The code of an error. Its message is left out, because it repeats the number. */
function codeOf(answer: unknown): number {
  const code = typeof answer === 'object' && answer !== null && 'code' in answer ? answer.code : null;
  return typeof code === 'number' ? code : 0;
}
