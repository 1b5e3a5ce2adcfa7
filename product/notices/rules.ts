import type { QualifiedKey } from '#platform/text/message-keys.ts';
import { DAY_MS } from '#platform/time/units.ts';

type KindOf<Key> = Key extends `${infer Kind extends `${string}:mails.${string}`}.subject` ? Kind : never;

/** Names two texts of the sending slice: `accounts:mails.welcome` has a `subject` and a `text`. */
export type MailKind = KindOf<QualifiedKey>;

type NoticeOf<Key> = Key extends `${infer Kind extends `${string}:notices.${string}`}.label` ? Kind : never;

/** Names three texts of the notifying slice: its `title`, its `text`, and its `label` among preferences. */
export type NoticeName = NoticeOf<QualifiedKey>;

/** Names the text of a text message of the sending slice. */
export type SmsKind = Extract<QualifiedKey, `${string}:sms.${string}`>;

/** Ways to reach a person: their list on the site, email, web push, text message. */
export const CHANNELS = ['app', 'email', 'push', 'sms'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Channels that a kind declares. Any kind also goes by text message, where the person chose that. */
export type KindChannel = Exclude<Channel, 'sms'>;

/**
 * How somebody is notified of performers who go live: the setting `featured_show_notification` (spec 1 §3).
 */
export const FEATURED_SHOW = ['email', 'sms', 'web', 'none'] as const;
export type FeaturedShow = (typeof FEATURED_SHOW)[number];

const CHANNELS_OF_CHOICE: Readonly<Record<FeaturedShow, readonly Channel[]>> = {
  email: ['app', 'email'],
  sms: ['app', 'sms'],
  web: ['app', 'push'],
  none: [],
};
/**
 * The setting after somebody ends emails or text messages about performers who go live: they still find them
 * on the site.
 */
export const WITHOUT_CHANNEL = 'web';

/** What people can be notified of, declared by the slice that notifies. */
export interface NoticeKind {
  readonly name: NoticeName;
  /** Channels that it may use. */
  readonly channels: readonly KindChannel[];
  /** Channels for people who chose nothing. */
  readonly usual: readonly KindChannel[];
  /** Channels that nobody can switch off: for the safety of an account. */
  readonly required?: readonly KindChannel[];
  /** Its channels follow `featured_show_notification`, and nothing else. */
  readonly byFeaturedShow?: true;
}

/** A person's choices for one kind, by channel. */
export type Chosen = ReadonlyMap<Channel, boolean>;

/**
 * Channels that a person can choose for a kind.
 * @param hasSms whether their number is confirmed, and the operator has a sender
 */
export const channelsOf = (
  { channels }: Pick<NoticeKind, 'channels'>,
  hasSms: boolean,
): Channel[] => (hasSms ? [...channels, 'sms'] : [...channels]);

const includes = (list: readonly Channel[] | undefined, channel: Channel): boolean =>
  list?.includes(channel) ?? false;

/** The channels by which one person gets a notice of a kind; `hasSms` as in {@link channelsOf}. */
export function channelsFor(
  kind: NoticeKind,
  { chosen, featuredShow, hasSms }: {
    readonly chosen: Chosen;
    readonly featuredShow: FeaturedShow;
    readonly hasSms: boolean;
  },
): Channel[] {
  const wanted = (channel: Channel): boolean => {
    if (includes(kind.required, channel)) return true;
    if (kind.byFeaturedShow) return CHANNELS_OF_CHOICE[featuredShow].includes(channel);
    return chosen.get(channel) ?? includes(kind.usual, channel);
  };
  return channelsOf(kind, hasSms).filter(wanted);
}

/** Errors in the kinds that slices declare, one sentence each. */
export function kindErrors(kinds: readonly NoticeKind[]): string[] {
  const names = kinds.map(({ name }) => name);
  return [
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} is declared twice`),
    ...kinds.flatMap(({ name, channels, usual, required = [] }) =>
      [...usual, ...required]
        .filter((channel) => !channels.includes(channel))
        .map((channel) => `${name} may not use ${channel}`)
    ),
  ];
}

/** Notices on one page of a list. */
export const NOTICES_PAGE = 30;
/** Lists retain the newest notices, and none older than three months: they are no archive. */
export const MAX_NOTICES = 200;
export const NOTICE_MS = 90 * DAY_MS;
/** People notified in one unit of work; more would hold its locks for too long. */
export const MAX_NOTIFIED = 500;
/** Longest text of a value, such as a name: a title must fit one line. */
export const MAX_VALUE_LENGTH = 120;
const MAX_LINK_LENGTH = 200;

/** Whether a text is a path of this site, so that no notice leads elsewhere. */
export const isLink = (link: string): boolean =>
  link.length <= MAX_LINK_LENGTH && /^\/(?![/\\])[^\s\\]*$/u.test(link);

/** Emails retained in the development outbox per operator: enough for a day, too few for an archive. */
export const OUTBOX_LIMIT = 500;
export const OUTBOX_PAGE = 50;

/** Whether people can end the emails of a kind. */
export const endsEmails = ({ channels, required }: NoticeKind): boolean =>
  channels.includes('email') && !required?.includes('email');

/** A masked address that its owner recognizes: `a•••@people.example`. */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 1 ? '' : `${email.slice(0, 1)}•••${email.slice(at)}`;
}

/** How many digits of a masked phone number are shown, so that its owner recognizes it. */
const SHOWN_DIGITS = 2;
export const maskedPhone = (phone: string): string => `•••${phone.slice(-SHOWN_DIGITS)}`;
