import { createTransport } from 'nodemailer';

/** A server that takes emails (RFC 5321), and the address they come from. */
export interface SmtpSettings {
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the first byte. */
  readonly url: string;
  readonly from: string;
}

export interface SmtpMessage {
  readonly to: string;
  readonly fromName: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same each time a message is tried, so that whoever gets it twice shows it once (RFC 5322 §3.6.4). */
  readonly id: string;
  /** One click there ends such emails (RFC 8058); null without. */
  readonly unsubscribe: string | null;
}

/** The server refuses this message for good; another try would be refused too. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused';
}

export interface SmtpTransport {
  /** Resolves when the server has taken over the message. Throws {@link MessageRefused}, or what may pass. */
  readonly send: (message: SmtpMessage) => Promise<void>;
  readonly close: () => void;
}

/** Together shorter than a handler of a deadline may take. */
const CONNECT_MS = 8_000;
const SILENCE_MS = 15_000;
/** Connections to the server, reused: most servers allow ten or more. */
const MAX_CONNECTIONS = 4;

/** What nodemailer says of a failure: the code of the SMTP reply, and where it came. */
interface Failure {
  readonly responseCode?: number;
  readonly code?: string;
}
/** Of the recipient or the content; a log-in that fails says nothing about the message. */
const ABOUT_MESSAGE = new Set(['EENVELOPE', 'EMESSAGE']);

const isForGood = ({ responseCode = 0, code = '' }: Failure): boolean =>
  responseCode >= 500 && responseCode < 600 && ABOUT_MESSAGE.has(code);

/** Opens connections to a mail server as they are needed. */
export function openSmtp({ url, from }: SmtpSettings): SmtpTransport {
  const { hostname, port, protocol, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const transport = createTransport({
    host: hostname.replaceAll(/[[\]]/gu, ''), port: Number(port) || (secure ? 465 : 587), secure,
    pool: true, maxConnections: MAX_CONNECTIONS,
    ...(username === '' ? {} : {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, socketTimeout: SILENCE_MS,
    disableFileAccess: true, disableUrlAccess: true,
  });
  return {
    send: async ({ to, fromName, subject, text, html, id, unsubscribe }) => {
      try {
        await transport.sendMail({
          from: { name: fromName, address: from }, to: { name: '', address: to }, subject, text, html,
          messageId: `<${id}@${domain}>`,
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribe === null ? {} : {
              'List-Unsubscribe': `<${unsubscribe}>`,
              'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            }),
          },
        });
      } catch (error) {
        if (!isForGood(error as Failure)) throw error;
        throw new MessageRefused(`refused with ${(error as Failure).responseCode}`, { cause: error });
      }
    },
    close: () => transport.close(),
  };
}
