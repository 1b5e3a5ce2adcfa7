import type accounts from './accounts/messages/en.json';
import type agreements from './agreements/messages/en.json';
import type billing from './billing/messages/en.json';
import type broadcast from './broadcast/messages/en.json';
import type browse from './browse/messages/en.json';
import type clientLogs from './client-logs/messages/en.json';
import type compliance from './compliance/messages/en.json';
import type consent from './consent/messages/en.json';
import type fanclubs from './fanclubs/messages/en.json';
import type identity from './identity/messages/en.json';
import type ledger from './ledger/messages/en.json';
import type legal from './legal/messages/en.json';
import type messaging from './messaging/messages/en.json';
import type moderation from './moderation/messages/en.json';
import type notices from './notices/messages/en.json';
import type performers from './performers/messages/en.json';
import type recordings from './recordings/messages/en.json';
import type roomModeration from './room-moderation/messages/en.json';
import type rooms from './rooms/messages/en.json';
import type screens from './screens/messages/en.json';
import type shows from './shows/messages/en.json';
import type site from './site/messages/en.json';
import type support from './support/messages/en.json';
import type tips from './tips/messages/en.json';

/** Every slice with texts: `useTranslation` and the server's `text` accept only their keys. */
declare module '../platform/text/message-keys.ts' {
  interface MessageFiles {
    readonly accounts: typeof accounts;
    readonly agreements: typeof agreements;
    readonly billing: typeof billing;
    readonly broadcast: typeof broadcast;
    readonly browse: typeof browse;
    readonly 'client-logs': typeof clientLogs;
    readonly compliance: typeof compliance;
    readonly consent: typeof consent;
    readonly fanclubs: typeof fanclubs;
    readonly identity: typeof identity;
    readonly ledger: typeof ledger;
    readonly legal: typeof legal;
    readonly messaging: typeof messaging;
    readonly moderation: typeof moderation;
    readonly notices: typeof notices;
    readonly performers: typeof performers;
    readonly recordings: typeof recordings;
    readonly 'room-moderation': typeof roomModeration;
    readonly rooms: typeof rooms;
    readonly screens: typeof screens;
    readonly shows: typeof shows;
    readonly site: typeof site;
    readonly support: typeof support;
    readonly tips: typeof tips;
  }
}
