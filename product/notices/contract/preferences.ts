import { ANY_TYPE, call } from '#platform/contract/call.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { z } from 'zod';
import { CHANNELS, FEATURED_SHOW } from '../rules.ts';
import { PageProvider } from './push-provider.ts';

const slice = 'notices';

export const kindUnknown = refusal({
  slice,
  code: 'kind_unknown',
  kind: 'absent',
  description: 'There is no such kind of notification, or it does not use this channel.',
});
export const channelRequired = refusal({
  slice,
  code: 'channel_required',
  kind: 'denied',
  description: 'Notifications that protect an account cannot be switched off.',
});
export const byFeaturedShow = refusal({
  slice,
  code: 'by_featured_show',
  kind: 'conflict',
  description: 'How one learns of who goes live follows `featured_show_notification` alone.',
});
export const linkInvalid = refusal({
  slice,
  code: 'link_invalid',
  kind: 'invalid',
  description: 'The link is not one of ours, or belongs to an address that is not this person’s any more.',
});

const ChannelName = z.enum(CHANNELS);
export const Kind = z.object({
  kind: z.string(),
  label: z.string(),
  channels: z.array(z.object({
    channel: ChannelName,
    on: z.boolean(),
    /** Nobody can switch it off. */
    required: z.boolean(),
  })),
  /** Its channels follow `featured_show_notification`. */
  by_featured_show: z.boolean(),
});
export type KindView = z.infer<typeof Kind>;

export const Preferences = z.object({
  kinds: z.array(Kind),
  featured_show_notification: z.enum(FEATURED_SHOW),
  /** Whether the address is confirmed: only confirmed addresses get any of these emails. */
  email_confirmed: z.boolean(),
  /** Push messages reveal nothing about the site's nature. */
  push_discreet: z.boolean(),
  /** Number of browsers that get push messages. */
  push_browsers: z.int(),
  /** What a page needs from the operator's push provider; null where the site itself sends. */
  push_provider: PageProvider.nullable(),
  /** The last digits of the confirmed number that text messages go to; null without one. */
  phone: z.string().nullable(),
  /** Whether this site sends text messages at all. */
  sms_offered: z.boolean(),
});
export type PreferencesView = z.infer<typeof Preferences>;

export const getPreferences = call({
  name: 'notices.getPreferences',
  method: 'GET',
  path: '/notifications/preferences',
  access: 'member',
  credential: 'cookie',
  input: z.object({}),
  output: Preferences,
  refusals: [],
  summary: 'Notification preferences',
  description: 'Each kind with its channels, in the caller’s language.',
});

export const setPreference = call({
  name: 'notices.setPreference',
  method: 'POST',
  path: '/notifications/preferences',
  access: 'member',
  credential: 'cookie',
  input: z.object({ kind: z.string().max(120), channel: ChannelName, on: z.boolean() }),
  output: Preferences,
  refusals: [kindUnknown, channelRequired, byFeaturedShow],
  summary: 'Turn a channel of a kind on or off',
  description: 'Only the caller’s own.',
});

export const setNoticeOptions = call({
  name: 'notices.setNoticeOptions',
  method: 'POST',
  path: '/notifications/options',
  access: 'member',
  credential: 'cookie',
  input: z.object({
    featured_show_notification: z.enum(FEATURED_SHOW).optional(),
    push_discreet: z.boolean().optional(),
  }),
  output: Preferences,
  refusals: [],
  summary: 'How one learns of who goes live, and what push messages may show',
  description: 'Fields left out stay as they are. `email`, `sms` and `web` add that channel to the list on '
    + 'the site; `none` is neither.',
  requirements: ['A-200'],
});

/** The email part of the preferences, for people who followed a link in an email. */
export const Subscription = z.object({
  /** The link's token; null for a logged-in person. */
  token: z.string().nullable(),
  /** The address, masked except for its first letter and its domain. */
  email: z.string(),
  /**
   * The kind of the email with the link; null for a logged-in person, and for a kind that no longer exists.
   */
  kind: z.string().nullable(),
  kinds: z.array(z.object({ kind: z.string(), label: z.string(), on: z.boolean() })),
});
export type SubscriptionView = z.infer<typeof Subscription>;
const Token = z.string().max(1024);
/** People open a link once; guessing tokens is slowed down. */
const LIMIT = { points: 60, seconds: 60, per: 'address' } as const;
/** A large mail provider clicks and scans links for thousands of people from few addresses. */
const LINK_LIMIT = { ...LIMIT, per: 'link' } as const;

export const getSubscription = call({
  name: 'notices.getSubscription',
  method: 'GET',
  path: '/email/subscription',
  access: 'anyone',
  credential: 'cookie',
  limit: LIMIT,
  input: z.object({ token: Token.optional() }),
  output: Subscription,
  refusals: [linkInvalid],
  summary: 'Which emails one gets',
  description: 'With the token of a link in an email, nobody logs in; without one, of who is logged in. '
    + 'Only kinds that can be switched off.',
  requirements: ['A-046'],
});
export const setSubscription = call({
  name: 'notices.setSubscription',
  method: 'POST',
  path: '/email/subscription',
  access: 'anyone',
  credential: 'cookie',
  limit: LIMIT,
  input: z.object({
    token: Token.optional(),
    /** Left out: every kind. */
    kind: z.string().max(120).optional(),
    on: z.boolean(),
  }),
  output: Subscription,
  refusals: [linkInvalid, kindUnknown],
  summary: 'Switches emails of one kind, or of all',
  description: 'As {@link getSubscription} says.',
  requirements: ['A-046'],
});

/** One field, in a form with the longest edge (RFC 2046 §5.1.1), and what a program adds. */
const MAX_ONE_CLICK_LENGTH = 4_096;

/** A link opened in a browser asks first: programs that scan links end nothing. */
export const openUnsubscribe = call({
  name: 'notices.openUnsubscribe',
  method: 'GET',
  path: '/email/unsubscribe/:token',
  access: 'anyone',
  credential: 'none',
  limit: LINK_LIMIT,
  media: { accepts: ANY_TYPE, answers: 'text/plain; charset=utf-8' },
  input: z.object({ token: Token, body: z.string().max(0).optional() }),
  output: z.object({ status: z.literal(303), headers: z.record(z.string(), z.string()), body: z.string() }),
  refusals: [],
  summary: 'Leads to the page that ends emails of one kind',
  description: 'The address in `List-Unsubscribe` of an email, opened as a link: a page with one button. '
    + 'Nothing ends by opening it.',
});

/** A mail program posts here when somebody clicks its unsubscribe button. */
export const unsubscribe = call({
  name: 'notices.unsubscribe',
  method: 'POST',
  path: '/email/unsubscribe/:token',
  access: 'anyone',
  credential: 'none',
  limit: LINK_LIMIT,
  // RFC 8058 §3.1 allows both form types; some programs send neither a type nor a body.
  media: { accepts: ANY_TYPE, answers: 'text/plain; charset=utf-8' },
  input: z.object({ token: Token, body: z.string().max(MAX_ONE_CLICK_LENGTH) }),
  output: z.object({ status: z.literal(200), headers: z.record(z.string(), z.string()), body: z.string() }),
  refusals: [linkInvalid],
  summary: 'Ends emails of one kind with one click (RFC 8058)',
  description: 'The address in `List-Unsubscribe` of an email. The body is `List-Unsubscribe=One-Click`; '
    + 'as a form of either type, or nothing; without a cookie and without a token of a session, as mail '
    + 'programs send it. Again is fine.',
});
