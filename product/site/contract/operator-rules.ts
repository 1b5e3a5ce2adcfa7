import { call } from '#platform/contract/call.ts';
import { ORIGIN } from '#platform/contract/document-policy.ts';
import { fact } from '#platform/contract/fact.ts';
import { COUNTRY_CODE } from '#platform/text/codes.ts';
import { z } from 'zod';
import {
  CONSENT_ASKED,
  DOMAIN,
  DREAMCAM_ADDRESS,
  MAX_LISTED,
  MAX_LISTED_LENGTH,
  MAX_PHONE_LENGTH,
  MAX_RECORDING_QUOTA_MB,
  MAX_SCRIPT_LENGTH,
  MAX_SCRIPT_ORIGINS,
  PHONE_NUMBER,
  SCRIPT_ADDRESS,
} from '../rules.ts';
import { Reason } from './seller.ts';

/** An operator's rules for all of its sites, as admins see and change them. */
const OperatorRules = z.object({
  /** Main domains of the sites whose performers may use standby. */
  standby_domains: z.array(z.string().max(MAX_LISTED_LENGTH).regex(DOMAIN)).max(MAX_LISTED),
  /** Studios whose performers may use standby. */
  standby_studios: z.array(z.string().trim().min(1).max(MAX_LISTED_LENGTH)).max(MAX_LISTED),
  /** ISO 3166-1 alpha-2: people who last logged in there can neither tip nor be tipped, nor buy. */
  tip_blocked_countries: z.array(z.string().regex(COUNTRY_CODE)).max(MAX_LISTED),
  /** Space for the recordings of one performer, in MB (10^6 bytes); null for the default. */
  recording_quota_mb: z.int().min(0).max(MAX_RECORDING_QUOTA_MB).nullable(),
  /** Address of the server for 180-degree cameras; null without one. */
  dreamcam_server: z.string().max(MAX_LISTED_LENGTH).regex(DREAMCAM_ADDRESS).nullable(),
  /**
   * Streams with B-frames, which browsers don't show over WebRTC: `transcode` converts them while the
   * machine has room and plays them over HLS otherwise; `refuse` refuses them and says what to change.
   */
  b_frames: z.enum(['transcode', 'refuse']),
  /** Telephone number of support; null without one. */
  support_phone: z.string().max(MAX_PHONE_LENGTH).regex(PHONE_NUMBER).nullable(),
  /** For tests: everyone may chat with support, guests included. */
  support_chat_for_all: z.boolean(),
  /**
   * Address of the script of a support chat provider, loaded only on the page of that chat when somebody
   * opens it; null for the site's own chat.
   */
  support_script: z.string().max(MAX_SCRIPT_LENGTH).regex(SCRIPT_ADDRESS).nullable(),
  /** Origins besides its own that this script loads from and sends to. */
  support_script_origins: z.array(z.string().max(MAX_LISTED_LENGTH).regex(ORIGIN)).max(MAX_SCRIPT_ORIGINS),
  /** Host names of other sites that redirect keys may lead to; each names itself alone. */
  redirect_hosts: z.array(z.string().max(MAX_LISTED_LENGTH).regex(DOMAIN)).max(MAX_LISTED),
  /** Refuses disposable email addresses, for sign-ups and changes of address. */
  refuse_disposable_emails: z.boolean(),
  /**
   * One mailbox gets at most three unconfirmed accounts and three confirmed ones: a plus suffix, or dots at
   * Gmail, do not make another mailbox.
   */
  limit_mailboxes: z.boolean(),
  /**
   * Staff and performers must set up two-step log-in or a passkey within seven days; after that they only
   * have the rights of members until they do. Recommended; off by default.
   */
  require_two_factor: z.boolean(),
  /**
   * Where people are asked before anything but what the site needs is stored: `europe` asks in the EU, the
   * EEA, the United Kingdom and Switzerland, and takes consent as given elsewhere until it is withdrawn.
   */
  consent_asked: z.enum(CONSENT_ASKED),
});

export const getOperatorRules = call({
  name: 'site.getOperatorRules',
  method: 'GET',
  path: '/admin/site_rules',
  access: 'admin',
  credential: 'cookie',
  input: z.object({}),
  output: OperatorRules,
  refusals: [],
  summary: 'Rules of all sites',
  description: 'Standby, countries without tips, space for recordings, 180-degree cameras, B-frames, '
    + 'support, redirects, email addresses, two-step log-in, where consent is asked for.',
});
export const changeOperatorRules = call({
  name: 'site.changeOperatorRules',
  method: 'POST',
  path: '/admin/site_rules',
  access: 'admin',
  credential: 'cookie',
  input: OperatorRules.partial().extend({ reason: Reason }),
  output: OperatorRules,
  refusals: [],
  phones: ['support_phone'],
  summary: 'Change the rules of all sites',
  description: 'Fields left out keep their value. Applies at once. Audited.',
});

export const secondStepRuleChanged = fact({
  name: 'site.secondStepRuleChanged',
  shape: z.object({ isRequired: z.boolean() }),
  description: 'The operator began or ceased to require a second step of staff and performers.',
});
