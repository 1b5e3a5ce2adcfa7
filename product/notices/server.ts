import type { Slice } from '#platform/contract/bind.ts';
import type { Extensions } from '#platform/contract/extension-point.ts';
import type { Data, OperatorScope, Tx } from '#platform/data/data.ts';
import type { OwnedRows } from '#platform/data/database/owned-rows.ts';
import type { RateLimitStore } from '#platform/data/limits/rate-limits.ts';
import type { SmtpSettings } from '#platform/outgoing/smtp.ts';
import type { TextOf } from '#platform/text/message-keys.ts';
import type { SiteService } from '#product/site/server.ts';
import * as extensionPoints from './extension-points.ts';
import type { Recipient } from './extension-points.ts';
import { Emails, type OwnEmail, type PersonEmail } from './server/emails.ts';
import { listHandlers, unreadOf } from './server/lists.ts';
import { developmentOutbox } from './server/mailer.ts';
import { Notifier, type Occasion } from './server/notifier.ts';
import { Preferences } from './server/preferences.ts';
import { PushProviders } from './server/push-providers.ts';
import { Pushes } from './server/pushes.ts';
import { Sms, type SmsChoice, type SmsOrder } from './server/sms.ts';
import { smtpMailer } from './server/smtp-mailer.ts';
import { ownRows } from './store/own-rows.ts';
import { moveToSession, removeAllBut, removeOfSessions } from './store/push.ts';

export interface NoticesService {
  /**
   * Sends an email that nobody can switch off, in the recipient's language. Subject and text are
   * `<kind>.subject` and `<kind>.text` of the sending slice's messages. Throws for a recipient that is not
   * one plain address.
   */
  readonly send: (tx: Tx, email: OwnEmail) => Promise<void>;
  /** A digest of a request's network, for an email that is sent later. */
  readonly networkOf: (scope: OperatorScope, address: string) => string | null;
  /** The same to a person's own address; nothing for an unknown id. */
  readonly sendTo: (tx: Tx, personId: number, email: PersonEmail) => Promise<void>;
  readonly sms: {
    /** Whether the operator has a sender; without one, text messages are offered nowhere. */
    readonly isOffered: boolean;
    /** Sends a text message that a person's own action asks for, in their language. */
    readonly send: (tx: Tx, order: SmsOrder) => Promise<void>;
  };
  /**
   * Notifies one person by the channels they chose; false when they were already notified of this occasion.
   */
  readonly notify: (tx: Tx, notice: Occasion & { readonly personId: number }) => Promise<boolean>;
  /** The same for at most 500 people; returns how many are notified now. */
  readonly notifyMany: (
    tx: Tx,
    notice: Occasion & {
      readonly personIds: readonly number[];
    },
  ) => Promise<number>;
  /** Ends push messages to the browsers of a person's ended sessions. */
  readonly endPushOf: (tx: Tx, personId: number, sessionIds: readonly string[]) => Promise<void>;
  /** Ends push messages to a person's browsers except that of one session; null ends all. */
  readonly endPushBut: (tx: Tx, personId: number, sessionId: string | null) => Promise<void>;
  /** Moves a browser's push to a session that replaces the person's earlier one. */
  readonly movePush: (
    tx: Tx,
    personId: number,
    sessions: { readonly from: string; readonly to: string },
  ) => Promise<void>;
  /** A person's unread notices: `notificationUnreadCount` of the current user. */
  readonly unreadOf: (tx: Tx, personId: number) => Promise<number>;
  /** The language that people chose and the site they signed up at; unknown people are left out. */
  readonly recipientsOf: (
    tx: Tx,
    personIds: readonly number[],
  ) => Promise<ReadonlyMap<number, Pick<Recipient, 'locale' | 'siteId' | 'isInactive'>>>;
  /** What this slice stores about a person: `accounts`, a later slice, adds it to the copy of their data. */
  readonly ownRows: readonly OwnedRows[];
}

export type NoticesSlice = Slice<NoticesService>;

export interface NoticesDependencies {
  readonly data: Data;
  readonly text: TextOf;
  readonly extensions: Extensions;
  readonly site: SiteService;
  readonly secret: string;
  /** Path below which calls are served, for the URL that ends emails. */
  readonly apiBase: string;
  /** The mail server; null stores emails for admins to read. */
  readonly smtp?: SmtpSettings | null | undefined;
  /** The sender of text messages. */
  readonly sms?: SmsChoice | undefined;
  readonly limits: RateLimitStore;
  readonly publicUrl: string | null;
  /** Only in tests: push services may be on loopback. */
  readonly pushAllowsLoopback?: boolean | undefined;
  /** Whether this is a demo, whose admins may have a push provider on this machine. */
  readonly demo: boolean;
  readonly onError: (error: unknown) => void;
}

/** Every message to a person: their list on the site, email, web push, text messages. */
export function noticesSlice(
  { data, text, extensions, site, secret, apiBase, ...more }: NoticesDependencies,
): NoticesSlice {
  const { smtp = null, publicUrl, pushAllowsLoopback = false, onError, limits } = more;
  const mailer = smtp ? smtpMailer({ data, smtp, secret, onError }) : null;
  const emails = new Emails({
    mailer: mailer ?? developmentOutbox,
    text,
    site,
    secret,
    apiBase,
    limits,
    extensions,
  });
  const providers = new PushProviders({ data, extensions, secret, allowsLoopback: more.demo });
  const pushes = new Pushes({
    data,
    extensions,
    text,
    site,
    providers,
    secret,
    onError,
    pushAllowsLoopback,
    contact: smtp ? `mailto:${smtp.from}` : publicUrl ?? 'mailto:nobody@localhost',
  });
  const sms = new Sms({ data, extensions, text, sms: more.sms ?? null, secret, limits, onError });
  const notifier = new Notifier({ extensions, text, emails, push: pushes.accept, sms });
  const preferences = new Preferences({ data, extensions, text, notifier, emails, sms, providers });
  const service: NoticesService = {
    send: (tx, email) => emails.send(tx, email),
    networkOf: (scope, address) => emails.networkOf(scope, address),
    sendTo: (tx, personId, email) => emails.sendTo(tx, personId, email),
    notify: async (tx, { personId, ...occasion }) => (await notifier.notify(tx, [personId], occasion)) === 1,
    notifyMany: (tx, { personIds, ...occasion }) => notifier.notify(tx, personIds, occasion),
    unreadOf,
    recipientsOf: (tx, personIds) => extensions.one(extensionPoints.recipient).find(tx, personIds),
    ownRows,
    endPushOf: removeOfSessions,
    sms,
    endPushBut: removeAllBut,
    movePush: moveToSession,
  };
  return {
    name: 'notices',
    service,
    extensionPoints,
    deadlineHandlers: [
      pushes.deadlineHandler(),
      ...(mailer ? [mailer.deadlineHandler()] : []),
      ...sms.deadlineHandlers(),
    ],
    start: async () => {
      for (const operatorId of await site.operators()) await pushes.prepare({ operatorId });
    },
    stop: async () => mailer?.close(),
    callHandlers: [
      ...listHandlers({ data, text, notifier }),
      ...preferences.callHandlers(),
      ...pushes.callHandlers(),
      ...providers.callHandlers(),
    ],
  };
}
