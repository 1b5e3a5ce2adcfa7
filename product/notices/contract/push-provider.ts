import { call } from '#platform/contract/call.ts';
import { ORIGIN } from '#platform/contract/document-policy.ts';
import { refusal } from '#platform/contract/refusal.ts';
import { Reason } from '#product/site/contract/seller.ts';
import {
  MAX_LISTED_LENGTH,
  MAX_SCRIPT_LENGTH,
  MAX_SCRIPT_ORIGINS,
  SCRIPT_ADDRESS,
} from '#product/site/rules.ts';
import { z } from 'zod';
import {
  API_KEY,
  APP_ID,
  MAX_API_KEY_LENGTH,
  MAX_APP_ID_LENGTH,
  MIN_API_KEY_LENGTH,
  PLAYER_NAME,
  PROVIDER_WORKER,
} from '../rules/push-provider.ts';

const slice = 'notices';

export const apiAddressInvalid = refusal({
  slice,
  code: 'api_address_invalid',
  kind: 'invalid',
  description: 'The address of the API is not https, at the usual port of a public host with a name.',
});
export const apiKeyMissing = refusal({
  slice,
  code: 'api_key_missing',
  kind: 'invalid',
  description: 'No key is stored, or the address of the API or the app changes: the key goes to no other.',
});
export const noPushProvider = refusal({
  slice,
  code: 'no_push_provider',
  kind: 'absent',
  description: 'The operator sends push messages itself.',
});
export const playerInvalid = refusal({
  slice,
  code: 'player_invalid',
  kind: 'invalid',
  description: 'The app is not the operator’s: the page is an old one.',
});

const Address = z.string().max(MAX_SCRIPT_LENGTH).regex(SCRIPT_ADDRESS);
const AppId = z.string().max(MAX_APP_ID_LENGTH).regex(APP_ID);
const Provider = z.object({
  /** URL of its SDK for pages, loaded when somebody turns push on; they see its host name before. */
  script: Address,
  /** URL of its SDK for service workers, which the site's own worker file imports. */
  worker: Address,
  /** Origins that its scripts load from and send to, besides their own. */
  origins: z.array(z.string().max(MAX_LISTED_LENGTH).regex(ORIGIN)).max(MAX_SCRIPT_ORIGINS),
  /** URL that notifications are posted to. */
  api_url: Address,
  /** The operator's app at the provider. */
  app_id: AppId,
});

/** What a page needs from the operator's push provider. */
export const PageProvider = Provider.pick({ script: true, origins: true, app_id: true });
export type PageProviderView = z.infer<typeof PageProvider>;

/** The key is write-only. */
const Configured = z.object({ provider: Provider.nullable() });
export type ProviderView = z.infer<typeof Provider>;

export const getPushProvider = call({
  name: 'notices.getPushProvider',
  method: 'GET',
  path: '/admin/push_provider',
  access: 'admin',
  credential: 'cookie',
  input: z.object({}),
  output: Configured,
  refusals: [],
  summary: 'Who sends push messages',
  description: 'Null for the site itself. The key of its API is not read.',
});

export const changePushProvider = call({
  name: 'notices.changePushProvider',
  method: 'POST',
  path: '/admin/push_provider',
  access: 'admin',
  credential: 'cookie',
  input: Provider.extend({
    /** Left out: the stored key. */
    api_key: z.string().min(MIN_API_KEY_LENGTH).max(MAX_API_KEY_LENGTH).regex(API_KEY).optional(),
    reason: Reason,
  }),
  output: Configured,
  refusals: [apiAddressInvalid, apiKeyMissing],
  summary: 'Have a provider send push messages',
  description: 'Of the kind of OneSignal: its web SDK (v16), its worker, its API for notifications. Browsers '
    + 'that registered with another sender get no messages while it is so; people turn push on again. '
    + 'Audited.',
  requirements: ['A-396', 'C-356'],
});

export const removePushProvider = call({
  name: 'notices.removePushProvider',
  method: 'POST',
  path: '/admin/push_provider/remove',
  access: 'admin',
  credential: 'cookie',
  input: z.object({ reason: Reason }),
  output: Configured,
  refusals: [],
  summary: 'Stop using the push provider',
  description: 'The key is deleted. Browsers that registered with the site get messages again. Audited.',
});

export const registerPlayer = call({
  name: 'notices.registerPlayer',
  method: 'POST',
  path: '/notifications/push/provider',
  access: 'member',
  credential: 'cookie',
  limit: { points: 30, seconds: 3600, per: 'caller' },
  input: z.object({
    /** This browser's id in the provider's SDK. */
    player_id: z.string().regex(PLAYER_NAME),
    app_id: AppId,
  }),
  output: z.object({ success: z.literal(true) }),
  refusals: [noPushProvider, playerInvalid],
  summary: 'Registers a browser that the push provider knows',
  description: 'A browser that was registered, for whomever, is this person’s from now on. At most 10 '
    + 'browsers; the oldest gives way.',
  requirements: ['A-396', 'C-356'],
});

export const getPushWorker = call({
  name: 'notices.getPushWorker',
  method: 'GET',
  path: PROVIDER_WORKER,
  root: true,
  access: 'anyone',
  credential: 'none',
  media: { accepts: 'text/javascript', answers: 'text/javascript; charset=utf-8' },
  input: z.object({ body: z.string().max(0).optional() }),
  output: z.object({ status: z.literal(200), headers: z.record(z.string(), z.string()), body: z.string() }),
  refusals: [noPushProvider],
  summary: 'The worker file of the push provider',
  description: 'Browsers take service workers from the site’s own origin alone: this one imports the '
    + 'provider’s. Its content policy allows the provider’s origins and nothing else.',
  requirements: ['A-396'],
});
