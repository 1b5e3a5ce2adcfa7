import { createTransport } from 'nodemailer';

/** A mail server (RFC 5321), and the sender's address. */
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
  /**
   * The same at each attempt, so that a recipient who gets the message twice sees it once (RFC 5322 §3.6.4).
   */
  readonly id: string;
  /** Address that ends such emails with one click (RFC 8058); null for none. */
  readonly unsubscribe: string | null;
}

/** The server refuses this message for good, so a retry would be refused too. */
export class MessageRefused extends Error {
  override readonly name = 'MessageRefused';
}

export interface SmtpTransport {
  /**
   * Resolves when the server has accepted the message. Throws {@link MessageRefused}, or another error when a
   * retry may help.
   */
  readonly send: (message: SmtpMessage) => Promise<void>;
  readonly close: () => void;
}

/** Together shorter than the time limit of a deadline handler. */
const CONNECT_MS = 8_000;
const SILENCE_MS = 15_000;
/** Connections to the server, reused: most servers allow ten or more. */
const MAX_CONNECTIONS = 4;

/** nodemailer's description of a failure: the code of the SMTP reply, and the stage. */
interface Failure {
  readonly responseCode?: number;
  readonly code?: string;
}
/** Failures of the recipient or the content; a failed log-in says nothing about the message. */
const ABOUT_MESSAGE = new Set(['EENVELOPE', 'EMESSAGE']);

const isForGood = ({ responseCode = 0, code = '' }: Failure): boolean =>
  responseCode >= 500 && responseCode < 600 && ABOUT_MESSAGE.has(code);

/** Opens connections to a mail server on demand. */
export function openSmtp({ url, from }: SmtpSettings): SmtpTransport {
  const { hostname, port, protocol, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const transport = createTransport({
    host: hostname.replaceAll(/[[\]]/gu, ''),
    port: Number(port) || (secure ? 465 : 587),
    secure,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    ...(username === '' ? {} : {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async ({ to, fromName, subject, text, html, id, unsubscribe }) => {
      try {
        await transport.sendMail({
          from: { name: fromName, address: from },
          to: { name: '', address: to },
          subject,
          text,
          html,
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
